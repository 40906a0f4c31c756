// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Damage.h"

#include <sqlite3.h>

namespace lockscope::record {

using namespace Qt::StringLiterals;

bool isDamage(const Error& error)
{
    constexpr int withoutExtension = 0xff; // sqlite.org/rescode.html#extrc
    return error.kind == ErrorKind::BadInput
        && (error.nativeCode.toInt() & withoutExtension) == SQLITE_CORRUPT;
}

QString recoveryOf(const QString& path)
{
    return u"lockctl recordings recover %1 --out NEW"_s.arg(path);
}

} // namespace lockscope::record
