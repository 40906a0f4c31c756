// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Finding.h"

#include "core/deadlock/FindingRules.h"
#include "core/deadlock/Words.h"

#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <array>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

QString certaintyName(Certainty certainty)
{
    static constexpr std::array<QStringView, 3> names{u"certain", u"likely", u"possible"};
    return names[size_t(certainty)].toString();
}

QString cureHead(Certainty certainty)
{
    return certainty == Certainty::Possible ? u"This may be the cure"_s : u"This is the cure"_s;
}

bool isShared(const QString& mode)
{
    static const QSet<QString> modes{
        u"S"_s, u"IS"_s, u"RangeS-S"_s, u"Sch-S"_s, u"ShareLock"_s, u"AccessShareLock"_s, u"RowShareLock"_s};
    return modes.contains(mode);
}

bool isWriting(const QString& mode)
{
    static const QSet<QString> modes{
        u"X"_s, u"IX"_s, u"SIX"_s, u"UIX"_s, u"RangeX-X"_s, u"RangeI-N"_s, u"BU"_s};
    return modes.contains(mode);
}

QString bareTable(const QString& table)
{
    return table.section(u'.', -1).toLower();
}

QString beginningWith(const Deadlock& deadlock, int participant)
{
    QString name = participantName(deadlock, participant);
    if (deadlock.participant(participant).session.isValid())
        name[0] = name[0].toUpper();
    return name;
}

QString verbOf(const QString& statement)
{
    return bareStatement(statement).simplified().section(u' ', 0, 0).toLower();
}

const QString& statementOf(const Deadlock& deadlock, const Link& link)
{
    return deadlock.participant(link.waiter).statement;
}

QString tableOf(const Deadlock& deadlock, const Link& link)
{
    const QString& table = deadlock.resource(link.resource).table;
    return table.isEmpty() ? firstTable(statementOf(deadlock, link)) : table;
}

bool namesItsTable(const Deadlock& deadlock, const Link& link)
{
    const QString& table = deadlock.resource(link.resource).table;
    return table.isEmpty() || bareTable(firstTable(statementOf(deadlock, link))) == bareTable(table);
}

QString conditionOf(const QString& statement)
{
    static const QRegularExpression condition(u"\\bWHERE\\b.*?(?=\\s+(?:RETURNING|ORDER\\s+BY|LIMIT|FOR\\s+(?"
                                              u":NO\\s+KEY\\s+UPDATE|UPDATE|KEY\\s+SHARE|SHARE)|"
                                              "OPTION)\\b|$)"_s,
        QRegularExpression::CaseInsensitiveOption);
    return condition.match(shortStatement(statement)).captured();
}

QString readingFor(
    const QString& statement, const QString& table, const QString& hints, const QString& clause)
{
    QStringList parts{u"SELECT … FROM "_s + table};
    if (!hints.isEmpty())
        parts << u"WITH (%1)"_s.arg(hints);
    const QString condition = conditionOf(statement);
    parts << (condition.isEmpty() ? u"WHERE …"_s : condition);
    if (!clause.isEmpty())
        parts << clause;
    return parts.join(u' ');
}

Shape::Shape(const Deadlock& deadlock)
{
    for (const Link& link : deadlock.links()) {
        const LockedThing& thing = deadlock.resource(link.resource);
        resources.insert(link.resource);
        tables.insert(bareTable(thing.table));
        kinds.insert(thing.kind);
        if (!thing.index.isEmpty())
            indexes.insert(thing.index);
        statementTables.insert(bareTable(firstTable(statementOf(deadlock, link))));
        hasUnnamed |= thing.table.isEmpty();
        hasOther |= !thing.isLock;
        hasUnknownHeld |= link.held.isEmpty();
        converts |= link.converts;
    }
}

namespace {

void capture(const Deadlock& deadlock, Findings& out)
{
    for (const QString& complaint : deadlock.report->complaints)
        out << Finding{.id = u"capture"_s,
            .certainty = Certainty::Certain,
            .says = complaint,
            .cure = {},
            .restsOn = u"How the report was written or read."_s,
            .wouldProve =
                u"Capture it again by extended events (SQL Server) or read the whole log (PostgreSQL)."_s,
            .hedge = {}};
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
            u"%1 was ended because it noticed first: PostgreSQL ends who has waited deadlock_timeout (1 s by "
            "default) and then finds itself in a ring."_s.arg(beginningWith(deadlock, at)),
        .cure = {},
        .restsOn = u"The victim wrote the entry of the log."_s,
        .wouldProve = {},
        .hedge = {}};
    if (deadlock.report->engine == Engine::Postgres) {
        out << finding;
        return;
    }
    bool byPriority = false;
    bool byCost = true;
    for (const int other : deadlock.participants) {
        if (deadlock.isVictim(other))
            continue;
        const Participant& rival = deadlock.participant(other);
        byPriority |= one.priority && rival.priority && *one.priority < *rival.priority;
        byCost &= one.logUsed && rival.logUsed && *one.logUsed <= *rival.logUsed;
    }
    if (!byPriority && !byCost)
        return;
    finding.certainty = Certainty::Likely;
    finding.says = byPriority
        ? u"%1 was ended because its DEADLOCK_PRIORITY (%2) is lower than another's."_s.arg(
            beginningWith(deadlock, at), QString::number(one.priority.value_or(0)))
        : u"%1 was ended because it had written least (%L2 bytes of the log): to undo it costs least. "
          "SET DEADLOCK_PRIORITY changes who is ended, not that somebody is."_s
              .arg(beginningWith(deadlock, at))
              .arg(one.logUsed.value_or(0));
    finding.restsOn = u"Priority and log used of the participants."_s;
    finding.hedge = u"The server does not say why it chose; this is its documented rule."_s;
    out << finding;
}

struct Rule {
    QStringView id;
    void (*apply)(const Deadlock&, Findings&);
};
/// In the order in which their cures are preferred: those that change least come first.
constexpr Rule rules[] = {
    {u"parallel", parallel},
    {u"create-index-concurrently", createIndexConcurrently},
    {u"application-locks", applicationLocks},
    {u"application-lock-and-row", nullptr},
    {u"conversion", conversion},
    {u"unique-inserts", uniqueInserts},
    {u"foreign-key", foreignKey},
    {u"key-lookup", keyLookup},
    {u"reader-writer", readerWriter},
    {u"batch-order", batchOrder},
    {u"longer-cycle", longerCycle},
    {u"opposite-order", oppositeOrder},
    {u"escalation", escalation},
    {u"isolation", isolation},
    {u"heap", heap},
    {u"reader-blocks-writer", readerBlocksWriter},
    {u"table-lock", tableLock},
    {u"missing-index", missingIndex},
    {u"same-module", sameModule},
    {u"open-transaction", openTransaction},
    {u"agent-job", agentJob},
    {u"costly-victim", costlyVictim},
    {u"victim", victim},
    {u"capture", capture},
};

} // namespace

QStringList findingIds()
{
    QStringList ids;
    for (const Rule& rule : rules)
        ids << rule.id.toString();
    return ids;
}

QList<Finding> findingsOf(const Deadlock& deadlock)
{
    Findings findings;
    for (const Rule& rule : rules)
        if (rule.apply)
            rule.apply(deadlock, findings);
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
