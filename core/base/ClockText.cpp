// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/ClockText.h"

namespace lockscope {

QString clockText(ServerTime time)
{
    constexpr qsizetype behindDate = 11; // "2026-11-22T"
    constexpr qsizetype toSeconds = 8;
    return time.toIsoString().mid(behindDate, toSeconds);
}

} // namespace lockscope
