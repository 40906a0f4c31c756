// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

namespace lockscope::alert {

/// BadInput: it is neither "env:NAME" nor "file:/path".
Result<void> checkSecretReference(const QString& reference);
/// Reads what "env:NAME" or "file:/path" refers to. A file must be a plain one of this account or root that
/// nobody else can read or write, of one line. Errors name the place and never the content. Blocks on the
/// disk.
Result<QString> readSecret(const QString& reference);
/// Writes the secret into the file that "file:/path" names, readable by this account alone. BadInput for a
/// reference to anything else. Blocks for the disk.
Result<void> writeSecret(const QString& reference, const QString& secret);

} // namespace lockscope::alert
