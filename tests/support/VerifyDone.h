// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QTest>

/// Verifies that a call, which returns a Result, succeeds. The test fails with the error's text if it does
/// not.
#define VERIFY_DONE(...)                                                                                     \
    do {                                                                                                     \
        const auto done_ = (__VA_ARGS__);                                                                    \
        QVERIFY2(done_, done_ ? "" : qPrintable(done_.error().toString()));                                  \
    } while (false)
