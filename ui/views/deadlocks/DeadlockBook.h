// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/deadlock/DeadlockIdentity.h"
#include "core/deadlock/Family.h"
#include "core/deadlock/source/DeadlockPoller.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/widgets/NoticeBar.h"

#include <QHash>
#include <QList>
#include <QObject>
#include <QSet>

#include <optional>
#include <vector>

namespace lockscope {
struct Snapshot;
}

namespace lockscope::ui {

/// A deadlock with what is worked out of it once.
struct DeadlockRow {
    deadlock::Deadlock deadlock;
    deadlock::DeadlockIdentity identity; ///< its server as the window names it
    QString family; ///< id
    QString title; ///< of the family
    QString tables;
    int familyCount = 0; ///< the number of its members in the list

    bool operator==(const DeadlockRow& other) const
    {
        return identity.event == other.identity.event && familyCount == other.familyCount;
    }
};

/// A row for each deadlock of the report, not counted yet. Takes its time where statements are long; any
/// thread.
std::vector<DeadlockRow> deadlockRows(const deadlock::ReportPtr& report);

/// Deadlocks that were read or seen, the newest first.
class DeadlocksModel : public KeyedTableModel<DeadlockRow, QString> {
    Q_OBJECT

public:
    enum Column { At, Kind, Sessions, Tables, Victim, Family, Count, From };

    explicit DeadlocksModel(QObject* parent = nullptr);

    /// Counts the families of what deadlockRows() gave.
    void showDeadlocks(std::vector<DeadlockRow> rows);

protected:
    QString keyOf(const DeadlockRow& row) const override { return row.identity.event; }
    bool same(const DeadlockRow& before, const DeadlockRow& after) const override { return before == after; }
    QVariant cell(quint32 row, int column, int role) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QString text(quint32 row, int column) const override;
    report::Value value(quint32 row, int column) const override;
};

/// Sessions by their labels, "52 and 63", "3 sessions" if they are many.
QString sessionsText(const deadlock::Deadlock& deadlock);

/// The deadlocks that were read and seen, each event once. A value; GUI thread but for rowsOfReports().
class DeadlockList {
public:
    /// A report with its rows, which are worked out once.
    struct ReportRows {
        deadlock::ReportPtr report;
        std::vector<DeadlockRow> rows;
        bool isOpened = false; ///< by the user
    };
    /// `server`: its name in the window; empty: it is from a file. Any thread.
    static QList<ReportRows> rowsOfReports(
        const QList<deadlock::ReportPtr>& reports, const QString& server = {});

    struct Came {
        int deadlocks = 0;
        int known = 0; ///< of them: those of which our own monitor had seen the ring
        bool isChange = false; ///< the list is another one now, or leaves out more
    };
    enum class Cause : quint8 { OwnAct, Watching }; ///< OwnAct: the user opened or pasted them
    /// A server's report replaces our own monitor's record of the same deadlock. If the list is full,
    /// those without a time and the oldest go, whenever they came. Those of an own act stay longer than all
    /// others; of former acts the newest, up to half of the list, so that there is space for what comes by
    /// itself. One that goes at once has not come.
    Came add(const QList<ReportRows>& all, Cause cause = Cause::Watching);
    void clear();
    bool isEmpty() const { return m_reports.isEmpty(); }
    /// True if it came before; saves computing its rows.
    bool has(const deadlock::DeadlockReport& report) const { return m_known.has(report); }
    /// Returns how many deadlocks came and are not in the list because it is full, each counted once; of more
    /// than maxReports of them only so many are counted.
    qint64 leftOut() const { return m_leftOut.count(); }
    /// Returns "at least " if leftOut() does not count all of them, else nothing.
    QString atLeast() const { return m_isMoreLeftOut ? QStringLiteral("at least ") : QString(); }
    QString leftOutText() const; ///< a sentence that says what to do; empty: none is left out
    /// Returns those that were there at that time, the newest first; nothing: all. Those without a time are
    /// in all of them, at the end, those that came last before the others.
    std::vector<DeadlockRow> rows(const std::optional<ServerTime>& until = {}) const;
    /// Returns how many happened on that server behind `from`, up to `to`.
    int count(const QString& server, ServerTime from, ServerTime to) const;

    static constexpr int maxReports = 10'000;
    /// Characters of their texts: a session can have the server write reports of megabytes.
    static constexpr qint64 maxTextLength = 64 << 20;

private:
    bool dropSeen(const DeadlockRow& newRows);
    bool isOverfull() const;
    void sortForDropping(const QSet<const deadlock::DeadlockReport*>& fresh);

    QList<ReportRows> m_reports; ///< of one time, or none: in the order in which they came
    qint64 m_text = 0; ///< characters of their texts
    deadlock::KnownDeadlocks m_known;
    deadlock::KnownDeadlocks m_leftOut;
    bool m_isMoreLeftOut = false;
};

/// The known state of a server's own records of its deadlocks.
struct DeadlockRecords {
    ServerTime since; ///< of the first poll
    ServerTime readFrom{}; ///< those of before, too; not valid: only from `since` on
    std::optional<Result<deadlock::SourcePoll>> latest; ///< nothing: no poll has ended yet
    deadlock::DeadlockWatch::Cost cost;
};

/// "3 counted, 1 captured since 09:12 · PostgreSQL's log (jsonlog)"; below it the records that can't be read,
/// and the remedy.
QString recordsText(const DeadlockRecords& records);
QString recordsCostText(const deadlock::DeadlockWatch::Cost& cost);

/// The deadlocks that the window knows: those of files that were opened, and those that are seen on the
/// servers that are watched, whether or not anybody looks at them. They stay until the list is cleared. GUI
/// thread.
class DeadlockBook : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    const DeadlockList& list() const { return m_list; }
    /// Adds those that are not in the list yet; returns how many deadlocks came. `server`: its name in the
    /// window; empty: they are from files.
    int add(const QList<deadlock::ReportPtr>& reports, const QString& server = {});
    DeadlockList::Came addRows(const QList<DeadlockList::ReportRows>& all,
        DeadlockList::Cause cause = DeadlockList::Cause::Watching);
    void clear();
    /// Takes each snapshot of any server that is watched: one without a ring costs next to nothing.
    void noteSnapshot(const Snapshot& snapshot, const QString& server);
    /// Takes the present records of any server that is watched.
    void noteRecords(const DeadlockRecords& records, const QString& server);
    struct Recorded {
        QList<DeadlockList::ReportRows> reports;
        QStringList missing; ///< sentences: what is recorded, too, and was not read
    };
    /// Takes the deadlocks of the recording on view, which are not new. `server`: its name in the window.
    void addRecorded(const Result<Recorded>& result, const QString& server);
    /// Returns what is missing of those that were taken last; nothing: nothing is.
    const std::optional<BarNotice>& recordedNotice() const { return m_recordedNotice; }
    /// Returns the present records of that server; nothing: they are not known.
    std::optional<DeadlockRecords> records(const QString& server) const;
    /// Returns how many of that server happened behind `from`, up to `to`.
    int count(const QString& server, ServerTime from, ServerTime to) const
    {
        return m_list.count(server, from, to);
    }
    /// Returns how many came since markSeen() was called last.
    int unseen() const { return m_unseen; }
    /// The user looks at the list.
    void markSeen() { setUnseen(0); }

Q_SIGNALS:
    void changed(); ///< list(). Who shows it to the user answers by markSeen()
    void recordsChanged();
    void recordedNoticeChanged();
    void unseenChanged(int unseen);

private:
    void setUnseen(int unseen);

    DeadlockList m_list;
    QHash<QString, DeadlockRecords> m_records; ///< by server
    std::optional<BarNotice> m_recordedNotice;
    int m_unseen = 0;
    Worker m_reader;
};

} // namespace lockscope::ui
