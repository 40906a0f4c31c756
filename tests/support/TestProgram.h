// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

// The headers that each test uses, which names neither them nor any of QtCore again, nor what a header of
// tests/support brings. A test of the window includes <QtWidgets>, which is precompiled, and no header of a
// single widget.
#include "tests/support/DataRows.h"
#include "tests/support/Files.h"
#include "tests/support/OrDie.h"
#include "tests/support/VerifyDone.h"
#include "tests/support/Waiting.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <future>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace lockscope {

// Of each test, which names lockscope.
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

} // namespace lockscope

namespace lockscope::test {

/// A test in the program of its folder, which gets its name as an argument: "engines-tests tst_AppLock". One
/// program for many tests is linked once and not seventy times.
struct Test {
    using Run = int (*)(int argc, char** argv);
    /// The main function of a second process of the test; nothing if the arguments don't ask for it.
    using Play = std::optional<int> (*)(const QStringList& arguments);

    Test(const char* sourceFile, Run howToRun, Play howToPlay = nullptr);

    QString name; ///< the file's, "tst_AppLock"
    Run run;
    Play play;
};

/// The name of the test that is being run: first argument of a second process that is to play a part in it.
QString thisTest();

/// Returns a copy of the text, which a macro can keep wherever the text is from.
inline QString copyOf(QString text)
{
    return text;
}

/// Returns these texts, for COMPARE_TEXTS.
inline QStringList texts(std::initializer_list<const char*> texts)
{
    QStringList all;
    for (const char* text : texts)
        all << QString::fromUtf8(text);
    return all;
}

/// Runs what the command line asks for; for main().
int runTest(int argc, char** argv);

} // namespace lockscope::test

/// Verifies what the second argument says of the text `text_`. The test fails with the text if it is wrong.
#define VERIFY_TEXT(text, ...)                                                                               \
    do {                                                                                                     \
        const QString text_ = lockscope::test::copyOf(text);                                                 \
        QVERIFY2((__VA_ARGS__), text_.isEmpty() ? "an empty text" : qPrintable(text_));                      \
    } while (false)
#define VERIFY_CONTAINS(text, ...) VERIFY_TEXT(text, text_.contains(__VA_ARGS__))
#define VERIFY_LACKS(text, ...) VERIFY_TEXT(text, !text_.contains(__VA_ARGS__))
#define VERIFY_STARTS(text, ...) VERIFY_TEXT(text, text_.startsWith(__VA_ARGS__))
#define VERIFY_ENDS(text, ...) VERIFY_TEXT(text, text_.endsWith(__VA_ARGS__))

/// Compares a list of texts with those that are expected.
#define COMPARE_TEXTS(actual, ...) QCOMPARE(actual, lockscope::test::texts({__VA_ARGS__}))

/// Skips the test if there is a reason against it; an empty text is none.
#define SKIP_FOR(...)                                                                                        \
    do {                                                                                                     \
        if (const QString reason = (__VA_ARGS__); !reason.isEmpty())                                         \
            QSKIP(qPrintable(reason));                                                                       \
    } while (false)

#define LOCKSCOPE_TEST_WITH_PARTS(TestClass, play)                                                           \
    static const lockscope::test::Test registeredTest(                                                       \
        __FILE__,                                                                                            \
        [](int argc, char** argv) {                                                                          \
            TestClass test;                                                                                  \
            return QTest::qExec(&test, argc, argv);                                                          \
        },                                                                                                   \
        play);

/// Instead of QTEST_MAIN.
#define LOCKSCOPE_TEST(TestClass) LOCKSCOPE_TEST_WITH_PARTS(TestClass, nullptr)
