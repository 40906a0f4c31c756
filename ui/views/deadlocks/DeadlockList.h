// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/DeadlockIdentity.h"
#include "ui/views/deadlocks/DeadlocksModel.h"

#include <QList>
#include <QSet>

#include <optional>
#include <vector>

namespace lockscope::ui {

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

} // namespace lockscope::ui
