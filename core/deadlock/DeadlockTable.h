// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/DeadlockExport.h"
#include "core/deadlock/Family.h"
#include "core/report/Report.h"

namespace lockscope::deadlock {

/// Deadlocks, each with its ring as a picture, what happened, who took part and findings; and what was read
/// besides: blocked processes, reports of which a part is missing. `table`: that one alone; empty: all.
report::Report toReport(
    const QList<ReportPtr>& reports, const QList<ProofSection>& proofs = {}, const QString& table = {});
/// One deadlock as a part of it, number `number` under this title.
std::vector<report::Section> sectionsOf(const Deadlock& deadlock, qint64 number, const QString& title);
/// The proof of deadlock `number` as a part of it.
std::vector<report::Section> sectionsOf(const ProofSection& proof, qint64 number, bool withScenario = true);
/// Null: nothing was proved of that deadlock.
const ProofSection* proofOf(const QList<ProofSection>& proofs, const Deadlock& deadlock);
report::Report toReport(const QList<Family>& families);
/// The ring as SVG: an arrow from each to the next one, round a circle.
QString pictureOf(const Deadlock& deadlock);

} // namespace lockscope::deadlock
