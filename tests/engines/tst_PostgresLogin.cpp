// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SnapshotSource.h"
#include "tests/support/PgBouncer.h"
#include "tests/support/TestProgram.h"

#include <libpq-fe.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tst_PostgresLogin {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

/// "a:1,b:2": all have the same password, as copies of one cluster.
static ServerUrl both(const ServerUrl& first, const ServerUrl& second, const QString& requested = {})
{
    ServerUrl url = first;
    url.moreHosts = {{second.host, second.port}};
    if (!requested.isEmpty())
        url.options.insert(u"target_session_attrs"_s, requested);
    return url;
}

class tst_PostgresLogin : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_other = std::make_unique<TestServer>();
        // The database is read-only, as a standby is.
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
        VERIFY_FAILS(ErrorKind::Connection, open(both(down, down)));
    }

    void theHostThatIsAskedForIsFound()
    {
        const QString writable = serverOf(*open(url()).value());
        const QString readable = serverOf(*open(m_other->url()).value());
        QVERIFY(writable != readable);
        QCOMPARE(serverOf(*open(both(m_other->url(), url())).value()), readable);
        QCOMPARE(serverOf(*open(both(m_other->url(), url(), u"read-write"_s)).value()), writable);
        QCOMPARE(serverOf(*open(both(url(), m_other->url(), u"read-only"_s)).value()), readable);
        // The text of the URL is parsed, too.
        const auto parsed = ServerUrl::parse(both(m_other->url(), url(), u"read-write"_s).toString());
        QCOMPARE(serverOf(*open(parsed.value()).value()), writable);
    }

    void noHostIsAsRequested()
    {
        const auto refused = open(both(m_other->url(), m_other->url(), u"read-write"_s));
        QVERIFY(!refused);
        // It may become one: a new connection tries again.
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
        VERIFY_FAILS(
            ErrorKind::Cancelled, runSql(*connection, u"SELECT pg_sleep(3600)"_s, {}, {}, stop.get_token()));
        QVERIFY(connection->isOpen());
    }

    void aMonitorTriesAWrongPasswordOnce()
    {
        const ServerProfile profile = profileOf(TestServer::shared().asRole(url()));
        int asked = 0;
        const PasswordProvider wrong = [&asked](const QString&) -> Result<QString> {
            ++asked; // for each attempt
            return u"s3cret-wrong"_s;
        };
        if (db::Server::at(profile.url, fixedPassword(u"s3cret-wrong"_s)).connect())
            QSKIP("This server trusts local users.");
        const auto source = monitor::makeSnapshotSource({profile, wrong});
        for (int poll = 0; poll < 5; ++poll) {
            const auto taken = source->take();
            VERIFY_FAILS(ErrorKind::Login, taken);
            VERIFY_CONTAINS(taken.error().hint, u"not tried again"_s);
        }
        QCOMPARE(asked, 1);
        // A new source is a new request of a person.
        QVERIFY(!monitor::makeSnapshotSource({profile, wrong})->take());
        QCOMPARE(asked, 2);
    }

    /// The connection is encrypted or not: libpq by itself would try both ways.
    void aWrongPasswordIsSentOnce_data()
    {
        addColumns<QString, bool>("mode", "encrypted");
        for (const char* mode : {"", "prefer", "allow", "require", "disable"})
            for (const bool encrypted : {false, true})
                if (encrypted || qstrcmp(mode, "require") != 0)
                    QTest::addRow("%s%s", *mode ? mode : "as libpq wishes", encrypted ? ", encrypted" : "")
                        << QString::fromLatin1(mode) << encrypted;
    }
    void aWrongPasswordIsSentOnce()
    {
        FETCH(QString, mode, bool, encrypted);
        auto& server = encrypted ? m_encrypting : m_plain;
        if (!server) {
            server = std::make_unique<TestServer>(TestServer::replicating());
            if (encrypted && !server->encrypt()) {
                server.reset();
                QSKIP("This server was built without encryption.");
            }
        }
        ServerUrl url = server->overTcp(server->asRole(server->url()));
        if (!mode.isEmpty())
            url.options.insert(u"sslmode"_s, mode);
        const auto refusals = [&] {
            return server->log().count(u"password authentication failed for user \"%1\""_s.arg(url.user));
        };
        VERIFY_FAILS(ErrorKind::Login, db::Server::at(url, fixedPassword(u"wrong"_s)).connect());
        QVERIFY(waitUntil([&] { return refusals() > 0; }));
        QCOMPARE(refusals(), 1);

        const auto connection = server->at(url).connect();
        VERIFY_DONE(connection);
        const bool wished = encrypted && mode != u"disable" && mode != u"allow";
        QCOMPARE(ask(**connection, u"SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()"_s),
            wished ? u"true"_s : u"false"_s);
    }

    /// Servers whose rules let nobody in with encryption, or nobody without.
    void theOtherWayIsTriedBeforeAPasswordIsSent_data()
    {
        addColumns<QString, QString>("rule", "mode");
        row("only plain ones come in", "hostnossl", "prefer");
        row("only encrypted ones come in", "hostssl", "allow");
    }
    void theOtherWayIsTriedBeforeAPasswordIsSent()
    {
        FETCH(QString, rule, QString, mode);
        TestServer server(TestServer::replicating());
        if (!server.encrypt())
            QSKIP("This server was built without encryption.");
        server.run(server.url(),
            u"COPY (SELECT 'local all all scram-sha-256' UNION ALL SELECT '%1 all all 127.0.0.1/32 scram-sha-256') TO PROGRAM 'cat > pg_hba.conf'"_s
                .arg(rule));
        const auto admin = server.connect();
        QVERIFY(runSql(*admin, u"SELECT pg_reload_conf()"_s));
        ServerUrl url = server.overTcp(server.url());
        url.options.insert(u"sslmode"_s, mode);
        QVERIFY(waitUntil([&] { return server.at(url).connect().has_value(); }));
        ServerUrl other = url;
        other.options[u"sslmode"_s] = rule == u"hostssl" ? u"disable"_s : u"require"_s;
        QVERIFY(waitUntil([&] { return !server.at(other).connect(); }));
    }

    void aServerThatIsDownIsTriedAgain()
    {
        const QTemporaryDir nobody;
        ServerProfile profile;
        profile.url.host = nobody.path();
        int asked = 0;
        const auto source =
            monitor::makeSnapshotSource({profile, [&asked](const QString&) -> Result<QString> {
                                             ++asked;
                                             return QString();
                                         }});
        QVERIFY(waitUntil([&] { return !source->take() && asked >= 3; }));
    }

    void differentBytesAreDifferentNames()
    {
        const ServerUrl ascii = [] {
            ServerUrl made = url();
            made.database = u"bytes"_s;
            orDie(runSql(*TestServer::shared().connect(),
                u"CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"_s));
            return made;
        }();
        const auto connection = open(ascii).value();
        QCOMPARE(ask(*connection, u"SELECT E'caf\\xE9'"_s), u"caf\uFFFDxE9"_s);
        QCOMPARE(ask(*connection, u"SELECT E'caf\\xE8'"_s), u"caf\uFFFDxE8"_s);
        QCOMPARE(ask(*connection, u"SELECT E'caf\\xC3\\xA9'"_s), u"café"_s);
    }

    void theSystemNoticesAStallInTime_data()
    {
        addColumns<Purpose, int>("purpose", "seconds");
        row("holder of a lock", Purpose::Lock, 12);
        row("monitor", Purpose::Monitor, 20);
    }
    void theSystemNoticesAStallInTime()
    {
        FETCH(Purpose, purpose, int, seconds);
        const auto pooler = poolerIfInstalled();
        if (!pooler)
            QSKIP("PgBouncer, which listens on TCP here, is not installed.");
        ServerUrl tcp = pooler->overTcp(url());
        tcp.options.insert(u"pooler"_s, u"session"_s);
        const auto connection = TestServer::shared().at(tcp).connect(purpose).value();
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

    void refusesToConnectWithExactReasons_data()
    {
        test::addColumns<QString, QString, int, QString, int>("user", "database", "port", "password", "kind");
        const ServerUrl good = url();
        const QString password = TestServer::shared().password();
        const int login = static_cast<int>(ErrorKind::Login);
        row("wrong password", good.user, good.database, good.port, "s3cret-wrong", login);
        row("no such user", "nobody", good.database, good.port, password, login);
        row("no such database", good.user, "nowhere", good.port, password, login);
        row("no server", good.user, good.database, 1, password, static_cast<int>(ErrorKind::Connection));
    }
    void refusesToConnectWithExactReasons()
    {
        FETCH(QString, user, QString, database, int, port, QString, password, int, kind);
        ServerUrl wrong = url();
        wrong.user = user;
        wrong.database = database;
        wrong.port = port;
        const auto refused = db::Server::at(wrong, fixedPassword(password)).connect();
        if (refused && password.contains(u"wrong"_s))
            QSKIP("This server trusts local users.");
        QVERIFY(!refused);
        QCOMPARE(static_cast<int>(refused.error().kind), kind);
        QVERIFY(!refused.error().hint.isEmpty());
        QCOMPARE(refused.error().server, wrong.display());
        QVERIFY(!refused.error().toString().contains(password));
    }

    void noErrorTextContainsThePassword()
    {
        ServerUrl wrong = url();
        wrong.options.insert(u"sslmode"_s, u"bad value with 'quotes' \\"_s);
        const QString password = u"hunter2 'x\\"_s;
        const auto refused = db::Server::at(wrong, fixedPassword(password)).connect();
        QVERIFY(!refused);
        QVERIFY(!refused.error().toString().contains(u"hunter2"_s));
        wrong.options = {{u"sslmode"_s, u"a;b"_s}};
        VERIFY_FAILS(ErrorKind::BadInput, db::Server::at(wrong, fixedPassword(password)).connect());
        wrong.options = {{u"no_such_option"_s, u"1"_s}};
        VERIFY_FAILS(ErrorKind::BadInput, db::Server::at(wrong, fixedPassword(password)).connect());
    }

    void aRefusalInUnknownWordsIsToldFromASilentServer()
    {
        ServerUrl wrong = url();
        wrong.options = {{u"gssencmode"_s, u"require"_s}, {u"sslmode"_s, u"disable"_s}};
        const auto refused = open(wrong);
        VERIFY_FAILS(ErrorKind::Login, refused);
        QVERIFY(refused.error().hint.contains(u"answers"_s));
    }

    void aServerThatNeverAnswersIsGivenUpWhileConnecting()
    {
        QTemporaryDir directory;
        const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const QByteArray path = directory.filePath(u".s.PGSQL.5432"_s).toLocal8Bit();
        QVERIFY(static_cast<size_t>(path.size()) < sizeof(address.sun_path));
        std::copy(path.begin(), path.end(), address.sun_path);
        QCOMPARE(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
        QCOMPARE(listen(listener, 5), 0);
        ServerUrl silent;
        silent.host = directory.path();
        silent.port = 5432;
        const auto refused =
            db::Server::at(silent, fixedPassword(u"secret"_s)).connect({.connectTimeout = 1s});
        ::close(listener);
        VERIFY_FAILS(ErrorKind::Connection, refused);
        QVERIFY(refused.error().hint.contains(u"does not answer"_s));
    }

    void anErrorOfThePasswordSourceIsPassedOn()
    {
        const auto refused = db::Server::at(url(), [](const QString&) -> Result<QString> {
            return failure(ErrorKind::Cancelled, u"No."_s);
        }).connect();
        QCOMPARE(refused.error().kind, ErrorKind::Cancelled);
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
        return TestServer::shared().at(url).connect();
    }
    static QString serverOf(Connection& connection)
    {
        return ask(connection,
            u"SELECT system_identifier::text || pg_postmaster_start_time() FROM pg_control_system()"_s);
    }

    std::unique_ptr<TestServer> m_other;
    std::unique_ptr<TestServer> m_plain;
    std::unique_ptr<TestServer> m_encrypting;
};

LOCKSCOPE_TEST(tst_PostgresLogin)

} // namespace tst_PostgresLogin
#include "tst_PostgresLogin.moc"
