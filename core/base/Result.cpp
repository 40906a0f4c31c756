// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Result.h"

#include <QStringList>

namespace lockscope {

QString Error::toString() const
{
    QStringList parts;
    parts << (server.isEmpty() ? what : what + QStringLiteral(" [") + server + QLatin1Char(']'));
    if (!detail.isEmpty())
        parts << (nativeCode.isEmpty() ? detail
                                       : detail + QStringLiteral(" (") + nativeCode + QLatin1Char(')'));
    if (!hint.isEmpty())
        parts << hint;
    return parts.join(QLatin1Char(' ')).simplified();
}

Failure failure(ErrorKind kind, QString what, QString hint)
{
    Error error;
    error.kind = kind;
    error.what = std::move(what);
    error.hint = std::move(hint);
    return Failure(std::move(error));
}

} // namespace lockscope
