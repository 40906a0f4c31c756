// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Finding.h"

#include "core/base/EnumTable.h"
#include "core/deadlock/FindingRules.h"
#include "core/deadlock/Words.h"

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

QString certaintyName(Certainty certainty)
{
    static constexpr EnumTable<Certainty> names({u"certain", u"likely", u"possible"});
    return names[certainty].toString();
}

QString cureHead(Certainty certainty)
{
    return certainty == Certainty::Possible ? u"This may be the cure"_s : u"This is the cure"_s;
}

namespace {

void capture(const Deadlock& deadlock, Findings& out)
{
    for (const QString& complaint : deadlock.report->complaints)
        out << Finding{.id = u"capture"_s,
            .certainty = Certainty::Certain,
            .says = complaint,
            .restsOn = u"How the report was written or read."_s,
            .wouldProve =
                u"Capture it again by extended events (SQL Server) or read the whole log (PostgreSQL)."_s};
}

void victim(const Deadlock& deadlock, Findings& out)
{
    if (deadlock.victims.isEmpty())
        return;
    const int at = deadlock.victims.first();
    const Participant& one = deadlock.participant(at);
    Finding finding{.id = u"victim"_s,
        .certainty = Certainty::Certain,
        .says =
            u"%1 was ended because it noticed first: PostgreSQL ends who has waited deadlock_timeout (1 s by default) and then finds itself in a ring."_s
                .arg(beginningWith(deadlock, at)),
        .restsOn = u"The victim wrote the entry of the log."_s};
    if (deadlock.report->engine == Engine::Postgres) {
        out << finding;
        return;
    }
    bool byPriority = false;
    bool byCost = true;
    bool isLeast = false;
    for (const int other : deadlock.participants) {
        if (deadlock.isVictim(other))
            continue;
        const Participant& rival = deadlock.participant(other);
        byPriority |= one.priority && rival.priority && *one.priority < *rival.priority;
        byCost &= one.logUsed && rival.logUsed && *one.logUsed <= *rival.logUsed;
        isLeast |= one.logUsed < rival.logUsed;
    }
    if (!byPriority && !(byCost && isLeast))
        return;
    finding.certainty = Certainty::Likely;
    finding.says = byPriority
        ? u"%1 was ended because its DEADLOCK_PRIORITY (%2) is lower than another's."_s.arg(
            beginningWith(deadlock, at), QString::number(one.priority.value_or(0)))
        : u"%1 was ended because it had written least (%L2 bytes of the log): to undo it costs least. SET DEADLOCK_PRIORITY changes who is ended, not that somebody is."_s
              .arg(beginningWith(deadlock, at))
              .arg(one.logUsed.value_or(0));
    finding.restsOn = u"Priority and log used of the participants."_s;
    finding.hedge = u"The server does not say why it chose; this is its documented rule."_s;
    out << finding;
}

/// In the order in which their cures are preferred: those that change least come first.
constexpr void (*rules[])(const Deadlock&, Findings&) = {parallel, createIndexConcurrently, applicationLocks,
    conversion, uniqueInserts, foreignKey, keyLookup, readerWriter, batchOrder, longerCycle, oppositeOrder,
    escalation, isolation, heap, readerBlocksWriter, tableLock, missingIndex, sameModule, openTransaction,
    agentJob, costlyVictim, victim, capture};

} // namespace

QList<Finding> findingsOf(const Deadlock& deadlock)
{
    Findings findings;
    for (const auto& apply : rules)
        apply(deadlock, findings);
    const auto cure =
        std::ranges::find_if(findings, [](const Finding& each) { return !each.cure.isEmpty(); });
    if (cure != findings.end())
        std::rotate(findings.begin(), cure, cure + 1);
    const auto rank = [](const Finding& each) {
        // Neither says why it happened: why somebody was chosen, and how the report was read.
        return each.id == u"capture"_s ? 10 : each.id == u"victim"_s ? 9 : int(each.certainty);
    };
    const auto rest = findings.begin() + (cure != findings.end() ? 1 : 0);
    std::stable_sort(rest, findings.end(),
        [&rank](const Finding& one, const Finding& other) { return rank(one) < rank(other); });
    for (auto each = rest; each != findings.end(); ++each)
        each->cure.clear(); // one is the cure
    return findings;
}

QString cureLine(const QList<Finding>& findings)
{
    if (findings.isEmpty() || findings.first().cure.isEmpty())
        return {};
    const Finding& first = findings.first();
    return u"%1 (%2)"_s.arg(first.cure, certaintyName(first.certainty));
}

} // namespace lockscope::deadlock
