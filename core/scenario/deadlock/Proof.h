// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/DeadlockExport.h"
#include "core/scenario/deadlock/DeadlockScenario.h"
#include "core/scenario/explore/Explore.h"

#include <vector>

namespace lockscope::scenario {

/// The results of executing all interleavings of one variant.
struct VariantProof {
    QString variant; ///< its id
    QString title;
    QString assumes{}; ///< Variant::assumes
    bool isReported = false; ///< as reported; else a candidate cure
    ExploreReport report{};

    /// "deadlocks in 6 of 20 orders", "0 of 20 orders deadlock", "… of the 2,000 orders that were executed".
    QString verdict() const;
    /// At least one order deadlocks. One that got stuck does, too: the server looks for deadlocks late.
    bool deadlocks() const { return report.broken + report.stuck > 0; }
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

struct DeadlockProof {
    /// In the scenario's order. Those of other engines are left out, and the changes under an assumption
    /// under which the deadlock did not happen.
    std::vector<VariantProof> variants{};
    QString product{}; ///< that executed it: "PostgreSQL 15.18"
    bool wasStopped = false;

    /// The reported order deadlocks in at least one interleaving, under at least one assumption.
    bool happened() const;
    /// Under this assumption.
    bool happened(const QString& assumes) const;
    /// The change cures the deadlock under each assumption under which it happens. What never happened is
    /// cured by nothing.
    bool cures(const VariantProof& variant) const;
    /// Says what follows for one: "it happens", "cures the reproduced deadlock", "cures it only if …", "is no
    /// cure", "proves nothing", "not all were tried".
    QString conclusion(const VariantProof& variant) const;
    /// "As reported: deadlocks in 2 of 70 orders. One order for all: 0 of 70 orders deadlock." Before it has
    /// shown anything: empty.
    QString summary() const;
};
/// Called on the thread that proves: which variant is explored, and how far that is.
using ProofHandler = std::function<void(const QString& variant, const ExploreProgress&)>;

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
