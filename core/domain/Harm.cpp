// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Harm.h"

#include "core/base/Duration.h"

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

AgeLevel levelOf(const Harm& harm, const AgeThresholds& wait)
{
    const AgeLevel level = harm.victims >= manyBlocked ? AgeLevel::Red : wait.levelOf(harm.longestWait);
    const bool isNew = harm.inheritedWithin && wait.levelOf(*harm.inheritedWithin) != AgeLevel::Red;
    return isNew ? std::min(level, AgeLevel::Amber) : level;
}

QString inheritedText(const Harm& harm)
{
    if (!harm.inheritedWithin)
        return {};
    return (harm.hasWhatItWaitedFor ? QStringLiteral("has had it for at most ")
                                    : QStringLiteral("at the head for at most "))
        + durationInWords(std::max(
            std::chrono::seconds(1), std::chrono::ceil<std::chrono::seconds>(*harm.inheritedWithin)));
}

QString blocksText(const Harm& harm)
{
    return blocksText(harm, durationInWords(harm.longest()));
}

QString blocksText(const Harm& harm, const QString& longest)
{
    return harm.inheritedWithin ? QStringLiteral("blocks %1, %2; the queue is %3 old")
                                      .arg(QString::number(harm.victims), inheritedText(harm), longest)
                                : QStringLiteral("blocks %1 for %2").arg(harm.victims).arg(longest);
}

} // namespace lockscope
