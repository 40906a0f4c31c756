// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/Figures.h"

#include "core/domain/SnapshotNames.h"

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

/// A session that waits for a row which another transaction has changed locks the row first, and then waits
/// for that transaction.
QHash<SessionId, QString> tablesOfRows(const Snapshot& snapshot)
{
    QHash<SessionId, QString> tables;
    for (const LockRequest& request : snapshot.requests) {
        const Resource& resource = snapshot.resourceOf(request);
        if (!request.isWaiting() && resource.key.kind == ResourceKind::Row)
            tables.insert(request.session, tableNameOf(resource));
    }
    return tables;
}

class Counter {
public:
    explicit Counter(const Snapshot& snapshot)
        : m_snapshot(snapshot)
        , m_rowsOf(tablesOfRows(snapshot))
    {
    }

    void count(const LockRequest& request)
    {
        if (const Session* session = m_snapshot.session(request.session); session && session->own)
            return;
        const auto age = m_snapshot.ageOf(request);
        if (request.isWaiting()) {
            addWaiter(m_snapshot.resourceOf(request).name, tableOf(request), age, request.session);
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
            addWaiter(waiter.name, waiter.name, knownAge(waiter.registeredAt, m_snapshot.takenAt),
                waiter.party.session);
    }

    Figures result()
    {
        m_figures.holdingSessions = static_cast<int>(m_holding.size());
        m_figures.waitersByName = mostFirst(m_byName);
        m_figures.waitersByTable = mostFirst(m_byTable);
        return std::move(m_figures);
    }

private:
    Age ageSince(ServerTime moment) const { return {ageOf(moment, m_snapshot.takenAt)}; }

    QString tableOf(const LockRequest& request) const
    {
        const Resource& resource = m_snapshot.resourceOf(request);
        if (resource.key.kind == ResourceKind::TransactionId)
            return m_rowsOf.value(request.session, QStringLiteral("(transactions)"));
        return tableNameOf(resource);
    }

    void addWaiter(const QString& name, const QString& table, std::optional<Age> age, SessionId session)
    {
        const auto orUnnamed = [](const QString& text) {
            return text.isEmpty() ? QStringLiteral("(unnamed)") : text;
        };
        ++m_figures.waiters;
        ++m_byName[orUnnamed(name)];
        ++m_byTable[orUnnamed(table)];
        if (age && (m_figures.waiters == 1 || *age > m_figures.longestWait)) {
            m_figures.longestWait = *age;
            m_figures.longestWaiter = session;
        }
    }

    const Snapshot& m_snapshot;
    Figures m_figures;
    QSet<SessionId> m_holding;
    QHash<SessionId, QString> m_rowsOf;
    QHash<QString, int> m_byName;
    QHash<QString, int> m_byTable;
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
