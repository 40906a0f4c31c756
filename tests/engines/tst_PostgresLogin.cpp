// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SnapshotSource.h"
#include "tests/support/Ask.h"
#include "tests/support/PgBouncer.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/Waiting.h"

#include <QTemporaryDir>
#include <QTest>

#include <libpq-fe.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <thread>

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/// "a:1,b:2": all have the same password, as copies of one cluster.
ServerUrl both(const ServerUrl& first, const ServerUrl& second, const QString& wanted = {})
{
    ServerUrl url = first;
    url.moreHosts = {{second.host, second.port}};
    if (!wanted.isEmpty())
        url.options.insert(u"target_session_attrs"_s, wanted);
    return url;
}

} // namespace

class tst_PostgresLogin : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_other = std::make_unique<TestServer>();
        // Only to be read, as a standby is.
        m_other->run(m_other->url(), u"ALTER DATABASE lockscope SET default_transaction_read_only = on"_s);
    }

    void theNextHostIsTriedIfOneIsDown()
    {
        const QTemporaryDir nobody;
        ServerUrl down = url();
        down.host = nobody.path();
        const auto connection = open(both(down, url())).value();
        QCOMPARE(serverOf(*connection), serverOf(*open(url()).value()));
        QVERIFY(!open(down));
        QCOMPARE(open(both(down, down)).error().kind, ErrorKind::Connection);
    }

    void theHostThatIsAskedForIsFound()
    {
        const QString writable = serverOf(*open(url()).value());
        const QString readable = serverOf(*open(m_other->url()).value());
        QVERIFY(writable != readable);
        QCOMPARE(serverOf(*open(both(m_other->url(), url())).value()), readable);
        QCOMPARE(serverOf(*open(both(m_other->url(), url(), u"read-write"_s)).value()), writable);
        QCOMPARE(serverOf(*open(both(url(), m_other->url(), u"read-only"_s)).value()), readable);
        // As text, too.
        const auto parsed = ServerUrl::parse(both(m_other->url(), url(), u"read-write"_s).toString());
        QCOMPARE(serverOf(*open(parsed.value()).value()), writable);
    }

    void noHostIsAsWanted()
    {
        const auto refused = open(both(m_other->url(), m_other->url(), u"read-write"_s));
        QVERIFY(!refused);
        // It may become one: whoever reconnects tries again.
        QCOMPARE(refused.error().kind, ErrorKind::Connection);
        QVERIFY2(
            refused.error().hint.contains(u"target_session_attrs"_s), qPrintable(refused.error().toString()));
    }

    void aStatementOfTheSecondHostIsCancelled()
    {
        const auto connection = open(both(m_other->url(), url(), u"read-write"_s)).value();
        const auto observer = TestServer::shared().connect();
        std::stop_source stop;
        std::jthread stopper([&] {
            const QString sleeping =
                u"SELECT count(*) FROM pg_stat_activity WHERE pid = %1 AND wait_event = 'PgSleep'"_s.arg(
                    connection->sessionId().value);
            if (!waitUntil([&] { return ask(*observer, sleeping) == u"1"; }))
                qWarning("it does not sleep");
            stop.request_stop();
        });
        const auto ended =
            connection->execute(sqlStatement(u"SELECT pg_sleep(3600)"_s), {}, {}, stop.get_token());
        QVERIFY(!ended);
        QCOMPARE(ended.error().kind, ErrorKind::Cancelled);
        QVERIFY(connection->isOpen());
    }

    void aMonitorTriesAWrongPasswordOnce()
    {
        ServerProfile profile;
        profile.url = TestServer::shared().asRole(url());
        int asked = 0;
        const PasswordProvider wrong = [&asked](const QString&) -> Result<QString> {
            ++asked; // for each attempt
            return u"s3cret-wrong"_s;
        };
        if (Connection::open(profile.url, fixedPassword(u"s3cret-wrong"_s)))
            QSKIP("This server trusts local users.");
        const auto source = monitor::makeSnapshotSource(profile, wrong);
        for (int poll = 0; poll < 5; ++poll) {
            const auto taken = source->take();
            QVERIFY(!taken);
            QCOMPARE(taken.error().kind, ErrorKind::Login);
            QVERIFY2(taken.error().hint.contains(u"not tried again"_s), qPrintable(taken.error().hint));
        }
        QCOMPARE(asked, 1);
        // A new source is a person's new wish.
        QVERIFY(!monitor::makeSnapshotSource(profile, wrong)->take());
        QCOMPARE(asked, 2);
    }

    void aServerThatIsDownIsTriedAgain()
    {
        const QTemporaryDir nobody;
        ServerProfile profile;
        profile.url.host = nobody.path();
        int asked = 0;
        const auto source = monitor::makeSnapshotSource(profile, [&asked](const QString&) -> Result<QString> {
            ++asked;
            return QString();
        });
        QVERIFY(waitUntil([&] { return !source->take() && asked >= 3; }));
    }

    void differentBytesAreDifferentNames()
    {
        const ServerUrl ascii = [] {
            ServerUrl made = url();
            made.database = u"bytes"_s;
            TestServer::shared()
                .connect()
                ->execute(sqlStatement(
                    u"CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"_s))
                .value();
            return made;
        }();
        const auto connection = open(ascii).value();
        QCOMPARE(ask(*connection, u"SELECT E'caf\\xE9'"_s), u"caf\uFFFDxE9"_s);
        QCOMPARE(ask(*connection, u"SELECT E'caf\\xE8'"_s), u"caf\uFFFDxE8"_s);
        QCOMPARE(ask(*connection, u"SELECT E'caf\\xC3\\xA9'"_s), u"café"_s);
    }

    void theSystemNoticesAStallInTime_data()
    {
        QTest::addColumn<Purpose>("purpose");
        QTest::addColumn<int>("seconds");
        QTest::newRow("holder of a lock") << Purpose::Lock << 12;
        QTest::newRow("monitor") << Purpose::Monitor << 20;
    }
    void theSystemNoticesAStallInTime()
    {
        QFETCH(Purpose, purpose);
        QFETCH(int, seconds);
        const auto pooler = poolerIfInstalled();
        if (!pooler)
            QSKIP("PgBouncer, which listens on TCP here, is not installed.");
        ServerUrl tcp = pooler->overTcp(url());
        tcp.options.insert(u"pooler"_s, u"session"_s);
        ConnectOptions options;
        options.purpose = purpose;
        const auto connection = Connection::open(tcp, TestServer::shared().passwords(), options).value();
        const int socket = PQsocket(static_cast<PGconn*>(connection->nativeHandle()));
        const auto setting = [socket](int level, int name) {
            int value = 0;
            socklen_t size = sizeof(value);
            return getsockopt(socket, level, name, &value, &size) == 0 ? value : -1;
        };
        QCOMPARE(setting(SOL_SOCKET, SO_KEEPALIVE), 1);
        const int silent = setting(IPPROTO_TCP, TCP_KEEPIDLE)
            + setting(IPPROTO_TCP, TCP_KEEPCNT) * setting(IPPROTO_TCP, TCP_KEEPINTVL);
        QVERIFY2(silent > 0 && silent <= seconds, qPrintable(QString::number(silent)));
        const int unacknowledged = setting(IPPROTO_TCP, TCP_USER_TIMEOUT);
        QVERIFY(unacknowledged > 0 && unacknowledged <= seconds * 1'000);
    }

    void eachHostHasAPortOfItsOwn()
    {
        const auto pooler = poolerIfInstalled();
        if (!pooler)
            QSKIP("PgBouncer, which listens on TCP here, is not installed.");
        ServerUrl several = pooler->overTcp(url());
        several.moreHosts = {{several.host, several.port}};
        several.port = 1; // nobody is there
        const auto connection = open(ServerUrl::parse(several.toString()).value()).value();
        QCOMPARE(serverOf(*connection), serverOf(*open(url()).value()));
    }

private:
    static std::unique_ptr<PgBouncer> poolerIfInstalled()
    {
        return PgBouncer::isInstalled()
            ? std::make_unique<PgBouncer>(TestServer::shared(), PgBouncer::Mode::Session)
            : nullptr;
    }
    static ServerUrl url() { return TestServer::shared().url(); }
    static Result<std::unique_ptr<Connection>> open(const ServerUrl& url)
    {
        return Connection::open(url, TestServer::shared().passwords());
    }
    static QString serverOf(Connection& connection)
    {
        return ask(connection,
            u"SELECT system_identifier::text || pg_postmaster_start_time() FROM pg_control_system()"_s);
    }

    std::unique_ptr<TestServer> m_other;
};

LOCKSCOPE_TEST(tst_PostgresLogin)
#include "tst_PostgresLogin.moc"
