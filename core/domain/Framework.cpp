// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Framework.h"

#include <algorithm>

namespace lockscope {

const FrameworkLock* Framework::lock(const QString& lockId) const
{
    const auto found = std::find_if(
        locks.begin(), locks.end(), [&lockId](const FrameworkLock& lock) { return lock.id == lockId; });
    return found == locks.end() ? nullptr : &*found;
}

} // namespace lockscope
