// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Incident.h"
#include "core/alert/Rule.h"
#include "core/record/Recording.h"
#include "core/report/Report.h"
#include "core/watch/IncidentStore.h"

#include <QHash>

namespace lockscope::record {
class RecordingReader;
}

namespace lockscope::watch {

struct ListedIncidents;

report::Value severityValue(alert::Severity severity); ///< its name, marked
/// True if it fires, and neither is it muted nor has anyone acknowledged it.
bool needsSomebody(const alert::Incident& incident, const QList<alert::Mute>& mutes);
/// Gives each server its incidents that need somebody. There may be hundreds of both.
class FiringIncidents {
public:
    FiringIncidents(const QList<alert::Incident>& incidents, const QList<alert::Mute>& mutes);
    /// `place`: record::serverPlace(). Those of the whole server are of each of its databases.
    QList<alert::Incident> of(const QString& place) const;

private:
    QHash<QString, QList<alert::Incident>> m_byServer;
};

/// The table "incidents", in the order given. Each row is about its Incident.
report::Section incidentsSection(
    const QList<alert::Incident>& incidents, const QList<alert::Mute>& mutes = {});
/// "only the latest 1,000 that are over, without 3 earlier ones"; empty: none is left out.
QString leftOutText(const ListedIncidents& listed);
/// The table "mutes", in the order given. Each row is about its Mute.
report::Section mutesSection(const QList<alert::Mute>& mutes);

// Tables of what stands in a rules file, in the order given. Each row is about its item.

report::Section rulesSection(const std::vector<alert::Rule>& rules);
/// `queue`: of the store, for what waits and fails.
report::Section channelsSection(const std::vector<alert::ChannelSettings>& channels,
    const std::vector<alert::Rule>& rules, const QList<IncidentStore::QueueState>& queue);
report::Section maintenanceSection(
    const std::vector<alert::MaintenanceWindow>& windows, const QDateTime& now);

/// "now, until 04:00; Sat 28 Nov 02:00–04:00": the next times of a window by the local clock, the first of
/// several by ';'. Empty: it is over.
QString nextTimesText(const alert::MaintenanceWindow& window, const QDateTime& now, int count);

/// An incident with all that colleagues need to understand it.
struct IncidentFile {
    alert::Incident incident;
    QList<IncidentStep> steps;
    QList<alert::Incident> similar; ///< resolved ones of the same cause, the newest first
    // Out of a recording, as far as there is one.
    QList<record::RecordedSnapshot> waiters; ///< how many waited, from some minutes before to some after
    QList<record::Event> events; ///< acts, gaps, failures, marks of that time
    QString recording; ///< its path; empty: none covers that time
    QString version; ///< of Lockscope
};

/// Reads the recorded part of the file. An error is why there is none.
Result<void> addRecorded(IncidentFile& file, record::RecordingReader& reader);
/// Finds the account's recording of that server and time, and reads it as addRecorded(). Blocks on the disk.
void addOwnRecording(IncidentFile& file);

/// Returns the file as a report: "chain", "waiters", "rules", "history", "events", "similar". Statements are
/// left out unless `withStatements`.
report::Report toReport(const IncidentFile& file, bool withStatements);

} // namespace lockscope::watch
