// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/FindingRules.h"
#include "core/deadlock/Words.h"

#include <QCollator>
#include <QRegularExpression>

#include <algorithm>
#include <map>

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
QString orderOfTables(const Deadlock& deadlock)
{
    std::map<QString, std::pair<QString, QString>> places; // table and statement, in the order of names
    bool hasAll = true;
    for (const Link& link : deadlock.cycle().links) {
        const QString table = tableOf(deadlock, link);
        const bool isItsOwn = bareTable(firstTable(statementOf(deadlock, link))) == bareTable(table);
        hasAll = hasAll && isItsOwn;
        const bool isNew =
            places.emplace(bareTable(table), std::pair(table, shortStatement(statementOf(deadlock, link))))
                .second;
        if (table.isEmpty() || !isNew)
            return {};
    }
    QStringList tables;
    QStringList statements;
    for (const auto& [name, place] : places) {
        tables << place.first;
        statements << place.second;
    }
    return u"Lock in one order: %1. %2"_s.arg(
        inOrder(tables), hasAll ? both(statements) : u"In all transactions."_s);
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
    std::sort(all.begin(), all.end(), numbers);
    return all;
}

bool areAllInserts(const Deadlock& deadlock)
{
    const QList<Link> links = deadlock.links();
    return std::all_of(links.cbegin(), links.cend(),
        [&](const Link& link) { return verbOf(statementOf(deadlock, link)) == u"insert"; });
}

/// "ACCESS EXCLUSIVE" of "AccessExclusiveLock".
QString modeInSql(QString mode)
{
    static const QRegularExpression inner(u"(?<=[a-z])(?=[A-Z])"_s);
    mode.chop(mode.endsWith(u"Lock") ? 4 : 0);
    return mode.replace(inner, u" "_s).toUpper();
}

/// True if all have the same condition, with its values in it: then they mean the same rows.
bool isOneCondition(const Deadlock& deadlock)
{
    const auto& links = deadlock.cycle().links;
    const QString first = conditionOf(statementOf(deadlock, links.first()));
    return !first.isEmpty() && !first.contains(u'$') && !first.endsWith(u'…')
        && std::all_of(links.cbegin(), links.cend(),
            [&](const Link& link) { return conditionOf(statementOf(deadlock, link)) == first; });
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
    const bool isQueue = shape.kinds == QSet<ResourceKind>{ResourceKind::Row, ResourceKind::TransactionId};
    const bool isRow = shape.isOneStatementTable()
        && (isQueue
            || (shape.kinds == QSet<ResourceKind>{ResourceKind::TransactionId} && isOneCondition(deadlock)));
    if ((!isTable && !isRow) || table.isEmpty())
        return;
    Finding finding{.id = u"conversion"_s,
        .certainty = Certainty::Likely,
        .says = isTable
            ? u"All of them have used %1 in their transactions and now need a stronger lock of it, which "
              u"each "
              "one's first lock keeps from the others."_s.arg(table)
            : u"They have locked the same row of %1 weakly (SELECT … FOR SHARE, or the check of a foreign "
              "key) and now need a stronger lock of it, which each one's first lock keeps from the others."_s
                  .arg(table),
        .cure = {},
        .restsOn = sentenceOf(deadlock, link) + u' ' + sentenceOf(deadlock, deadlock.cycle().links.last()),
        .wouldProve =
            u"Run both with the strong lock first: every interleaving has to end without a deadlock."_s,
        .hedge = isTable
            ? u"The log does not say which lock of the table each one has."_s
            : u"The log names transactions, not the lock that each one has; a statement that changes several "
              "rows may also have met them in another order."_s};
    if (isTable)
        finding.cure = u"Lock the table at the beginning of the transaction, before it is read: "
                       "LOCK TABLE %1 IN %2 MODE; then %3"_s.arg(
                           table, modeInSql(link.awaited), shortStatement(statementOf(deadlock, link)));
    else
        finding.cure = u"Lock the row at its first use, before any weaker lock of it: %1; then %2"_s.arg(
            readingFor(statementOf(deadlock, link), table, {}, u"FOR UPDATE"_s),
            shortStatement(statementOf(deadlock, link)));
    out << finding;
}

QString cureOfConversion(const Deadlock& deadlock, const Link& link)
{
    const LockedThing& thing = deadlock.resource(link.resource);
    const QString table = tableOf(deadlock, link);
    const QString& statement = statementOf(deadlock, link);
    if (table.isEmpty() || !namesItsTable(deadlock, link))
        return {};
    const bool isTable = thing.kind == ResourceKind::Relation;
    if (deadlock.report->engine == Engine::Postgres)
        return isTable
            ? u"Lock the table at the beginning of the transaction: LOCK TABLE %1 IN %2 MODE; then %3"_s.arg(
                table, modeInSql(link.awaited), shortStatement(statement))
            : u"Lock the row at its first use: %1; then %2"_s.arg(
                readingFor(statement, table, {}, u"FOR UPDATE"_s), shortStatement(statement));
    // A table's lock becomes strong by escalation or by a hint, which no update lock of a row prevents.
    if (deadlock.report->engine != Engine::SqlServer || isTable)
        return {};
    const bool isRange = link.held.startsWith(u"Range") || link.awaited.startsWith(u"Range");
    return u"Lock at the first reading: %1; then %2"_s.arg(
        readingFor(statement, table, isRange ? u"UPDLOCK, HOLDLOCK"_s : u"UPDLOCK"_s, {}),
        sortedStatements(deadlock).join(u"; "_s));
}

} // namespace

void createIndexConcurrently(const Deadlock& deadlock, Findings& out)
{
    static const QRegularExpression command(u"^(?:CREATE|DROP|REINDEX|ALTER)\\b.*\\bCONCURRENTLY\\b"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    const auto& links = deadlock.cycle().links;
    const auto found = std::find_if(links.cbegin(), links.cend(), [&](const Link& link) {
        return deadlock.resource(link.resource).kind == ResourceKind::VirtualTransaction;
    });
    if (found == links.cend())
        return;
    const bool isNamed = command.match(bareStatement(statementOf(deadlock, *found))).hasMatch();
    const bool hasAdvisory = Shape(deadlock).kinds.contains(ResourceKind::ApplicationLock);
    out << Finding{.id = u"create-index-concurrently"_s,
        .certainty = isNamed ? Certainty::Certain : Certainty::Likely,
        .says = u"%1 waits for the end of another's transaction, as CREATE INDEX CONCURRENTLY does for each "
                "that may still see the table as it was. A transaction that itself waits for a lock of this "
                "session can't end: no order of locks changes that."_s.arg(
                    beginningWith(deadlock, found->waiter)),
        .cure = hasAdvisory
            ? u"Don't wait in pg_advisory_lock(): call pg_try_advisory_lock() again and again, each time in "
              "a statement of its own, so that no waiting transaction is open while an index is made "
              "CONCURRENTLY."_s
            : u"Run it while no transaction waits for a lock of its session: let the others commit before, "
              "or SET lock_timeout in them."_s,
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
    const auto count = std::count_if(shape.kinds.cbegin(), shape.kinds.cend(), isOfProgram);
    if (count == 0)
        return;
    const bool only = count == shape.kinds.size();
    QStringList names;
    for (const int resource : shape.resources)
        if (isOfProgram(deadlock.resource(resource).kind))
            names << deadlock.resource(resource).name;
    names.sort();
    const bool isOfTransactions = shape.kinds.contains(ResourceKind::VirtualTransaction);
    out << Finding{.id = only ? u"application-locks"_s : u"application-lock-and-row"_s,
        .certainty = Certainty::Certain,
        .says = only
            ? u"Programs took application locks in different order. The server does not know what they "
              "protect: only the programs can keep one order, or take one lock for all."_s
            : u"An application lock and another lock are part of one ring: one program took the application "
              "lock first, the other one the other lock."_s,
        .cure = isOfTransactions ? QString()
            : only && names.size() > 1
            ? u"Take the application locks in one order in all programs: %1."_s.arg(inOrder(names))
            : only ? QString()
                   : u"Take %1 before the transaction locks anything else, in all programs."_s.arg(
                       names.join(u", "_s)),
        .restsOn = u"The ring has locks that programs took by name: %1."_s.arg(names.join(u", "_s)),
        .wouldProve = runInOneOrder,
        .hedge = {}};
}

void conversion(const Deadlock& deadlock, Findings& out)
{
    const QList<Link> links = deadlock.links();
    const auto found = std::find_if(links.cbegin(), links.cend(), [&](const Link& link) {
        return link.converts && deadlock.resource(link.resource).kind != ResourceKind::Unknown;
    });
    if (found == links.cend()) {
        if (deadlock.report->engine == Engine::Postgres)
            postgresUpgrade(deadlock, out);
        return;
    }
    const bool isBoth = std::count_if(links.cbegin(), links.cend(), [&](const Link& other) {
        return other.converts && other.resource == found->resource;
    }) >= 2;
    out << Finding{.id = u"conversion"_s,
        .certainty = isBoth ? Certainty::Certain : Certainty::Likely,
        .says =
            u"Participants that already share a lock need a stronger one, and each one's shared lock keeps "
            "that from the others. The stronger lock has to be taken at once where the row is read, or "
            "the change made in one statement without a reading before."_s,
        .cure = cureOfConversion(deadlock, *found),
        .restsOn = sentenceOf(deadlock, *found),
        .wouldProve =
            u"Run both with the strong lock at the reading: every interleaving has to end without a "
            "deadlock."_s,
        .hedge = isBoth ? QString() : u"Only one of the waits is reported as a conversion."_s};
}

void uniqueInserts(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    if (!areAllInserts(deadlock) || !shape.isOneStatementTable() || shape.converts
        || shape.resources.size() < 2)
        return;
    const bool isPostgres = deadlock.report->engine == Engine::Postgres;
    const QString table = firstTable(statementOf(deadlock, deadlock.cycle().links.first()));
    const bool isItsOwn = std::all_of(shape.tables.cbegin(), shape.tables.cend(),
        [&](const QString& each) { return each.isEmpty() || each == bareTable(table); });
    const auto& links = deadlock.cycle().links;
    const bool isOfKeys = std::all_of(links.cbegin(), links.cend(), [&](const Link& link) {
        return isPostgres ? deadlock.resource(link.resource).isTransaction
                          : deadlock.resource(link.resource).kind == ResourceKind::Row
                && !link.awaited.startsWith(u"Range");
    });
    if (!isItsOwn || !isOfKeys || shape.indexes.size() > 1)
        return;
    const QString index = shape.indexes.isEmpty() ? u"the unique key of "_s + table
                                                  : u"%1 of %2"_s.arg(*shape.indexes.cbegin(), table);
    out << Finding{.id = u"unique-inserts"_s,
        .certainty = Certainty::Likely,
        .says = u"Each inserts a key that another transaction has inserted and not yet committed, and waits "
                "until it is known whether that one stays: %1."_s.arg(index),
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
        const LockedThing& thing = deadlock.resource(link.resource);
        const QString& statement = statementOf(deadlock, link);
        const QString table = firstTable(statement);
        const bool isChecked =
            isShared(link.awaited) || link.awaited == u"U"_s || link.awaited.startsWith(u"RangeS"_s);
        const bool isElsewhere = !thing.table.isEmpty() && !table.isEmpty() && !namesItsTable(deadlock, link)
            && !statement.contains(bareTable(thing.table), Qt::CaseInsensitive);
        if (!isChange(statement) || !isChecked || !isElsewhere)
            continue;
        // PostgreSQL's check is this statement, in all languages.
        const bool isCheck = deadlock.report->raw.text().contains(u"FOR KEY SHARE OF x"_s);
        const bool fromParent = verbOf(statement) == u"delete"_s;
        out << Finding{.id = u"foreign-key"_s,
            .certainty = isCheck ? Certainty::Certain : Certainty::Possible,
            .says =
                u"The statement changes %1 and waits at %2, which it does not name: so works the check of a "
                "foreign key. Without an index on the referencing column each check of a deleted row "
                "reads the whole referencing table and meets the locks of others."_s.arg(table, thing.table),
            .cure = fromParent
                ? u"Make an index on the column of %1 that refers to %2, so that the check reads only its "
                  u"own "
                  "rows: CREATE INDEX … ON %1 (…)"_s.arg(thing.table, table)
                : u"Lock in one order: first %1, then %2: lock the row of %1 that is referred to before %3"_s
                      .arg(thing.table, table, shortStatement(statement)),
            .restsOn = sentenceOf(deadlock, link)
                + (isCheck ? u" The report has the statement of the check (FOR KEY SHARE)."_s : QString()),
            .wouldProve =
                u"Search for foreign keys between %1 and %2, and whether the referencing column is the "
                "first one of an index."_s.arg(table, thing.table),
            .hedge = isCheck
                ? QString()
                : u"A trigger, a view, an indexed view or a cascading delete use other tables, too."_s};
        return;
    }
}

void batchOrder(const Deadlock& deadlock, Findings& out)
{
    const Shape shape(deadlock);
    const bool isOneIndex = shape.isOneTable() && shape.isRowsOnly() && shape.indexes.size() <= 1;
    // PostgreSQL gives transactions instead of rows.
    const bool isOneTable = shape.kinds == QSet<ResourceKind>{ResourceKind::TransactionId}
        && shape.isOneStatementTable() && (shape.isOneTable() || shape.hasUnnamed);
    const QString table = tableOf(deadlock, deadlock.cycle().links.first());
    if (shape.converts || shape.resources.size() < 2 || areAllInserts(deadlock)
        || (!isOneIndex && !isOneTable))
        return;
    const bool isPostgres = deadlock.report->engine == Engine::Postgres;
    Finding finding{.id = u"batch-order"_s,
        .certainty = isOneIndex ? Certainty::Likely : Certainty::Possible,
        .says = isPostgres ? u"They work on rows of one table: either each has locked a row that the other "
                             u"one needs, or both "
                             "have locked one row weakly (FOR SHARE) and need more of it."_s
                           : u"Several rows of one table were locked in different order. One order by key in "
                             u"all transactions "
                             "makes the second one wait at the first row already."_s,
        .cure = {},
        .restsOn = isOneIndex
            ? u"All locks of the ring are rows of one index of %1."_s.arg(table)
            : u"All participants work on %1 and wait for each other's transactions."_s.arg(table),
        .wouldProve = u"Run both with their rows sorted: every interleaving has to end without a deadlock."_s,
        .hedge = isPostgres
            ? u"The log does not say which rows, nor how each one locked its first row."_s
            : u"One statement may lock several rows in the order of its plan, which sorting in "
              "the program does not change."_s};
    if (isPostgres)
        finding.cure =
            u"Lock all rows that a transaction changes at its beginning, in the order of their key: "
            "SELECT … FROM %1 WHERE … ORDER BY … FOR UPDATE; then %2"_s.arg(
                table, shortStatement(statementOf(deadlock, deadlock.cycle().links.first())));
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
    const bool areTransactions = shape.hasUnnamed
        && std::all_of(links.cbegin(), links.cend(),
            [&](const Link& link) { return deadlock.resource(link.resource).isTransaction; });
    // Of one table in both statements it may as well be one row.
    const bool areRows = std::all_of(shape.kinds.cbegin(), shape.kinds.cend(),
        [](ResourceKind kind) { return kind == ResourceKind::Row || kind == ResourceKind::TransactionId; });
    const bool isOneTable =
        shape.isOneTable() || (shape.hasUnnamed && areRows && shape.isOneStatementTable());
    if (deadlock.rings.size() > 1 || links.size() != 2 || shape.resources.size() < 2 || isOther || isOneTable)
        return;
    const bool isInferred = areTransactions || shape.hasUnknownHeld;
    out << Finding{.id = u"opposite-order"_s,
        .certainty = isInferred ? Certainty::Likely : Certainty::Certain,
        .says = u"%1 and %2 locked the same things in opposite order. If all transactions lock them in one "
                "order, one of the two waits at the first thing already."_s.arg(
                    beginningWith(deadlock, links[0].waiter), participantName(deadlock, links[1].waiter)),
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
            u"%1 participants wait in a ring. No pair of them has to lock things in opposite order: it is "
            "enough that there is no order that all keep."_s.arg(size),
        .cure = orderOfTables(deadlock),
        .restsOn = u"The ring has %1 waits."_s.arg(size),
        .wouldProve =
            u"Write down in which order each takes its locks; search for one order that fits all."_s,
        .hedge = {}};
}

} // namespace lockscope::deadlock
