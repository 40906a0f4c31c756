// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Every error says what failed, on which server, and what to do; and reading changes nothing.

#include "tests/support/Lockctl.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlErrors {

using namespace lockscope;
using namespace lockscope::test;
using test::Session;

static QStringList filledIn(QStringList words, const Session& session)
{
    for (QString& word : words)
        word.replace(u"{session}"_s, QString::number(session.id().value));
    return words;
}

class tst_LockctlErrors : public test::LockctlTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_url = m_server->freshDatabase(); }

    void theyNameTheServerAndTheRemedy_data()
    {
        test::addColumns<QStringList, bool, int, QString>("arguments", "installed", "code", "remedy");
        const auto row = [](const char* arguments, int code, const char* remedy, bool installed = true) {
            QTest::addRow("%s%s", arguments, installed ? "" : ", nothing installed")
                << QString::fromUtf8(arguments).split(u' ') << installed << code
                << QString::fromLatin1(remedy);
        };
        row("release zz --force --reason r", 1, "`lockctl list`");
        row("release held --token wrong", 1, "Compare the token");
        row("end-session 2147483647 --reason r", 1, "`lockctl list`");
        row("end-session {session} --started 2001-01-01T00:00:00.000000Z --reason r", 1,
            "`lockctl list --json`");
        row("end-session {session} --cancel --yes --reason r", 1, "list");
        row("release held --force --reason r --json", 2, "--yes");
        row("run held --no-wait -- true", 75, "--wait");
        row("run held --wait 10ms -- true", 75, "--wait");
        row("acquire held --no-wait", 75, "--wait");
        row("uninstall", 2, "--yes");
        for (const char* command : {"run free -- true", "acquire free", "release held --token t", "purge",
                 "end-session {session} --yes --reason r", "audit"})
            row(command, 1, "lockctl install", false);
    }
    void theyNameTheServerAndTheRemedy()
    {
        FETCH(QStringList, arguments, bool, installed, int, code, QString, remedy);
        if (installed)
            QCOMPARE(ctl()("acquire held").code, 0);
        else
            m_url = m_server->freshDatabase(TestServer::Schema::None);
        const Session ann(*m_server, m_url, u"ann"_s);
        const auto answer = ctl()(filledIn(arguments, ann));
        VERIFY_CODE(code, answer);
        QVERIFY2(answer.isOneLineOfError(), answer.allOutput());
        const QString server = u" ["_s + m_url.display() + u"]. "_s;
        QVERIFY2(answer.err.contains(server), answer.allOutput());
        QVERIFY2(answer.err.section(server, 1).contains(remedy), answer.allOutput());
    }

    void whoOnlyReadsChangesNothing_data()
    {
        QTest::addColumn<QStringList>("arguments");
        for (const char* arguments : {"run free -- true", "acquire free", "acquire free --kind app",
                 "release held --token t", "release held --force --reason r", "purge",
                 "end-session {session} --reason r", "end-session {session} --cancel --reason r", "install",
                 "uninstall --yes", "scenario run lost-update", "scenario explore lost-update"})
            QTest::newRow(arguments) << QString::fromUtf8(arguments).split(u' ');
    }
    void whoOnlyReadsChangesNothing()
    {
        QFETCH(QStringList, arguments);
        QCOMPARE(ctl()("acquire held").code, 0);
        Session ann(*m_server, m_url, u"ann"_s);
        QStringList withOption = filledIn(arguments, ann);
        withOption.insert(1, u"--read-only"_s);
        Lockctl byEnvironment = ctl();
        byEnvironment.set(u"LOCKSCOPE_READ_ONLY"_s, u"1"_s);
        for (const auto& answer : {ctl()(withOption), byEnvironment(filledIn(arguments, ann))}) {
            // For a scenario, 1 would mean that the invariant broke.
            QVERIFY2(answer.code == (arguments.first() == u"scenario" ? 3 : 1), answer.allOutput());
            QVERIFY2(answer.isOneLineOfError() && answer.out.isEmpty(), answer.allOutput());
            QVERIFY2(answer.err.contains(u"lockctl is read-only"_s), answer.allOutput());
            QVERIFY2(answer.err.contains(u'[' + m_url.display() + u']'), answer.allOutput());
            QVERIFY2(answer.err.contains(u"LOCKSCOPE_READ_ONLY"_s), answer.allOutput());
        }
        const auto entries = ctl()("list --json").json()[u"entries"].toArray();
        QCOMPARE(entries.size(), 1);
        QVERIFY(ann.run(u"select 1"_s));
    }

    void whoOnlyReadsMayRead()
    {
        Lockctl lockctl = ctl();
        lockctl.set(u"LOCKSCOPE_READ_ONLY"_s, u"1"_s);
        for (const QStringList& arguments :
            {QStringList{u"list"_s}, {u"tree"_s}, {u"watch"_s, u"-n"_s, u"1"_s}, {u"purge"_s, u"--dry-run"_s},
                {u"audit"_s}, {u"scenario"_s, u"list"_s}}) {
            VERIFY_CODE(0, lockctl(arguments));
        }
        lockctl.set(u"LOCKSCOPE_READ_ONLY"_s, u"0"_s);
        QCOMPARE(lockctl("acquire free").code, 0);
    }

    void withoutAServerNothingIsStarted_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("no command") << QStringList();
        for (const char* arguments :
            {"list", "tree", "watch -n 1", "audit", "acquire free", "run free -- true", "purge", "install"})
            QTest::newRow(arguments) << QString::fromUtf8(arguments).split(u' ');
    }
    void withoutAServerNothingIsStarted()
    {
        QFETCH(const QStringList, arguments);
        const QTemporaryDir sandbox;
        Lockctl lockctl = ctl();
        lockctl.unset(u"LOCKSCOPE_SERVER"_s);
        lockctl.unset(u"DISPLAY"_s);
        lockctl.set(u"LOCKSCOPE_SANDBOX_DIR"_s, sandbox.path());
        const auto answer = lockctl(arguments);
        QVERIFY2(answer.code == 2 && answer.out.isEmpty(), answer.allOutput());
        QVERIFY2(answer.isOneLineOfError(), answer.allOutput());
        for (const char* word : {"No server is named", "--server", "LOCKSCOPE_SERVER"})
            QVERIFY2(answer.err.contains(QLatin1String(word)), answer.allOutput());
        QVERIFY(QDir(sandbox.path()).isEmpty());
    }

    void whatMayNotBeReadIsNotNothing()
    {
        m_url = m_server->asRole(m_url, u"GRANT pg_read_all_stats TO {role}"_s);
        const auto listed = ctl()("list");
        VERIFY_CODE(1, listed);
        QVERIFY2(!listed.out.contains(u"No locks."_s), listed.allOutput());
        QVERIFY2(listed.out.contains(u"GRANT lockscope_reader TO"_s), listed.allOutput());
        const auto json = ctl()("list --json");
        VERIFY_CODE(1, json);
        QCOMPARE(json.json()[u"limitations"][0][u"kind"].toString(), u"missing permission"_s);
        // The table of servers has its own reason, and none of the tables that were not asked for.
        const auto servers = ctl()("tree --table servers --json");
        QVERIFY2(servers.code == 1 && servers.err.isEmpty(), servers.allOutput());
        const auto blocking = ctl()("tree --table blocking --json");
        QVERIFY2(blocking.err.contains(u"GRANT lockscope_reader TO"_s), blocking.allOutput());
    }

    void anAnswerThatNobodyGetsIsNoSuccess()
    {
        if (!QFile::exists(u"/dev/full"_s))
            QSKIP("No /dev/full on this system.");
        const auto process = ctl().startBy(u"sh"_s, {u"-c"_s, u"exec $0 > /dev/full"_s}, {u"list"_s}, {});
        const auto listed = Lockctl::finish(*process);
        VERIFY_CODE(1, listed);
        QVERIFY2(listed.isOneLineOfError(), listed.allOutput());
    }

    void aLockWhoseTokenNobodyGetsIsGivenBack_data()
    {
        test::addRows<QString>("command",
            {{"the disk is full", u"$0 acquire nightly > /dev/full"_s},
                {"the reader is gone", u"exec 3> >(:); wait $!; $0 acquire nightly >&3"_s}});
    }
    void aLockWhoseTokenNobodyGetsIsGivenBack()
    {
        QFETCH(QString, command);
        if (!QFile::exists(u"/dev/full"_s))
            QSKIP("No /dev/full on this system.");
        const auto process = ctl().startBy(u"bash"_s, {u"-c"_s, command}, {}, {});
        const auto acquired = Lockctl::finish(*process);
        VERIFY_CODE(1, acquired);
        QVERIFY2(acquired.err.contains(u"not kept"_s), acquired.allOutput());
        QVERIFY(ctl()("list --json").json()[u"entries"].toArray().isEmpty());
    }
};

LOCKSCOPE_TEST(tst_LockctlErrors)

} // namespace tst_LockctlErrors
#include "tst_LockctlErrors.moc"
