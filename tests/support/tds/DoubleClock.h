// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QtGlobal>

#include <chrono>
#include <functional>

namespace lockscope::test::tds {

/// The time of the parts of a double: a server's own, or one that a test sets.
struct DoubleClock {
    std::function<qint64()> nowUs; ///< µs since 1970
    std::function<void(std::chrono::milliseconds, std::function<void()>)> after; ///< runs it later
};

} // namespace lockscope::test::tds
