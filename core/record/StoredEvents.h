// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Recording.h"
#include "core/report/Report.h"

#include <QList>
#include <QStringList>

namespace lockscope::record {

/// Returns what Event::isOfReader says in them, as sentences: that some are damaged, or beyond what is read
/// at once. Empty: none is missing.
QStringList missingAmong(const QList<Event>& events);

/// Counts events by kind.
struct EventTally {
    /// A lower bound: deadlocks that the server reported, and those that a poll saw and that are none of them
    /// (deadlock::isSameDeadlock). One that the server only counted, or reported without its sessions or its
    /// time, may be any that a poll saw.
    qint64 deadlocks = 0;
    qint64 alerts = 0; ///< that began
    qint64 acts = 0;

    /// Returns "2 deadlocks, 1 alert"; empty if there were no events.
    QString toString() const;
    /// Adds facts "events.deadlocks" …, and a line behind the tables.
    void addTo(report::Report& report) const;
};
EventTally tallyOf(const QList<Event>& events);

} // namespace lockscope::record
