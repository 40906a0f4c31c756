// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/Damage.h"

#include "core/base/ShownText.h"

#include <sqlite3.h>

namespace lockscope::record {

using namespace Qt::StringLiterals;

bool isDamage(const Error& error)
{
    return error.kind == ErrorKind::BadInput && isDamageCode(error.nativeCode.toInt());
}

bool isDamageCode(int code)
{
    constexpr int withoutExtension = 0xff; // sqlite.org/rescode.html#extrc
    switch (code & withoutExtension) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: // its first page
    case SQLITE_CONSTRAINT: // a writer writes nothing that contradicts what it has written
        return true;
    default:
        return code == SQLITE_IOERR_READ || code == SQLITE_IOERR_CORRUPTFS; // the disk can't
    }
}

Failure damaged(const QString& what)
{
    Failure damage = failure(ErrorKind::BadInput, what, u"The snapshots around it may be intact."_s);
    damage.value().nativeCode = QString::number(SQLITE_CORRUPT);
    return damage;
}

Failure otherChecksum(const QString& thing)
{
    return damaged(u"%1 has another checksum than it should: it is damaged."_s.arg(thing));
}

QString rebuildingOf(const QString& path)
{
    return u"Rebuild what can be read of it: sqlite3 %1 .recover | sqlite3 rebuilt.lockscope (on Debian and Ubuntu the first word is: fossil sql --no-repository)"_s
        .arg(shellWord(path));
}

} // namespace lockscope::record
