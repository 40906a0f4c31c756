// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QByteArray>
#include <QString>

#include <initializer_list>
#include <optional>

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

// A mark is a file beside a recording, "FILE.damaged", by which a program that reads the recording reports
// damage to its writer: the writer seldom reads the pages that are damaged. It is about one file, not about
// what lies at its path later.

/// Leaves a mark of what was met in the file at `path`. Only while another program may be writing it: nothing
/// is left beside a file that somebody only reads. Nothing, too, where no file can be made.
void leaveDamageMark(const QString& path, const Error& damage);
/// The damage that a reader has met in the file that is at `path` now; nothing: there is no mark, or it is
/// about another file. A mark that another account made does not count.
std::optional<Error> damageMarkOf(const QString& path);
void removeDamageMark(const QString& path);

/// CRC-32 (that of zlib) of bytes that go on after those of `before`.
quint32 checksumOf(const QByteArray& bytes, quint32 before = 0);
/// Returns the checksum of a row whose number and texts belong together: another row's texts have another
/// one.
quint32 checksumOf(qint64 number, std::initializer_list<QString> texts);

} // namespace lockscope::record
