// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QTest>

#include <optional>

namespace lockscope::test {

/// The error of a Result; nothing if it is none.
template <class R> auto failureIn(const R& result)
{
    return result ? std::nullopt : std::optional(result.error());
}

} // namespace lockscope::test

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
