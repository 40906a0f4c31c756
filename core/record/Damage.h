// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QString>

namespace lockscope::record {

/// Returns whether a recording could not be read or written because its file is damaged: SQLite can't make
/// sense of a part of it, a checksum is another one, or the file's rows contradict each other.
bool isDamage(const Error& error);
/// The same of a code of SQLite's.
bool isDamageCode(int code);
/// Such an error, of what was read.
Failure damaged(const QString& what);
/// The same of "A text of the recording" whose checksum is another one than it should.
Failure otherChecksum(const QString& thing);
/// A sentence: the command of a shell that rebuilds what can be read of it. Debian and Ubuntu build sqlite3
/// without .recover (SQLITE_ENABLE_DBPAGE_VTAB); fossil has it.
QString rebuildingOf(const QString& path);

} // namespace lockscope::record
