// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QString>

namespace lockscope::record {

/// Whether a recording was refused because its file is damaged: SQLite can't make sense of a part of it.
bool isDamage(const Error& error);
/// The command that recovers what is whole of it.
QString recoveryOf(const QString& path);

} // namespace lockscope::record
