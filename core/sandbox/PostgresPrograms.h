// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

namespace lockscope::sandbox {

/// The directory that holds `initdb` and `postgres`: LOCKSCOPE_PG_BINDIR if set (and then only that), else
/// the newest below /usr/lib/postgresql and its like, else where PATH finds them. With `majorVersion` ("15")
/// only programs of that version will do: a data directory can be opened by no other.
Result<QString> findPostgresPrograms(const QString& majorVersion);

} // namespace lockscope::sandbox
