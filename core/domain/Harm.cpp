// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Harm.h"

#include <algorithm>
#include <tuple>

namespace lockscope {

milliseconds weightOf(const Harm& harm)
{
    constexpr milliseconds least{1'000};
    constexpr milliseconds maximum{60'000};
    return (harm.victims + harm.joined) * std::clamp(harm.longestWait, least, maximum);
}

bool isWorse(const Harm& a, const Harm& b)
{
    return std::tuple(weightOf(a), a.victims, a.longestWait)
        > std::tuple(weightOf(b), b.victims, b.longestWait);
}

} // namespace lockscope
