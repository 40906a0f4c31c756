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

Test::Test(const char* sourceFile, Run howToRun, Play howToPlay)
    : name(QFileInfo(QString::fromUtf8(sourceFile)).completeBaseName())
    , run(howToRun)
    , play(howToPlay)
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
    // A user's own settings and scenarios are none of ours, and what killed ones left is not for us to
    // remove.
    const QTemporaryDir home;
    const Variable cache("XDG_CACHE_HOME", home.filePath(QStringLiteral("cache")));
    const Variable config("XDG_CONFIG_HOME", home.filePath(QStringLiteral("config")));
    const Variable state("XDG_STATE_HOME", home.filePath(QStringLiteral("state"))); // recordings
    const Variable scenarios("LOCKSCOPE_SCENARIO_DIR", home.filePath(QStringLiteral("scenarios")));
    const auto run = [&] { return (*test)->run(argc - 1, argv + 1); };
    return needsOwnThread() ? std::async(std::launch::async, run).get() : run();
}

} // namespace lockscope::test
