// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TestProgram.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <cstdio>
#include <future>
#include <vector>

namespace lockscope::test {

namespace {

/// Filled before main().
std::vector<const Test*>& allTests()
{
    static std::vector<const Test*> tests;
    return tests;
}

int tellNames()
{
    std::fputs("Which test? One of:\n", stderr);
    for (const Test* test : allTests())
        std::fprintf(stderr, "  %s\n", qPrintable(test->name));
    return 2;
}

/// Once Qt has started a process, the thread sanitizer sees no lock of the thread that did it any more, if
/// that was the main thread. Windows can't be anywhere else.
bool needsOwnThread()
{
#ifdef __SANITIZE_THREAD__
    return !QCoreApplication::instance()->inherits("QGuiApplication");
#else
    return false;
#endif
}

} // namespace

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
    const auto run = [&] { return (*test)->run(argc - 1, argv + 1); };
    return needsOwnThread() ? std::async(std::launch::async, run).get() : run();
}

} // namespace lockscope::test
