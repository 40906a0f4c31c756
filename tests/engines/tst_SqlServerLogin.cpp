// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Logins that are refused, and servers that are too old, away or silent. SQL Server.

#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/WireSuite.h"
#include "tests/support/tds/SessionAnswers.h"

namespace tst_SqlServerLogin {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;
using namespace lockscope::test::tds;
using test::tds::Reply;

/// The double, which knows what our connections ask first.
struct Double : TdsServer {
    explicit Double(const SqlServerFacts& facts = wholeServer()) { addSessionAnswers(*this, facts); }
};

class tst_SqlServerLogin : public WireSuiteByBoth {
    Q_OBJECT

private Q_SLOTS:
    void aServerBefore2016IsRefusedByItsName()
    {
        SqlServerFacts old = wholeServer();
        old.productVersion = u"12.0.6024.0"_s;
        Double server(old);
        const auto open = [&server] {
            return db::Server::at(urlOf(server), fixedPassword(passwordOf(server))).connect();
        };
        const auto isRefused = [&server](const Error& error) {
            return error.kind == ErrorKind::Unsupported
                && error.what == u"SQL Server 2014 12.0.6024.0 is too old."_s
                && error.hint.contains(u"2016"_s) && error.server == urlOf(server).display();
        };
        const auto found = open();
        QVERIFY(!found && isRefused(found.error()));
        // The real server answers so: it knows no DATEDIFF_BIG.
        server.answer("sqlserver/session/facts", [](const Request&, Reply& reply) {
            reply.error(195, u"'DATEDIFF_BIG' is not a recognized built-in function name."_s, 15);
        });
        QVERIFY(!open()); // and not even this
        server.answer("sqlserver/session/product", [](const Request& request, Reply& reply) {
            reply.table({{u"session_id"_s, integer()}, {u"login_time_us"_s, bigint()},
                            {u"product_version"_s, nvarchar(128)}, {u"engine_edition"_s, integer()},
                            {u"edition"_s, nvarchar(128)}, {u"babelfish_version"_s, nvarchar(128)},
                            {u"views_that_exist"_s, nvarchar(1)}, {u"rights"_s, nvarchar(1)}},
                {{request.session->id, Value(), u"12.0.6024.0"_s, 3, u"Standard Edition"_s, Value(), u""_s,
                    u""_s}});
        });
        const auto refused = open();
        QVERIFY2(!refused && isRefused(refused.error()),
            qPrintable(refused ? QString() : refused.error().toString()));
    }

    /// Qt does not distinguish a refused login from a server that can't be reached, and a login must not be
    /// repeated.
    void byQtEachFailureCountsAsARefusedLogin()
    {
        if (!isByQt(driverInUse()))
            QSKIP("By ODBC itself the reason is known.");
        Double server;
        server.refuseLogins([](const Login&) -> std::optional<ServerMessage> {
            return ServerMessage{18'456, u"Login failed for user 'ann' with s3cret."_s, 14};
        });
        ServerUrl away = urlOf(server);
        away.port = 1;
        for (const ServerUrl& url : {urlOf(server), away}) {
            const auto opened = db::Server::at(url, fixedPassword(u"s3cret"_s)).connect();
            VERIFY_FAILS(ErrorKind::Login, opened);
            VERIFY_CONTAINS(opened.error().hint, u"not tried again by itself"_s);
            VERIFY_LACKS(opened.error().toString(), u"s3cret"_s);
        }
    }

    void byQtNothingIsTakenForTheNameOfAFile()
    {
        if (!isByQt(driverInUse()))
            QSKIP("ODBC itself takes a connection string as it is.");
        Double server;
        const auto opened = db::Server::at(urlOf(server), fixedPassword(u"my.dsn"_s)).connect();
        VERIFY_FAILS(ErrorKind::BadInput, opened);
        QVERIFY(!opened.error().toString().contains(u"my.dsn"_s));
    }

    void refusesToConnectWithExactReasons_data()
    {
        test::addColumns<int, QString>("number", "text");
        row("password", 18'456, "Login failed for user 'ann'.");
        row("database", 4'060, "Cannot open database \"orders\" requested by the login. The login failed.");
    }
    void refusesToConnectWithExactReasons()
    {
        FETCH(int, number, QString, text);
        if (isByQt(driverInUse()))
            QSKIP("Qt does not tell the reason.");
        Double server;
        server.refuseLogins([&](const Login&) -> std::optional<ServerMessage> {
            return ServerMessage{number, text, 14};
        });
        const auto refused = db::Server::at(urlOf(server), fixedPassword(passwordOf(server))).connect();
        VERIFY_FAILS(ErrorKind::Login, refused);
        QCOMPARE(refused.error().nativeCode, QString::number(number));
        VERIFY_CONTAINS(refused.error().detail, text);
        QVERIFY(!refused.error().hint.isEmpty());
        QCOMPARE(refused.error().server, urlOf(server).display());
        QVERIFY(!refused.error().toString().contains(passwordOf(server)));
    }

    void aServerThatIsNotThereIsAConnectionError()
    {
        if (isByQt(driverInUse()))
            QSKIP("Qt does not tell the reason.");
        ServerUrl url;
        {
            const Double server;
            url = urlOf(server);
        }
        const auto refused = db::Server::at(url, fixedPassword(u"s3cret"_s)).connect();
        VERIFY_FAILS(ErrorKind::Connection, refused);
        QVERIFY2(refused.error().hint.contains(u"host and port"_s), qPrintable(refused.error().toString()));
    }

    void aServerThatNeverAnswersIsGivenUpWhileConnecting_data()
    {
        test::addRows<Fault::Phase>("phase",
            {{"before the login", Fault::Phase::PreLogin}, {"after the login", Fault::Phase::Answer}});
    }
    void aServerThatNeverAnswersIsGivenUpWhileConnecting()
    {
        QFETCH(Fault::Phase, phase);
        if (phase == Fault::Phase::Answer && !isByQt(driverInUse()))
            QSKIP("By ODBC itself nothing is asked while connecting.");
        Double server;
        server.setFault({Fault::Kind::Silence, phase});
        const auto refused =
            db::Server::at(urlOf(server), fixedPassword(u"s3cret"_s)).connect({.connectTimeout = 1s});
        QVERIFY(!refused);
        // A client that was let in knows that it was not refused.
        const auto kind = isByQt(driverInUse()) && phase == Fault::Phase::PreLogin ? ErrorKind::Login
                                                                                   : ErrorKind::Connection;
        QVERIFY2(refused.error().kind == kind, qPrintable(refused.error().toString()));
    }
};

LOCKSCOPE_TEST(tst_SqlServerLogin)

} // namespace tst_SqlServerLogin
#include "tst_SqlServerLogin.moc"
