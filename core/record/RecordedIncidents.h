// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Recording.h"
#include "core/report/Report.h"

#include <QList>

#include <optional>

namespace lockscope::record {

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
