// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/ClockText.h"

namespace lockscope {

using namespace Qt::StringLiterals;

QString clockText(ServerTime time)
{
    constexpr qsizetype behindDate = 11; // "2026-11-22T"
    constexpr qsizetype toSeconds = 8;
    return time.toIsoString().mid(behindDate, toSeconds);
}

QString dateTimeText(ServerTime time)
{
    return time.isValid() ? u"%1 %2 UTC"_s.arg(time.toIsoString().left(10), clockText(time)) : u"–"_s;
}

} // namespace lockscope
