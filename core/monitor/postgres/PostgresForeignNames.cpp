// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresForeignNames.h"

#include "core/monitor/NameTable.h"

namespace lockscope::monitor {

using namespace std::chrono_literals;

namespace {

constexpr milliseconds maxLoginTime{2'000};
constexpr milliseconds shortestPause{60'000};
constexpr milliseconds maxPause{3'600'000};
constexpr size_t maxRelations = 100;

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
                               {arrayLiteral(relations)}, [&](const db::Row& row) {
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
        pause = m_pauses.insert(database, {Backoff(shortestPause, maxPause), {}, false});
    pause->until = Clock::now() + pause->backoff.next();
    pause->isForGood = forGood;
}

const QString* PostgresForeignNames::find(const Key& key) const
{
    const auto name = m_names.constFind(key);
    return name == m_names.cend() || name->isEmpty() ? nullptr : &*name;
}

} // namespace lockscope::monitor
