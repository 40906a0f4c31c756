// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/LockTableProbe.h"

#include "core/base/Sentences.h"
#include "core/db/LockTableRows.h"
#include "core/db/Statement.h"
#include "core/frameworks/AsJudged.h"

#include <array>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::seconds searchAgainEvery{2};

/// A text that the server can't put into UTF-8: PostgreSQL's codes.
bool isAboutEncoding(const Error& error)
{
    return error.nativeCode == "22021"_L1 || error.nativeCode == "22P05"_L1;
}

db::Statement probeOf(const db::Dialect& dialect)
{
    return dialect.engine() == Engine::SqlServer ? frameworks::withPrint(dialect, "monitor/schema_probe")
                                                 : db::schemaStatement(dialect, "monitor/schema_probe");
}

db::Statement readingOf(const db::Dialect& dialect, const char* path)
{
    const db::Statement& read = db::schemaStatement(dialect, path);
    return dialect.engine() == Engine::SqlServer ? frameworks::asJudged(dialect, read, {u"@P1, @P2"_s})
                                                 : read;
}

} // namespace

LockTableProbe::LockTableProbe(db::Connection& connection)
    : m_connection(connection)
    , m_engine(connection.engine())
    , m_dialect(connection.dialect())
    , m_schemaProbe(probeOf(connection.dialect()))
    , m_readEntries(readingOf(connection.dialect(), "monitor/entries"))
    , m_readWaiters(readingOf(connection.dialect(), "monitor/entry_waiters"))
{
}

void LockTableProbe::addSearch(std::vector<db::BatchItem>& items)
{
    if (m_dialect.can(db::Capability::LogIn))
        items.push_back(db::schemaCheck(m_connection));
    m_searchedAt = std::chrono::steady_clock::now();
    m_entries = m_waiters = m_names = Access::Missing;
    m_prints.clear();
    items.push_back({.statement = &m_schemaProbe, .sink = [this](const db::Row& row) {
                         const QString table = row.text(0);
                         if (m_engine != Engine::Postgres)
                             m_prints.insert(table, row.text(2));
                         const Access access = row.boolean(1) ? Access::Readable : Access::Forbidden;
                         if (table.endsWith("lock_entry"_L1))
                             m_entries = access;
                         else if (table.endsWith("lock_waiter"_L1))
                             m_waiters = access;
                         else
                             m_names = access;
                     }});
}

bool LockTableProbe::isSearchDue() const
{
    return !lockTableReadable() && std::chrono::steady_clock::now() - m_searchedAt >= searchAgainEvery;
}

void LockTableProbe::addTo(std::vector<db::BatchItem>& items, Snapshot& snapshot)
{
    m_asked.clear();
    const auto ask = [&](db::BatchItem item, Asked asked) {
        items.push_back(std::move(item));
        m_asked.push_back(asked);
    };
    const Engine engine = m_engine;
    // Unknown facts are found out within this poll, and judged at its end.
    m_findsOut = m_entries == Access::Unknown;
    if (!m_findsOut)
        limit(snapshot);
    const bool isOneTransaction = engine == Engine::Sqlite && (mayRead(m_entries) || mayRead(m_waiters));
    if (isOneTransaction) {
        ask({.statement = &db::Statement::get("sqlite/session/begin_reading"), .withNext = true},
            Asked::IsAsJudged);
        ask({.statement = &db::Statement::get("sqlite/frameworks/unchanged"),
                .params = {frameworks::judgedTables(m_prints)},
                .withNext = true},
            Asked::IsAsJudged);
    }
    if (mayRead(m_entries))
        ask({.statement = &m_readEntries,
                .params = judgedParams(u"lock_entry"_s),
                .sink =
                    [engine, &snapshot](
                        const db::Row& row) { snapshot.entries.push_back(db::entryFromRow(engine, row)); },
                .withNext = isOneTransaction && mayRead(m_waiters)},
            Asked::Entries);
    if (mayRead(m_waiters))
        ask({.statement = &m_readWaiters,
                .params = judgedParams(u"lock_waiter"_s),
                .sink =
                    [engine, &snapshot](const db::Row& row) {
                        snapshot.entryWaiters.push_back(db::waiterFromRow(engine, row));
                    }},
            Asked::Waiters);
    if (isOneTransaction)
        ask({.statement = &db::Statement::get("sqlite/session/rollback")}, Asked::IsAsJudged);
    // What it finds counts from the next poll on.
    if (isSearchDue()) {
        addSearch(items);
        const int asked = m_dialect.can(db::Capability::LogIn) ? 2 : 1;
        m_asked.resize(m_asked.size() + asked, Asked::WhatIsThere);
    }
}

std::vector<db::Param> LockTableProbe::judgedParams(const QString& table) const
{
    if (m_engine != Engine::SqlServer)
        return {};
    return {m_dialect.quoted(u"lockscope"_s, table), m_prints.value(table)};
}

void LockTableProbe::limit(Snapshot& snapshot) const
{
    if (const auto trusted = db::readableSchema(m_connection); !trusted) {
        const Error& error = trusted.error();
        snapshot.limitations.push_back({.kind = Limitation::Kind::Failed,
            .what = sentences({error.what, error.detail}),
            .remedy = error.hint});
        return;
    }
    if (m_entries == Access::Missing)
        snapshot.limitations.push_back({.kind = Limitation::Kind::MissingSchema,
            .what = u"Lockscope's tables are not installed here (optional: named locks, audit)."_s,
            .remedy = u"lockctl install"_s});
    else if (m_entries == Access::Forbidden || m_waiters == Access::Forbidden)
        snapshot.limitations.push_back({.kind = Limitation::Kind::MissingPermission,
            .what = u"The lock table can't be read by this role."_s,
            .remedy = m_dialect.grantOfRole(u"lockscope_reader"_s, m_dialect.quoted(m_role)),
            .hidesLocks = true});
}

void LockTableProbe::judge(std::span<const Result<qint64>> results, Snapshot& snapshot, const Ask& ask)
{
    for (size_t i = 0; i < results.size(); ++i) {
        if (results[i])
            continue;
        const Error& error = results[i].error();
        if (frameworks::isNotAsJudged(error)) {
            searchAgainAfter(frameworks::changedError(error), snapshot);
            break; // the others fail for the same reason, or are searched again, too
        }
        if (m_asked[i] == Asked::IsAsJudged) // what it is for has failed by that
            continue;
        if (m_asked[i] != Asked::WhatIsThere && isAboutEncoding(error))
            readEscaped(m_asked[i], snapshot, ask);
        else
            searchAgainAfter(error, snapshot);
    }
    if (m_findsOut && m_entries == Access::Readable)
        snapshot.limitations.push_back(m_failure); // it is read from the next poll on
    else if (m_findsOut)
        limit(snapshot);
}

void LockTableProbe::readEscaped(Asked what, Snapshot& snapshot, const Ask& ask)
{
    constexpr int isEscaped = 12;
    const QString why = u"a text is not valid UTF-8"_s;
    const bool entries = what == Asked::Entries;
    const auto note = [&](const db::Row& row, int column, QString& badRow) {
        if (row.boolean(column))
            badRow = badRow.isEmpty() ? why : badRow + u", "_s + why;
    };
    const std::array items{
        db::BatchItem{.statement = &db::Statement::get(entries ? "postgres/monitor/entries_escaped"
                                                               : "postgres/monitor/entry_waiters_escaped"),
            .sink = [&](const db::Row& row) {
                if (entries) {
                    LockTableEntry entry = db::entryFromRow(m_engine, row);
                    note(row, isEscaped, entry.badRow);
                    snapshot.entries.push_back(std::move(entry));
                } else {
                    LockTableWaiter waiter = db::waiterFromRow(m_engine, row);
                    note(row, isEscaped - 1, waiter.badRow);
                    snapshot.entryWaiters.push_back(std::move(waiter));
                }
            }}};
    const auto results = ask(items);
    if (results.front())
        snapshot.cost.rows += *results.front();
    else
        searchAgainAfter(results.front().error(), snapshot);
}

/// Our tables were there at the poll before: perhaps they were dropped, or closed to us.
void LockTableProbe::searchAgainAfter(const Error& error, Snapshot& snapshot)
{
    m_failure = {.kind = Limitation::Kind::Failed,
        .what = asSentence(u"The lock table could not be read: "_s + error.detail),
        .remedy = error.hint};
    snapshot.limitations.push_back(m_failure);
    const bool isSearch = m_entries == Access::Missing; // it was the search that failed
    if (!isSearch && error.kind != ErrorKind::MissingObject && error.kind != ErrorKind::Permission
        && error.kind != ErrorKind::Changed)
        return;
    m_entries = m_waiters = m_names = Access::Unknown;
    m_searchedAt = {};
}

void reportBadRows(Snapshot& snapshot)
{
    struct Count {
        qint64 bad = 0;
        qint64 all = 0;
        QString first;
    };
    QMap<QString, Count> counts;
    const auto count = [&counts](const auto& row, const QString& whose) {
        Count& of = counts[row.table];
        ++of.all;
        if (row.isBad() && of.bad++ == 0)
            of.first = whose.arg(row.name, row.badRow);
    };
    for (const LockTableEntry& entry : snapshot.entries)
        count(entry, u"the lock '%1': %2."_s);
    for (const LockTableWaiter& waiter : snapshot.entryWaiters)
        count(waiter, u"a waiter for '%1': %2."_s);
    for (auto it = counts.cbegin(); it != counts.cend(); ++it) {
        if (it->bad == 0)
            continue;
        const QString rows = it->bad == 1
            ? u"1 row of %1 is bad: "_s.arg(it.key())
            : u"%1 rows of %2 are bad; the first is "_s.arg(it->bad).arg(it.key());
        snapshot.limitations.push_back({.kind = Limitation::Kind::BadRows,
            .what = rows + it->first,
            .remedy = u"Put it right, or release it by hand."_s,
            .shown = it->bad,
            .total = it->all});
    }
}

} // namespace lockscope::monitor
