// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerNames.h"

#include "core/monitor/sqlserver/SqlServerRequests.h"

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;
using db::OwnAppLock;
using db::ownAppLock;

namespace {

constexpr size_t maxLookUpsAtOnce = 100;
constexpr size_t minLookUpsAtOnce = 2;
constexpr std::chrono::seconds closedAtMost{3'600};
const QString notLetIn = u"916"_s; ///< the login has no user in the database
constexpr std::chrono::seconds databasesEvery{60};
constexpr std::chrono::seconds databasesAtMostEvery{5};
constexpr quint32 resourceDatabase = 32'767; ///< the server's hidden one: none of its names can be read

/// Returns the kind of the number in `entity`: an object, a heap or B-tree, or an allocation unit; else
/// nothing.
std::optional<ResourceKind> entityKind(ResourceKind kind)
{
    switch (kind) {
    case ResourceKind::Relation:
        return ResourceKind::Relation;
    case ResourceKind::Row:
    case ResourceKind::Page:
    case ResourceKind::Extend:
    case ResourceKind::Object:
        return ResourceKind::Object;
    case ResourceKind::AllocationUnit:
        return ResourceKind::AllocationUnit;
    default:
        return std::nullopt;
    }
}

ResourceKey entityOf(const ResourceKey& key, ResourceKind kind)
{
    ResourceKey entity;
    entity.kind = kind;
    entity.database = key.database;
    entity.entity = key.entity;
    return entity;
}

/// Returns the part of a cut name that is surely the name's: a cut may have split a character of two units.
QString surePart(QString visible)
{
    if (!visible.isEmpty()
        && (visible.back().isHighSurrogate() || visible.back() == QChar::ReplacementCharacter))
        visible.chop(1);
    return visible;
}

} // namespace

SqlServerNames::SqlServerNames(
    const db::Dialect& dialect, quint32 ownDatabase, QString ownDatabaseName, bool otherDatabases)
    : m_dialect(dialect)
    , m_ownDatabase(ownDatabase)
    , m_otherDatabases(otherDatabases)
    , m_databases{{ownDatabase, std::move(ownDatabaseName)}}
{
    // If only one database can be read, sys.databases numbers the databases otherwise than the views of locks
    // do; these two have the same number everywhere.
    m_databases.insert(1, u"master"_s);
    m_databases.insert(2, u"tempdb"_s);
}

void SqlServerNames::request(const ResourceKey& key)
{
    requestDatabase(key.database);
    const auto kind = entityKind(key.kind);
    if (kind && key.entity != 0 && key.database != resourceDatabase
        && (m_otherDatabases || isLocal(key.database))) {
        m_neededKeys.insert(entityOf(key, *kind));
    } else if (key.kind == ResourceKind::ApplicationLock && m_appLockNamesReadable && isLocal(key.database)) {
        const auto text = parseAppLockText(key.text);
        if (text && text->mayBeCut() && !ownAppLock(text->name)) {
            ResourceKey visible = entityOf(key, key.kind);
            visible.text = text->name;
            m_neededKeys.insert(visible);
        }
    }
}

void SqlServerNames::requestDatabase(quint32 number)
{
    if (m_otherDatabases && number != 0 && !m_databases.contains(number) && number != resourceDatabase)
        m_requestedDatabases = true;
}

SqlServerNames::LookUp SqlServerNames::databasesItem()
{
    m_databasesAsked = Clock::now();
    m_requestedDatabases = false;
    return {{.statement = &db::Statement::get("sqlserver/names/databases"),
                .sink =
                    [this](const db::Row& row) {
                        m_databases.insert(static_cast<quint32>(row.int64(0)), row.text(1));
                    }},
        {}};
}

bool SqlServerNames::isClosed(quint32 database) const
{
    const auto closed = m_closed.constFind(database);
    return closed != m_closed.cend() && Clock::now() < closed->until;
}

void SqlServerNames::judge(const ResourceKey& of, const Result<qint64>& result)
{
    // What could not be read keeps what was known of it.
    if (auto found = m_foundAppLocks.take(of); result && of.kind == ResourceKind::ApplicationLock)
        m_appLocks.set(of, std::move(found));
    if (result) {
        m_atOnce = std::min(m_atOnce + 1, maxLookUpsAtOnce);
        if (of.kind != ResourceKind::Unknown)
            m_closed.remove(of.database);
    } else if (result.error().nativeCode == notLetIn) {
        Closed& closed = m_closed[of.database];
        if (Clock::now() >= closed.until) {
            closed.until = Clock::now() + closed.next;
            closed.next = std::min(2 * closed.next, closedAtMost);
        }
    } else if (result.error().kind == ErrorKind::Timeout && !db::Dialect::isLockTimeout(result.error())) {
        m_atOnce = std::max(m_atOnce / 2, minLookUpsAtOnce);
    }
}

QString SqlServerNames::hidden(const db::SqlServerFacts& facts) const
{
    QStringList closed;
    for (auto database = m_closed.cbegin(); database != m_closed.cend(); ++database)
        closed << m_databases.value(database.key());
    closed.sort();
    if (!closed.isEmpty())
        return u"Names of what is locked in %1 are hidden from this login: it may not use the database."_s
            .arg(closed.join(u", "_s));
    const bool seesAll = facts.isOtherEngine() || facts.hasRight(u"VIEW ANY DEFINITION"_s)
        || (facts.isAzureDatabase() && facts.hasRight(u"VIEW DEFINITION"_s));
    QStringList unnamed;
    for (const quint32 database : m_unnamed) {
        if (!isLocal(database) || !facts.hasRight(u"VIEW DEFINITION"_s))
            unnamed << m_databases.value(database);
    }
    unnamed.sort();
    return seesAll || unnamed.isEmpty()
        ? QString()
        : u"Some names of what is locked in %1 are hidden from this login."_s.arg(unnamed.join(u", "_s));
}

const db::Statement* SqlServerNames::statementFor(const ResourceKey& entity)
{
    const auto database = m_databases.constFind(entity.database);
    if (database == m_databases.cend())
        return nullptr;
    const char* path = entity.kind == ResourceKind::Relation ? "sqlserver/names/object"
        : entity.kind == ResourceKind::Object                ? "sqlserver/names/partition"
                                                             : "sqlserver/names/allocation_unit";
    const QString quoted = m_dialect.quoted(*database);
    auto& statement = m_statements[path + quoted.toStdString()];
    if (!statement)
        statement = std::make_unique<db::Statement>(
            db::Statement::filled(path, {{QLatin1StringView("database_name"), quoted}}));
    return statement.get();
}

std::optional<db::BatchItem> SqlServerNames::lookUp(const ResourceKey& entity)
{
    if (entity.kind == ResourceKind::ApplicationLock) {
        m_foundAppLocks[entity].clear();
        return db::BatchItem{.statement = &db::Statement::get("sqlserver/names/app_locks"),
            .params = {surePart(entity.text)},
            .sink = [this, entity](const db::Row& row) {
                m_foundAppLocks[entity].push_back({row.text(0), !row.isNull(1) && !row.boolean(1)});
            }};
    }
    const db::Statement* statement = isClosed(entity.database) ? nullptr : statementFor(entity);
    if (!statement)
        return std::nullopt;
    return db::BatchItem{.statement = statement,
        .params = {static_cast<qint64>(entity.entity)},
        .sink = [this, entity](const db::Row& row) {
            if (!row.isNull(0))
                m_entities.set(entity, row.text(0));
        }};
}

/// Adds as many of those in the queue as may be requested at once.
void SqlServerNames::addQueued(std::vector<LookUp>& lookUps)
{
    for (; !m_queue.empty() && lookUps.size() < m_atOnce; m_queue.pop_front()) {
        if (auto item = lookUp(m_queue.front()))
            lookUps.push_back({std::move(*item), m_queue.front()});
    }
}

std::vector<SqlServerNames::LookUp> SqlServerNames::firstLookUps()
{
    std::vector<LookUp> items;
    const auto now = Clock::now();
    if (m_requestedDatabases && now - m_databasesAsked >= databasesAtMostEvery)
        items.push_back(databasesItem());
    QSet<ResourceKey> entities;
    QSet<ResourceKey> appLocks;
    for (const ResourceKey& key : std::as_const(m_neededKeys)) {
        // What stands in a database whose name is not known yet is asked for with a later poll.
        if (key.kind == ResourceKind::ApplicationLock)
            appLocks.insert(key);
        else if (m_databases.contains(key.database))
            entities.insert(key);
    }
    m_neededKeys.clear();
    for (const ResourceKey& key : m_entities.firstAsked(entities))
        m_queue.push_back(key);
    for (const ResourceKey& key : m_appLocks.firstAsked(appLocks))
        m_queue.push_back(key);
    addQueued(items);
    return items;
}

std::vector<SqlServerNames::LookUp> SqlServerNames::renewals()
{
    std::vector<LookUp> items;
    m_unnamed.clear();
    if (!m_databases.isEmpty() && m_otherDatabases && Clock::now() - m_databasesAsked >= databasesEvery)
        items.push_back(databasesItem());
    for (const ResourceKey& key : m_entities.askedAgain())
        m_queue.push_back(key);
    for (const ResourceKey& key : m_appLocks.askedAgain())
        m_queue.push_back(key);
    addQueued(items);
    return items;
}

const QString* SqlServerNames::entityName(const ResourceKey& key)
{
    const auto kind = entityKind(key.kind);
    if (!kind)
        return nullptr;
    const ResourceKey entity = entityOf(key, *kind);
    const QString* name = m_entities.find(entity);
    if (!name && key.entity != 0 && m_entities.wasAsked(entity))
        m_unnamed.insert(key.database);
    return name;
}

/// Returns the only registered name that begins so; or the only such one that somebody holds.
std::optional<QString> SqlServerNames::wholeName(const ResourceKey& key, const QString& visible)
{
    ResourceKey asked = entityOf(key, key.kind);
    asked.text = visible;
    const auto* candidates = m_appLocks.find(asked);
    if (!candidates)
        return std::nullopt;
    const NameCandidate* held = nullptr;
    int heldCount = 0;
    for (const NameCandidate& candidate : *candidates) {
        if (candidate.held) {
            held = &candidate;
            ++heldCount;
        }
    }
    if (heldCount == 1)
        return held->name;
    return candidates->size() == 1 ? std::optional(candidates->front().name) : std::nullopt;
}

void SqlServerNames::completeOwnLocks(const SqlServerLockRows& locks, const Snapshot& snapshot)
{
    m_ownLocks.clear();
    QHash<quint32, QString> beginnings; // of lock-table names, by resource
    const auto& resources = locks.resources();
    for (quint32 i = 0; i < resources.size(); ++i) {
        const ResourceKey& key = resources[i];
        if (key.kind != ResourceKind::ApplicationLock || !isLocal(key.database))
            continue;
        const auto text = parseAppLockText(key.text);
        if (!text || !text->mayBeCut())
            continue;
        if (const auto own = ownAppLock(text->name))
            beginnings.insert(i, surePart(own->detail));
    }
    if (beginnings.isEmpty())
        return;
    QHash<quint32, QSet<SessionId>> parties;
    for (const auto& lock : locks.locks()) {
        if (beginnings.contains(lock.resource))
            parties[lock.resource].insert(lock.session);
    }
    for (auto beginning = beginnings.cbegin(); beginning != beginnings.cend(); ++beginning) {
        QSet<QString> all;
        QSet<QString> theirs;
        const auto consider = [&, &sessions = parties[beginning.key()]](const auto& row) {
            if (!row.name.startsWith(*beginning))
                return;
            all.insert(row.name);
            if (sessions.contains(row.party.session))
                theirs.insert(row.name);
        };
        for (const LockTableEntry& entry : snapshot.entries) {
            if (!entry.framework)
                consider(entry);
        }
        std::ranges::for_each(snapshot.entryWaiters, consider);
        const QSet<QString>& meant = theirs.isEmpty() ? all : theirs;
        if (meant.size() == 1)
            m_ownLocks.insert(resources[beginning.key()], *meant.cbegin());
    }
}

/// False if the lock is not one of Lockscope's.
bool SqlServerNames::nameOwnLock(Resource& resource, const AppLockText& text) const
{
    auto own = ownAppLock(text.name);
    if (!own || text.principal != 0)
        return false;
    resource.named = true;
    resource.internal = own->purpose == OwnAppLock::Purpose::SessionLivenessLock;
    if (text.mayBeCut() && !resource.internal) {
        const auto whole = m_ownLocks.constFind(resource.key);
        resource.named = whole != m_ownLocks.cend();
        own->detail = resource.named ? *whole : surePart(own->detail) + u'…';
    }
    resource.name = displayed(*own);
    if (!resource.named)
        resource.name += u" (%1)"_s.arg(text.hash);
    return true;
}

void SqlServerNames::nameAppLock(Resource& resource)
{
    const auto text = parseAppLockText(resource.key.text);
    if (!text) {
        resource.name = u"app lock "_s + resource.key.text;
        return;
    }
    if (nameOwnLock(resource, *text))
        return;
    const QString principal = text->principal == 0 ? QString() : u" (principal %1)"_s.arg(text->principal);
    if (text->name.isEmpty()) {
        resource.name = u"app lock of hash "_s + text->hash + principal;
        return;
    }
    if (!text->mayBeCut()) {
        resource.name = u"app lock '%1'"_s.arg(text->name) + principal;
        resource.named = true;
        return;
    }
    const auto whole = isLocal(resource.key.database) ? wholeName(resource.key, text->name) : std::nullopt;
    resource.named = whole.has_value();
    resource.name = whole ? u"app lock '%1'"_s.arg(*whole) + principal
                          : u"app lock '%1…' (%2)"_s.arg(text->name, text->hash) + principal;
}

Resource SqlServerNames::resource(const ResourceKey& key)
{
    Resource resource;
    resource.key = key;
    resource.database = m_databases.value(key.database);
    const QString databaseText =
        resource.database.isEmpty() ? QString::number(key.database) : resource.database;
    const auto withText = [&key](const QString& name) {
        return key.text.isEmpty() ? name : name + u" ("_s + key.text.toLower() + u')';
    };
    switch (key.kind) {
    case ResourceKind::Database:
        resource.name = withText(u"database "_s + databaseText);
        resource.named = !resource.database.isEmpty();
        break;
    case ResourceKind::Relation:
    case ResourceKind::Object:
    case ResourceKind::AllocationUnit:
    case ResourceKind::Row:
    case ResourceKind::Page:
    case ResourceKind::Extend: {
        const QString* known = entityName(key);
        const QString part = partText(key);
        const QString entity = known ? *known
            : key.entity == 0        ? u"database "_s + databaseText
            : key.kind == ResourceKind::Relation
            ? u"object %1 in database %2"_s.arg(static_cast<qint64>(key.entity)).arg(databaseText)
            : key.kind == ResourceKind::AllocationUnit
            ? u"allocation unit %1 in database %2"_s.arg(key.entity).arg(databaseText)
            : u"heap or index %1 in database %2"_s.arg(key.entity).arg(databaseText);
        resource.named = known != nullptr;
        resource.name = part.isEmpty() ? withText(entity) : TablePart{entity, part}.name();
        if (key.kind == ResourceKind::Relation && key.part != 0)
            resource.name += u" (lock partition %1)"_s.arg(key.part);
        break;
    }
    case ResourceKind::ApplicationLock:
        nameAppLock(resource);
        break;
    case ResourceKind::TransactionId:
        resource.name = u"transaction "_s
            + (key.text.isEmpty() ? u"%1:%2"_s.arg(key.part & 0xffffffff).arg(key.part >> 32) : key.text);
        resource.named = true;
        break;
    case ResourceKind::Metadata:
        resource.name = u"metadata of database %1: %2"_s.arg(databaseText, key.text);
        break;
    case ResourceKind::File:
        resource.name = u"file %1 of database %2"_s.arg(key.text, databaseText);
        break;
    default:
        resource.name = key.text.isEmpty() ? u"something in database "_s + databaseText : key.text;
    }
    return resource;
}

void SqlServerNames::nameTransaction(Resource& resource, std::span<const ResourceKey> underlying)
{
    QStringList names;
    for (const ResourceKey& key : underlying) {
        const QString name = this->resource(key).name;
        if (!names.contains(name))
            names << name;
    }
    if (names.isEmpty())
        return;
    names.sort();
    const QString more = names.size() > 1 ? u" and %1 more"_s.arg(names.size() - 1) : QString();
    resource.name = u"%1%2 (%3)"_s.arg(names.first(), more, resource.name);
}

} // namespace lockscope::monitor
