// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/SnapshotSource.h"

#include <type_traits>
#include <utility>

namespace lockscope::test {

/// Makes sources, each with its own copy of `take`, which returns a snapshot or an error and may keep a
/// state.
template <class Take> auto sourceOf(Take take)
{
    class Source final : public monitor::SnapshotSource {
    public:
        explicit Source(Take take)
            : m_take(std::move(take))
        {
        }
        Result<SnapshotPtr> take(std::stop_token stop) override
        {
            if constexpr (std::is_invocable_v<Take&, std::stop_token>)
                return m_take(std::move(stop));
            else
                return m_take();
        }

    private:
        Take m_take;
    };
    return [take = std::move(take)](
               const monitor::ProbeSelection&) -> Result<std::unique_ptr<monitor::SnapshotSource>> {
        return std::make_unique<Source>(take);
    };
}

} // namespace lockscope::test
