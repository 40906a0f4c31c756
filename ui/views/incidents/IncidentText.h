// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/AlertEngine.h"
#include "ui/views/incidents/IncidentBook.h"
#include "ui/views/incidents/RecordedIncidentsView.h"

namespace lockscope::ui {

/// "Critical · shop · since 12:03:04 UTC, for 4 min 05 s · 12 sessions wait, 25 at worst · cost: 45 min".
/// Plain.
QString incidentFacts(const alert::Incident& incident);
/// Why it fires, what resolves it, who it is and the chain at its worst. `advice`: of its rules, for people.
/// HTML.
QString incidentStory(const alert::Incident& incident, const QStringList& advice);
/// Returns its steps and similar ones of the past, as HTML.
QString incidentHistory(const alert::Incident& incident, const IncidentPast& past);

// The same of an incident that a recording tells of; what recordings don't keep is named.
QString recordedFacts(const FoundIncident& found);
QString recordedStory(const FoundIncident& found);
QString recordedHistory(const FoundIncident& found);
/// Returns who found it, and that it is acknowledged and muted there.
QString reasonAgainstHandling(const FoundIncident& found);

/// "Pending: “long wait” on shop fires in 12 s unless it clears." The first of several; empty: none.
QString pendingText(const QList<alert::PendingAlert>& pending);
/// Each in a line, with what it is about.
QString pendingList(const QList<alert::PendingAlert>& pending);

} // namespace lockscope::ui
