// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/History.h"

#include "core/domain/BlockingGraph.h"
#include "core/domain/WaitTotals.h"

#include <QHash>
#include <QSet>

#include <algorithm>

namespace lockscope::monitor {

namespace {
// Row locks bring new names with every row; beyond this many the table of names is rebuilt.
constexpr size_t manyNames = 4'096;

using Counts = std::vector<std::pair<QString, int>>;

Counts mostFirst(const QHash<QString, int>& byName)
{
    Counts counts;
    counts.reserve(static_cast<size_t>(byName.size()));
    for (auto it = byName.cbegin(); it != byName.cend(); ++it)
        counts.emplace_back(it.key(), it.value());
    std::ranges::sort(counts, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    return counts;
}

/// The table that a row or page lock is in; of anything else its own name.
QString tableNameOf(const Resource& resource)
{
    const bool isPart = resource.key.kind == ResourceKind::Row || resource.key.kind == ResourceKind::Page;
    const QString table = isPart ? resource.tablePart().table : QString();
    return table.isEmpty() ? resource.name : table;
}

class FigureCounter {
public:
    explicit FigureCounter(const Snapshot& snapshot)
        : m_snapshot(snapshot)
        , m_places(snapshot)
    {
    }

    void countHeld(const LockRequest& request)
    {
        if (const Session* session = m_snapshot.session(request.session); session && session->own)
            return;
        ++m_figures.holders;
        m_holding.insert(request.session);
        if (const auto age = m_snapshot.ageOf(request))
            m_figures.oldestHold = std::max(m_figures.oldestHold, *age);
    }

    void count(const LockTableEntry& entry)
    {
        ++m_figures.holders;
        if (entry.isStale(m_snapshot.takenAt))
            ++m_figures.stale;
        else if (entry.acquiredAt.isValid())
            m_figures.oldestHold = std::max(m_figures.oldestHold, ageSince(entry.acquiredAt));
    }

    void countWaits()
    {
        static_cast<WaitTotals&>(m_figures) = waitTotals(m_snapshot);
        for (const SessionWait& wait : m_snapshot.waitingSessions()) {
            ++m_byName[orUnnamed(
                wait.queued ? wait.queued->name : m_snapshot.resourceOf(*wait.request).name)];
            ++m_byTable[orUnnamed(wait.queued ? wait.queued->name : tableOf(*wait.request))];
        }
    }

    Figures result()
    {
        m_figures.holdingSessions = static_cast<int>(m_holding.size());
        m_figures.waitersByName = mostFirst(m_byName);
        m_figures.waitersByTable = mostFirst(m_byTable);
        return std::move(m_figures);
    }

private:
    Age ageSince(ServerTime time) const { return {ageOf(time, m_snapshot.takenAt)}; }

    QString tableOf(const LockRequest& request) const
    {
        const Resource& resource = m_snapshot.resourceOf(request);
        if (resource.key.kind != ResourceKind::TransactionId)
            return tableNameOf(resource);
        const LockRequest* const place = m_places.of(request.session);
        return place ? tableNameOf(m_snapshot.resourceOf(*place)) : QStringLiteral("(transactions)");
    }

    static QString orUnnamed(const QString& text)
    {
        return text.isEmpty() ? QStringLiteral("(unnamed)") : text;
    }

    const Snapshot& m_snapshot;
    Figures m_figures;
    QSet<SessionId> m_holding;
    const QueuePlaces m_places;
    QHash<QString, int> m_byName;
    QHash<QString, int> m_byTable;
};

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
    std::ranges::sort(order, [&](quint32 a, quint32 b) {
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

Figures figuresOf(const Snapshot& snapshot)
{
    FigureCounter counter(snapshot);
    for (const LockRequest& request : snapshot.requests)
        if (!request.isWaiting())
            counter.countHeld(request);
    for (const LockTableEntry& entry : snapshot.entries)
        counter.count(entry);
    counter.countWaits();
    return counter.result();
}

} // namespace lockscope::monitor
