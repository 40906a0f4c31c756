// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QByteArray>

namespace lockscope::frameworks {

/// Whether nobody but this account or root can put files into a folder or on the way to it; Permission
/// otherwise, with what to do. On systems that don't tell: always. Any thread; blocks for the disk.
Result<void> checkFolder(const QString& folder);

/// The first `most` bytes of a plain file, not a link, which belongs to this account or root and which
/// nobody else may change; Permission otherwise. Never waits for a pipe.
Result<QByteArray> readTrustedFile(const QString& path, qint64 most);

} // namespace lockscope::frameworks
