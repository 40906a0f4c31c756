// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/RandomInputs.h"

#include "core/scenario/run/PreparedRun.h"

#include <QMap>
#include <QSet>

#include <algorithm>
#include <array>

namespace lockscope::scenario {

namespace {

/// The sample of spaces that are too large to be seen as a whole.
constexpr int maxInspected = 4'000;
/// The number of seeds for each draw that finds the last one of them, too, as good as always.
constexpr int seedsForEach = 30;

bool drawsNumbers(const ThinkStep& think, const Values& values)
{
    return milliseconds(std::max(think.leastMs.in(values), think.maxMs.in(values))) >= shortestSteppedPause;
}

/// Returns how many draws the sessions have in common.
int inCommon(const std::vector<std::vector<qint64>>& drawn)
{
    QMap<qint64, int> sessions; // by what they have drawn
    for (const auto& each : drawn)
        for (const qint64 number : QSet<qint64>(each.begin(), each.end()))
            ++sessions[number];
    return int(std::ranges::count_if(sessions, [](int count) { return count > 1; }));
}

} // namespace

QRandomGenerator randomOf(quint32 seed, int session)
{
    return QRandomGenerator(std::array{seed, quint32(session)}.data(), 2);
}

qint64 drawnBy(double share, DrawRange range)
{
    const qint64 to = std::max(range.to, range.from);
    return range.from + qint64(share * double(to - range.from + 1));
}

DrawSpace::DrawSpace(const std::vector<const Role*>& roles, int rounds, const Values& values)
{
    for (const Role* role : roles) {
        std::vector<DrawRange> ranges;
        QSet<QString> drawn;
        bool isFirst = true;
        eachStep(*role, [&](const Step& step) {
            const auto* const draw = std::get_if<DrawStep>(&step.act);
            if (const auto* const think = std::get_if<ThinkStep>(&step.act))
                m_isKnown = m_isKnown && (rounds == 1 || !drawsNumbers(*think, values));
            isFirst = isFirst && draw;
            if (!draw)
                return;
            m_isEmpty = false;
            const auto isFixed = [&](const Amount& amount) {
                return amount.name.isEmpty()
                    || (values.contains(amount.name) && !drawn.contains(amount.name));
            };
            m_isKnown = m_isKnown && isFirst && isFixed(draw->from) && isFixed(draw->to);
            if (isFirst)
                ranges.push_back(
                    {draw->from.in(values), std::max(draw->to.in(values), draw->from.in(values))});
            drawn.insert(draw->into);
        });
        auto& all = m_ranges.emplace_back();
        for (int round = 0; round < rounds; ++round)
            all.insert(all.end(), ranges.begin(), ranges.end());
    }
}

double DrawSpace::size() const
{
    double size = 1;
    for (const auto& ranges : m_ranges)
        for (const DrawRange& range : ranges)
            size *= double(range.to - range.from + 1);
    return size;
}

std::vector<std::vector<qint64>> DrawSpace::drawn(quint32 seed) const
{
    std::vector<std::vector<qint64>> all;
    for (std::size_t i = 0; i < m_ranges.size(); ++i) {
        QRandomGenerator random = randomOf(seed, int(i) + 1);
        auto& numbers = all.emplace_back();
        for (const DrawRange& range : m_ranges[i])
            numbers.push_back(drawnBy(random.generateDouble(), range));
    }
    return all;
}

std::vector<quint32> DrawSpace::seeds(quint32 from, int maximum) const
{
    struct Found {
        int common = 0;
        quint32 seed = 0;
    };
    std::vector<Found> found;
    std::set<std::vector<std::vector<qint64>>> seen;
    const double all = size();
    const int inspectedCount = int(
        std::min<double>(all * seedsForEach, std::max<double>(maxInspected, 1.0 * maximum * seedsForEach)));
    for (int i = 0; i < std::max(inspectedCount, 1) && double(found.size()) < all; ++i) {
        const quint32 seed = from + quint32(i);
        auto numbers = drawn(seed);
        const int common = inCommon(numbers);
        if (seen.insert(std::move(numbers)).second)
            found.push_back({common, seed});
    }
    std::ranges::stable_sort(found, std::greater(), &Found::common);
    std::vector<quint32> seeds;
    for (const Found& each : found)
        if (int(seeds.size()) < maximum)
            seeds.push_back(each.seed);
    return seeds;
}

} // namespace lockscope::scenario
