// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Finding.h"

#include "core/deadlock/Words.h"

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

namespace {

using Findings = QList<Finding>;

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
bool isIntent(const QString& mode)
{
    return mode == u"IS"_s || mode == u"IU"_s || mode == u"IX"_s || mode.startsWith(u"Sch-"_s);
}
/// Tables by their last names: reports and statements qualify them differently.
QString bare(const QString& table)
{
    return table.section(u'.', -1).toLower();
}
/// Names the participant at the beginning of a sentence.
QString who(const Deadlock& deadlock, int participant)
{
    QString name = participantName(deadlock, participant);
    if (deadlock.participant(participant).session.isValid())
        name[0] = name[0].toUpper();
    return name;
}

/// The common properties of the links of a cycle.
struct Shape {
    explicit Shape(const Deadlock& deadlock)
    {
        for (const Link& link : deadlock.links()) {
            const LockedThing& thing = deadlock.resource(link.resource);
            resources.insert(link.resource);
            tables.insert(bare(thing.table));
            kinds.insert(thing.kind);
            if (!thing.index.isEmpty())
                indexes.insert(thing.index);
            hasUnnamed |= thing.table.isEmpty();
            hasOther |= !thing.isLock;
            hasUntold |= link.held.isEmpty();
        }
    }

    QSet<int> resources;
    QSet<QString> tables;
    QSet<QString> indexes;
    QSet<ResourceKind> kinds;
    bool hasUnnamed = false; ///< a lock of no known table
    bool hasOther = false; ///< something that is no lock
    bool hasUntold = false; ///< a held mode is unknown

    bool isOneTable() const { return !hasUnnamed && tables.size() == 1; }
    bool isRowsOnly() const { return kinds == QSet<ResourceKind>{ResourceKind::Row}; }
};

void capture(const Deadlock& deadlock, Findings& out)
{
    for (const QString& complaint : deadlock.report->complaints)
        out << Finding{u"capture"_s, Certainty::Certain, complaint, u"How the report was written or read."_s,
            u"Capture it again by extended events (SQL Server) or read the whole log (PostgreSQL)."_s, {}};
}

void oppositeOrder(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    const auto& links = deadlock.cycle().links;
    const bool isOther = shape.kinds.contains(ResourceKind::ApplicationLock) || shape.hasOther;
    if (links.size() != 2 || shape.resources.size() < 2 || isOther || shape.isOneTable())
        return;
    const bool areTransactions = shape.hasUnnamed
        && std::all_of(links.cbegin(), links.cend(),
            [&](const Link& link) { return deadlock.resource(link.resource).isTransaction; });
    Finding finding{u"opposite-order"_s,
        areTransactions || shape.hasUntold ? Certainty::Likely : Certainty::Certain,
        u"%1 and %2 took the same things in opposite order. If all transactions take them in one order, this "
        "can't happen: one of the two waits at the first thing already."_s.arg(
            who(deadlock, links[0].waiter), participantName(deadlock, links[1].waiter)),
        sentenceOf(deadlock, links[0]) + u' ' + sentenceOf(deadlock, links[1]),
        u"Run both with one order for all: every interleaving has to end without a deadlock."_s, {}};
    if (areTransactions)
        finding.hedge =
            u"The log tells that each waits for the other's transaction, and not for which rows."_s;
    else if (shape.hasUntold)
        finding.hedge =
            u"The log does not tell what the other one holds; it may only stand ahead in the queue."_s;
    out << finding;
}

void conversion(const Deadlock& deadlock, Findings& out)
{
    for (const Link& link : deadlock.cycle().links) {
        if (!link.converts || deadlock.resource(link.resource).kind == ResourceKind::Unknown)
            continue;
        const bool both =
            std::count_if(deadlock.cycle().links.cbegin(), deadlock.cycle().links.cend(),
                [&link](const Link& other) { return other.converts && other.resource == link.resource; })
            >= 2;
        out << Finding{u"conversion"_s, both ? Certainty::Certain : Certainty::Likely,
            u"Participants that already share a lock want to make it stronger, and each one's shared lock "
            u"stands "
            "in the other's way. Take the stronger lock at once where the row is read (UPDLOCK; SELECT … FOR "
            "UPDATE), or write in one statement without reading before."_s,
            sentenceOf(deadlock, link),
            u"Run both with the update lock at the read: every interleaving has to "
            "end without a deadlock."_s,
            both ? QString() : u"Only one of the waits is reported as a conversion."_s};
        return;
    }
}

void keyLookup(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    const auto& links = deadlock.cycle().links;
    if (!shape.isOneTable() || shape.indexes.size() < 2)
        return;
    const bool hasReader =
        std::any_of(links.cbegin(), links.cend(), [](const Link& link) { return isShared(link.awaited); });
    out << Finding{u"key-lookup"_s, hasReader ? Certainty::Likely : Certainty::Possible,
        u"Both work on the same table by different indexes: one goes from the index to the row, the other "
        u"from "
        "the row to the index. An index that has all columns which the read needs (INCLUDE) spares it the "
        "way "
        "to the row."_s,
        u"The locks are on two indexes of %1: %2."_s.arg(deadlock.tables().value(0),
            QStringList(shape.indexes.cbegin(), shape.indexes.cend()).join(u", "_s)),
        u"Look whether the reader's plan has a Key Lookup; add the covering index on a copy and run both again."_s,
        hasReader ? u"The report has no plan: that the reader looks up rows is concluded from the locks."_s
                  : u"Neither of them only reads; two writes by different indexes do the same."_s};
}

void missingIndex(const Deadlock& deadlock, Findings& out)
{
    for (const Link& link : deadlock.cycle().links) {
        const LockedThing& thing = deadlock.resource(link.resource);
        const bool isRange = link.awaited.startsWith(u"Range"_s) || link.held.startsWith(u"Range"_s);
        const bool isWide = deadlock.report->engine == Engine::SqlServer && !thing.table.isEmpty()
            && (thing.kind == ResourceKind::Relation || thing.kind == ResourceKind::Page)
            && (!isIntent(link.awaited) || !isIntent(link.held));
        if (!isRange && !isWide)
            continue;
        out << Finding{u"missing-index"_s, Certainty::Possible,
            isRange
                ? u"A range of keys is locked. Under SERIALIZABLE that keeps others from inserting between "
                  u"the "
                  "rows that were read; the range is as wide as the index is coarse. A fitting index makes "
                  "it "
                  "narrow, and READ COMMITTED needs none."_s
                : u"More than rows is locked. Where no index fits the condition, a statement reads and locks "
                  "many more rows than it needs, or the whole table."_s,
            sentenceOf(deadlock, link),
            u"Look at the plan of the statement for a scan of %1."_s.arg(thing.table),
            u"Locks this wide can also be asked for (TABLOCK, PAGLOCK, HOLDLOCK) or come of escalation."_s};
        return;
    }
}

void longerCycle(const Deadlock& deadlock, Findings& out)
{
    const qsizetype size = deadlock.cycle().links.size();
    if (size < 3)
        return;
    out << Finding{u"longer-cycle"_s, Certainty::Certain,
        u"%1 participants wait in a ring. No pair of them has to take things in opposite order: it is enough "
        u"that "
        "there is no order that all keep."_s.arg(size),
        u"The ring has %1 waits."_s.arg(size),
        u"Write down in which order each takes its locks; look for one "
        "order that fits all."_s,
        {}};
}

void parallel(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    const QList<int> participants = deadlock.cycle().participants();
    const SessionId first = deadlock.participant(participants.first()).session;
    const bool isOneSession = first.isValid()
        && std::all_of(participants.cbegin(), participants.cend(),
            [&](int each) { return deadlock.participant(each).session == first; });
    if (!shape.hasOther && !isOneSession)
        return;
    out << Finding{u"parallel"_s, isOneSession ? Certainty::Certain : Certainty::Likely,
        isOneSession
            ? u"Threads of one parallel statement wait for each other: no other session is to blame, and "
              "no order of locks cures it. OPTION (MAXDOP 1) for that statement, an index that makes it "
              "small, or a newer version of the server do."_s
            : u"Parallel threads take part. Their waits for each other are no locks; the locks in the "
              "ring are what can be changed."_s,
        u"The ring has waits for an exchange between threads, or all its participants are of one session."_s,
        u"Run the statement with OPTION (MAXDOP 1)."_s,
        isOneSession ? QString() : u"The report does not tell all waits of parallel threads."_s};
}

void readerWriter(const Deadlock& deadlock, Findings& out)
{
    if (deadlock.report->engine != Engine::SqlServer)
        return;
    for (const Link& link : deadlock.cycle().links) {
        const Participant& reader = deadlock.participant(link.waiter);
        const bool reads = isShared(link.awaited) && isWriting(link.held);
        if (!reads || link.converts || isChange(reader.statement)
            || !reader.isolation.startsWith(u"read committed"_s)
            || deadlock.resource(link.resource).isTransaction)
            continue;
        out << Finding{u"reader-writer"_s, Certainty::Likely,
            u"%1 only reads rows that %2 has changed. With READ_COMMITTED_SNAPSHOT readers read the "
            u"version "
            "before and wait for nobody, so that this deadlock can't happen."_s.arg(
                who(deadlock, link.waiter), participantName(deadlock, link.blocker)),
            sentenceOf(deadlock, link),
            u"Ask sys.databases for is_read_committed_snapshot_on; run both with it on a copy."_s,
            u"Programs that rely on readers to wait need a look first; a hint (READCOMMITTEDLOCK) asks for "
            u"the "
            "lock all the same, and checks of foreign keys take it too."_s};
        return;
    }
}

void applicationLocks(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    if (!shape.kinds.contains(ResourceKind::ApplicationLock) && !shape.kinds.contains(ResourceKind::UserLock))
        return;
    const bool only = shape.kinds.size() == 1;
    out << Finding{u"application-locks"_s, Certainty::Certain,
        only ? u"Programs took application locks in different order. The server does not know what they "
               u"protect: "
               "only the programs can keep one order, or take one lock for all."_s
             : u"An application lock and another lock are part of one ring: take the application lock before "
               u"the "
               "transaction touches rows, in all programs."_s,
        u"The ring has locks that programs took by name."_s,
        u"Run both with one order for all: every interleaving has to end without a deadlock."_s, {}};
}

void foreignKey(const Deadlock& deadlock, Findings& out)
{
    for (const Link& link : deadlock.cycle().links) {
        const LockedThing& thing = deadlock.resource(link.resource);
        const QString& statement = deadlock.participant(link.waiter).statement;
        const QString table = firstTable(statement);
        const bool writes = isChange(statement);
        const bool isChecked =
            isShared(link.awaited) || link.awaited == u"U"_s || link.awaited.startsWith(u"RangeS"_s);
        const bool isElsewhere = !thing.table.isEmpty() && !table.isEmpty()
            && bare(thing.table) != bare(table)
            && !statement.contains(bare(thing.table), Qt::CaseInsensitive);
        if (!writes || !isChecked || !isElsewhere)
            continue;
        out << Finding{u"foreign-key"_s, Certainty::Possible,
            u"The statement changes %1 and waits at %2, which it does not name: so works the check of a "
            u"foreign "
            "key. Without an index on the referencing column each check reads the whole table and meets the "
            "locks of others."_s.arg(table, thing.table),
            sentenceOf(deadlock, link),
            u"Look for foreign keys between %1 and %2, and whether the referencing "
            "column is the first one of an index."_s.arg(table, thing.table),
            u"A trigger, a view, an indexed view or a cascading delete touch other tables, too."_s};
        return;
    }
}

void batchOrder(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    const auto& links = deadlock.cycle().links;
    const bool isOneIndex = shape.isOneTable() && shape.isRowsOnly() && shape.indexes.size() <= 1;
    const bool converts =
        std::any_of(links.cbegin(), links.cend(), [](const Link& link) { return link.converts; });
    QSet<QString> texts;
    for (const Link& link : links)
        texts.insert(firstTable(deadlock.participant(link.waiter).statement).toLower());
    // PostgreSQL gives transactions instead of rows.
    const bool isOneTable = shape.kinds == QSet<ResourceKind>{ResourceKind::TransactionId}
        && texts.size() == 1 && !texts.contains(QString());
    if (converts || shape.resources.size() < 2 || (!isOneIndex && !isOneTable))
        return;
    out << Finding{u"batch-order"_s, isOneIndex ? Certainty::Likely : Certainty::Possible,
        u"Several rows of one table were taken in different order. Sort what a transaction works through by "
        u"its key, "
        "or lock all of it at once in that order (SELECT … ORDER BY … FOR UPDATE)."_s,
        isOneIndex ? u"All locks of the ring are rows of one index of %1."_s.arg(deadlock.tables().value(0))
                   : u"All participants work on %1 and wait for each other's transactions."_s.arg(
                       deadlock.tables().value(0)),
        u"Run both with their rows sorted: every interleaving has to end without a deadlock."_s,
        u"One statement may touch several rows in the order of its plan, which sorting in the program does "
        u"not "
        "change."_s};
}

void escalation(const Deadlock& deadlock, Findings& out)
{
    if (deadlock.report->engine != Engine::SqlServer)
        return;
    constexpr qint64 muchLog = 200'000; // escalation begins at 5,000 locks of a statement
    for (const Link& link : deadlock.cycle().links) {
        const LockedThing& thing = deadlock.resource(link.resource);
        const bool isComplete = thing.element == u"objectlock"_s || thing.element == u"hobtlock"_s;
        const bool isStronger = link.awaited == u"X"_s || link.awaited == u"S"_s;
        const bool isMuch = deadlock.participant(link.waiter).logUsed.value_or(0) >= muchLog;
        if (!isComplete || !isStronger || (!link.converts && !isMuch))
            continue;
        out << Finding{u"escalation"_s, isMuch && link.converts ? Certainty::Likely : Certainty::Possible,
            u"A transaction with many row locks asks for the whole table instead: lock escalation. Work in "
            u"smaller "
            "portions (below 5,000 rows), or see to it that fewer rows are read."_s,
            sentenceOf(deadlock, link)
                + u" It had used %L1 bytes of the log."_s.arg(
                    deadlock.participant(link.waiter).logUsed.value_or(0)),
            u"Count the event lock_escalation for that table, or the column index_lock_promotion_count of "
            "sys.dm_db_index_operational_stats."_s,
            u"A hint (TABLOCKX) or SERIALIZABLE asks for the whole table, too."_s};
        return;
    }
}

void victim(const Deadlock& deadlock, Findings& out)
{
    if (deadlock.cycle().victims.isEmpty())
        return;
    const int at = deadlock.cycle().victims.first();
    const Participant& one = deadlock.participant(at);
    if (deadlock.report->engine == Engine::Postgres) {
        out << Finding{u"victim"_s, Certainty::Certain,
            u"%1 was ended because it noticed first: PostgreSQL ends who has waited deadlock_timeout (1 s by "
            "default) and then finds itself in a ring."_s.arg(who(deadlock, at)),
            u"The victim wrote the entry of the log."_s, {}, {}};
        return;
    }
    bool byPriority = false;
    bool byCost = true;
    for (const int other : deadlock.cycle().participants()) {
        if (other == at)
            continue;
        const Participant& rival = deadlock.participant(other);
        byPriority |= one.priority && rival.priority && *one.priority < *rival.priority;
        byCost &= one.logUsed && rival.logUsed && *one.logUsed <= *rival.logUsed;
    }
    if (!byPriority && !byCost)
        return;
    out << Finding{u"victim"_s, Certainty::Likely,
        byPriority
            ? u"%1 was ended because its DEADLOCK_PRIORITY (%2) is lower than another's."_s.arg(
                who(deadlock, at), QString::number(one.priority.value_or(0)))
            : u"%1 was ended because it had written least (%L2 bytes of the log): to undo it costs least. "
              "SET DEADLOCK_PRIORITY changes who is ended, not that somebody is."_s.arg(who(deadlock, at))
                  .arg(one.logUsed.value_or(0)),
        u"Priority and log used of the participants."_s, {},
        u"The server does not tell why it chose; this is its documented rule."_s};
}

struct Rule {
    QStringView id;
    void (*apply)(const Deadlock&, Findings&);
};
constexpr Rule rules[] = {
    {u"capture", capture},
    {u"opposite-order", oppositeOrder},
    {u"conversion", conversion},
    {u"application-locks", applicationLocks},
    {u"key-lookup", keyLookup},
    {u"batch-order", batchOrder},
    {u"reader-writer", readerWriter},
    {u"parallel", parallel},
    {u"longer-cycle", longerCycle},
    {u"missing-index", missingIndex},
    {u"foreign-key", foreignKey},
    {u"escalation", escalation},
    {u"victim", victim},
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
        rule.apply(deadlock, findings);
    const auto rank = [](const Finding& each) {
        // Why somebody was chosen explains nothing about why it happened.
        return each.id == u"capture"_s ? -1 : each.id == u"victim"_s ? 9 : int(each.certainty);
    };
    std::stable_sort(findings.begin(), findings.end(),
        [&rank](const Finding& one, const Finding& other) { return rank(one) < rank(other); });
    return findings;
}

} // namespace lockscope::deadlock
