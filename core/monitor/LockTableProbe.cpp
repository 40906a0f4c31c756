// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/LockTableProbe.h"

#include "core/db/LockTableRows.h"
#include "core/db/SchemaFile.h"

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::seconds lookAgainEvery{2};

} // namespace

LockTableProbe::LockTableProbe(const db::Connection& connection, const QList<db::AttachedTable>& attached)
    : m_engine(connection.engine())
    , m_dialect(connection.dialect())
    , m_lookRound(db::schemaStatement(connection.dialect(), "monitor/schema_probe.sql"))
    , m_readEntries(db::schemaStatement(connection.dialect(), "monitor/entries.sql"))
    , m_readWaiters(db::schemaStatement(connection.dialect(), "monitor/entry_waiters.sql"))
{
    for (const db::AttachedTable& table : attached)
        m_attached.push_back({table, db::readAttached(connection.dialect(), table)});
}

db::BatchItem LockTableProbe::lookRound()
{
    m_lookedRound = std::chrono::steady_clock::now();
    m_entries = m_waiters = m_names = Access::Missing;
    return {&m_lookRound, {}, [this](const db::Row& row) {
                const QString table = row.text(0);
                const Access access = row.boolean(1) ? Access::Readable : Access::Forbidden;
                if (table.endsWith("lock_entry"_L1))
                    m_entries = access;
                else if (table.endsWith("lock_waiter"_L1))
                    m_waiters = access;
                else
                    m_names = access;
            }};
}

bool LockTableProbe::isTimeToLookRound() const
{
    return (m_entries != Access::Readable || m_waiters != Access::Readable)
        && std::chrono::steady_clock::now() - m_lookedRound >= lookAgainEvery;
}

void LockTableProbe::addTo(std::vector<db::BatchItem>& items, Snapshot& snapshot)
{
    m_asked.clear();
    const auto ask = [&](db::BatchItem item, const Attached* attached) {
        items.push_back(std::move(item));
        m_asked.push_back(attached);
    };
    const Engine engine = m_engine;
    limit(snapshot);
    if (m_entries == Access::Readable)
        ask({&m_readEntries, {},
                [engine, &snapshot](
                    const db::Row& row) { snapshot.entries.push_back(db::entryFromRow(engine, row)); }},
            nullptr);
    if (m_waiters == Access::Readable)
        ask({&m_readWaiters, {},
                [engine, &snapshot](
                    const db::Row& row) { snapshot.entryWaiters.push_back(db::waiterFromRow(engine, row)); }},
            nullptr);
    for (const Attached& attached : m_attached)
        ask({&attached.read, {},
                [&attached, &snapshot](const db::Row& row) {
                    snapshot.entries.push_back(db::attachedEntryFromRow(attached.table, row));
                }},
            &attached);
    // What it finds counts from the next poll on.
    if (isTimeToLookRound())
        ask(lookRound(), nullptr);
}

void LockTableProbe::limit(Snapshot& snapshot) const
{
    if (m_entries == Access::Missing)
        snapshot.limitations.push_back({Limitation::Kind::MissingSchema,
            u"This database has no lock table of Lockscope's."_s, u"lockctl install"_s});
    else if (m_entries == Access::Forbidden || m_waiters == Access::Forbidden)
        snapshot.limitations.push_back({Limitation::Kind::MissingPermission,
            u"The lock table can't be read by this role."_s, grantToRead()});
}

QString LockTableProbe::grantToRead() const
{
    const QString grant = m_engine == Engine::SqlServer
        ? u"ALTER ROLE lockscope_reader ADD MEMBER %1;"_s
        : u"GRANT USAGE ON SCHEMA lockscope TO %1; GRANT SELECT ON ALL TABLES IN SCHEMA lockscope TO %1;"_s;
    return grant.arg(m_dialect.quoted(m_role));
}

void LockTableProbe::judge(std::span<const Result<qint64>> results, Snapshot& snapshot)
{
    for (size_t i = 0; i < results.size(); ++i) {
        if (results[i])
            continue;
        if (m_asked[i])
            snapshot.limitations.push_back(limitationOf(m_asked[i]->table, results[i].error()));
        else
            lookAgainAfter(results[i].error(), snapshot);
    }
}

/// Our tables were there a moment ago: they were dropped, or closed to us.
void LockTableProbe::lookAgainAfter(const Error& error, Snapshot& snapshot)
{
    m_entries = m_waiters = m_names = Access::Missing;
    m_lookedRound = {};
    snapshot.limitations.push_back(
        {Limitation::Kind::Failed, u"The lock table could not be read: "_s + error.detail, error.hint});
}

Limitation LockTableProbe::limitationOf(const db::AttachedTable& table, const Error& error) const
{
    const QString relation = m_dialect.quoted(table.schema, table.table);
    if (error.kind == ErrorKind::Permission)
        return {Limitation::Kind::MissingPermission,
            u"The attached table %1 can't be read by this role."_s.arg(table.display()),
            u"GRANT SELECT ON %1 TO %2;"_s.arg(relation, m_dialect.quoted(m_role))};
    if (error.kind == ErrorKind::MissingObject)
        return {Limitation::Kind::Failed,
            u"The attached table %1 can't be read: %2"_s.arg(table.display(), error.detail),
            u"Check the names of schema, table and columns in the server's settings."_s};
    return {Limitation::Kind::Failed,
        u"The attached table %1 can't be read: %2"_s.arg(table.display(), error.detail), error.hint};
}

} // namespace lockscope::monitor
