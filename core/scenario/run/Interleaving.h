// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/FreeRun.h"
#include "core/scenario/run/ScenarioSession.h"

namespace lockscope::scenario {

/// "A" for session 1, "B" for 2, "AA" for 27.
QString sessionLetter(int number);
QString sessionLetters(const std::vector<int>& numbers); ///< "A and C"; empty for nobody

/// One step that was done, and how it went.
struct StepRecord {
    int session = 0; ///< from 1
    int step = 0; ///< its how many-th, from 1
    QString label; ///< "write the sum"
    QString text; ///< the statement, with its values; not part of what a replay compares
    bool isBlocked = false; ///< it had to wait until others went on
    std::vector<int> blockers; ///< sessions, ascending; others are not listed
    QString on; ///< the lock that it waited for; not part of what a replay compares
    StepOutcome outcome = StepOutcome::Done; ///< in the end
    bool isEnded = true; ///< false: it still waited when the record was taken

    QString token() const; ///< "A3", "B2*"
    bool operator==(const StepRecord&) const = default;
};

/// An order in which the steps of a run's sessions were done, one at a time: enough to do it again.
struct Interleaving {
    QString scenario; ///< ids
    QString variant;
    Engine engine = {}; ///< of the recording; it may be replayed on another one
    int sessions = 2;
    int rounds = 1;
    quint32 seed = 1;
    QHash<QString, QString> parameters; ///< those that were set
    std::vector<StepRecord> steps;
    /// The number of times that each rule was broken in the end; empty = unknown.
    std::map<RunRule, qint64> violations;

    int switches() const; ///< the number of times that another session than the last one was chosen
};

/// "lost-update/unsafe: A1 B1 A2* B2"; what is not by default stands before the colon, "sessions=3".
QString toText(const Interleaving& interleaving);
/// Reads also texts that people have changed: spaces and line breaks anywhere between. Labels and outcomes
/// are not known then.
Result<Interleaving> interleavingFromText(const QString& text);

/// Returns the form of resources/scenarios/interleaving.schema.json.
QJsonObject toJson(const Interleaving& interleaving);
Result<Interleaving> interleavingFromJson(const QByteArray& json, const QString& file);
/// Either form, whichever it is.
Result<Interleaving> readInterleaving(const QByteArray& content, const QString& file);

} // namespace lockscope::scenario
