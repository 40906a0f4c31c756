// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Session.h"

#include "core/base/EnumTable.h"

#include <QLocale>

namespace lockscope {

QString sessionStateName(SessionState state)
{
    static constexpr EnumTable<SessionState> names({u"unknown", u"active", u"idle", u"idle in transaction",
        u"idle in failed transaction", u"rolling back", u"background", u"hidden"});
    return names[state].toString();
}

QString byteCountText(qint64 bytes)
{
    return QLocale::c().formattedDataSize(bytes, 1, QLocale::DataSizeTraditionalFormat);
}

} // namespace lockscope
