// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/TableReads.h"

#include "core/base/Sentences.h"
#include "core/db/postgres/PostgresDialect.h"
#include "core/frameworks/AsJudged.h"
#include "core/frameworks/TableSearch.h"

#include <QHash>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

constexpr int maxRounds = 6;
/// The limit for asking again, beside the poll's own round trip.
constexpr std::chrono::seconds maxReading{2};
/// A statement for so many tables at most: each has a plan of its own on the server.
constexpr size_t maxInStatement = 100;

/// Else it is the table, or the way to it, that can't be read.
bool mayBeAValue(const Error& error)
{
    return error.kind == ErrorKind::Server || error.kind == ErrorKind::BadInput;
}

void fail(const std::vector<TableRead*>& reads, const Error& error, TableRead::Outcome outcome)
{
    for (TableRead* read : reads) {
        read->outcome = outcome;
        read->error = error;
        read->read.clear();
    }
}

void forget(const std::vector<TableRead*>& reads)
{
    for (TableRead* read : reads)
        read->read.clear();
}

/// Returns the oids in the error of frameworks/unchanged: of the tables that are not as they were judged.
QSet<quint64> changedOnes(const Error& error)
{
    static const QRegularExpression pattern(u"lockscope: not as judged: ([0-9 ]+)"_s);
    QSet<quint64> changed;
    for (const QString& oid : pattern.match(error.detail).captured(1).split(u' ', Qt::SkipEmptyParts))
        changed << oid.toULongLong();
    return changed;
}

bool isAnyOf(const TableRead& read, const QSet<quint64>& oids)
{
    const FoundTable& table = *read.table;
    return oids.contains(table.table.id) || (table.processes && oids.contains(table.processes->id));
}

/// Each table once: a table of processes may belong to several.
std::map<quint64, const DatabaseTable*> tablesOf(const std::vector<TableRead*>& reads)
{
    std::map<quint64, const DatabaseTable*> tables;
    for (const TableRead* read : reads) {
        tables.emplace(read->table->table.id, &read->table->table);
        if (read->table->processes)
            tables.emplace(read->table->processes->id, &*read->table->processes);
    }
    return tables;
}

} // namespace

TableRead::TableRead(const db::Dialect& dialect, const FoundTablePtr& found)
    : table(found)
    , m_dialect(&dialect)
    , m_match(matchOf(*found))
{
}

const RowLocks& TableRead::inUse() const
{
    std::optional<RowLocks>& made = badValue ? m_withoutTimes : m_rows;
    if (!made)
        made.emplace(
            *m_dialect, table, m_match, badValue ? RowLocks::Times::WithoutTimes : RowLocks::Times::AsStored);
    return *made;
}

std::vector<TableRead*> TableReads::Group::reads(size_t fromUnit) const
{
    std::vector<TableRead*> all;
    for (size_t i = fromUnit; i < units.size(); ++i)
        all.insert(all.end(), units[i].reads.begin(), units[i].reads.end());
    return all;
}

/// The statement of tables of one shape: they differ in their names.
void TableReads::complete(Unit& unit) const
{
    unit.params = unit.reads.front()->inUse().params();
    if (unit.reads.size() == 1) {
        unit.statement = unit.reads.front()->inUse().statement();
        return;
    }
    QStringList parts;
    for (size_t i = 0; i < unit.reads.size(); ++i) {
        const db::Statement part = db::Statement::filled("postgres/frameworks/of_shape",
            {{"number"_L1, QString::number(i)},
                {"rows"_L1, QString::fromUtf8(unit.reads[i]->inUse().statement().sql())}});
        parts << u'(' + QString::fromUtf8(part.sql()) + u')';
    }
    const QString all = parts.join(u"\nUNION ALL\n"_s);
    unit.statement = db::Statement::ofUser(u"postgres/frameworks/rows"_s, all.toUtf8());
}

std::unique_ptr<TableReads::Group> TableReads::groupOf(const std::vector<TableRead*>& reads) const
{
    auto group = std::make_unique<Group>();
    QHash<QString, size_t> units;
    for (TableRead* read : reads) {
        const FoundTable& table = *read->table;
        const QString shape = table.framework->id + u'\n' + table.lock->id + u'\n' + read->inUse().shape();
        const auto known = units.constFind(shape);
        if (isOn(Engine::Postgres) && !read->isAlone && known != units.constEnd()
            && group->units[*known].reads.size() < maxInStatement) {
            group->units[*known].reads.push_back(read);
            continue;
        }
        if (!read->isAlone)
            units.insert(shape, group->units.size());
        group->units.push_back({{read}, {}, {}});
    }
    for (Unit& unit : group->units)
        complete(unit);
    guard(*group, reads);
    return group;
}

/// Makes the group a transaction that compares the tables with what was judged, where the engine needs that.
void TableReads::guard(Group& group, const std::vector<TableRead*>& reads) const
{
    group.isTransaction = !isOn(Engine::SqlServer);
    if (isOn(Engine::Sqlite)) {
        QMap<QString, QString> prints;
        for (const TableRead* read : reads) {
            prints.insert(read->table->table.names->table, read->table->table.print);
            if (read->table->processes)
                prints.insert(read->table->processes->names->table, read->table->processes->print);
        }
        group.judged = {judgedTables(prints)};
    }
    if (!isOn(Engine::Postgres))
        return;
    QStringList names;
    QStringList oids;
    QStringList prints;
    for (const auto& [oid, table] : tablesOf(reads)) {
        names << m_connection.dialect().quoted(table->names->schema, table->names->table);
        if (!table->isTrusted) // a reader's: nobody gains anything by what it runs
            continue;
        oids << QString::number(oid);
        prints << table->print;
    }
    group.lock =
        db::Statement::filled("postgres/frameworks/lock_tables", {{"tables"_L1, names.join(u", "_s)}});
    group.judged = {db::arrayLiteral(oids), db::arrayLiteral(prints)};
}

void TableReads::addItems(std::vector<db::BatchItem>& items, Group& group) const
{
    static const db::Statement unchanged = db::Statement::filled("postgres/frameworks/unchanged",
        {{"prints"_L1, QString::fromUtf8(db::Statement::get("postgres/frameworks/prints").sql())}});
    const size_t first = items.size();
    const bool isPostgres = isOn(Engine::Postgres);
    if (group.isTransaction) {
        items.push_back({.statement = &db::Statement::get(
                             isPostgres ? "postgres/session/begin" : "sqlite/session/begin_reading"),
            .withNext = true});
        if (isPostgres)
            items.push_back({.statement = &*group.lock, .withNext = true});
        group.unchangedAt = items.size() - first;
        items.push_back(
            {.statement = isPostgres ? &unchanged : &db::Statement::get("sqlite/frameworks/unchanged"),
                .params = group.judged,
                .withNext = true});
        if (std::ranges::any_of(group.units, [](const Unit& unit) { return unit.reads.size() > 1; }))
            items.push_back(
                {.statement = &db::Statement::get("postgres/frameworks/plan_once"), .withNext = true});
    }
    group.unitsFrom = items.size() - first;
    for (Unit& unit : group.units) {
        const bool isLast = &unit == &group.units.back();
        items.push_back({.statement = &*unit.statement,
            .params = unit.params,
            .sink =
                [&unit](const db::Row& row) {
                    const qint64 number =
                        unit.reads.size() == 1 ? 0 : row.int64(unit.reads.front()->inUse().columnCount());
                    if (number < 0
                        || number >= std::ssize(unit.reads)) // no table of ours: whatever it is, not that
                        return;
                    TableRead& read = *unit.reads[static_cast<size_t>(number)];
                    read.read.push_back(read.inUse().read(row));
                },
            .withNext = group.isTransaction && !isLast});
    }
    if (group.isTransaction)
        items.push_back({.statement = &db::Statement::get(
                             isPostgres ? "postgres/session/rollback" : "sqlite/session/rollback")});
    group.items = items.size() - first;
}

void TableReads::addTo(std::vector<db::BatchItem>& items, const std::vector<TableRead*>& reads)
{
    m_groups.clear();
    m_copied.clear();
    m_cost = {};
    m_rounds = 0;
    const size_t before = items.size();
    std::vector<TableRead*> asked;
    for (TableRead* read : reads) {
        read->read.clear();
        read->error.reset();
        read->outcome = TableRead::Outcome::Read;
        (read->table->isCopied ? m_copied : asked).push_back(read);
    }
    if (!asked.empty()) {
        m_groups.push_back(groupOf(asked));
        addItems(items, *m_groups.back());
    }
    m_items = static_cast<qsizetype>(items.size() - before);
}

TableReads::Cost TableReads::judge(
    std::span<const Result<qint64>> results, const Ask& ask, const std::stop_token& stop)
{
    const auto began = std::chrono::steady_clock::now();
    size_t at = 0;
    std::vector<Result<qint64>> answers(results.begin(), results.end());
    while (!m_groups.empty()) {
        Groups again;
        std::vector<TableRead*> locked;
        at = 0;
        for (const auto& group : m_groups) {
            judge(*group, std::span(answers).subspan(at, group->items), again, locked);
            at += group->items;
        }
        if (!locked.empty())
            searchLocks(locked, ask, again);
        m_groups = std::move(again);
        if (m_groups.empty())
            break;
        std::vector<db::BatchItem> items;
        for (const auto& group : m_groups)
            addItems(items, *group);
        const bool isTooLate = std::chrono::steady_clock::now() - began > maxReading;
        if (++m_rounds > maxRounds || isTooLate) {
            const QString why = isTooLate ? u"what other tables had this poll wait for took its time"_s
                                          : u"the tables change or are locked all the time"_s;
            for (const auto& group : m_groups)
                fail(group->reads(), Error{.kind = ErrorKind::Timeout, .detail = why},
                    TableRead::Outcome::Failed);
            break;
        }
        ++m_cost.roundTrips;
        answers = ask(items);
        for (const auto& answer : answers)
            m_cost.rows += answer ? *answer : 0;
    }
    m_groups.clear();
    readCopies(ask, began + maxReading, stop);
    return m_cost;
}

/// Each table on its own, to find the one that can't be read.
void TableReads::split(Group& group, Groups& again, const TableReads& by)
{
    for (TableRead* read : group.reads())
        again.push_back(by.groupOf({read}));
}

void TableReads::judge(
    Group& group, std::span<const Result<qint64>> results, Groups& again, std::vector<TableRead*>& locked)
{
    const auto failed = std::ranges::find_if(results, [](const auto& result) { return !result; });
    if (failed == results.end())
        return;
    const std::vector<TableRead*> reads = group.reads();
    const auto place = static_cast<size_t>(failed - results.begin());
    const Error& error = failed->error();
    if (!group.isTransaction) { // each stands for itself
        for (size_t i = 0; i < group.units.size(); ++i)
            if (!results[i])
                judgeUnit(group, i, results[i].error(), again);
        return;
    }
    const bool isLock = group.lock && place + 1 == group.unchangedAt;
    if (place + 1 == results.size() && place >= group.unitsFrom) // the end; what was read was read
        return;
    if (place >= group.unitsFrom)
        return judgeUnit(group, place - group.unitsFrom, error, again);
    forget(reads);
    if (isLock && db::Dialect::isLockTimeout(error)) {
        locked.insert(locked.end(), reads.begin(), reads.end());
        return;
    }
    const QSet<quint64> changed = place == group.unchangedAt ? changedOnes(error) : QSet<quint64>();
    if (!changed.isEmpty()) {
        std::vector<TableRead*> others;
        for (TableRead* read : reads) {
            if (isAnyOf(*read, changed))
                fail({read}, changedError(error), TableRead::Outcome::Changed);
            else
                others.push_back(read);
        }
        if (!others.empty())
            again.push_back(groupOf(others));
        return;
    }
    // SQLite does not say which of them has changed.
    const bool isChange = !group.lock && place == group.unchangedAt && isNotAsJudged(error);
    const bool isOfOneTable = (isLock || isChange) && error.kind != ErrorKind::Connection;
    if (isOfOneTable && reads.size() > 1)
        return split(group, again, *this);
    // Its name stands for nothing any more, or for what we have no right to: when it was judged, we had it.
    const bool isGone = isOfOneTable
        && (isChange || error.kind == ErrorKind::MissingObject || error.kind == ErrorKind::Permission
            || error.nativeCode == "42809"_L1);
    fail(reads, isGone ? changedError(error) : error,
        isGone ? TableRead::Outcome::Changed : TableRead::Outcome::Failed);
}

/// The statement of a unit has failed: with its transaction, if it has one, those behind it.
void TableReads::judgeUnit(Group& group, size_t failed, const Error& error, Groups& again)
{
    if (group.isTransaction && failed + 1 < group.units.size()) {
        forget(group.reads(failed + 1));
        again.push_back(groupOf(group.reads(failed + 1)));
    }
    const std::vector<TableRead*>& reads = group.units[failed].reads;
    forget(reads);
    if (!group.isTransaction && isNotAsJudged(error)) // the statement compares by itself
        return fail(reads, changedError(error), TableRead::Outcome::Changed);
    if (error.kind == ErrorKind::Timeout) // each by itself might take as long
        return fail(reads, error, TableRead::Outcome::Failed);
    if (reads.size() > 1) {
        for (TableRead* read : reads) {
            read->isAlone = true;
            again.push_back(groupOf({read}));
        }
        return;
    }
    TableRead& read = *reads.front();
    if (!read.badValue && mayBeAValue(error)) {
        read.badValue = error;
        again.push_back(groupOf({&read}));
        return;
    }
    // Without its times it can't be read either: they are not the cause.
    fail(reads, read.badValue && mayBeAValue(error) ? *read.badValue : error, TableRead::Outcome::Failed);
    read.badValue.reset();
}

/// Somebody has one of these tables for himself. The server says which; the others are read now.
void TableReads::searchLocks(const std::vector<TableRead*>& locked, const Ask& ask, Groups& again)
{
    const QStringList oids =
        textOfEach(tablesOf(locked), [](const auto& each) { return QString::number(each.first); });
    QHash<quint64, qint64> holders;
    const std::vector<db::BatchItem> items{{.statement = &db::Statement::get("postgres/frameworks/locked"),
        .params = {db::arrayLiteral(oids)},
        .sink = [&holders](const db::Row& row) {
            holders.insert(static_cast<quint64>(row.int64(0)), row.int64(1));
        }}};
    ++m_cost.roundTrips;
    const auto results = ask(items);
    const auto holderOf = [&holders](const TableRead& read) {
        const qint64 holder = holders.value(read.table->table.id);
        return holder != 0 || !read.table->processes ? holder : holders.value(read.table->processes->id);
    };
    std::vector<TableRead*> others;
    for (TableRead* read : locked) {
        if (const qint64 holder = holderOf(*read); holder != 0)
            fail({read},
                Error{.kind = ErrorKind::Timeout,
                    .detail = u"session %1 has it locked exclusively, or waits for that"_s.arg(holder),
                    .nativeCode = u"55P03"_s},
                TableRead::Outcome::Locked);
        else
            others.push_back(read);
    }
    if (!results.front()) {
        fail(others, results.front().error(), TableRead::Outcome::Failed);
        return;
    }
    if (!holders.isEmpty()) {
        if (!others.empty())
            again.push_back(groupOf(others));
        return;
    }
    // By now nobody has it, or it is a part that somebody has, which keeps only its own table from being
    // read.
    for (TableRead* read : others) {
        if (others.size() > 1 || m_rounds == 0)
            again.push_back(groupOf({read}));
        else
            fail({read},
                Error{.kind = ErrorKind::Timeout,
                    .detail = u"a part of it is locked exclusively"_s,
                    .nativeCode = u"55P03"_s},
                TableRead::Outcome::Locked);
    }
}

/// Their rows are fetched, and then asked like those of a table.
void TableReads::readCopies(
    const Ask& ask, std::chrono::steady_clock::time_point end, const std::stop_token& stop)
{
    if (m_copied.empty())
        return;
    std::vector<CopiedTable> tables;
    for (const TableRead* read : m_copied)
        tables.insert(tables.end(), read->inUse().copies().begin(), read->inUse().copies().end());
    const std::vector<Result<QString>> copied = copyRows(m_connection, tables, end, m_cost.roundTrips, stop);
    size_t at = 0;
    std::vector<std::vector<db::Param>> params;
    std::vector<TableRead*> reads;
    for (TableRead* read : m_copied) {
        const Result<QString>& rows = copied[at];
        const Result<QString> processes =
            read->inUse().copies().size() > 1 ? copied[at + 1] : Result<QString>(QString());
        at += read->inUse().copies().size();
        if (!rows || !processes) {
            const Error& error = rows ? processes.error() : rows.error();
            const bool isLocked = db::Dialect::isLockTimeout(error);
            fail({read}, error, isLocked ? TableRead::Outcome::Locked : TableRead::Outcome::Failed);
            continue;
        }
        reads.push_back(read);
        params.push_back(read->inUse().params(*rows, *processes));
    }
    for (int attempt = 0; attempt < 2 && !reads.empty(); ++attempt) {
        std::vector<db::BatchItem> items;
        for (size_t i = 0; i < reads.size(); ++i)
            items.push_back({.statement = &reads[i]->inUse().statement(),
                .params = params[i],
                .sink = [read = reads[i]](
                            const db::Row& row) { read->read.push_back(read->inUse().read(row)); }});
        ++m_cost.roundTrips;
        const auto results = ask(items);
        std::vector<TableRead*> again;
        std::vector<std::vector<db::Param>> paramsAgain;
        for (size_t i = 0; i < reads.size(); ++i) {
            TableRead& read = *reads[i];
            if (results[i]) {
                m_cost.rows += *results[i];
                continue;
            }
            read.read.clear();
            if (!read.badValue && mayBeAValue(results[i].error())) {
                read.badValue = results[i].error();
                again.push_back(&read);
                paramsAgain.push_back(params[i]);
                continue;
            }
            fail({&read}, read.badValue ? *read.badValue : results[i].error(), TableRead::Outcome::Failed);
            read.badValue.reset();
        }
        reads = std::move(again);
        params = std::move(paramsAgain);
    }
}

Result<QList<LockTableEntry>> readLocks(
    db::Connection& connection, const db::ServerProfile& profile, const CataloguePtr& catalogue)
{
    QList<LockTableEntry> entries;
    TableSearch search(connection.dialect(), catalogue, profile);
    for (const Result<qint64>& result : connection.executeBatch(search.items()))
        LOCKSCOPE_TRY(result);
    LOCKSCOPE_TRY(search.judgeReferring(connection));
    if (const auto missing = search.missing(); !missing.isEmpty())
        return failure(ErrorKind::MissingObject,
            u"The attached table %1 is not there, or lacks a column."_s.arg(missing.first().display()),
            u"Check the names of schema, table and columns in the server's settings."_s);
    std::deque<TableRead> readings;
    std::vector<TableRead*> reads;
    for (const FoundTablePtr& table : search.found()) {
        if (table->access == FoundTable::Access::Readable || (table->isAttached && table->whyNot.isNull()))
            reads.push_back(&readings.emplace_back(connection.dialect(), table));
        else if (table->isAttached)
            return failure(ErrorKind::Permission, u"The attached table %1 can't be read."_s.arg(table->shown),
                table->whyNot);
    }
    TableReads reading(connection);
    std::vector<db::BatchItem> items;
    reading.addTo(items, reads);
    std::ignore = reading.judge(connection.executeBatch(items),
        [&connection](std::span<const db::BatchItem> more) { return connection.executeBatch(more); });
    for (TableRead& read : readings) {
        if (read.outcome != TableRead::Outcome::Read)
            return Failure(read.error.value_or(Error()));
        for (RowLock& row : read.read) {
            row.take(
                ProgramSettings::of(profile.frameworkSettings, read.table->framework->id), read.table->row());
            entries.append(row.entry);
        }
    }
    return entries;
}

} // namespace lockscope::frameworks
