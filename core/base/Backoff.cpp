// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Backoff.h"

#include <QRandomGenerator>

#include <algorithm>

namespace lockscope {

milliseconds Backoff::next()
{
    const int doublings = std::min(m_attempts, 20);
    ++m_attempts;
    const milliseconds plain = std::min<milliseconds>(m_first * (qint64(1) << doublings), m_longest);
    const double jitter = 0.8 + 0.4 * QRandomGenerator::global()->generateDouble();
    return milliseconds(qRound64(static_cast<double>(plain.count()) * jitter));
}

} // namespace lockscope
