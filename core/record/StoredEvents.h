// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Recording.h"
#include "core/report/Report.h"

#include <QList>
#include <QStringList>

#include <optional>

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

/// An incident, as the events of a recording tell it.
struct RecordedIncident {
    std::optional<ServerTime> fired; ///< nothing: before the first event that is there
    std::optional<ServerTime> resolved; ///< nothing: no event tells its end
    bool isCritical = false; ///< at some time
    QString what; ///< as it fired
    QString end; ///< how it ended; empty: as `resolved`
    QString head; ///< the head blocker
    qint64 waiting = 0; ///< sessions, at the worst
    milliseconds longest{0}; ///< wait
    QList<Event> steps; ///< that tell it, by time; at least one
};
/// Returns the incidents that the events tell, those that fired last first. Pure.
QList<RecordedIncident> incidentsAmong(const QList<Event>& events);
/// Returns the table "incidents".
report::Section toSection(const QList<RecordedIncident>& incidents);

} // namespace lockscope::record
