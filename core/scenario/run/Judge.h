// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/format/Scenario.h"
#include "core/scenario/run/EventLog.h"

#include <QJsonObject>

#include <span>

namespace lockscope::scenario {

enum class RunRule {
    Invariant,
    OneHolder,
    ProcessedOnce,
    InOrder,
    NoDeadlock,
    NoDuplicateKey,
    NobodyWaits,
    LongestWait,
};
QString ruleKey(RunRule rule); ///< as in files: "one_holder"
/// "two sessions in one critical section": what one violation of it is; of the invariant: what its file says.
QString ruleViolation(RunRule rule, qint64 count, const Scenario& scenario);

/// Returns "2 deadlock victims, 1 item processed twice": the number of times that each rule was broken; empty
/// if none was. Violations that the database and the log count alike are listed once.
QString violationsText(const std::map<RunRule, qint64>& violations, const Scenario& scenario);
QJsonObject toJson(const std::map<RunRule, qint64>& violations);

/// One that the event log shows.
struct Violation {
    RunRule rule = RunRule::OneHolder;
    microseconds at{0}; ///< since the start of the run
    int session = 0; ///< from 1
    int other = 0; ///< the one before it; 0 = none
    QString subject; ///< lock, critical section or item
    bool operator==(const Violation&) const = default;
};

/// The answer of the invariant's SQL.
struct InvariantCount {
    qint64 violations = 0;
    qint64 outOf = 0; ///< so many things there are that can be violated; 0 = not counted
};

struct Violations {
    std::map<RunRule, qint64> violations; ///< of each rule that was asked for, 0 if there were none
    qint64 outOf = 0; ///< InvariantCount::outOf
    std::vector<Violation> examples; ///< the first ones of the event log, in order of time
    qint64 tries = 0; ///< rounds that were begun, without those that found nothing to do
    bool sawAll = true; ///< false: a log was full, later events were counted but not judged

    void take(const InvariantCount& inDatabase);
    bool isBroken() const { return total() > 0; }
    /// violations that the database and the log count alike count once, as in violationsText()
    qint64 total() const;
};

/// Returns the violations in the event logs; pure. `logs` by session; `end`: the run's length.
Violations judge(
    const Rules& rules, const Values& values, std::span<const SessionLog::Copy> logs, microseconds end);

// The data for pictures of a run. The logs by session, times in microseconds since the start.
using LogPointers = std::vector<const SessionLog::Copy*>;

/// A session's stay in a critical section, or a part of it.
struct SectionStay {
    int session = 0; ///< from 1
    quint32 subject = 0; ///< the section, in the session's log
    qint64 from = 0;
    qint64 to = 0;
};
/// Returns them in the order in which they begin. Those that are not left last until `end`, or as far as the
/// log shows.
std::vector<SectionStay> sectionStays(const LogPointers& logs, qint64 end);
/// The parts of stays in which other sessions were in the same section, in the order in which they begin.
std::vector<SectionStay> overlapsOf(const std::vector<SectionStay>& stays, const LogPointers& logs);

/// Work that was done again (ProcessedOnce), or too late (InOrder).
struct WrongItem {
    RunRule rule = RunRule::ProcessedOnce;
    qint64 at = 0;
    int session = 0; ///< from 1
    int other = 0; ///< that has done it before, or what comes after it
    quint32 subject = 0; ///< the item, in the session's log
};
/// Returns the wrong items that the rules ask for; in order of time.
std::vector<WrongItem> wrongItems(const Rules& rules, const LogPointers& logs);

/// A session replaced an item as it was before others changed it: their change is gone from then on.
struct Overwriting {
    qint64 at = 0; ///< it was for good
    int session = 0; ///< from 1
    int other = 0; ///< the session that lost its change; of several, the latest one
    int count = 1; ///< changes that are gone by it
    quint32 subject = 0; ///< the item, in the session's log
    bool operator==(const Overwriting&) const = default;
};
/// Finds them by the steps that say what they write over; in order of time.
std::vector<Overwriting> overwritings(const LogPointers& logs);

/// A session's statement waited for a row that another session had changed in a transaction that went on.
struct RowWait {
    int session = 0; ///< from 1: the one that waits
    quint32 asked = 0; ///< the row, in its log
    qint64 from = 0;
    qint64 to = 0;
    int holder = 0; ///< from 1
    quint32 held = 0; ///< the row, in the holder's log
    qint64 heldFrom = 0;
    qint64 heldTo = 0;
    bool operator==(const RowWait&) const = default;
};
/// Finds them by the steps that say which row they lock (SqlStep::locksRow): a statement that had begun while
/// another session had the row, and got on later, has waited that long. In order of the waiting sessions.
std::vector<RowWait> rowWaits(const LogPointers& logs);

/// "lost 3157 payments": what broke the invariant in the words of its file, else as violationsText.
QString briefText(const std::map<RunRule, qint64>& violations, const Scenario& scenario);

/// Returns "492 of 666 payments were lost, 2 of 670 tries were rolled back as deadlock victims": what was
/// broken, in the words of the scenario's file and of the rules.
QString outcomeText(const Violations& violations, const Scenario& scenario);

/// Sentences that a newcomer understands, the outcome first. What did not happen is not called safe.
/// `parameters`: those of the order; what was changed there may be why a variant broke that holds otherwise.
QString verdict(const Scenario& scenario, const Variant& variant, const Violations& violations,
    const QHash<QString, QString>& parameters);

} // namespace lockscope::scenario
