// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <chrono>

namespace lockscope::ctl {

/// One line on the terminal that is written again and again, and goes with this. Nothing where there is no
/// terminal.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();
    Q_DISABLE_COPY_MOVE(ProgressLine)

    /// Left out if the last one was there for less than a tenth of a second.
    void show(const QString& text);

private:
    const bool m_isTerminal;
    bool m_isShown = false;
    std::chrono::steady_clock::time_point m_shownAt;
};

} // namespace lockscope::ctl
