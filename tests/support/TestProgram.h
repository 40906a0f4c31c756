// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

// The headers that each test uses, which names neither them nor any of QtCore again, nor what a header of
// tests/support brings. A test of the window includes <QtWidgets>, which is precompiled, and no header of a
// single widget.
#include "tests/support/Files.h"
#include "tests/support/OrDie.h"
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

// For each test: it is in this namespace, or names it.
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

    Test(const char* sourceFile, Run howToRun, Play howToPlay = nullptr, bool rowsAtOnce = false);

    QString name; ///< the file's, "tst_AppLock"
    Run run;
    Play play;
    bool areRowsAtOnce; ///< see LOCKSCOPE_TEST_AT_ONCE
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

/// Returns a text of each element: `textsOf(snapshot.entries, &LockTableEntry::name)`.
template <class Range, class Projection> QStringList textsOf(const Range& range, Projection projection)
{
    QStringList all;
    for (const auto& each : range)
        all << std::invoke(projection, each);
    return all;
}

/// Runs what the command line asks for; for main().
int runTest(int argc, char** argv);

/// The error of a Result; nothing if it is none.
template <class R> auto failureIn(const R& result)
{
    return result ? std::nullopt : std::optional(result.error());
}

/// Adds the columns of a test's data: `addColumns<QString, bool>("text", "isRight")`.
template <class... Types, class... Names> void addColumns(Names... names)
{
    static_assert(sizeof...(Types) == sizeof...(Names));
    (QTest::addColumn<Types>(names), ...);
}

/// Adds the only column of a test's data and its rows, each with a name and a value.
template <class Type>
void addRows(const char* column, std::initializer_list<std::pair<const char*, Type>> rows)
{
    QTest::addColumn<Type>(column);
    for (const auto& [name, value] : rows)
        QTest::newRow(name) << value;
}

/// Adds a row of a test's data: `row("empty", "", false)`. Text is a value of a column of QStrings.
template <class... Values> void row(const char* name, Values... values)
{
    QTestData& data = QTest::newRow(name);
    static_cast<void>((data << ... << values));
}

/// Adds the only column of a test's data, of QStrings, and a row for each text.
inline void addTexts(const char* column, std::initializer_list<const char*> texts)
{
    QTest::addColumn<QString>(column);
    for (const char* text : texts)
        row(text, text);
}

/// A variable of the environment, of this process and those that it starts, as long as this lives.
class Variable {
public:
    Variable(const char* name, const QString& value)
        : m_name(name)
        , m_before(qEnvironmentVariableIsSet(name) ? std::optional(qgetenv(name)) : std::nullopt)
    {
        qputenv(name, value.toLocal8Bit());
    }
    ~Variable()
    {
        if (m_before)
            qputenv(m_name, *m_before);
        else
            qunsetenv(m_name);
    }
    Q_DISABLE_COPY_MOVE(Variable)

private:
    const char* m_name;
    const std::optional<QByteArray> m_before;
};

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

/// As QTRY_VERIFY and QTRY_COMPARE, for what takes a server or another program a while: they wait for
/// `patience`.
#define TRY_VERIFY(...) QTRY_VERIFY_WITH_TIMEOUT((__VA_ARGS__), int(lockscope::test::patience.count()))
#define TRY_COMPARE(actual, ...)                                                                             \
    QTRY_COMPARE_WITH_TIMEOUT(actual, (__VA_ARGS__), int(lockscope::test::patience.count()))

/// Waits until a text, which is read again and again, contains the second argument (or starts or ends with
/// it). The test fails with the text if it does not within `patience`.
#define TRY_TEXT(text, isRight, ...)                                                                         \
    QTRY_VERIFY2_WITH_TIMEOUT(lockscope::test::copyOf(text).isRight(__VA_ARGS__),                            \
        qPrintable(lockscope::test::copyOf(text)), int(lockscope::test::patience.count()))
#define TRY_CONTAINS(text, ...) TRY_TEXT(text, contains, __VA_ARGS__)
#define TRY_STARTS(text, ...) TRY_TEXT(text, startsWith, __VA_ARGS__)
#define TRY_ENDS(text, ...) TRY_TEXT(text, endsWith, __VA_ARGS__)

/// Compares a list of texts with those that are expected.
#define COMPARE_TEXTS(actual, ...) QCOMPARE(actual, lockscope::test::texts({__VA_ARGS__}))

/// Skips the test if there is a reason against it; an empty text is none.
#define SKIP_FOR(...)                                                                                        \
    do {                                                                                                     \
        if (const QString reason = (__VA_ARGS__); !reason.isEmpty())                                         \
            QSKIP(qPrintable(reason));                                                                       \
    } while (false)

#define LOCKSCOPE_TEST_WITH_PARTS(TestClass, ...)                                                            \
    static const lockscope::test::Test registeredTest(                                                       \
        __FILE__,                                                                                            \
        [](int argc, char** argv) {                                                                          \
            TestClass test;                                                                                  \
            return QTest::qExec(&test, argc, argv);                                                          \
        },                                                                                                   \
        __VA_ARGS__);

/// Instead of QTEST_MAIN.
#define LOCKSCOPE_TEST(TestClass) LOCKSCOPE_TEST_WITH_PARTS(TestClass, nullptr)

/// Instead of LOCKSCOPE_TEST for a test that waits for most of its time: a few processes share its functions
/// and rows, so that they wait at the same time. Each function, or row of it, has an object of its own, whose
/// initTestCase() and cleanupTestCase() run each time. One function by name runs in this process.
#define LOCKSCOPE_TEST_AT_ONCE(TestClass) LOCKSCOPE_TEST_WITH_PARTS(TestClass, nullptr, true)

/// Verifies that a Result, or a call which returns one, is no error. The test fails with the error's text if
/// it is.
#define VERIFY_DONE(...)                                                                                     \
    do {                                                                                                     \
        const auto error_ = lockscope::test::failureIn(__VA_ARGS__);                                         \
        QVERIFY2(!error_, error_ ? qPrintable(error_->toString()) : "");                                     \
    } while (false)

/// Verifies that a Result, or a call which returns one, is an error of that kind.
#define VERIFY_FAILS(errorKind, ...)                                                                         \
    do {                                                                                                     \
        const auto error_ = lockscope::test::failureIn(__VA_ARGS__);                                         \
        QVERIFY2(error_, "it succeeds");                                                                     \
        QVERIFY2(error_->kind == (errorKind), qPrintable(error_->toString()));                               \
    } while (false)

/// Fetches several values of a row of a test's data: `FETCH(int, status, QString, text)`. QFETCH fetches one.
#define FETCH(...)                                                                                           \
    FETCH_BY_COUNT(__VA_ARGS__, FETCH_6, , FETCH_5, , FETCH_4, , FETCH_3, , FETCH_2, )(__VA_ARGS__)
#define FETCH_BY_COUNT(T1, n1, T2, n2, T3, n3, T4, n4, T5, n5, T6, n6, form, ...) form
#define FETCH_2(Type, name, ...)                                                                             \
    QFETCH(Type, name);                                                                                      \
    QFETCH(__VA_ARGS__)
#define FETCH_3(Type, name, ...)                                                                             \
    QFETCH(Type, name);                                                                                      \
    FETCH_2(__VA_ARGS__)
#define FETCH_4(Type, name, ...)                                                                             \
    QFETCH(Type, name);                                                                                      \
    FETCH_3(__VA_ARGS__)
#define FETCH_5(Type, name, ...)                                                                             \
    QFETCH(Type, name);                                                                                      \
    FETCH_4(__VA_ARGS__)
#define FETCH_6(Type, name, ...)                                                                             \
    QFETCH(Type, name);                                                                                      \
    FETCH_5(__VA_ARGS__)
