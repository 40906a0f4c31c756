// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Session.h"

#include <QLocale>

namespace lockscope {

using namespace Qt::StringLiterals;

QString sessionStateName(SessionState state)
{
    switch (state) {
    case SessionState::Unknown:
        break;
    case SessionState::Active:
        return u"active"_s;
    case SessionState::Idle:
        return u"idle"_s;
    case SessionState::IdleInTransaction:
        return u"idle in transaction"_s;
    case SessionState::IdleInFailedTransaction:
        return u"idle in failed transaction"_s;
    case SessionState::RollingBack:
        return u"rolling back"_s;
    case SessionState::Background:
        return u"background"_s;
    case SessionState::Hidden:
        return u"hidden"_s;
    }
    return u"unknown"_s;
}

QString byteCountText(qint64 bytes)
{
    return QLocale::c().formattedDataSize(bytes, 1, QLocale::DataSizeTraditionalFormat);
}

} // namespace lockscope
