// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/HostileNames.h"
#include "tests/support/Session.h"

namespace lockscope::test {

using namespace Qt::StringLiterals;

/// A server on which all that somebody can name means harm.
class HarmfulServer {
public:
    HarmfulServer()
    {
        TestServer& server = TestServer::shared();
        const db::ServerUrl fresh = server.freshDatabase();
        const auto run = [&server](const db::ServerUrl& url, const QString& sql) {
            server.run(url, QString(sql).replace(u"{n}"_s, shortHostileName).replace(u"{u}"_s, hostileLogin));
        };
        run(server.url(), u"ALTER DATABASE \"%1\" RENAME TO \"{u}\""_s.arg(fresh.database));
        m_url = fresh;
        m_url.database = hostileLogin;
        run(m_url,
            u"CREATE ROLE \"{u}\" SUPERUSER LOGIN PASSWORD '%1'; CREATE ROLE \"poor{u}\" LOGIN PASSWORD '%1';CREATE SCHEMA \"{n}\" CREATE TABLE \"{n}\" (\"{n}\" text);GRANT USAGE ON SCHEMA \"{n}\" TO PUBLIC; GRANT SELECT ON \"{n}\".\"{n}\" TO PUBLIC;INSERT INTO \"{n}\".\"{n}\" VALUES ('{n}');"
            "CREATE TABLE \"{n}\".shedlock (name text PRIMARY KEY, lock_until timestamptz, locked_at timestamptz, locked_by text);INSERT INTO \"{n}\".shedlock VALUES ('{n}', now() + interval '1 h', now(), '{n}');CREATE FUNCTION \"{n}\".\"{n}\"() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';"
            "CREATE TRIGGER \"{n}\" BEFORE UPDATE ON \"{n}\".shedlock FOR EACH ROW EXECUTE FUNCTION \"{n}\".\"{n}\"();CREATE TABLE \"{n}\".databasechangeloglock (id int, locked boolean, lockgranted timestamp, lockedby varchar(255)); ALTER TABLE \"{n}\".databasechangeloglock OWNER TO \"poor{u}\";"
            "INSERT INTO lockscope.lock_entry (name, token, expires_at, owner, host, program) VALUES ('{n}', 't1', clock_timestamp() + interval '1 h', '{n}', '{n}', '{n}'), ('stale{n}', 't2', clock_timestamp() - interval '1 h', '{n}', '{n}', '{n}');"
            "INSERT INTO lockscope.audit_log (who, origin, act, target, reason, before, outcome) VALUES ('{n}', '{n}', '{n}', '{n}', '{n}', '{}', '{n}');INSERT INTO lockscope.lock_waiter (name, expires_at, owner, host, program) VALUES ('{n}', clock_timestamp() + interval '1 h', '{n}', '{n}', '{n}')"_s
                .arg(server.password()));
        m_holder = std::make_unique<Session>(server, as(QString()), shortHostileName);
        m_waiter = std::make_unique<Session>(server, as(QString()), shortHostileName);
        const QString table = u"\"%1\".\"%1\""_s.arg(shortHostileName);
        if (!m_holder->run(u"BEGIN"_s) || !m_holder->run(u"LOCK TABLE %1 /* %2 */"_s.arg(table, hostileName)))
            qFatal("the holder could not begin");
        m_waiter->start(u"SELECT '%2' FROM %1"_s.arg(table, hostileName));
        if (!m_waiter->waitUntilBlocked())
            qFatal("the waiter does not wait");
    }

    /// Returns the URL for the superuser, or for "poor", who has next to no rights.
    db::ServerUrl as(const QString& before) const
    {
        db::ServerUrl url = m_url;
        url.user = before + hostileLogin;
        return url;
    }
    db::Server server() const { return db::Server::at(as({}), passwords()); }
    static db::PasswordProvider passwords() { return db::fixedPassword(TestServer::shared().password()); }

private:
    db::ServerUrl m_url;
    std::unique_ptr<Session> m_holder;
    std::unique_ptr<Session> m_waiter;
};

} // namespace lockscope::test
