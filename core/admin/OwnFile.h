// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QByteArray>

namespace lockscope::admin {

/// Appends to a file of this account that nobody else may read or write, by one write; it is on disk when
/// this returns. Makes the file (mode 0600) and its folder (0700) if they are not there. Refused (Permission)
/// if another account could have put its own file or link in the place, or could change what is there.
/// Unsupported on systems without POSIX files. Any thread; blocks for the disk.
Result<void> appendToOwnFile(const QString& path, const QByteArray& line);

/// All of such a file, with the same checks; empty if it is not there.
Result<QByteArray> readOwnFile(const QString& path);

} // namespace lockscope::admin
