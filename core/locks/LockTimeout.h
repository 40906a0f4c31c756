// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"

#include <QString>

#include <algorithm>
#include <limits>

namespace lockscope::locks {

/// A wait as SQL Server takes it: milliseconds that fit into an int, −1 = for ever.
inline qint64 lockTimeout(milliseconds wait)
{
    return std::clamp<qint64>(wait.count(), -1, std::numeric_limits<qint32>::max());
}

/// The same for PostgreSQL's lock_timeout: 0 = for ever. There is none for "don't wait".
inline QString postgresLockTimeout(milliseconds wait)
{
    return QString::number(std::max<qint64>(lockTimeout(wait), 0));
}

} // namespace lockscope::locks
