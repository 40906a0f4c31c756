// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/AlertEngine.h"
#include "core/db/credentials/Secrets.h"

#include <functional>
#include <stop_token>

namespace lockscope::record {
class RecordingReader;
}

namespace lockscope::watch {

struct RehearsalOptions {
    QString recording{}; ///< a file, or a recording in a team's history
    db::PasswordProvider passwords = {};
    ServerTime from = {}; ///< invalid: from its beginning
    ServerTime to = {}; ///< invalid: to its end
    /// Called now and then with the part that is done, from 0 to 1. On the caller's thread.
    std::function<void(double)> progress = {};
};

/// The result of rules on a recording.
struct Rehearsal {
    QString server; ///< as the recording names it
    ServerTime from, to; ///< of the recorded time that was gone through
    QList<alert::Incident> incidents; ///< by the time they fired; those that go on at the end still fire
    qint64 polls = 0;
    qint64 unreadable = 0; ///< polls whose snapshot is damaged
    microseconds seen{0}; ///< recorded time without its gaps
    /// Says what rules could not be tried on: "failing channel".
    QStringList notTried;

    /// Returns how many fired of this rule, in any severity.
    int countOf(const QString& rule) const;
    double perDay(const QString& rule) const; ///< of recorded time
};

/// Applies rules to a recording as if they had been in force then: by the same engine as live. No notice
/// is sent, nothing is kept. Cancelled: stop was requested. Blocks on the disk; any thread.
Result<Rehearsal> rehearse(
    const alert::RuleSet& rules, const RehearsalOptions& options, const std::stop_token& stop = {});
/// Does the same with a recording that is open.
Result<Rehearsal> rehearse(const alert::RuleSet& rules, record::RecordingReader& reader,
    const RehearsalOptions& options, const std::stop_token& stop = {});

} // namespace lockscope::watch
