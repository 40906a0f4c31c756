// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "Timings.h"

#include <QEvent>

#include <cstdio>
#include <utility>

namespace lockscope::app {

void Timings::noteSnapshot()
{
    if (!std::exchange(m_read, true))
        print("first snapshot");
}

bool Timings::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Paint && !std::exchange(m_painted, true))
        print("first paint");
    return QObject::eventFilter(watched, event);
}

void Timings::print(const char* what) const
{
    const auto passed =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - m_start);
    std::fprintf(stderr, "%s: %.1f ms\n", what, static_cast<double>(passed.count()) / 1e3);
}

} // namespace lockscope::app
