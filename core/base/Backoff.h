// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"

#include <QRandomGenerator>

#include <algorithm>

namespace lockscope {

/// Waiting times between attempts to reconnect: doubles from `first` to `longest`, with ±20 % jitter so that
/// many clients of a server that comes back do not arrive at once. Not thread-safe.
class Backoff {
public:
    explicit Backoff(milliseconds first = milliseconds(250), milliseconds longest = milliseconds(30'000))
        : m_first(first)
        , m_longest(longest)
    {
    }
    milliseconds next()
    {
        const int doublings = std::min(m_attempts++, 20);
        const milliseconds plain = std::min<milliseconds>(m_first * (qint64(1) << doublings), m_longest);
        const double jitter = 0.8 + 0.4 * QRandomGenerator::global()->generateDouble();
        return milliseconds(qRound64(static_cast<double>(plain.count()) * jitter));
    }
    void reset() { m_attempts = 0; }
    int attempts() const { return m_attempts; }

private:
    milliseconds m_first;
    milliseconds m_longest;
    int m_attempts = 0;
};

} // namespace lockscope
