// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Incident.h"
#include "core/record/Recording.h"
#include "core/report/Report.h"
#include "core/watch/IncidentStore.h"

namespace lockscope::record {
class RecordingReader;
}

namespace lockscope::watch {

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
