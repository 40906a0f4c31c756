// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/ParseMoment.h"

#include "core/base/Duration.h"

#include <QDateTime>

namespace lockscope::record {

using namespace Qt::StringLiterals;

Result<ServerTime> parseMoment(const QString& text, ServerTime last)
{
    // Minutes as one writes them, too: "5min".
    if (const auto ago = parseDuration(QString(text).replace(u"min"_s, u"m"_s)))
        return last - *ago;
    const QDateTime time = QDateTime::fromString(text, Qt::ISODateWithMs);
    if (!time.isValid())
        return failure(ErrorKind::BadInput, u"'%1' is no time."_s.arg(text),
            u"Write 2026-11-22T03:12:07Z, or 5m for so long before the last moment."_s);
    return ServerTime{time.toMSecsSinceEpoch() * 1'000};
}

} // namespace lockscope::record
