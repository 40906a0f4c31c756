// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordedIncidents.h"

#include "core/alert/Rule.h"

#include <QHash>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace lockscope::record {

using namespace Qt::StringLiterals;

QList<RecordedIncident> incidentsAmong(const QList<Event>& events)
{
    QList<RecordedIncident> incidents;
    QHash<QString, qsizetype> firing; // by fingerprint
    for (const Event& event : events) {
        if (event.kind != Event::Kind::Alert)
            continue;
        const QJsonObject detail = QJsonDocument::fromJson(event.detail.toUtf8()).object();
        const QString fingerprint = detail[u"incident"].toString();
        const QString state = detail[u"state"].toString();
        if (fingerprint.isEmpty())
            continue; // a server's own report of a wait
        if (state == u"begins" || !firing.contains(fingerprint)) {
            firing.insert(fingerprint, incidents.size());
            incidents << RecordedIncident{};
        }
        RecordedIncident& incident = incidents[firing.value(fingerprint)];
        if (state == u"begins")
            incident.fired = event.at;
        if (incident.what.isEmpty())
            incident.what = event.what;
        incident.isCritical = incident.isCritical
            || detail[u"severity"].toString() == alert::severityName(alert::Severity::Critical);
        incident.steps << event;
        incident.head = detail[u"head"].toString();
        incident.waiting = std::max(incident.waiting, detail[u"waiting"].toInteger());
        incident.longest = std::max(incident.longest, milliseconds(detail[u"longest_ms"].toInteger()));
        if (state == u"ends") {
            incident.resolved = event.at;
            incident.end = event.what;
            firing.remove(fingerprint);
        }
    }
    std::reverse(incidents.begin(), incidents.end());
    return incidents;
}

report::Section toSection(const QList<RecordedIncident>& incidents)
{
    using enum report::Type;
    using report::Column;
    report::Section section{.key = u"incidents"_s,
        .columns = {{Time, u"fired"_s, u"Fired"_s, u"Empty: it fired before the recording begins."_s},
            Column(Time, u"resolved"_s, u"Resolved"_s, u"Empty: no event records its end."_s).yield(2),
            Column(u"severity"_s, u"Severity"_s, u"The worst that it had."_s),
            Column(u"title"_s, u"Incident"_s).wide(3).whole(),
            Column(u"head"_s, u"Head blocker"_s).wide(1).yield(3),
            {Count, u"waiting"_s, u"Waiting"_s, u"Sessions, at the worst."_s},
            {Length, u"longest"_s, u"Longest wait"_s}, Column(u"end"_s, u"End"_s).wide(2).yield(4)},
        .whenEmpty = u"No incident is recorded in that time."_s};
    for (const RecordedIncident& incident : incidents) {
        const bool isOfWaits = incident.waiting > 0; // else nobody counted them
        section.rows.push_back(
            {.cells = {incident.fired.value_or(ServerTime()), incident.resolved.value_or(ServerTime()),
                 alert::severityName(
                     incident.isCritical ? alert::Severity::Critical : alert::Severity::Warning),
                 incident.what, incident.head, isOfWaits ? report::Value(incident.waiting) : report::Value(),
                 isOfWaits ? report::Value::atLeast(incident.longest) : report::Value(), incident.end}});
    }
    return section;
}

} // namespace lockscope::record
