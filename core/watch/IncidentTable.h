// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Incident.h"
#include "core/alert/Mute.h"
#include "core/report/Report.h"

namespace lockscope::watch {

struct ListedIncidents;

report::Value severityValue(alert::Severity severity); ///< its name, marked
/// True if it fires, and neither is it muted nor has anyone acknowledged it.
bool needsSomebody(const alert::Incident& incident, const QList<alert::Mute>& mutes);

/// The table "incidents", in the order given. Each row is about its Incident.
report::Section incidentsSection(
    const QList<alert::Incident>& incidents, const QList<alert::Mute>& mutes = {});
/// "only the latest 1,000 that are over, without 3 earlier ones"; empty: none is left out.
QString leftOutText(const ListedIncidents& listed);
/// The table "mutes", in the order given. Each row is about its Mute.
report::Section mutesSection(const QList<alert::Mute>& mutes);

} // namespace lockscope::watch
