// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/Figures.h"

#include <QHash>
#include <QSet>

#include <algorithm>

namespace lockscope::monitor {

namespace {

class Counter {
public:
    explicit Counter(const Snapshot& snapshot)
        : m_snapshot(snapshot)
    {
    }

    void count(const LockRequest& request)
    {
        if (const Session* session = m_snapshot.session(request.session); session && session->own)
            return;
        const auto age = m_snapshot.ageOf(request);
        if (request.isWaiting()) {
            addWaiter(m_snapshot.resourceOf(request).name, age, request.session);
            return;
        }
        ++m_figures.holders;
        m_holding.insert(request.session);
        if (age)
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

    void count(const LockTableWaiter& waiter)
    {
        if (!waiter.isExpired(m_snapshot.takenAt))
            addWaiter(waiter.name,
                waiter.registeredAt.isValid() ? std::optional(ageSince(waiter.registeredAt)) : std::nullopt,
                waiter.party.session);
    }

    Figures result()
    {
        m_figures.holdingSessions = static_cast<int>(m_holding.size());
        m_figures.waitersByName.reserve(static_cast<size_t>(m_byName.size()));
        for (auto it = m_byName.cbegin(); it != m_byName.cend(); ++it)
            m_figures.waitersByName.emplace_back(it.key(), it.value());
        std::sort(
            m_figures.waitersByName.begin(), m_figures.waitersByName.end(), [](const auto& a, const auto& b) {
                return a.second != b.second ? a.second > b.second : a.first < b.first;
            });
        return std::move(m_figures);
    }

private:
    Age ageSince(ServerTime moment) const
    {
        return {
            std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(m_snapshot.takenAt - moment)),
            true};
    }

    void addWaiter(const QString& name, std::optional<Age> age, SessionId session)
    {
        ++m_figures.waiters;
        ++m_byName[name.isEmpty() ? QStringLiteral("(unnamed)") : name];
        if (age && (m_figures.waiters == 1 || *age > m_figures.longestWait)) {
            m_figures.longestWait = *age;
            m_figures.longestWaiter = session;
        }
    }

    const Snapshot& m_snapshot;
    Figures m_figures;
    QSet<SessionId> m_holding;
    QHash<QString, int> m_byName;
};

} // namespace

Figures figuresOf(const Snapshot& snapshot)
{
    Counter counter(snapshot);
    for (const LockRequest& request : snapshot.requests)
        counter.count(request);
    for (const LockTableEntry& entry : snapshot.entries)
        counter.count(entry);
    for (const LockTableWaiter& waiter : snapshot.entryWaiters)
        counter.count(waiter);
    return counter.result();
}

} // namespace lockscope::monitor
