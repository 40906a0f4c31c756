// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/History.h"

#include <algorithm>

namespace lockscope::monitor {

namespace {
// Row locks bring new names with every row; beyond this many the table of names is rebuilt.
constexpr size_t manyNames = 4'096;
} // namespace

void History::append(ServerTime at, const Figures& figures)
{
    if (!m_samples.empty() && at <= m_samples.back().at) {
        if (at == m_samples.back().at)
            return;
        clear();
    }
    HistorySample sample;
    sample.at = at;
    sample.holders = figures.holders;
    sample.waiters = figures.waiters;
    sample.stale = figures.stale;
    sample.longestWait = figures.longestWait;
    sample.afterGap = std::exchange(m_gap, false) && !m_samples.empty();
    const size_t names = std::min(figures.waitersByTable.size(), namesPerSample);
    sample.byName.reserve(names);
    for (size_t i = 0; i < names; ++i)
        sample.byName.emplace_back(
            indexOf(figures.waitersByTable[i].first), figures.waitersByTable[i].second);
    m_samples.push_back(std::move(sample));
    while (m_samples.size() > m_capacity || m_samples.front().at < at - m_span)
        m_samples.pop_front();
    if (m_names.size() > manyNames)
        dropNamesNobodyUses();
}

void History::addMeasures(ServerTime at, const std::vector<Measure>& measures)
{
    const auto sample = std::ranges::lower_bound(m_samples, at, {}, &HistorySample::at);
    if (sample != m_samples.end())
        sample->measures = measures;
}

void History::startWith(const History& recorded)
{
    if (m_samples.empty())
        return;
    m_damagedUntil = recorded.m_damagedUntil;
    const ServerTime oldest = m_samples.back().at - m_span;
    const ServerTime first = m_samples.front().at;
    bool isBehindGap = false;
    for (auto at = recorded.m_samples.crbegin(); at != recorded.m_samples.crend(); ++at) {
        const HistorySample& each = *at;
        if (each.at < oldest || m_samples.size() >= m_capacity)
            break;
        if (each.at >= first) {
            isBehindGap = each.afterGap; // of the first one that is here, too
            continue;
        }
        m_samples.front().afterGap = m_samples.front().afterGap || isBehindGap;
        isBehindGap = false;
        HistorySample sample = each;
        for (auto& [name, waiters] : sample.byName)
            name = indexOf(recorded.name(name));
        m_samples.push_front(std::move(sample));
    }
}

void History::clear()
{
    m_samples.clear();
    m_names.clear();
    m_nameIndex.clear();
    m_gap = false;
    m_damagedUntil = {};
}

std::vector<quint32> History::topNames(size_t count) const
{
    std::vector<qint64> sums(m_names.size(), 0);
    for (const HistorySample& sample : m_samples) {
        for (const auto& [name, waiters] : sample.byName)
            sums[name] += waiters;
    }
    std::vector<quint32> order;
    for (quint32 i = 0; i < sums.size(); ++i) {
        if (sums[i] > 0)
            order.push_back(i);
    }
    std::sort(order.begin(), order.end(), [&](quint32 a, quint32 b) {
        return sums[a] != sums[b] ? sums[a] > sums[b] : m_names[a] < m_names[b];
    });
    order.resize(std::min(order.size(), count));
    return order;
}

quint32 History::indexOf(const QString& name)
{
    const auto found = m_nameIndex.constFind(name);
    if (found != m_nameIndex.cend())
        return *found;
    const auto index = static_cast<quint32>(m_names.size());
    m_names.push_back(name);
    m_nameIndex.insert(name, index);
    return index;
}

void History::dropNamesNobodyUses()
{
    const std::vector<QString> old = std::exchange(m_names, {});
    m_nameIndex.clear();
    for (HistorySample& sample : m_samples) {
        for (auto& [name, waiters] : sample.byName)
            name = indexOf(old[name]);
    }
}

} // namespace lockscope::monitor
