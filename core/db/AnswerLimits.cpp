// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/AnswerLimits.h"

namespace lockscope::db {

using namespace Qt::StringLiterals;

Error tooLongAnswer(const QString& what, const QString& server, qint64 maxBytes)
{
    return {.kind = ErrorKind::Connection,
        .what = what,
        .server = server,
        .detail = u"More than %1 MB came in answer to it: it was given up."_s.arg(maxBytes >> 20),
        .hint =
            u"No answer that Lockscope asks for is that long. Check that this is your server or file, and what stands between."_s};
}

} // namespace lockscope::db
