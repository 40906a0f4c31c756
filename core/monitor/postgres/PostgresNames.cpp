// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresNames.h"

#include "core/db/postgres/PostgresDialect.h"
#include "core/db/sqlserver/AppLockText.h"

namespace lockscope::monitor {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;
using db::OwnAppLock;

namespace {

constexpr milliseconds maxLoginTime{2'000};
constexpr milliseconds minPause{60'000};
constexpr milliseconds maxPause{3'600'000};
constexpr size_t maxRelations = 100;

/// Two installations of our schema take turns by this advisory lock (see install.sql).
bool isInstallation(const ResourceKey& key)
{
    constexpr quint64 installation = quint64(1282368363) << 32;
    return key.part == 2 && static_cast<quint64>(key.entity) == installation;
}

} // namespace

bool PostgresForeignNames::rests(quint32 database) const
{
    const auto pause = m_pauses.constFind(database);
    return pause != m_pauses.cend() && (pause->isForGood || Clock::now() < pause->until);
}

quint32 PostgresForeignNames::next(const QSet<Key>& keys) const
{
    quint32 database = 0; // the smallest of them: whatever the order in the set
    for (const Key& key : keys) {
        const bool isOpen = !m_names.contains(key) && !rests(key.database);
        if (isOpen && (database == 0 || key.database < database))
            database = key.database;
    }
    return database;
}

void PostgresForeignNames::ask(
    const db::Server& server, quint32 database, const QString& name, const QSet<Key>& keys)
{
    std::vector<quint32> relations;
    for (const Key& key : keys) {
        if (key.database == database && !m_names.contains(key) && relations.size() < maxRelations)
            relations.push_back(key.relation);
    }
    const db::ConnectOptions options{
        .purpose = db::Purpose::Monitor, .connectTimeout = maxLoginTime, .statementTimeout = maxLoginTime};
    QHash<Key, QString> found;
    auto there = server.resolved();
    if (!there)
        return leaveAlone(database);
    there->profile.url.database = name;
    const auto connection = there->connect(options);
    if (!connection)
        return leaveAlone(database, connection.error().kind == ErrorKind::Login);
    const auto asked = (*connection)
                           ->execute(db::Statement::get("postgres/names/relations"),
                               {db::arrayLiteral(relations)}, [&](const db::Row& row) {
                                   found.insert({database, static_cast<quint32>(row.int64(0))}, row.text(1));
                               });
    if (!asked && db::Dialect::isLockTimeout(asked.error()))
        return; // the next poll asks again
    if (!asked)
        return leaveAlone(database);
    m_pauses.remove(database);
    for (const quint32 relation : relations)
        m_names.insert({database, relation}, found.value({database, relation}));
}

void PostgresForeignNames::leaveAlone(quint32 database, bool forGood)
{
    auto pause = m_pauses.find(database);
    if (pause == m_pauses.end())
        pause = m_pauses.insert(database, {Backoff(minPause, maxPause), {}, false});
    pause->until = Clock::now() + pause->backoff.next();
    pause->isForGood = forGood;
}

const QString* PostgresForeignNames::find(const Key& key) const
{
    const auto name = m_names.constFind(key);
    return name == m_names.cend() || name->isEmpty() ? nullptr : &*name;
}

void PostgresNames::request(RequestedNames& requested, const ResourceKey& key) const
{
    // Nearly everything is known already: an access to the table is cheaper than a set of all that is there.
    const auto add = [](auto& set, const auto& table, const auto& value) {
        if (!table.wasAsked(value))
            set.insert(value);
    };
    if (key.database != 0)
        add(requested.databases, m_databases, key.database);
    if (!isLocal(key))
        return; // what is inside another database can't be read from here
    switch (key.kind) {
    case ResourceKind::Relation:
    case ResourceKind::Extend:
    case ResourceKind::Page:
    case ResourceKind::Row:
        add(requested.relations, m_relations, static_cast<quint32>(key.entity));
        break;
    case ResourceKind::ApplicationLock:
        if (key.part == 1)
            add(requested.appLocks, m_appLocks, static_cast<qint64>(key.entity));
        break;
    case ResourceKind::Object:
        add(requested.objects, m_objects, key);
        break;
    default:
        break;
    }
}

template <class Key>
void PostgresNames::lookUp(
    std::vector<db::BatchItem>& items, const char* path, NameTable<Key>& table, const std::vector<Key>& keys)
{
    if (keys.empty())
        return;
    items.push_back({&db::Statement::get(path), {db::arrayLiteral(keys)},
        [&table](const db::Row& row) { table.set(static_cast<Key>(row.int64(0)), row.text(1)); }});
}

void PostgresNames::lookUpPrepared(std::vector<db::BatchItem>& items, const std::vector<qint64>& transactions)
{
    if (transactions.empty())
        return;
    items.push_back({.statement = &db::Statement::get("postgres/monitor/prepared"),
        .params = {db::arrayLiteral(transactions)},
        .sink = [this](const db::Row& row) {
            m_prepared.set(row.int64(0),
                {.gid = row.text(1), .owner = row.text(2), .database = row.text(3), .at = row.time(4)});
        }});
}

void PostgresNames::lookUpObjects(std::vector<db::BatchItem>& items, const std::vector<ResourceKey>& objects)
{
    // One statement each: the server refuses a class that it can't describe, and that must not cost the rest.
    for (const ResourceKey& key : objects) {
        items.push_back({.statement = &db::Statement::get("postgres/names/object"),
            .params = {static_cast<qint64>(key.entity), static_cast<qint64>(key.part >> 16),
                static_cast<qint64>(key.part & 0xffff)},
            .sink = [this, key](const db::Row& row) {
                if (!row.isNull(0))
                    m_objects.set(key, row.text(0));
            }});
    }
}

std::vector<db::BatchItem> PostgresNames::lookUps(const RequestedNames* requested)
{
    std::vector<db::BatchItem> items;
    const auto keysOf = [requested](auto& table, auto keys) {
        return requested ? table.firstAsked(requested->*keys) : table.askedAgain();
    };
    using Names = RequestedNames;
    lookUp(items, "postgres/names/relations", m_relations, keysOf(m_relations, &Names::relations));
    lookUp(items, "postgres/names/databases", m_databases, keysOf(m_databases, &Names::databases));
    lookUp(items, "postgres/names/roles", m_roles, keysOf(m_roles, &Names::roles));
    if (m_appLockNamesReadable)
        lookUp(items, "postgres/names/app_locks", m_appLocks, keysOf(m_appLocks, &Names::appLocks));
    lookUpPrepared(items, keysOf(m_prepared, &Names::prepared));
    lookUpObjects(items, keysOf(m_objects, &Names::objects));
    return items;
}

QString PostgresNames::role(quint32 oid)
{
    const QString* name = m_roles.find(oid);
    return name ? *name : QString();
}

QString PostgresNames::database(quint32 oid)
{
    const QString* name = m_databases.find(oid);
    return name ? *name : QString();
}

void PostgresNames::nameRelationPart(Resource& resource)
{
    const ResourceKey& key = resource.key;
    const auto oid = static_cast<quint32>(key.entity);
    const QString* known = isLocal(key) ? m_relations.find(oid) : m_foreign.find({key.database, oid});
    QString relation = known ? *known : u"table %1"_s.arg(key.entity);
    if (!isLocal(key))
        relation = u"database %1: "_s.arg(
                       resource.database.isEmpty() ? QString::number(key.database) : resource.database)
            + relation;
    resource.named = known != nullptr;
    switch (key.kind) {
    case ResourceKind::Extend:
        resource.name = TablePart{relation, u"extension"_s}.name();
        break;
    case ResourceKind::Page:
        resource.name = TablePart{relation, u"page %1"_s.arg(key.part)}.name();
        break;
    case ResourceKind::Row:
        resource.name =
            TablePart{relation, u"row (%1,%2)"_s.arg(key.part >> 16).arg(key.part & 0xffff)}.name();
        break;
    default:
        resource.name = relation;
    }
}

/// People wait for a row by waiting for the transaction that changed it: say whose it is.
void PostgresNames::nameTransaction(Resource& resource, SessionId holder)
{
    const ResourceKey& key = resource.key;
    switch (key.kind) {
    case ResourceKind::VirtualTransaction:
        resource.name = u"virtual transaction "_s + key.text;
        break;
    case ResourceKind::SpeculativeToken:
        resource.name = u"speculative insert %1 of transaction %2"_s.arg(key.part).arg(key.entity);
        break;
    default:
        resource.name = u"transaction "_s + QString::number(key.entity);
    }
    resource.named = true;
    if (holder.value > 0) {
        resource.name += u" (session %1)"_s.arg(holder.value);
    } else if (holder.value < 0) {
        const Prepared* transaction = prepared(-holder.value);
        resource.name += transaction ? u" (prepared '%1')"_s.arg(transaction->gid) : u" (prepared)"_s;
    }
}

void PostgresNames::nameObject(Resource& resource)
{
    const ResourceKey& key = resource.key;
    const QString* known = isLocal(key) ? m_objects.find(key) : nullptr;
    resource.named = known != nullptr;
    resource.name = known ? *known : u"object %1 of class %2"_s.arg(key.part >> 16).arg(key.entity);
    if (!known && !isLocal(key) && !resource.database.isEmpty())
        resource.name.prepend(u"database %1: "_s.arg(resource.database));
}

void PostgresNames::nameAdvisoryLock(Resource& resource)
{
    const ResourceKey& key = resource.key;
    if (isInstallation(key)) {
        resource.name = db::displayed({OwnAppLock::Purpose::Installation, {}});
        resource.named = true;
        return;
    }
    const QString* known =
        isLocal(key) && key.part == 1 ? m_appLocks.find(static_cast<qint64>(key.entity)) : nullptr;
    resource.named = known != nullptr;
    if (known)
        resource.name = u"app lock '%1'"_s.arg(*known);
    else if (key.part == 1)
        resource.name = u"advisory key "_s + QString::number(static_cast<qint64>(key.entity));
    else
        resource.name = u"advisory key (%1, %2)"_s.arg(static_cast<qint32>(key.entity >> 32))
                            .arg(static_cast<qint32>(key.entity & 0xffffffff));
}

Resource PostgresNames::resource(const ResourceKey& key, SessionId holder)
{
    Resource resource;
    resource.key = key;
    if (key.database != 0)
        resource.database = database(key.database);
    switch (key.kind) {
    case ResourceKind::Relation:
    case ResourceKind::Extend:
    case ResourceKind::Page:
    case ResourceKind::Row:
        nameRelationPart(resource);
        break;
    case ResourceKind::TransactionId:
    case ResourceKind::VirtualTransaction:
    case ResourceKind::SpeculativeToken:
        nameTransaction(resource, holder);
        break;
    case ResourceKind::Object:
        nameObject(resource);
        break;
    case ResourceKind::ApplicationLock:
    case ResourceKind::UserLock:
        nameAdvisoryLock(resource);
        break;
    case ResourceKind::Metadata:
        resource.name = u"frozen transaction ids of database "_s + resource.database;
        resource.named = !resource.database.isEmpty();
        break;
    default:
        resource.name = key.text;
    }
    return resource;
}

} // namespace lockscope::monitor
