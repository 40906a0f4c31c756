// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"

#include <memory>

namespace lockscope {

/// A value derived from its owner when it is first requested, for owners that do not change any more. Any
/// thread may ask: the first one computes, the others wait for it. A copy of the owner derives its own.
/// `Value` may be incomplete where the owner is declared.
template <class Value> class Lazy {
public:
    Lazy() = default;
    Lazy(const Lazy&) noexcept { }
    Lazy& operator=(const Lazy& other) noexcept
    {
        if (this != &other) {
            const MutexLock lock(m_mutex);
            m_value.reset();
        }
        return *this;
    }

    template <class Make> const Value& get(Make make) const
    {
        const MutexLock lock(m_mutex);
        if (!m_value)
            m_value = std::make_shared<const Value>(make());
        return *m_value;
    }

private:
    mutable Mutex m_mutex;
    mutable std::shared_ptr<const Value> m_value LOCKSCOPE_GUARDED_BY(m_mutex);
};

} // namespace lockscope
