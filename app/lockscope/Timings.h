// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <chrono>

namespace lockscope::app {

/// Prints how long it took from the start of `main` to the first paint and the first snapshot on view.
class Timings : public QObject {
    Q_OBJECT

public:
    explicit Timings(std::chrono::steady_clock::time_point start)
        : m_start(start)
    {
    }
    void noteSnapshot();
    bool eventFilter(QObject* watched, QEvent* event) override; ///< install on the window

private:
    void print(const char* what) const;

    std::chrono::steady_clock::time_point m_start;
    bool m_painted = false;
    bool m_read = false;
};

} // namespace lockscope::app
