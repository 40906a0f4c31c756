// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TestProgram.h"

namespace lockscope::test {

/// Filled before main().
static std::vector<const Test*>& allTests()
{
    static std::vector<const Test*> tests;
    return tests;
}

static int tellNames()
{
    std::fputs("Which test? One of:\n", stderr);
    for (const Test* test : allTests())
        std::fprintf(stderr, "  %s\n", qPrintable(test->name));
    return 2;
}

/// The thread sanitizer sees no locks of a main thread that Qt has started processes from: every hand-over to
/// a session of a scenario would look like a race. Other tests need the main thread's events, or have all
/// they do done by threads.
static bool needsOwnThread()
{
#ifdef __SANITIZE_THREAD__
    return thisTest().startsWith(QLatin1StringView("tst_Scenario"))
        && !QCoreApplication::instance()->inherits("QGuiApplication");
#else
    return false;
#endif
}

/// The folder with a file for each row that some process has taken; each shares the rows with others then.
constexpr const char* claims = "LOCKSCOPE_TEST_CLAIMS";

/// By itself: it neither crashed nor failed to start.
static bool hasEnded(const QProcess& process)
{
    return process.error() == QProcess::UnknownError;
}

/// The functions of a test, or their rows, as the command line takes them: "aLossIsReportedSoon:link cut".
/// QTest ends the process that lists them at once: what it leaves is in `folder`.
static QStringList rowsOf(const QString& test, const QString& folder)
{
    QProcess lister;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("TMPDIR"), folder);
    lister.setProcessEnvironment(environment);
    lister.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    lister.start(QCoreApplication::applicationFilePath(), {test, QStringLiteral("-datatags")});
    lister.waitForFinished(-1);
    QStringList rows;
    for (const QString& line :
        QString::fromUtf8(lister.readAllStandardOutput()).split(u'\n', Qt::SkipEmptyParts)) {
        // "Class function row __global__ row"; a row of the function runs for all global rows.
        const QString own = line.section(QStringLiteral(" __global__ "), 0, 0);
        const QString row = own.section(u' ', 2);
        rows << own.section(u' ', 1, 1) + (row.isEmpty() ? row : u':' + row);
    }
    rows.removeDuplicates();
    if (!hasEnded(lister) || lister.exitCode() != 0 || rows.isEmpty())
        qFatal("%s does not tell its rows", qPrintable(test));
    return rows;
}

/// Has all rows of the test run by a few processes; returns how many failed.
static int runAtOnce(const QString& test)
{
    const QTemporaryDir leftOver;
    QFile::setPermissions(leftOver.path(),
        QFile::permissions(leftOver.path()) | QFile::ExeOther | QFile::ReadOther
            | QFile::WriteOther); // servers run as another account
    const QStringList rows = rowsOf(test, leftOver.path());
    const QTemporaryDir folder;
    const Variable shared(claims, folder.path());
    std::array<QProcess, 4> processes;
    for (QProcess& process : processes) {
        process.setProcessChannelMode(QProcess::ForwardedChannels);
        process.start(QCoreApplication::applicationFilePath(), QStringList{test} + rows);
    }
    int failed = 0;
    for (QProcess& process : processes) {
        process.waitForFinished(-1);
        failed += hasEnded(process) ? process.exitCode() : 1;
    }
    if (QDir(folder.path()).entryList(QDir::Files).size() != rows.size()) {
        qWarning("not all rows of %s were run", qPrintable(test));
        ++failed;
    }
    return std::min(failed, 127);
}

/// Runs those rows that no other process has taken; returns how many failed.
static int runShare(const Test& test, int argc, char** argv, const QDir& folder)
{
    qunsetenv(claims);
    int failed = 0;
    for (int i = 2; i < argc; ++i)
        if (QFile(folder.filePath(QString::number(i))).open(QIODevice::WriteOnly | QIODevice::NewOnly)) {
            std::array arguments{argv[1], argv[i]};
            failed += test.run(int(arguments.size()), arguments.data());
        }
    return std::min(failed, 127);
}

Test::Test(const char* sourceFile, Run howToRun, Play howToPlay, bool rowsAtOnce)
    : name(QFileInfo(QString::fromUtf8(sourceFile)).completeBaseName())
    , run(howToRun)
    , play(howToPlay)
    , areRowsAtOnce(rowsAtOnce)
{
    allTests().push_back(this);
}

QString thisTest()
{
    return QCoreApplication::arguments().value(1);
}

int runTest(int argc, char** argv)
{
    const auto test = std::find_if(
        allTests().begin(), allTests().end(), [](const Test* each) { return each->name == thisTest(); });
    if (test == allTests().end())
        return tellNames();
    if ((*test)->play)
        if (const auto played = (*test)->play(QCoreApplication::arguments().mid(1)))
            return *played;
    if ((*test)->areRowsAtOnce && argc == 2)
        return runAtOnce((*test)->name);
    // A user's own settings and scenarios are none of ours, and what killed ones left is not for us to
    // remove.
    const QTemporaryDir home;
    const Variable cache("XDG_CACHE_HOME", home.filePath(QStringLiteral("cache")));
    const Variable config("XDG_CONFIG_HOME", home.filePath(QStringLiteral("config")));
    const Variable state("XDG_STATE_HOME", home.filePath(QStringLiteral("state"))); // recordings
    const Variable scenarios("LOCKSCOPE_SCENARIO_DIR", home.filePath(QStringLiteral("scenarios")));
    const auto run = [&] {
        const QString share = qEnvironmentVariable(claims);
        return share.isEmpty() ? (*test)->run(argc - 1, argv + 1) : runShare(**test, argc, argv, share);
    };
    return needsOwnThread() ? std::async(std::launch::async, run).get() : run();
}

} // namespace lockscope::test
