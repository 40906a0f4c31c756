// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QTest>

/// Verifies that a Result, or a call which returns one, is no error. The test fails with the error's text if
/// it is.
#define VERIFY_DONE(...)                                                                                     \
    do {                                                                                                     \
        const auto& done_ = (__VA_ARGS__);                                                                   \
        QVERIFY2(done_, done_ ? "" : qPrintable(done_.error().toString()));                                  \
    } while (false)

/// Verifies that a Result, or a call which returns one, is an error of that kind.
#define VERIFY_FAILS(errorKind, ...)                                                                         \
    do {                                                                                                     \
        const auto& failed_ = (__VA_ARGS__);                                                                 \
        QVERIFY2(!failed_, "it succeeds");                                                                   \
        QVERIFY2(failed_.error().kind == (errorKind), qPrintable(failed_.error().toString()));               \
    } while (false)
