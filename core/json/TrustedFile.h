// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QByteArray>

namespace lockscope::json {

/// Returns why nothing in a file may be done: another account can write to it, or put another one in its
/// place. Nothing: only this account and root can. On systems with POSIX files only. Blocks on the disk.
std::optional<Error> reasonAgainstTrust(const QString& path);

/// Reads a plain file of at most a megabyte, whoever can write it. Blocks on the disk.
Result<QByteArray> readTextFile(const QString& path);

} // namespace lockscope::json
