// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Result.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"

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
    return Failure(Error{.kind = kind, .what = std::move(what), .hint = std::move(hint)});
}

} // namespace lockscope
