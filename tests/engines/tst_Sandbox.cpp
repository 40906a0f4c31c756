// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaInstaller.h"
#include "core/sandbox/PrivateServer.h"
#include "tests/support/Processes.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <csignal>

namespace tst_Sandbox {

using namespace lockscope;
using namespace lockscope::test;
using sandbox::Sandbox;

static Sandbox::Options optionsFor(const QString& directory)
{
    Sandbox::Options options;
    options.directory = directory;
    options.supervisorProgram = test::programPath("lockscope-sandbox");
    options.durable = false;
    return options;
}

static std::unique_ptr<Sandbox> opened(const QString& directory)
{
    auto sandbox = Sandbox::open(optionsFor(directory));
    if (!sandbox)
        qWarning("%s", qPrintable(sandbox.error().toString()));
    return sandbox ? std::move(*sandbox) : nullptr;
}

static QList<qint64> keepersOf(const QString& directory)
{
    return processesOf(u"lockscope-sandbox"_s, directory);
}

static QList<qint64> serversOf(const QString& directory)
{
    return processesOf(u"postgres"_s, directory);
}

static qint64 answerOf(const Sandbox& sandbox, const QString& sql)
{
    qint64 answer = -1;
    auto connection = db::Server::at(sandbox.url(), db::fixedPassword(sandbox.password())).connect();
    if (!connection)
        return answer;
    const auto rows = (*connection)->execute(test::sqlStatement(sql), {}, [&answer](const db::Row& row) {
        answer = row.int64(0);
    });
    return rows ? answer : -1;
}

/// Another program that uses the sandbox of a directory.
class OtherProgram {
public:
    explicit OtherProgram(const QString& directory)
    {
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start(
            QCoreApplication::applicationFilePath(), {test::thisTest(), u"--use-sandbox"_s, directory});
    }
    ~OtherProgram() { leave(); }
    Q_DISABLE_COPY_MOVE(OtherProgram)

    bool isReady()
    {
        while (!m_process.canReadLine() && m_process.waitForReadyRead(int(test::patience.count()))) { }
        return m_process.readLine().trimmed() == "ready";
    }
    void leave()
    {
        m_process.closeWriteChannel();
        m_process.waitForFinished();
    }
    void killHard()
    {
        m_process.kill();
        m_process.waitForFinished();
    }

    /// Runs in that other program.
    static std::optional<int> play(const QStringList& arguments)
    {
        if (arguments.size() != 3 || arguments[1] != u"--use-sandbox"_s)
            return std::nullopt;
        const auto sandbox = opened(arguments[2]);
        std::puts(sandbox && answerOf(*sandbox, u"SELECT 1"_s) == 1 ? "ready" : "failed");
        std::fflush(stdout);
        while (std::getchar() != EOF) { }
        return 0;
    }

private:
    QProcess m_process;
};

class TestSandbox : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_temporary = std::make_unique<QTemporaryDir>(QDir::tempPath() + u"/lockscope-tst-XXXXXX"_s);
        m_directory = m_temporary->filePath(u"sandbox"_s);
        // The server's account must be able to reach a directory inside.
        QFile::setPermissions(m_temporary->path(), QFile::Permissions(0x7711));
    }
    void cleanup()
    {
        const QString directory = m_temporary->path();
        QVERIFY(waitUntil([&] { return nothingRunsIn(directory); }));
        m_temporary.reset();
    }

    void firstStartMakesADatabaseWithTheSchema()
    {
        const auto sandbox = opened(m_directory);
        QVERIFY(sandbox);
        QCOMPARE(sandbox->url().database, u"lockscope"_s);
        QCOMPARE(sandbox->url().user, u"lockscope"_s);
        QCOMPARE(answerOf(*sandbox, u"SELECT count(*) FROM lockscope.lock_entry"_s), 0);
        QCOMPARE(answerOf(*sandbox,
                     u"SELECT count(*) FROM pg_settings WHERE name = 'listen_addresses' AND setting = ''"_s),
            1);
    }

    void theServerIsAsLargeAsWhoStartsItSays()
    {
        useMadeCluster();
        Sandbox::Options options = optionsFor(m_directory);
        options.capacity = {40, 20};
        const auto sandbox = Sandbox::open(options);
        QVERIFY(sandbox);
        const auto setting = [&sandbox](const QString& name) {
            return answerOf(**sandbox, u"SELECT current_setting('%1')::int"_s.arg(name));
        };
        QCOMPARE(setting(u"max_connections"_s), 40);
        QCOMPARE(setting(u"max_locks_per_transaction"_s), 20);
    }

    void whatIsInItIsThereNextTime()
    {
        useMadeCluster();
        auto first = opened(m_directory);
        QVERIFY(first);
        answerOf(*first, u"CREATE TABLE public.kept AS SELECT 42 AS answer"_s);
        first.reset();
        QVERIFY(waitUntil([this] { return nothingRunsIn(m_directory); }));
        const auto second = opened(m_directory);
        QVERIFY(second);
        QCOMPARE(answerOf(*second, u"SELECT answer FROM public.kept"_s), 42);
    }

    /// Installing the schema again would wait for its users, and make everybody else wait.
    void whoComesLaterDoesNotWaitForWhoUsesTheSchema()
    {
        useMadeCluster();
        const auto first = opened(m_directory);
        QVERIFY(first);
        const auto user = db::Server::at(first->url(), db::fixedPassword(first->password())).connect();
        QVERIFY(user);
        QVERIFY((*user)->begin());
        QVERIFY((*user)->executeScript("DELETE FROM lockscope.lock_entry"));
        QVERIFY(opened(m_directory));
        // Somebody has taken the schema away.
        QVERIFY((*user)->rollback());
        QVERIFY(db::uninstallSchema(**user));
        QVERIFY(opened(m_directory));
        QCOMPARE(answerOf(*first, u"SELECT count(*) FROM lockscope.lock_entry"_s), 0);
    }

    void programsShareOneServerUntilTheLastLeaves()
    {
        useMadeCluster();
        OtherProgram ann(m_directory);
        QVERIFY(ann.isReady());
        const auto servers = serversOf(m_directory);
        QCOMPARE(servers.size(), 1);
        OtherProgram bob(m_directory);
        QVERIFY(bob.isReady());
        QCOMPARE(serversOf(m_directory), servers);
        ann.leave();
        const auto late = opened(m_directory);
        QVERIFY(late);
        bob.leave();
        QCOMPARE(answerOf(*late, u"SELECT 7"_s), 7);
        QCOMPARE(serversOf(m_directory), servers);
    }

    void fiveProgramsStartItForTheFirstTimeAtOnce()
    {
        std::vector<std::unique_ptr<OtherProgram>> programs;
        for (int i = 0; i < 5; ++i)
            programs.push_back(std::make_unique<OtherProgram>(m_directory));
        for (const auto& program : programs)
            QVERIFY(program->isReady());
        QCOMPARE(keepersOf(m_directory).size(), 1);
        QCOMPARE(serversOf(m_directory).size(), 1);
    }

    void theServerGoesWithItsLastUserEvenIfThatIsKilled()
    {
        useMadeCluster();
        OtherProgram ann(m_directory);
        QVERIFY(ann.isReady());
        ann.killHard();
        QVERIFY(waitUntil([this] { return nothingRunsIn(m_directory); }));
    }

    void theServerDoesNotOutliveAKilledSupervisor()
    {
        useMadeCluster();
        const auto sandbox = opened(m_directory);
        QVERIFY(sandbox);
        QVERIFY(sandbox->isRunning());
        const auto supervisors = keepersOf(m_directory);
        QCOMPARE(supervisors.size(), 1);
        QCOMPARE(kill(pid_t(supervisors.first()), SIGKILL), 0);
        QVERIFY(waitUntil([this] { return nothingRunsIn(m_directory); }));
        QVERIFY(!sandbox->isRunning());

        const auto again = opened(m_directory);
        QVERIFY(again);
        QCOMPARE(answerOf(*again, u"SELECT 1"_s), 1);
    }

    void aSupervisorKilledInTheMiddleOfAStartLeavesNothing()
    {
        OtherProgram ann(m_directory);
        QVERIFY(waitUntil([this] { return QFile::exists(m_directory + u"/data.new/PG_VERSION"_s); }));
        const auto supervisors = keepersOf(m_directory);
        QCOMPARE(supervisors.size(), 1);
        QCOMPARE(kill(pid_t(supervisors.first()), SIGKILL), 0);
        // She starts another one, which begins afresh.
        QVERIFY(ann.isReady());
        QCOMPARE(keepersOf(m_directory).size(), 1);
        QVERIFY(keepersOf(m_directory) != supervisors);
    }

    void aStalePidFileOfAnUnrelatedProcessIsNoHindrance()
    {
        useMadeCluster();
        test::makeFile(m_directory + u"/data/postmaster.pid"_s,
            QByteArray::number(QCoreApplication::applicationPid())
                + "\n/elsewhere\n1\n5432\n\n\n0 0\nready\n");
        const auto sandbox = opened(m_directory);
        QVERIFY(sandbox);
        QCOMPARE(answerOf(*sandbox, u"SELECT 1"_s), 1);
    }

    void aUserWhoComesWhileTheServerStopsGetsANewOne()
    {
        useMadeCluster();
        auto first = opened(m_directory);
        QVERIFY(first);
        const QString door = first->url().host + u"/supervisor"_s;
        first.reset();
        while (QFile::exists(door))
            std::this_thread::sleep_for(milliseconds(1));
        const auto second = opened(m_directory);
        QVERIFY(second);
        QCOMPARE(answerOf(*second, u"SELECT 1"_s), 1);
    }

    void aDirectoryTooLongForASocketWorks()
    {
        const QString part(60, u'x');
        m_directory = m_temporary->filePath(part + u'/' + part + u"/a directory with, blanks"_s);
        auto sandbox = opened(m_directory);
        QVERIFY(sandbox);
        QVERIFY(!sandbox->url().host.startsWith(m_directory));
        QCOMPARE(answerOf(*sandbox, u"SELECT 1"_s), 1);
        const QString sockets = sandbox->url().host;
        sandbox.reset();
        QVERIFY(waitUntil([&] { return !QFile::exists(sockets); }));
    }

    void missingProgramsAreNamedWithTheCure()
    {
        const test::Variable folder("LOCKSCOPE_PG_BINDIR", u"/nowhere"_s);
        const auto sandbox = Sandbox::open(optionsFor(m_directory));
        VERIFY_FAILS(ErrorKind::MissingObject, sandbox);
        QVERIFY(sandbox.error().what.contains(u"/nowhere"_s));
        QVERIFY(sandbox.error().hint.contains(u"apt install postgresql"_s));
    }

    /// The version that made it is not missing: it is only not the one that was named.
    void programsOfAnotherVersionAreNamedWithTheCure()
    {
        const auto own = sandbox::findPostgresPrograms({});
        QVERIFY(own);
        const test::Variable folder("LOCKSCOPE_PG_BINDIR", *own);
        const auto found = sandbox::findPostgresPrograms(u"9.1"_s);
        QVERIFY(!found);
        QVERIFY2(
            found.error().what.contains(u"made by PostgreSQL 9.1"_s) && found.error().what.contains(*own),
            qPrintable(found.error().what));
        QVERIFY(found.error().hint.contains(u"LOCKSCOPE_SANDBOX_DIR"_s));
    }

    void aSupervisorThatIsNotThereIsNamed()
    {
        Sandbox::Options options = optionsFor(m_directory);
        options.supervisorProgram = u"/nowhere/lockscope-sandbox"_s;
        const auto sandbox = Sandbox::open(options);
        QVERIFY(!sandbox);
        QVERIFY(sandbox.error().what.contains(u"/nowhere/lockscope-sandbox"_s));
    }

    void aServerThatCannotStartTellsItsLog()
    {
        useMadeCluster();
        QFile control(m_directory + u"/data/global/pg_control"_s);
        QVERIFY(control.open(QIODevice::ReadWrite));
        control.write(QByteArray(200, 'x'));
        control.close();
        const auto sandbox = Sandbox::open(optionsFor(m_directory));
        QVERIFY(!sandbox);
        QVERIFY2(sandbox.error().detail.contains(u"FATAL"_s), qPrintable(sandbox.error().toString()));
    }

    void aDirectoryWithOtherThingsInItIsLeftAlone()
    {
        QVERIFY(QDir().mkpath(m_directory));
        test::makeFile(m_directory + u"/thesis.txt"_s);
        const auto before = QFileInfo(m_directory).permissions();
        VERIFY_FAILS(ErrorKind::BadInput, Sandbox::open(optionsFor(m_directory)));
        QCOMPARE(QDir(m_directory).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), {u"thesis.txt"_s});
        QCOMPARE(QFileInfo(m_directory).permissions(), before);
    }

    void thePasswordIsInItsFileOnly()
    {
        const auto sandbox = opened(m_directory);
        QVERIFY(sandbox);
        const QByteArray password = sandbox->password().toUtf8();
        QVERIFY(password.size() >= 32);
        QCOMPARE(test::processesWith(password), QList<qint64>());
        for (const QString& log : {u"/server.log"_s, u"/supervisor.log"_s}) {
            QVERIFY(!test::readFile(m_directory + log).contains(password));
        }
        const auto owner = QFile::ReadOwner | QFile::WriteOwner | QFile::ReadUser | QFile::WriteUser;
        QVERIFY(!(QFileInfo(m_directory + u"/password"_s).permissions() & ~owner));

        VERIFY_FAILS(
            ErrorKind::Login, db::Server::at(sandbox->url(), db::fixedPassword(u"guess"_s)).connect());
    }

    void aTemporaryOneLeavesNoDirectory()
    {
        useMadeCluster();
        Sandbox::Options options = optionsFor(m_directory);
        options.temporary = true;
        auto sandbox = Sandbox::open(options);
        QVERIFY(sandbox);
        sandbox->reset();
        QVERIFY(!QFile::exists(m_directory));
        QVERIFY(nothingRunsIn(m_directory));
    }

private:
    void useMadeCluster()
    {
        QVERIFY(QDir().mkpath(m_directory));
        test::copyClusterTo(m_directory);
    }

    std::unique_ptr<QTemporaryDir> m_temporary;
    QString m_directory;
};

LOCKSCOPE_TEST_WITH_PARTS(TestSandbox, OtherProgram::play)

} // namespace tst_Sandbox
#include "tst_Sandbox.moc"
