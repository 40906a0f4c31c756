// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"
#include "core/deadlock/DeadlockExport.h"
#include "core/scenario/explore/Explore.h"
#include "core/scenario/format/Scenario.h"

#include <QStringList>

#include <vector>

namespace lockscope::scenario {

/// A scenario in which a reported deadlock can happen again, and variants in which it may not.
struct DeadlockScenario {
    ScenarioPtr scenario; ///< its text is the file, to save and to edit
    /// The facts that the report does not show, and those that are not in the scenario: sentences.
    QStringList leftOut;
};

/// Makes a scenario of the cycle: one session for each participant, each with what it held and then what it
/// waited for, in the modes of the report, on rows and tables that stand for the reported ones, or on
/// application locks. What the report leaves open (one row or two, the mode in which a table was held) is
/// taken each way that fits, in variants of their own (Variant::assumes). No statement of the report is run.
/// The first variant is as reported; the others are candidate changes, of which only executing all
/// interleavings tells whether they cure it (explore()). Unsupported: there is nothing to order, as with
/// parallel threads of one statement, with different indexes of one table, or where a transaction's end is
/// waited for; more than maxParticipants. Any thread.
Result<DeadlockScenario> deadlockScenario(const deadlock::Deadlock& deadlock);

/// Between a variant's id and the number of its assumption, from 2 on: "one-order-if-2".
inline constexpr QLatin1StringView assumptionMark{"-if-"};

/// More would have too many interleavings to execute.
inline constexpr int maxParticipants = 4;

/// The results of executing all interleavings of one variant.
struct VariantProof {
    QString variant; ///< its id
    QString title; ///< with what it assumes
    QString meaning{}; ///< Variant::meaning
    QString assumes{}; ///< Variant::assumes
    bool isReported = false; ///< as reported; else a candidate cure
    ExploreReport report{};

    /// "deadlocks in 6 of 20 orders", "0 of 20 orders deadlock", "… of the 2,000 orders that were executed".
    QString verdict() const;
    /// At least one order deadlocks. One that got stuck does, too: the server looks for deadlocks late.
    bool deadlocks() const { return report.broken + report.stuck > 0; }
    /// It is known whether it deadlocks: some order does, or all were executed.
    bool isSettled() const { return deadlocks() || report.isComplete; }
    /// The deadlock happened as reported.
    bool isReproduced() const { return isReported && deadlocks(); }
    /// True if no order deadlocks, and there is none that was not executed. Worth something only if the
    /// reported one deadlocks: see DeadlockProof::cures().
    bool isCure() const
    {
        return !isReported && report.isComplete && report.executed > 0 && report.broken == 0
            && report.stuck == 0 && report.unrepeatable == 0;
    }
};

/// One line for people says what all orders of one change show, under all assumptions together.
using ProvedChange = deadlock::ProofSection::Change;

struct DeadlockProof {
    /// In the scenario's order. Those of other engines are left out, and the changes under an assumption
    /// under which the deadlock did not happen.
    std::vector<VariantProof> variants{};
    int assumptions = 1; ///< under which there is something to execute, whether that was done or not
    QString product{}; ///< that executed it: "PostgreSQL 15.18"
    bool wasStopped = false;

    /// The reported order deadlocks in at least one interleaving, under at least one assumption.
    bool happened() const;
    /// Under this assumption.
    bool happened(const QString& assumes) const;
    /// It is known under each assumption whether the deadlock happens.
    bool isEachAssumptionSettled() const;
    /// The change cures the deadlock under each assumption under which it happens. What never happened is
    /// cured by nothing, and while an assumption was not tried to its end nothing is known to be a cure.
    bool cures(const VariantProof& variant) const;
    /// Says what follows for one: "it happens", "cures the reproduced deadlock", "cures it only if …", "is no
    /// cure", "proves nothing", "not all were tried".
    QString conclusion(const VariantProof& variant) const;
    /// "cures it only if …" of the assumptions under which a change cures the deadlock.
    QString conditionText(const QStringList& assumed) const;
    /// One for each change, "As reported" first.
    std::vector<ProvedChange> changes() const;
    /// "As reported: deadlocks in 2 of 70 orders. One order for all: 0 of 70 orders deadlock." Before it has
    /// shown anything: empty.
    QString summary() const;
};
/// Says how far a proof is.
struct ProofProgress {
    QString title{}; ///< of the variant that is explored
    int number = 0; ///< of `count` variants, from 1; some may be left out
    int count = 0;
    ExploreProgress orders{};

    /// "One order for all (2 of 4): 12 of at most 70 orders executed; 0 went wrong."
    QString toString() const;
};
/// Called on the thread that proves.
using ProofHandler = std::function<void(const ProofProgress&)>;

/// Executes the interleavings of each variant of a scenario made by deadlockScenario(). Blocks; after `stop`
/// it returns with what there was so far.
Result<DeadlockProof> prove(const db::Server& server, const ScenarioPtr& scenario, int maxOrders = 2'000,
    const std::stop_token& stop = {}, const ProofHandler& onProgress = {});

QJsonObject toJson(const DeadlockProof& proof);

/// "PostgreSQL 15.18, in the sandbox": where it was executed, for others; no name of a server.
QString whereProved(const DeadlockProof& proof, bool isSandbox);

/// Returns the section for the deadlock's page. Where that is redacted, the scenario is made again of the
/// redacted report. `where` as of whereProved().
deadlock::ProofSection sectionOf(const deadlock::Deadlock& deadlock, const DeadlockProof& proof,
    const QString& where, deadlock::Disclosure disclosure = deadlock::Disclosure::Redacted);

} // namespace lockscope::scenario
