// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ProgressLine.h"

#include "app/lockctl/Console.h"

#include <cstdio>

namespace lockscope::ctl {

namespace {

constexpr auto showEvery = std::chrono::milliseconds(100);
constexpr auto clearLine = "\r\x1b[K";

} // namespace

ProgressLine::ProgressLine()
    : m_isTerminal(isTerminal(Stream::Err))
{
}

ProgressLine::~ProgressLine()
{
    if (m_isShown)
        std::fputs(clearLine, stderr);
}

void ProgressLine::show(const QString& text)
{
    const auto now = std::chrono::steady_clock::now();
    if (!m_isTerminal || now - m_shownAt < showEvery)
        return;
    m_shownAt = now;
    m_isShown = true;
    std::fputs(clearLine, stderr);
    std::fputs(qPrintable(text), stderr);
    std::fflush(stderr);
}

} // namespace lockscope::ctl
