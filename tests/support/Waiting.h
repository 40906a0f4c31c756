// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QDeadlineTimer>
#include <QTest>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

namespace lockscope::test {

/// Far above what anything takes, so that only a test that fails ever waits that long.
inline constexpr std::chrono::milliseconds patience{30'000};

/// Checks `condition` every few milliseconds until it holds; returns false if it did not within `patience`.
/// Processes events on a thread with an application, as QTRY_VERIFY does.
template <class Condition>
[[nodiscard]] bool waitUntil(Condition&& condition, std::chrono::milliseconds atMost = patience)
{
    const QDeadlineTimer deadline(atMost);
    while (!condition()) {
        if (deadline.hasExpired())
            return false;
        QTest::qWait(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

/// The duration of an action; nothing if it failed otherwise.
using Taken = std::optional<std::chrono::steady_clock::duration>;

inline std::nullopt_t failed(const char* what)
{
    qWarning("%s", what);
    return std::nullopt;
}

/// Returns whether `act`, which returns its duration, takes less than that in one of some tries, because this
/// machine may be busy at any time. A failure is not tried again.
template <class Act> [[nodiscard]] bool isOncePrompt(std::chrono::steady_clock::duration limit, Act&& act)
{
    auto fastest = std::chrono::steady_clock::duration::max();
    for (int tries = 0; tries < 10 && fastest >= limit; ++tries) {
        const Taken taken = act();
        if (!taken)
            return false;
        fastest = std::min(fastest, *taken);
    }
    qInfo() << "took" << std::chrono::duration<double, std::milli>(fastest).count() << "ms";
    return fastest < limit;
}

} // namespace lockscope::test
