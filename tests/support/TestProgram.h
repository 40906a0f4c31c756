// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

// The headers that each test uses.
#include "tests/support/DataRows.h"
#include "tests/support/VerifyDone.h"

#include <QStringList>

#include <optional>

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

/// Returns the text if it does not contain the part, else a null string; see VERIFY_CONTAINS.
template <class... Part> QString lackingText(const QString& text, const Part&... part)
{
    if (text.contains(part...))
        return {};
    return text.isEmpty() ? QStringLiteral("an empty text") : text;
}

/// Runs what the command line asks for; for main().
int runTest(int argc, char** argv);

} // namespace lockscope::test

/// Verifies that a text contains a part. The test fails with the text if it does not.
#define VERIFY_CONTAINS(text, ...)                                                                           \
    do {                                                                                                     \
        const QString lacking = lockscope::test::lackingText(text, __VA_ARGS__);                             \
        QVERIFY2(lacking.isNull(), qPrintable(lacking));                                                     \
    } while (false)

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
