// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The results of a check of PostgreSQL and SQLite; see tst_SqlServerCheck for SQL Server.

#include "core/db/SchemaInstaller.h"
#include "core/monitor/ServerCheck.h"
#include "tests/support/HostilePostgres.h"
#include "tests/support/PgBouncer.h"
#include "tests/support/TestProgram.h"

namespace tst_ServerCheck {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

struct Report {
    std::vector<CheckStep> steps;
    bool good = false;

    CheckStep step(const QString& key) const
    {
        for (const CheckStep& step : steps) {
            if (step.key == key)
                return step;
        }
        return {};
    }
    QStringList keys() const
    {
        QStringList keys = textsOf(steps, &CheckStep::key);
        return keys;
    }
};

static Report check(const ServerUrl& url, const PasswordProvider& passwords)
{
    Report report;
    report.good = monitor::checkServer(
        Server::at(url, passwords), [&](const CheckStep& step) { report.steps.push_back(step); });
    return report;
}

class tst_ServerCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void postgresTellsAll()
    {
        TestServer& server = TestServer::shared();
        const ServerUrl url = server.freshDatabase(TestServer::Schema::None);
        const Report before = check(url, server.passwords());
        QVERIFY(before.good);
        COMPARE_TEXTS(before.keys(), "server", "encryption", "login", "database", "settings", "statements",
            "rights", "schema", "reading", "reader");
        QVERIFY(before.step(u"server"_s).finding.startsWith(u"PostgreSQL "_s));
        QCOMPARE(before.step(u"encryption"_s).finding, u"none needed: a local socket"_s);
        QVERIFY(before.step(u"login"_s).finding.startsWith(u"as "_s));
        VERIFY_CONTAINS(before.step(u"settings"_s).finding, u"default isolation read committed, "_s);
        QVERIFY(before.step(u"rights"_s).finding.startsWith(u"superuser"_s));
        QVERIFY(before.step(u"schema"_s).remedy.startsWith(u"lockctl install --server postgresql:"_s));
        QVERIFY(before.step(u"reading"_s).finding.startsWith(u"Read "_s));

        QVERIFY(installSchema(*server.connect(url)));
        const CheckStep schema = check(url, server.passwords()).step(u"schema"_s);
        QCOMPARE(schema.outcome, CheckStep::Outcome::Good);
        VERIFY_CONTAINS(schema.finding, u", owner "_s);
    }

    void postgresTellsWhatARoleLacks()
    {
        TestServer& server = TestServer::shared();
        const ServerUrl url = server.asRole(server.freshDatabase());
        const Report report = check(url, server.passwords());
        QVERIFY(report.good);
        const CheckStep rights = report.step(u"rights"_s);
        QCOMPARE(rights.outcome, CheckStep::Outcome::Note);
        QCOMPARE(rights.remedy, u"GRANT pg_read_all_stats TO \"%1\";"_s.arg(url.user));
        const Result<QString> password = server.passwords()(url.toString());
        QVERIFY(password && !password->isEmpty());
        for (const CheckStep& step : report.steps)
            QVERIFY2(!(step.finding + step.remedy).contains(*password), qPrintable(step.finding));

        const ServerUrl reader = server.asRole(url, u"GRANT pg_read_all_stats TO {role}"_s);
        QCOMPARE(check(reader, server.passwords()).step(u"rights"_s).remedy,
            u"GRANT pg_signal_backend TO \"%1\";"_s.arg(reader.user));
    }

    void theReaderOfFrameworksTablesIsTried_data()
    {
        QTest::addColumn<QString>("rights"); // of the reader; null: there is none
        QTest::addColumn<QString>("most"); // the URL's option "frameworks"
        test::addColumns<CheckStep::Outcome, QString>("outcome", "finding");
        using Outcome = CheckStep::Outcome;
        row("none", QString(), QString(), Outcome::Note, "with your own rights");
        row("a good one", "GRANT pg_monitor TO {role}", QString(), Outcome::Good, "are read as the role ");
        row("one with rights", "ALTER ROLE {role} CREATEDB", QString(), Outcome::Failed,
            "has rights that somebody could gain by it");
        row("one who can't log in", "ALTER ROLE {role} NOLOGIN", QString(), Outcome::Failed,
            "because their reader is missing");
        row("off", QString(), "off", Outcome::Note, "frameworks=off");
        row("too many", "GRANT pg_monitor TO {role}", "1", Outcome::Note, "Reading 1 of the 2 tables");
    }
    void theReaderOfFrameworksTablesIsTried()
    {
        FETCH(QString, rights, QString, most, CheckStep::Outcome, outcome);
        TestServer& server = TestServer::shared();
        ServerUrl url = server.freshDatabase();
        server.run(url,
            u"CREATE TABLE public.shedlock (name text PRIMARY KEY, lock_until timestamptz, locked_at timestamptz, locked_by text); GRANT SELECT ON public.shedlock TO PUBLIC;CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO PUBLIC;"
            "CREATE TABLE app.shedlock (LIKE public.shedlock); GRANT SELECT ON app.shedlock TO PUBLIC"_s);
        if (!rights.isNull())
            url.options.insert(u"reader"_s, server.asRole(url, rights).user);
        if (!most.isNull())
            url.options.insert(u"frameworks"_s, most);
        const Report report = check(url, server.passwords());
        QCOMPARE(report.keys().count(u"reader"_s), 1);
        const CheckStep step = report.step(u"reader"_s);
        QCOMPARE(step.outcome, outcome);
        QFETCH(QString, finding);
        VERIFY_CONTAINS(step.finding, finding);
        QCOMPARE(report.good, outcome != CheckStep::Outcome::Failed);
    }

    /// An unverified connection is a warning; one that anybody can read on its way to another machine is a
    /// fault.
    void howTheConnectionIsEncrypted_data()
    {
        test::addColumns<QString, bool, CheckStep::Outcome, QString>(
            "mode", "leavesTheMachine", "outcome", "finding");
        using Outcome = CheckStep::Outcome;
        row("require", "require", false, Outcome::Note, "certificate is taken as it comes");
        row("verify-ca", "verify-ca", false, Outcome::Note, "its name is not verified");
        row("verify-full", "verify-full", false, Outcome::Good, "certificate verified");
        row("plain, this machine", "disable", false, Outcome::Note, "does not leave this machine");
        row("plain, another address", "disable", true, Outcome::Failed, "reads everything");
        row("require, another address", "require", true, Outcome::Note, "certificate is taken as it comes");
    }
    void howTheConnectionIsEncrypted()
    {
        FETCH(QString, mode, bool, leavesTheMachine, CheckStep::Outcome, outcome, QString, finding);
        if (!m_encrypting) {
            m_encrypting = std::make_unique<TestServer>(TestServer::replicating());
            if (!m_encrypting->encrypt())
                QSKIP("This server was built without encryption.");
        }
        ServerUrl url = m_encrypting->overTcp(m_encrypting->url());
        std::unique_ptr<HostilePostgres> way;
        if (leavesTheMachine) {
            const QString address = HostilePostgres::addressOfThisMachine();
            if (address.isEmpty())
                QSKIP("This machine has no address but its own.");
            way = std::make_unique<HostilePostgres>(
                HostilePostgres::Flood::Silence, url, QByteArray(), address);
            url = way->url();
        }
        const QString authority = freshPath(u"root.crt"_s);
        if (mode.startsWith(u"verify"_s)) {
            test::makeFile(
                authority, ask(*m_encrypting->connect(), u"SELECT pg_read_file('authority.crt')"_s).toUtf8());
            url.options.insert(u"sslrootcert"_s, authority);
        }
        url.options.insert(u"sslmode"_s, mode);
        const Report report = check(url, m_encrypting->passwords());
        const CheckStep step = report.step(u"encryption"_s);
        QVERIFY2(step.finding.contains(finding),
            qPrintable(step.finding.isEmpty() ? report.steps.back().finding : step.finding));
        QCOMPARE(step.outcome, outcome);
        QCOMPARE(report.good, outcome != CheckStep::Outcome::Failed);
        QCOMPARE(step.remedy.contains(u"sslmode=verify-full"_s), leavesTheMachine);
    }

    /// The way to the pooler counts, not the pooler's way to the server.
    void aPoolersSocketIsNotOurs()
    {
        SKIP_FOR(PgBouncer::reasonAgainst());
        const PgBouncer pooler(TestServer::shared(), PgBouncer::Mode::Session);
        const Report report =
            check(pooler.overTcp(TestServer::shared().freshDatabase()), TestServer::shared().passwords());
        const CheckStep step = report.step(u"encryption"_s);
        VERIFY_STARTS(step.finding, u"none, on the way to 127.0.0.1"_s);
        QCOMPARE(step.outcome, CheckStep::Outcome::Note);
    }

    void anExcessRightIsAFault()
    {
        TestServer& server = TestServer::shared();
        const ServerUrl url = server.freshDatabase();
        QVERIFY(check(url, server.passwords()).good);
        server.run(url, u"GRANT UPDATE ON SEQUENCE lockscope.fencing TO PUBLIC"_s);
        const Report report = check(url, server.passwords());
        QVERIFY(!report.good);
        QCOMPARE(report.step(u"grants"_s).outcome, CheckStep::Outcome::Failed);
    }

    void aServerThatIsNotThereEndsTheCheck()
    {
        const Report report =
            check(*ServerUrl::parse(u"postgresql://ann@127.0.0.1:1/shop"_s), fixedPassword(u"pl4nted"_s));
        QVERIFY(!report.good);
        COMPARE_TEXTS(report.keys(), "server");
        QCOMPARE(report.steps[0].outcome, CheckStep::Outcome::Failed);
    }

    void sqliteTellsWhatThereIs()
    {
        const ServerUrl url = freshFile();
        QVERIFY(installSchema(*test::openFile(url)));
        const Report report = check(url, fixedPassword({}));
        QVERIFY(report.good);
        QVERIFY(report.step(u"server"_s).finding.startsWith(u"SQLite 3"_s));
        VERIFY_STARTS(report.step(u"database"_s).finding, url.database + u", journal mode "_s);
        QCOMPARE(report.step(u"schema"_s).finding, u"version %1"_s.arg(schemaVersion));
        QVERIFY(report.step(u"reading"_s).finding.startsWith(u"Read 0 sessions"_s));
    }

private:
    std::unique_ptr<TestServer> m_encrypting;
};

LOCKSCOPE_TEST(tst_ServerCheck)

} // namespace tst_ServerCheck
#include "tst_ServerCheck.moc"
