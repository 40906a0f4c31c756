// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ConnectionCheck.h"
#include "core/db/SchemaInstaller.h"
#include "tests/support/HostilePostgres.h"
#include "tests/support/TestProgram.h"
#include "tests/support/tds/CheckAnswers.h"
#include "tests/support/tds/Odbc.h"

namespace tst_SqlServerCheck {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test::tds;

/// "ODBC driver ✓; Port ✗", and the steps themselves.
struct Walk {
    QString steps;
    QString last;
    std::vector<CheckStep> all;
    bool good = false;

    CheckStep step(const QString& key) const
    {
        const auto found =
            std::ranges::find_if(all, [&key](const CheckStep& step) { return step.key == key; });
        return found == all.end() ? CheckStep() : *found;
    }
};

static Walk walk(const ServerUrl& url, const TdsServer& server, const std::stop_token& stop = {})
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
        result.all.push_back(step);
    };
    result.good = checkSqlServer(db::Server::at(url, fixedPassword(passwordOf(server))), options, tell, stop);
    result.steps = steps.join(u"; "_s);
    return result;
}

static void answer(
    TdsServer& server, const CheckPicture& picture = {}, const SqlServerFacts& facts = wholeServer())
{
    addSessionAnswers(server, facts);
    addCheckAnswers(server, picture);
}

/// A fault of a server, or of the way to it.
using Trouble = void (*)(TdsServer&, ServerUrl&);

/// The output of *Test* in the connection dialog.
class tst_SqlServerCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// An unverified connection is a warning; one that anybody can read on its way to another machine is a
    /// fault.
    void encryptionIsJudged_data()
    {
        test::addColumns<bool, bool, CheckStep::Outcome, QString>(
            "isEncrypted", "leavesTheMachine", "outcome", "finding");
        using Outcome = CheckStep::Outcome;
        QTest::newRow("not verified") << true << false << Outcome::Note << u"taken as it comes"_s;
        QTest::newRow("not verified, another address")
            << true << true << Outcome::Note << u"taken as it comes"_s;
        QTest::newRow("none, this machine")
            << false << false << Outcome::Note << u"does not leave this machine"_s;
        QTest::newRow("none, another address")
            << false << true << Outcome::Failed << u"can read everything"_s;
    }
    void encryptionIsJudged()
    {
        FETCH(bool, isEncrypted, bool, leavesTheMachine, CheckStep::Outcome, outcome, QString, finding);
        TdsServer server;
        if (isEncrypted)
            server.offerTls();
        CheckPicture picture;
        picture.schema = wholeSchema();
        picture.reader = true;
        answer(server, picture);
        ServerUrl url = urlOf(server);
        url.options[u"encrypt"_s] = isEncrypted ? u"yes"_s : u"no"_s;
        if (isEncrypted)
            url.options[u"trust"_s] = u"yes"_s;
        std::unique_ptr<test::HostilePostgres> way; // it passes on what is said, whatever that means
        if (leavesTheMachine) {
            const QString address = test::HostilePostgres::addressOfThisMachine();
            if (address.isEmpty())
                QSKIP("This machine has no address but its own.");
            way = std::make_unique<test::HostilePostgres>(
                test::HostilePostgres::Flood::Silence, url, QByteArray(), address);
            url.host = address;
            url.port = way->url().port;
        }
        const CheckStep step = walk(url, server).step(u"encryption"_s);
        VERIFY_CONTAINS(step.finding, finding);
        QCOMPARE(step.outcome, outcome);
    }

    void ticksEveryStep()
    {
        TdsServer server;
        CheckPicture picture;
        picture.schema = wholeSchema();
        picture.reader = true;
        answer(server, picture);
        const Walk result = walk(urlOf(server), server);
        QVERIFY(result.good);
        QCOMPARE(result.steps,
            u"ODBC driver ✓; Host name ✓; Port ✓; Encryption !; Login ✓; Server ✓; Session ✓; Database ✓; Read committed snapshot ✓; Snapshot isolation ✓; Optimized locking ✓; Rights ✓; Views ✓; Schema lockscope ✓"_s);
        QCOMPARE(result.step(u"server"_s).finding,
            u"SQL Server 2022 16.0.4135.4, Developer Edition (64-bit), engine edition 3"_s);
        const QString session = result.step(u"session"_s).finding;
        VERIFY_STARTS(session,
            u"login ann, user ann, authentication SQL, transport TCP, not encrypted, says the server, driver lib");
        QVERIFY2(
            session.contains(u".so"_s) && session.contains(u" by driver manager 0"_s), qPrintable(session));
        QCOMPARE(result.step(u"database"_s).finding,
            u"orders, compatibility level 160, collation Latin1_General_100_CI_AS_SC_UTF8"_s);
        const QString rights = result.step(u"rights"_s).finding;
        QVERIFY2(rights.startsWith(u"ALTER ANY CONNECTION, "_s)
                && rights.contains(u"member of lockscope_reader: may see all sessions and locks, and end"_s),
            qPrintable(rights));
        QCOMPARE(result.step(u"schema"_s).finding, u"version %1, owner dbo"_s.arg(schemaVersion));
    }

    void saysThatQtCallsTheDriver()
    {
        if (!use(test::tds::OdbcDriver::FreeTdsByQt))
            QSKIP("The driver is not installed.");
        TdsServer server;
        answer(server);
        const Walk result = walk(urlOf(server), server);
        use(test::tds::OdbcDriver::FreeTds);
        QVERIFY2(result.good, qPrintable(result.steps + result.last));
        QCOMPARE(result.step(u"api"_s).outcome, CheckStep::Outcome::Note);
        QVERIFY(result.step(u"api"_s).finding.contains(u"none is tried again by itself"_s));
    }

    void tellsWhatDecidesAboutLocks_data()
    {
        test::addColumns<bool, QString>("readCommittedSnapshot", "snapshotIsolation");
        QTest::addColumn<int>("optimizedLocking"); // -1: a version that does not know it
        QTest::addColumn<QString>("findings");
        QTest::newRow("boxed, as installed") << false << u"OFF"_s << -1 << u"off; off; not known"_s;
        QTest::newRow("Azure") << true << u"ON"_s << 1 << u"on; on; on"_s;
        QTest::newRow("2025") << true << u"IN_TRANSITION_TO_ON"_s << 0 << u"on; in_transition_to_on; off"_s;
    }
    void tellsWhatDecidesAboutLocks()
    {
        FETCH(bool, readCommittedSnapshot, QString, snapshotIsolation, int, optimizedLocking, QString,
            findings);
        TdsServer server;
        CheckPicture picture;
        picture.readCommittedSnapshot = readCommittedSnapshot;
        picture.snapshotIsolation = snapshotIsolation;
        if (optimizedLocking >= 0)
            picture.optimizedLocking = optimizedLocking == 1;
        answer(server, picture);
        const Walk result = walk(urlOf(server), server);
        const QStringList parts = findings.split(u"; "_s);
        const QStringList keys{u"read_committed_snapshot"_s, u"snapshot_isolation"_s, u"optimized_locking"_s};
        for (qsizetype i = 0; i < keys.size(); ++i) {
            const QString finding = result.step(keys[i]).finding;
            VERIFY_STARTS(finding, parts[i]);
        }
    }

    void saysWhatIsMissingButNotInTheWay()
    {
        TdsServer server;
        SqlServerFacts facts = wholeServer();
        facts.rights.clear();
        facts.views.remove(u"dm_exec_input_buffer"_s);
        CheckPicture picture;
        picture.encrypted.reset();
        answer(server, picture, facts);
        const Walk result = walk(urlOf(server), server);
        QVERIFY(result.good);
        const CheckStep rights = result.step(u"rights"_s);
        QCOMPARE(rights.outcome, CheckStep::Outcome::Note);
        QCOMPARE(rights.remedy, u"GRANT VIEW SERVER PERFORMANCE STATE TO [ann]"_s);
        QCOMPARE(result.step(u"views"_s).outcome, CheckStep::Outcome::Note);
        QVERIFY(result.step(u"views"_s).finding.endsWith(u"; missing: dm_exec_input_buffer"_s));
        QVERIFY(!result.step(u"session"_s).finding.contains(u"encrypted"_s)); // that view is closed
        QVERIFY(result.all.back().remedy.startsWith(u"lockctl install --server "_s));
    }

    void whoMayReadMayNotYetEnd()
    {
        TdsServer server;
        SqlServerFacts facts = wholeServer();
        facts.rights.remove(u"ALTER ANY CONNECTION"_s);
        answer(server, {}, facts);
        const CheckStep rights = walk(urlOf(server), server).step(u"rights"_s);
        QCOMPARE(rights.outcome, CheckStep::Outcome::Note);
        QCOMPARE(rights.remedy, u"GRANT ALTER ANY CONNECTION TO [ann]"_s);
    }

    void theSchemaIsNotAsItShouldBe_data()
    {
        test::addColumns<int, QString, QString, QString>(
            "versionBeyondOurs", "foreignObject", "finding", "remedy");
        QTest::newRow("another version") << 1 << QString() << u"has version 2; this program knows version 1"_s
                                         << u"Use the Lockscope that installed it"_s;
        QTest::newRow("foreign") << 0 << u"lockscope.spy"_s << u"lockscope.spy (mallory)"_s
                                 << u"Find out who made it."_s;
    }
    void theSchemaIsNotAsItShouldBe()
    {
        FETCH(int, versionBeyondOurs, QString, foreignObject, QString, finding, QString, remedy);
        TdsServer server;
        CheckPicture picture;
        picture.schema.version = QString::number(schemaVersion + versionBeyondOurs);
        picture.schema.foreignObject = foreignObject;
        answer(server, picture);
        const Walk result = walk(urlOf(server), server);
        QVERIFY(result.good);
        const CheckStep schema = result.step(u"schema"_s);
        QCOMPARE(schema.outcome, CheckStep::Outcome::Note);
        VERIFY_CONTAINS(schema.finding, finding);
        VERIFY_CONTAINS(schema.remedy, remedy);
    }

    void whatCannotBeReadIsANote()
    {
        TdsServer server; // it has no answers for a check
        addSessionAnswers(server);
        const Walk result = walk(urlOf(server), server);
        VERIFY_STARTS(result.step(u"session"_s).finding, u"could not be read: "_s);
        QCOMPARE(result.step(u"database"_s).outcome, CheckStep::Outcome::Note);
    }

    void itEndsWhereItCannotGoOn_data()
    {
        test::addColumns<Trouble, QString, QString>("trouble", "steps", "message");
        const auto row = [](const char* name, Trouble trouble, const QString& steps, const QString& text) {
            QTest::newRow(name) << trouble << steps << text;
        };
        row(
            "no driver", [](TdsServer&, ServerUrl& url) { url.options[u"driver"_s] = u"No such driver"_s; },
            u"ODBC driver ✗"_s, u"FreeTDS"_s);
        row(
            "a driver that cannot verify",
            [](TdsServer&, ServerUrl& url) { url.options.remove(u"encrypt"_s); }, u"ODBC driver ✗"_s,
            u"trust=yes"_s);
        row(
            "an unknown name", [](TdsServer&, ServerUrl& url) { url.host = u"no-such-host.invalid"_s; },
            u"ODBC driver ✓; Host name ✗"_s, u"no-such-host.invalid"_s);
        row(
            "nobody listens", [](TdsServer& server, ServerUrl&) { server.close(); },
            u"ODBC driver ✓; Host name ✓; Port ✗"_s, u"refuses"_s);
        row("a server that cannot encrypt",
            [](TdsServer&, ServerUrl& url) {
                url.options.insert({{u"encrypt"_s, u"yes"_s}, {u"trust"_s, u"yes"_s}});
            },
            u"ODBC driver ✓; Host name ✓; Port ✓; Encryption ✗"_s, {});
        row("a server that never answers",
            [](TdsServer& server, ServerUrl&) {
                server.setFault({Fault::Kind::Silence, Fault::Phase::PreLogin, 0});
            },
            u"ODBC driver ✓; Host name ✓; Port ✓; Encryption !; Server ✗"_s, {});
    }
    void itEndsWhereItCannotGoOn()
    {
        FETCH(const Trouble, trouble, const QString, steps, const QString, message);
        TdsServer server;
        addSessionAnswers(server);
        ServerUrl url = urlOf(server);
        trouble(server, url);
        const Walk result = walk(url, server);
        QVERIFY(!result.good);
        QVERIFY2(result.steps == steps, qPrintable(result.steps + result.last));
        VERIFY_CONTAINS(result.last, message);
    }

    void theLoginIsRefused_data()
    {
        test::addColumns<int, QString>("number", "step");
        QTest::newRow("password") << 18'456 << u"Login ✗"_s;
        QTest::newRow("database") << 4'060 << u"Database ✗"_s;
    }
    void theLoginIsRefused()
    {
        FETCH(int, number, QString, step);
        TdsServer server;
        server.refuseLogins([&](const Login&) -> std::optional<ServerMessage> {
            return ServerMessage{number, u"The server's words."_s, 14};
        });
        const Walk result = walk(urlOf(server), server);
        QVERIFY(!result.good);
        QCOMPARE(result.steps, u"ODBC driver ✓; Host name ✓; Port ✓; Encryption !; "_s + step);
        VERIFY_CONTAINS(result.last, u"The server's words."_s);
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

} // namespace tst_SqlServerCheck
#include "tst_SqlServerCheck.moc"
