// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/views/deadlocks/DeadlockList.h"
#include "ui/views/deadlocks/SourceLine.h"

#include <QHash>
#include <QObject>

namespace lockscope {
struct Snapshot;
}

namespace lockscope::ui {

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
