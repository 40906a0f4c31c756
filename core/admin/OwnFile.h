// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QByteArray>

namespace lockscope::admin {

/// Appends to a file of this account that nobody else may read or write, by one write; it is on disk when
/// this returns. Makes the file (mode 0600) and its folder (0700) if they are not there. Refused
/// (Permission), and nothing made, if another account could have put its own file or link in the place, or
/// could change what is there; a group counts as others unless it is the account's own and has no other
/// members. Unsupported on systems without POSIX files. Any thread; blocks for the disk.
Result<void> appendToOwnFile(const QString& path, const QByteArray& line);

/// Whether it could be appended to now, as far as can be told without making anything: the same checks.
Result<void> checkOwnFile(const QString& path);

/// All of such a file, with the same checks; empty if it is not there.
Result<QByteArray> readOwnFile(const QString& path);

} // namespace lockscope::admin
