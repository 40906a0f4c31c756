// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Result.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"

#include <QStringList>

namespace lockscope {

using namespace Qt::StringLiterals;

QString Error::toString() const
{
    const QString where = server.isEmpty() ? what : withoutStop(what) + u" ["_s + server + u']';
    const QString words =
        detail.isEmpty() || nativeCode.isEmpty() ? detail : withoutStop(detail) + u" ("_s + nativeCode + u')';
    return inOneLine(sentences({where, words, hint}));
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
