// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/LockRequest.h"

namespace lockscope {

size_t qHash(const LockRequestKey& key, size_t seed) noexcept
{
    return qHashMulti(seed, key.session, key.sessionStarted.us, key.resource, key.mode.strength(),
        static_cast<quint8>(key.owner), key.ordinal);
}

} // namespace lockscope
