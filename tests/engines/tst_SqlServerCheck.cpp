// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SqlServerCheck.h"
#include "tests/support/TestProgram.h"
#include "tests/support/tds/SessionAnswers.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test::tds;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/// "ODBC driver ✓; Port ✗", and the last finding.
struct Walk {
    QString steps;
    QString last;
    bool good = false;
};

Walk walk(const ServerUrl& url, const TdsServer& server, const std::stop_token& stop = {})
{
    ConnectOptions options;
    options.purpose = Purpose::Monitor;
    options.connectTimeout = 1s;
    Walk result;
    QStringList steps;
    const auto tell = [&](const CheckStep& step) {
        const QString mark = step.outcome == CheckStep::Outcome::Good ? u"✓"_s
            : step.outcome == CheckStep::Outcome::Note                ? u"!"_s
                                                                      : u"✗"_s;
        steps << step.name + u' ' + mark;
        result.last = step.finding;
    };
    result.good = checkSqlServer(url, fixedPassword(passwordOf(server)), options, tell, stop);
    result.steps = steps.join(u"; "_s);
    return result;
}

void addSchema(TdsServer& server, int version)
{
    server.answer("sqlserver/schema_exists.sql", [=](const Request&, Reply& reply) {
        reply.table({{u"there"_s, bit()}}, {{version > 0}});
    });
    server.answer("sqlserver/schema_version.sql", [=](const Request&, Reply& reply) {
        reply.table({{u"version"_s, integer()}}, {{version}});
    });
}

} // namespace

/// What the "Test" of the connection dialog says.
class tst_SqlServerCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ticksEveryStep()
    {
        TdsServer server;
        addSessionAnswers(server);
        addSchema(server, 1);
        const Walk result = walk(urlOf(server), server);
        QVERIFY(result.good);
        QCOMPARE(result.steps,
            u"ODBC driver ✓; Host name ✓; Port ✓; Encryption !; Log-in ✓; Database ✓; Rights ✓; Schema lockscope ✓"_s);
    }

    void saysWhatIsMissingButNotInTheWay()
    {
        TdsServer server;
        SqlServerFacts facts = wholeServer();
        facts.rights.clear();
        addSessionAnswers(server, facts);
        addSchema(server, 0);
        QStringList findings;
        ConnectOptions options;
        const bool good = checkSqlServer(urlOf(server), fixedPassword(passwordOf(server)), options,
            [&](const CheckStep& step) { findings << step.finding; });
        QVERIFY(good);
        QVERIFY(findings.filter(u"GRANT VIEW SERVER PERFORMANCE STATE"_s).size() == 1);
        QVERIFY(findings.last().contains(u"lockctl install"_s));
    }

    void theDriverIsMissing()
    {
        const TdsServer server;
        ServerUrl url = urlOf(server);
        url.options[u"driver"_s] = u"No such driver"_s;
        const Walk result = walk(url, server);
        QVERIFY(!result.good);
        QCOMPARE(result.steps, u"ODBC driver ✗"_s);
        QVERIFY2(result.last.contains(u"FreeTDS"_s), qPrintable(result.last));
    }

    void theDriverCannotVerify()
    {
        const TdsServer server;
        ServerUrl url = urlOf(server);
        url.options.remove(u"encrypt"_s);
        const Walk result = walk(url, server);
        QCOMPARE(result.steps, u"ODBC driver ✗"_s);
        QVERIFY2(result.last.contains(u"trust=yes"_s), qPrintable(result.last));
    }

    void theNameIsUnknown()
    {
        const TdsServer server;
        ServerUrl url = urlOf(server);
        url.host = u"no-such-host.invalid"_s;
        const Walk result = walk(url, server);
        QCOMPARE(result.steps, u"ODBC driver ✓; Host name ✗"_s);
        QVERIFY2(result.last.contains(url.host), qPrintable(result.last));
    }

    void nobodyListens()
    {
        TdsServer server;
        server.close();
        const Walk result = walk(urlOf(server), server);
        QCOMPARE(result.steps, u"ODBC driver ✓; Host name ✓; Port ✗"_s);
        QVERIFY2(result.last.contains(u"refuses"_s), qPrintable(result.last));
    }

    void theServerCannotEncrypt()
    {
        TdsServer server;
        addSessionAnswers(server);
        ServerUrl url = urlOf(server);
        url.options[u"encrypt"_s] = u"yes"_s;
        url.options[u"trust"_s] = u"yes"_s;
        const Walk result = walk(url, server);
        QVERIFY(!result.good);
        QVERIFY2(result.steps == u"ODBC driver ✓; Host name ✓; Port ✓; Encryption ✗"_s,
            qPrintable(result.steps + result.last));
    }

    void theServerNeverAnswers()
    {
        TdsServer server;
        server.setFault({Fault::Kind::Silence, Fault::Phase::PreLogin, 0});
        const Walk result = walk(urlOf(server), server);
        QVERIFY2(result.steps == u"ODBC driver ✓; Host name ✓; Port ✓; Encryption !; Server ✗"_s,
            qPrintable(result.steps + result.last));
    }

    void theLoginIsRefused_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<QString>("step");
        QTest::newRow("password") << 18'456 << u"Log-in ✗"_s;
        QTest::newRow("database") << 4'060 << u"Database ✗"_s;
    }
    void theLoginIsRefused()
    {
        QFETCH(int, number);
        QFETCH(QString, step);
        TdsServer server;
        server.refuseLogins([&](const Login&) -> std::optional<ServerMessage> {
            return ServerMessage{number, u"The server's words."_s, 14};
        });
        const Walk result = walk(urlOf(server), server);
        QVERIFY(!result.good);
        QCOMPARE(result.steps, u"ODBC driver ✓; Host name ✓; Port ✓; Encryption !; "_s + step);
        QVERIFY2(result.last.contains(u"The server's words."_s), qPrintable(result.last));
        QVERIFY(!result.last.contains(passwordOf(server)));
    }

    void stopEndsTheWalk()
    {
        TdsServer server;
        addSessionAnswers(server);
        std::stop_source source;
        source.request_stop();
        const Walk result = walk(urlOf(server), server, source.get_token());
        QVERIFY(!result.good);
        QCOMPARE(result.steps, u"ODBC driver ✓"_s);
    }
};

LOCKSCOPE_TEST(tst_SqlServerCheck)
#include "tst_SqlServerCheck.moc"
