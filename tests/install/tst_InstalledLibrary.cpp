// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The core library as another program gets it: installed into an empty folder, found by CMake and by
// pkg-config. The manual's examples are built and run there.

#include "core/locks/Lock.h"
#include "tests/support/LockRig.h"
#include "tests/support/TestProgram.h"

namespace tst_InstalledLibrary {

using namespace lockscope;
using namespace lockscope::test;

struct Run {
    int code = -1;
    QString output; ///< both
};

static Run run(const QString& program, const QStringList& arguments, const QProcessEnvironment& environment)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    Run run;
    if (process.waitForFinished(250'000) && process.exitStatus() == QProcess::NormalExit)
        run.code = process.exitCode();
    run.output = QString::fromUtf8(process.readAll());
    return run;
}

class InstalledLibraryTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_directory;
    QString m_prefix;
    QProcessEnvironment m_environment = QProcessEnvironment::systemEnvironment();

    QString filePath(const QString& name) const { return m_directory.filePath(name); }
    QString built(const QString& example) const { return filePath(u"build/"_s + example); }
    Run runOn(const LockRig& rig, const QString& program) const
    {
        QProcessEnvironment environment = m_environment;
        environment.insert(
            u"LOCKSCOPE_PASSWORD"_s, rig.passwords()(rig.url().toString()).value_or(QString()));
        return run(program, {rig.url().toString()}, environment);
    }
    void addEngines()
    {
        addRows<Engine>("engine", {{"PostgreSQL", Engine::Postgres}, {"SQLite", Engine::Sqlite}});
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_prefix = filePath(u"prefix"_s);
        const auto installed = run(QStringLiteral(CMAKE_PATH),
            {u"--install"_s, QStringLiteral(BUILD_PATH), u"--prefix"_s, m_prefix, u"--component"_s,
                u"lockscope-dev"_s},
            m_environment);
        QVERIFY2(installed.code == 0, qPrintable(installed.output));
        const auto configured = run(QStringLiteral(CMAKE_PATH),
            {u"-G"_s, u"Ninja"_s, u"-S"_s, QStringLiteral(CONSUMER_PATH), u"-B"_s, filePath(u"build"_s),
                u"-DCMAKE_PREFIX_PATH="_s + m_prefix, u"-DEXAMPLES="_s + QStringLiteral(EXAMPLES_PATH),
                u"-DCMAKE_CXX_COMPILER="_s + QStringLiteral(COMPILER_PATH)},
            m_environment);
        QVERIFY2(configured.code == 0, qPrintable(configured.output));
        const auto made =
            run(QStringLiteral(CMAKE_PATH), {u"--build"_s, filePath(u"build"_s)}, m_environment);
        QVERIFY2(made.code == 0, qPrintable(made.output));
    }

    /// Installed files must work on machines that never had the source.
    void nothingInstalledNamesTheSource()
    {
        QDirIterator each(
            m_prefix, {u"*.h"_s, u"*.cmake"_s, u"*.pc"_s}, QDir::Files, QDirIterator::Subdirectories);
        int files = 0;
        while (each.hasNext()) {
            QFile file(each.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray text = file.readAll();
            QVERIFY2(!text.contains(SOURCE_PATH) && !text.contains(BUILD_PATH), qPrintable(file.fileName()));
            ++files;
        }
        QVERIFY(files > 20);
    }

    void theManualShowsTheseExamples()
    {
        const auto read = [](const QString& path) {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
        };
        const QString page = read(QStringLiteral(SOURCE_PATH "/resources/help/library.md"));
        const QStringList names = QDir(QStringLiteral(EXAMPLES_PATH)).entryList({u"*.cpp"_s});
        QCOMPARE(names.size(), 5);
        for (const QString& name : names) {
            const QString text = read(QStringLiteral(EXAMPLES_PATH "/") + name);
            QVERIFY2(page.contains(text.mid(text.indexOf(u"#include"_s))), qPrintable(name));
        }
    }

    void takesALock_data() { addEngines(); }
    void takesALock()
    {
        QFETCH(Engine, engine);
        const LockRig rig({engine, locks::LockKind::Table});
        const Run first = runOn(rig, built(u"lock"_s));
        QVERIFY2(first.code == 0, qPrintable(first.output));
        QCOMPARE(first.output, u"working with fencing number 1\n"_s);
        QCOMPARE(rig.number(u"SELECT count(*) FROM "_s + rig.entryTable()), 0); // it was released
        const Run second = runOn(rig, built(u"lock"_s));
        QCOMPARE(second.output, u"working with fencing number 2\n"_s);
    }

    void tellsWhoHasIt()
    {
        const LockRig rig({Engine::Sqlite, locks::LockKind::Table});
        Contender holder(rig);
        locks::AcquireRequest request = rig.requestFor(u"nightly"_s);
        request.party.owner = u"ann"_s;
        QVERIFY(holder.acquire(request).isGranted());
        const Run refused = runOn(rig, built(u"lock"_s)); // after 10 s
        QCOMPARE(refused.code, 1);
        QVERIFY2(refused.output.contains(u"timed out"_s) && refused.output.contains(u"ann"_s),
            qPrintable(refused.output));
    }

    void takesLocksOfEveryKind_data() { addEngines(); }
    void takesLocksOfEveryKind()
    {
        QFETCH(Engine, engine);
        const LockRig rig({engine, locks::LockKind::Table});
        const Run made = runOn(rig, built(u"strategies"_s));
        QVERIFY2(made.code == 0, qPrintable(made.output));
        const int kinds = engine == Engine::Postgres ? 5 : 1;
        QVERIFY2(made.output.count(u": held and released\n"_s) == kinds, qPrintable(made.output));
        QVERIFY2(made.output.count(u"has no such locks"_s) == 5 - kinds, qPrintable(made.output));
    }

    void tellsOppositeOrders_data() { addEngines(); }
    void tellsOppositeOrders()
    {
        QFETCH(Engine, engine);
        const LockRig rig({engine, locks::LockKind::Table});
        const Run answer = runOn(rig, built(u"lock-order"_s));
        QVERIFY2(answer.code == 1, qPrintable(answer.output));
        VERIFY_CONTAINS(
            answer.output, u"are taken in both orders\n  thread 1 of lock-order had 'order:17' in "_s);
        QCOMPARE(rig.number(u"SELECT count(*) FROM "_s + rig.entryTable()), 0);
    }

    void readsAWorkQueue()
    {
        const LockRig rig({Engine::Postgres, locks::LockKind::Table});
        rig.run(
            u"CREATE TABLE orders (id bigint PRIMARY KEY, item text, \"ReadForProcessing\" timestamp);INSERT INTO orders VALUES (1, 'tea'), (2, 'milk')"_s);
        const Run done = runOn(rig, built(u"work-queue"_s));
        QVERIFY2(done.code == 0, qPrintable(done.output));
        QCOMPARE(done.output, u"order 1: tea\norder 2: milk\n"_s);
        QCOMPARE(rig.number(u"SELECT count(*) FROM orders"_s), 0);
        const LockRig file({Engine::Sqlite, locks::LockKind::Table});
        const Run refused = runOn(file, built(u"work-queue"_s));
        QCOMPARE(refused.code, 1);
        VERIFY_CONTAINS(refused.output, u"work queue"_s);
    }

    void monitors_data() { addEngines(); }
    void monitors()
    {
        QFETCH(Engine, engine);
        const LockRig rig({engine, locks::LockKind::Table});
        Contender holder(rig);
        locks::AcquireRequest request = rig.requestFor(u"nightly"_s);
        request.party.owner = u"ann"_s;
        QVERIFY(holder.acquire(request).isGranted());
        const Run seen = runOn(rig, built(u"monitor"_s));
        QVERIFY2(seen.code == 0, qPrintable(seen.output));
        VERIFY_CONTAINS(seen.output, u"nightly is held by ann\n"_s);
    }

    void isFoundByPkgConfig()
    {
        QProcessEnvironment environment = m_environment;
        const QString folder = m_prefix + u"/" LIBRARY_FOLDER "/pkgconfig"_s;
        QVERIFY2(QFile::exists(folder + u"/lockscope.pc"_s), qPrintable(folder));
        environment.insert(u"PKG_CONFIG_PATH"_s, folder);
        const Run flags =
            run(u"pkg-config"_s, {u"--cflags"_s, u"--libs"_s, u"lockscope >= 0.1"_s}, environment);
        QVERIFY2(flags.code == 0, qPrintable(flags.output));
        const QString program = filePath(u"by-pkg-config"_s);
        const Run made = run(QStringLiteral(COMPILER_PATH),
            QStringList{u"-std=c++20"_s, QStringLiteral(EXAMPLES_PATH "/lock.cpp"), u"-o"_s, program}
                + flags.output.simplified().split(u' '),
            environment);
        QVERIFY2(made.code == 0, qPrintable(made.output));
        const LockRig rig({Engine::Sqlite, locks::LockKind::Table});
        const Run taken = runOn(rig, program);
        QVERIFY2(taken.code == 0, qPrintable(taken.output));
        QCOMPARE(taken.output, u"working with fencing number 1\n"_s);
    }
};

LOCKSCOPE_TEST(InstalledLibraryTest)

} // namespace tst_InstalledLibrary
#include "tst_InstalledLibrary.moc"
