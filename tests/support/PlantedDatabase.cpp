// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/PlantedDatabase.h"

#include "core/record/postgres/HistorySchema.h"
#include "tests/support/TestServer.h"

#include <QRegularExpression>

namespace lockscope::test {

using namespace Qt::StringLiterals;

std::unique_ptr<db::Connection> connectAs(
    const db::ServerUrl& url, db::Purpose purpose, const QString& application)
{
    db::ServerUrl named = url;
    if (!application.isEmpty())
        named.options.insert(u"application_name"_s, application);
    return orDie(TestServer::shared().at(named).connect({.purpose = purpose}));
}

PlantedDatabase::PlantedDatabase()
{
    TestServer& server = TestServer::shared();
    m_url = server.freshDatabase();
    const QString create = u"GRANT CREATE ON DATABASE \"%1\" TO {role}"_s.arg(m_url.database);
    for (const QString& planter : {u"stranger"_s, u"owner"_s, u"guest"_s, u"trigger"_s})
        m_roles.insert(planter, server.asRole(m_url, create).user);
    server.run(m_url, u"ALTER DATABASE \"%1\" OWNER TO \"%2\""_s.arg(m_url.database, m_roles[u"owner"_s]));
    orDie(record::installHistory(*server.connect(m_url)));
    m_operator = server.asRole(m_url,
        u"GRANT lockscope_operator, lockscope_history_writer, lockscope_history_reader, pg_read_all_data TO {role}"_s);
    m_monitor =
        server.asRole(m_url, u"GRANT lockscope_reader, lockscope_history_reader, pg_monitor TO {role}"_s);
    m_reader = server.asRole(m_url, u"GRANT pg_monitor TO {role}"_s).user;
    const db::Statement planting = db::Statement::filled("test/planted_code.sql",
        {{"stranger"_L1, m_roles[u"stranger"_s]}, {"owner"_L1, m_roles[u"owner"_s]},
            {"guest"_L1, m_roles[u"guest"_s]}, {"trigger"_L1, m_roles[u"trigger"_s]},
            {"password"_L1, server.password()}});
    const auto connection = server.connect(m_url);
    orDie(connection->executeScript("SET application_name = 'planting'; SET log_min_messages = 'fatal'"));
    orDie(connection->executeScript(planting.sql()));
    orDie(runSql(*connection, u"SELECT planter, kind FROM public.planted WHERE fault IS NULL ORDER BY 1, 2"_s,
        {}, [this](const db::Row& row) {
            m_traps.push_back({row.text(0), row.text(1)});
        }));
}

const db::ServerUrl& PlantedDatabase::urlOf(const QString& role) const
{
    return role == u"superuser"_s ? m_url : role == u"operator"_s ? m_operator : m_monitor;
}

QStringList PlantedDatabase::whatRan(const QStringList& known) const
{
    static const QRegularExpression ran(u"planted code ran: (\\w+) for \"([^\"]*)\" as (\\w+)"_s);
    QStringList found;
    const QString log = TestServer::shared().log();
    for (auto match = ran.globalMatch(log); match.hasNext();) {
        const auto one = match.next();
        // The server itself looks after tables as their owners.
        const bool isVacuum = one.captured(2).isEmpty() && m_roles.values().contains(one.captured(3));
        const bool isReader = one.captured(3) == m_reader;
        if (!isVacuum && !isReader && one.captured(2) != u"planting"_s && !known.contains(one.captured(2)))
            found << one.captured(0);
    }
    found.removeDuplicates();
    return found;
}

} // namespace lockscope::test
