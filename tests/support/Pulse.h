// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <chrono>

namespace lockscope::test {

/// Measures the longest time that the event loop was blocked while this object exists: milliseconds, between
/// beats of 10 ms.
class Pulse : public QObject {
public:
    Pulse()
    {
        m_since.start();
        connect(&m_timer, &QTimer::timeout, this, &Pulse::beat);
        m_timer.start(std::chrono::milliseconds(10));
    }
    qint64 longestGap() const { return m_longest; }
    qint64 beats() const { return m_beats; }
    qint64 late() const { return m_late; } ///< beats that came more than 50 ms after the one before

private:
    void beat()
    {
        const qint64 gap = m_since.restart();
        m_longest = std::max(m_longest, gap);
        ++m_beats;
        m_late += gap > 50 ? 1 : 0;
    }

    QTimer m_timer;
    QElapsedTimer m_since;
    qint64 m_longest = 0;
    qint64 m_beats = 0;
    qint64 m_late = 0;
};

} // namespace lockscope::test
