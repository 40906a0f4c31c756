// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/Figures.h"

#include "core/domain/WaitTargets.h"
#include "core/domain/WaitTotals.h"

#include <QHash>
#include <QSet>

#include <algorithm>

namespace lockscope::monitor {

namespace {

using Counts = std::vector<std::pair<QString, int>>;

Counts mostFirst(const QHash<QString, int>& byName)
{
    Counts counts;
    counts.reserve(static_cast<size_t>(byName.size()));
    for (auto it = byName.cbegin(); it != byName.cend(); ++it)
        counts.emplace_back(it.key(), it.value());
    std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
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
