// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Finding.h"
#include "core/deadlock/FindingRules.h"

#include <QCollator>
#include <QRegularExpression>

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

const QString runInOneOrder =
    u"Run both with one order for all: every interleaving has to end without a deadlock."_s;

/// "first a, then b, then c".
QString inOrder(const QStringList& things)
{
    return u"first "_s + things.join(u", then "_s);
}

QString both(const QStringList& statements)
{
    return u"%1: %2"_s.arg(statements.size() == 2 ? u"Both"_s : u"All"_s, statements.join(u"; "_s));
}

/// Returns nothing where a table is not known, or two locks are of one: then no order of tables helps.
///
/// A statement that locks a table without naming it can't be placed: what it changes or deletes it has locked
/// before, so that the hidden table is the last one. Only the row that an insert refers to can be locked
/// before, and has to be where that is inserted, too.
QString orderOfTables(const Deadlock& deadlock)
{
    struct Place {
        int rank;
        QString table;
        QString whole;
        QString statement;
    };
    QList<Place> places;
    QStringList hidden;
    bool areTheirOwn = true;
    bool mayBeKeys = false;
    bool isOneDatabase = true;
    for (const Link& link : deadlock.cycle().links) {
        const QString& statement = statementOf(deadlock, link);
        const QString verb = verbOf(statement);
        const Place place{.rank = !isHidden(deadlock, link)    ? 1
                : isCheck(deadlock, link) && verb != u"delete" ? 0
                                                               : 2,
            .table = tableOf(deadlock, link),
            .whole = wholeTableOf(deadlock, link),
            .statement = shortStatement(statement)};
        const bool isNew = std::ranges::none_of(
            places, [&](const Place& other) { return isSameTable(other.whole, place.whole); });
        // Nobody chooses the order in which the server uses its own tables.
        if (place.table.isEmpty() || !isNew || place.table.startsWith(u"sys."_s, Qt::CaseInsensitive))
            return {};
        areTheirOwn &= namesItsTable(deadlock, link);
        mayBeKeys |= verb == u"insert" || verb == u"delete";
        isOneDatabase &= place.whole.section(u'.', -3, -3)
            == (places.isEmpty() ? place : places.first()).whole.section(u'.', -3, -3);
        if (place.rank != 1)
            hidden << u"%1 locks %2 without naming it"_s.arg(place.statement, place.table);
        places << place;
    }
    std::ranges::sort(places, [](const Place& one, const Place& other) {
        return std::pair(one.rank, one.whole.toLower()) < std::pair(other.rank, other.whole.toLower());
    });
    QStringList tables;
    QStringList statements;
    for (const Place& place : places) {
        tables << (isOneDatabase ? place.table : place.whole);
        statements << place.statement;
    }
    if (hidden.isEmpty() && mayBeKeys)
        return u"Lock in one order in all transactions, for instance %1: rows that others refer to are inserted before these, and deleted after them."_s
            .arg(inOrder(tables));
    return u"Lock in one order: %1. %2"_s.arg(inOrder(tables),
        !hidden.isEmpty() ? u"In all transactions; %1."_s.arg(hidden.join(u"; "_s))
            : areTheirOwn ? both(statements)
                          : u"In all transactions."_s);
}

/// The statements of the waiters, each once, in the order of the values in them.
QStringList sortedStatements(const Deadlock& deadlock)
{
    QStringList all;
    for (const Link& link : deadlock.cycle().links)
        if (const QString text = shortStatement(statementOf(deadlock, link)); !all.contains(text))
            all << text;
    QCollator numbers(QLocale::c());
    numbers.setNumericMode(true);
    std::ranges::sort(all, numbers);
    return all;
}

bool areAllInserts(const Deadlock& deadlock)
{
    const QList<Link> links = deadlock.links();
    return std::ranges::all_of(links, [&](const Link& link) {
        const QString verb = verbOf(statementOf(deadlock, link));
        return verb == u"insert" || verb == u"copy";
    });
}

/// Returns the statement that locks a table so that two sessions can't both have it and later need more: the
/// strongest mode that a session waits for, or the weakest that excludes itself, reading and writing.
QString lockTable(const Deadlock& deadlock, const Link& link)
{
    LockMode mode = deadlock.mode(u"ShareRowExclusiveLock"_s);
    for (const Link& other : deadlock.links())
        if (const LockMode awaited = deadlock.mode(other.awaited);
            awaited.isKnown() && awaited.strength() > mode.strength())
            mode = awaited;
    static const QRegularExpression inner(u"(?<=[a-z])(?=[A-Z])"_s);
    QString name = mode.name();
    name.chop(4); // "Lock"
    return u"Lock the table at the beginning of the transaction, before it is used: LOCK TABLE %1 IN %2 MODE; then %3"_s
        .arg(tableInSql(deadlock, link), name.replace(inner, u" "_s).toUpper(),
            shortStatement(statementOf(deadlock, link)));
}

/// Works for one row and for several.
QString lockRows(const Deadlock& deadlock, const Link& link)
{
    return u"Lock the row at its first use, before any weaker lock of it, and several in the order of their key: %1; then %2"_s
        .arg(readingFor(deadlock, link, {}, u"ORDER BY … FOR UPDATE"_s),
            shortStatement(statementOf(deadlock, link)));
}

/// True if all have the same condition, that one column has one value: then it may well be one row.
bool isOneCondition(const Deadlock& deadlock)
{
    static const QRegularExpression equality(u"^WHERE\\s+[\\w.\"\\[\\]]+\\s*=\\s*(?:-?\\d+|N?'[^']*')$"_s,
        QRegularExpression::CaseInsensitiveOption);
    const auto& links = deadlock.cycle().links;
    const QString first = conditionOf(deadlock, links.first());
    return equality.match(first).hasMatch()
        && std::ranges::all_of(links, [&](const Link& link) { return conditionOf(deadlock, link) == first; });
}

/// PostgreSQL's log says who waits for whom, and not what each has: some shapes are upgrades all the same. A
/// session that has locked a row weakly waits for the others' transactions only; before PostgreSQL 12 it also
/// stood in the row's queue for SELECT … FOR UPDATE.
void postgresUpgrade(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    const Link& link = deadlock.cycle().links.first();
    const QString table = tableOf(deadlock, link);
    const bool isTable =
        shape.kinds == QSet<ResourceKind>{ResourceKind::Relation} && shape.resources.size() == 1;
    // Of three or more, one may only stand in the queue for a row that another has changed.
    const bool isQueue = shape.kinds == QSet<ResourceKind>{ResourceKind::Row, ResourceKind::TransactionId}
        && deadlock.cycle().links.size() == 2;
    const bool isRow = shape.isOneStatementTable() && shape.isOneTable()
        && (isQueue
            || (shape.kinds == QSet<ResourceKind>{ResourceKind::TransactionId} && isOneCondition(deadlock)));
    if ((!isTable && !isRow) || table.isEmpty())
        return;
    out << Finding{.id = u"conversion"_s,
        .certainty = Certainty::Likely,
        .says = isTable
            ? u"All of them have used %1 in their transactions and now need another lock of it, which each one's first lock keeps from the others."_s
                  .arg(table)
            : u"They have locked the same row of %1 weakly (SELECT … FOR SHARE, or the check of a foreign key) and now need a stronger lock of it, which each one's first lock keeps from the others."_s
                  .arg(table),
        .cure = isTable ? lockTable(deadlock, link) : lockRows(deadlock, link),
        .restsOn = sentenceOf(deadlock, link) + u' ' + sentenceOf(deadlock, deadlock.cycle().links.last()),
        .wouldProve =
            u"Run both with the strong lock first: every interleaving has to end without a deadlock."_s,
        .hedge = isTable
            ? u"The log does not say which lock of the table each one has."_s
            : u"The log names transactions, not the lock that each one has; a statement that changes several rows may also have met them in another order."_s};
}

/// True of a lock that others have, too, and of which the waiter needs more. An update lock is none.
bool needsMore(const Deadlock& deadlock, const Link& link)
{
    return link.converts && deadlock.resource(link.resource).kind != ResourceKind::Unknown
        && std::ranges::none_of(deadlock.report->edges, [&](const Edge& edge) {
               return edge.kind == Edge::Kind::Holds && edge.participant == link.waiter
                   && edge.resource == link.resource && !isSharedAmongEqual(deadlock, edge.mode);
           });
}

QString cureOfConversion(const Deadlock& deadlock, const QList<Link>& links)
{
    const Link& link = links.first();
    const bool isTable = deadlock.resource(link.resource).kind == ResourceKind::Relation;
    const bool areNamed = std::ranges::all_of(links, [&](const Link& each) {
        return !tableOf(deadlock, each).isEmpty() && namesItsTable(deadlock, each);
    });
    if (!areNamed)
        return {};
    if (deadlock.report->engine == Engine::Postgres)
        return isTable ? lockTable(deadlock, link) : lockRows(deadlock, link);
    // A table's lock becomes strong by escalation or by a hint, which no update lock of a row prevents.
    if (deadlock.report->engine != Engine::SqlServer || isTable)
        return {};
    QStringList readings;
    for (const Link& each : links) {
        const bool isRange = each.held.startsWith(u"Range") || each.awaited.startsWith(u"Range");
        const QString reading =
            readingFor(deadlock, each, isRange ? u"UPDLOCK, HOLDLOCK"_s : u"UPDLOCK"_s, {});
        const bool isOther = each.resource != link.resource && !readings.contains(reading);
        if (readings.isEmpty() || isOther)
            readings << reading;
    }
    readings.sort();
    return u"Lock at the first reading%1: %2; then %3"_s.arg(
        readings.size() > 1 ? u", in one order for all"_s : QString(), readings.join(u"; "_s),
        sortedStatements(deadlock).join(u"; "_s));
}

} // namespace

void createIndexConcurrently(const Deadlock& deadlock, Findings& out)
{
    static const QRegularExpression command(u"^(?:CREATE|DROP|REINDEX|ALTER)\\b.*\\bCONCURRENTLY\\b"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    const auto& links = deadlock.cycle().links;
    const auto found = std::ranges::find_if(links, [&](const Link& link) {
        return deadlock.resource(link.resource).kind == ResourceKind::VirtualTransaction;
    });
    if (found == links.cend())
        return;
    const bool isNamed = command.match(bareStatement(statementOf(deadlock, *found))).hasMatch();
    const bool hasAdvisory = Shape(deadlock).kinds.contains(ResourceKind::ApplicationLock);
    out << Finding{.id = u"create-index-concurrently"_s,
        .certainty = isNamed ? Certainty::Certain : Certainty::Likely,
        .says =
            u"%1 waits for the end of another's transaction, as CREATE INDEX CONCURRENTLY does for each that may still see the table as it was. A transaction that itself waits for a lock of this session can't end: no order of locks changes that."_s
                .arg(beginningWith(deadlock, found->waiter)),
        .cure = hasAdvisory
            ? u"Don't wait in pg_advisory_lock(): call pg_try_advisory_lock() again and again, each time in a statement of its own, so that no waiting transaction is open while an index is made CONCURRENTLY."_s
            : u"Run it while no transaction waits for a lock of its session: let the others commit before, or SET lock_timeout in them."_s,
        .restsOn = sentenceOf(deadlock, *found),
        .wouldProve = u"Run it again while no other transaction is open in that database."_s,
        .hedge =
            isNamed ? QString() : u"The statement that waits is not known; other commands do so, too."_s};
}

void applicationLocks(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    const auto isOfProgram = [](ResourceKind kind) {
        return kind == ResourceKind::ApplicationLock || kind == ResourceKind::UserLock;
    };
    const auto count = std::ranges::count_if(shape.kinds, isOfProgram);
    if (count == 0)
        return;
    const bool only = count == shape.kinds.size();
    const bool isOne = only && shape.resources.size() == 1;
    QStringList names;
    for (const int resource : shape.resources)
        if (isOfProgram(deadlock.resource(resource).kind))
            names << deadlock.resource(resource).name;
    names.sort();
    const bool isOfTransactions = shape.kinds.contains(ResourceKind::VirtualTransaction);
    out << Finding{.id = only ? u"application-locks"_s : u"application-lock-and-row"_s,
        .certainty = Certainty::Certain,
        .says = isOne
            ? u"Programs have one application lock shared and need it exclusively, which each one's shared lock keeps from the others. The server does not know what it protects."_s
            : only
            ? u"Programs took application locks in different order. The server does not know what they protect: only the programs can keep one order, or take one lock for all."_s
            : u"An application lock and another lock are part of one ring: one program took the application lock first, the other one the other lock."_s,
        .cure = isOfTransactions ? QString()
            : isOne
            ? u"Take %1 exclusively at first, and not shared before, in all programs."_s.arg(names.first())
            : only && names.size() > 1
            ? u"Take the application locks in one order in all programs: %1."_s.arg(inOrder(names))
            : only ? QString()
                   : u"Take %1 before the transaction locks anything else, in all programs."_s.arg(
                       names.join(u", "_s)),
        .restsOn = u"The ring has locks that programs took by name: %1."_s.arg(names.join(u", "_s)),
        .wouldProve = runInOneOrder};
}

void conversion(const Deadlock& deadlock, Findings& out)
{
    QList<Link> links = deadlock.links();
    const qsizetype all = links.size();
    links.removeIf([&](const Link& link) { return !needsMore(deadlock, link); });
    if (links.isEmpty()) {
        if (deadlock.report->engine == Engine::Postgres)
            postgresUpgrade(deadlock, out);
        return;
    }
    const bool areSeveral = links.size() > 1;
    out << Finding{.id = u"conversion"_s,
        .certainty = areSeveral ? Certainty::Certain : Certainty::Likely,
        .says =
            u"Participants that already share a lock need a stronger one, and each one's shared lock keeps that from the others. The stronger lock has to be taken at once where the row is read, or the change made in one statement without a reading before."_s,
        .cure = cureOfConversion(deadlock, links),
        .restsOn = sentenceOf(deadlock, links.first()),
        .wouldProve =
            u"Run both with the strong lock at the reading: every interleaving has to end without a deadlock."_s,
        .hedge =
            areSeveral ? QString() : u"Only one of the %1 waits is reported as a conversion."_s.arg(all)};
}

void uniqueInserts(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    if (!areAllInserts(deadlock) || !shape.isOneStatementTable() || shape.converts
        || shape.resources.size() < 2)
        return;
    const bool isPostgres = deadlock.report->engine == Engine::Postgres;
    const QString table = firstTable(statementOf(deadlock, deadlock.cycle().links.first()));
    const bool isItsOwn = shape.isOneTable() && isSameTable(shape.tables.first(), table);
    const auto& links = deadlock.cycle().links;
    const bool isOfKeys = std::ranges::all_of(links, [&](const Link& link) {
        return isPostgres ? deadlock.resource(link.resource).isTransaction
                          : deadlock.resource(link.resource).kind == ResourceKind::Row
                && !link.awaited.startsWith(u"Range");
    });
    if (!isItsOwn || !isOfKeys || shape.indexes.size() > 1)
        return;
    const QString index =
        shape.indexes.isEmpty() ? u"the unique key of "_s + table : table + u'.' + *shape.indexes.cbegin();
    out << Finding{.id = u"unique-inserts"_s,
        .certainty = Certainty::Likely,
        .says =
            u"Each inserts a key that another transaction has inserted and not yet committed, and waits until it is known whether that one stays: %1."_s
                .arg(index),
        .cure = u"Insert the same keys in one order: sort the rows of each transaction by %1. %2"_s.arg(
            index, both(sortedStatements(deadlock))),
        .restsOn =
            sentenceOf(deadlock, links.first()) + u" All of the statements insert into "_s + table + u'.',
        .wouldProve = u"Run both with their keys sorted: every interleaving has to end without a deadlock."_s,
        .hedge =
            u"The check of a foreign key, a trigger or an exclusion constraint makes inserts wait, too."_s};
}

void foreignKey(const Deadlock& deadlock, Findings& out)
{
    for (const Link& link : deadlock.links()) {
        if (!isCheck(deadlock, link))
            continue;
        const LockedThing& thing = deadlock.resource(link.resource);
        const QString& statement = statementOf(deadlock, link);
        const QString table = firstTable(statement);
        const bool isProven = deadlock.report->engine == Engine::Postgres;
        // PostgreSQL locks only the rows that refer to the deleted one, whether there is an index or not.
        const bool needsIndex = !isProven && verbOf(statement) == u"delete"_s;
        QString says =
            u"The statement changes %1 and waits at %2, which it does not name: so works the check of a foreign key."_s
                .arg(table, thing.table);
        if (needsIndex)
            says +=
                u" Without an index on the referencing column each check of a deleted row reads the whole referencing table and meets the locks of others."_s;
        out << Finding{.id = u"foreign-key"_s,
            .certainty = isProven ? Certainty::Likely : Certainty::Possible,
            .says = says,
            .cure = needsIndex
                ? u"Make an index on the column of %1 that refers to %2, so that the check reads only its own rows: CREATE INDEX … ON %3 (…)"_s
                      .arg(thing.table, table, tableInSql(deadlock, link))
                : orderOfTables(deadlock),
            .restsOn = sentenceOf(deadlock, link)
                + (hasCheckItself(deadlock) ? u" The report has the statement of the check (FOR KEY SHARE)."_s
                        : isProven
                        ? u" It inserts values, and the report has no routine: then a check locks a row of another table, or a trigger in C."_s
                        : QString()),
            .wouldProve =
                u"Search for foreign keys between %1 and %2, and whether the referencing column is the first one of an index."_s
                    .arg(table, thing.table),
            .hedge = isProven
                ? u"The log has the check of the victim alone; of the others it says whose transaction they wait for, and not for which rows."_s
                : u"A trigger, a view, an indexed view or a cascading delete use other tables, too."_s};
        return;
    }
}

void batchOrder(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    const auto& links = deadlock.cycle().links;
    const bool isOneIndex =
        shape.isOneTable() && !shape.hasUnnamed && shape.isRowsOnly() && shape.indexes.size() <= 1;
    // PostgreSQL gives transactions instead of rows, and the queue for a row.
    QSet<ResourceKind> others = shape.kinds;
    const bool isOneTable = others.remove(ResourceKind::TransactionId)
        && (others.isEmpty() || others == QSet<ResourceKind>{ResourceKind::Row})
        && shape.isOneStatementTable() && shape.isOneTable();
    const QString table = tableOf(deadlock, links.first());
    if (shape.converts || shape.resources.size() < 2 || areAllInserts(deadlock)
        || (!isOneIndex && !isOneTable))
        return;
    const bool isPostgres = deadlock.report->engine == Engine::Postgres;
    const bool mayScan = std::ranges::all_of(links, [](const Link& link) { return link.awaited == u"U"; });
    Finding finding{.id = u"batch-order"_s,
        .certainty = isOneIndex && !mayScan ? Certainty::Likely : Certainty::Possible,
        .says = isPostgres
            ? u"They work on rows of one table: either each has locked a row that the other one needs, or both have locked one row weakly (FOR SHARE) and need more of it."_s
            : u"Several rows of one table were locked in different order. One order by key in all transactions makes the second one wait at the first row already."_s,
        .restsOn = isOneIndex
            ? u"All locks of the ring are rows of one %1 of %2."_s.arg(
                shape.indexes.contains(QString()) ? u"heap"_s : u"index"_s, table)
            : u"All participants work on %1 and wait for each other's transactions."_s.arg(table),
        .wouldProve = u"Run both with their rows sorted: every interleaving has to end without a deadlock."_s,
        .hedge = isPostgres ? u"The log does not say which rows, nor how each one locked its first row."_s
            : mayScan
            ? u"They wait for update locks, which a change also takes of rows that it only reads where no index fits its condition: then it is the index that is missing, and no order helps."_s
            : u"One statement may lock several rows in the order of its plan, which sorting in the program does not change."_s};
    if (isPostgres)
        finding.cure =
            u"Lock all rows that a transaction changes at its beginning, in the order of their key: SELECT … FROM %1 WHERE … ORDER BY … FOR UPDATE; then %2"_s
                .arg(tableInSql(deadlock, links.first()),
                    shortStatement(statementOf(deadlock, links.first())));
    else if (deadlock.report->engine == Engine::SqlServer)
        finding.cure = u"Change the rows of %1 in the order of their key in all transactions. %2"_s.arg(
            table, both(sortedStatements(deadlock)));
    out << finding;
}

void oppositeOrder(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    const auto& links = deadlock.cycle().links;
    const bool isOther = shape.kinds.contains(ResourceKind::ApplicationLock)
        || shape.kinds.contains(ResourceKind::VirtualTransaction) || shape.hasOther;
    const bool areTransactions = shape.hasUnnamed && std::ranges::all_of(links, [&](const Link& link) {
        return deadlock.resource(link.resource).isTransaction;
    });
    // Of one table in both statements it may as well be one row.
    const bool areRows = std::ranges::all_of(shape.kinds,
        [](ResourceKind kind) { return kind == ResourceKind::Row || kind == ResourceKind::TransactionId; });
    const bool isOneTable = shape.isOneTable() && (areRows || !shape.hasUnnamed);
    if (deadlock.rings.size() > 1 || links.size() != 2 || shape.resources.size() < 2 || isOther || isOneTable)
        return;
    const bool isInferred = areTransactions || shape.hasUnknownHeld;
    out << Finding{.id = u"opposite-order"_s,
        .certainty = isInferred ? Certainty::Likely : Certainty::Certain,
        .says =
            u"%1 and %2 locked the same things in opposite order. If all transactions lock them in one order, one of the two waits at the first thing already."_s
                .arg(beginningWith(deadlock, links[0].waiter), participantName(deadlock, links[1].waiter)),
        .cure = orderOfTables(deadlock),
        .restsOn = sentenceOf(deadlock, links[0]) + u' ' + sentenceOf(deadlock, links[1]),
        .wouldProve = runInOneOrder,
        .hedge = areTransactions
            ? u"The log says that each waits for the other's transaction, and not for which rows."_s
            : shape.hasUnknownHeld
            ? u"The log does not say what the other one holds; it may only be ahead in the queue."_s
            : QString()};
}

void longerCycle(const Deadlock& deadlock, Findings& out)
{
    const qsizetype size = deadlock.cycle().links.size();
    if (size < 3)
        return;
    out << Finding{.id = u"longer-cycle"_s,
        .certainty = Certainty::Certain,
        .says =
            u"%1 participants wait in a ring. No pair of them has to lock things in opposite order: it is enough that there is no order that all keep."_s
                .arg(size),
        .cure = orderOfTables(deadlock),
        .restsOn = u"The ring has %1 waits."_s.arg(size),
        .wouldProve =
            u"Write down in which order each takes its locks; search for one order that fits all."_s};
}

} // namespace lockscope::deadlock
