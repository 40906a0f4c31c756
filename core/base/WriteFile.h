// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QByteArray>

namespace lockscope {

/// The whole file or, with BadInput, none of it: what was there before stays until all is written. Any
/// thread.
Result<void> writeFile(const QString& path, const QByteArray& content);

} // namespace lockscope
