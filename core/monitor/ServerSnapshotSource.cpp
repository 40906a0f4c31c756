// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/ServerSnapshotSource.h"

#include "core/domain/BlockingGraph.h"
#include "core/domain/RowDiff.h"

#include <QSet>

#include <algorithm>
#include <utility>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

/// Held locks are counted at this interval where locks are read only while a session waits.
constexpr std::chrono::seconds readEvery{10};

db::ConnectOptions connectOptions()
{
    return {.purpose = db::Purpose::Monitor, .statementTimeout = milliseconds(10'000)};
}

} // namespace

void FirstSeen::begin(size_t locks, ServerTime takenAt)
{
    m_takenBefore = std::exchange(m_takenAt, takenAt);
    m_before.swap(m_now);
    m_now.clear();
    m_now.reserve(locks);
}

void FirstSeen::note(const ResourceKey& resource, const Holding& holding)
{
    if (m_now.empty() || !(m_now.back().key.resource == resource)) {
        m_firstOfResource = m_now.size();
        m_ofResource.clear();
    }
    m_now.push_back({{resource, holding, equalOnesBefore(holding)}, m_takenAt, m_takenBefore});
}

quint32 FirstSeen::equalOnesBefore(const Holding& holding)
{
    constexpr size_t few = 32;
    const auto first = m_now.cbegin() + static_cast<std::ptrdiff_t>(m_firstOfResource);
    if (m_now.size() - m_firstOfResource < few)
        return static_cast<quint32>(
            std::count_if(first, m_now.cend(), [&](const Row& row) { return row.key.holding == holding; }));
    if (m_ofResource.isEmpty()) {
        for (auto row = first; row != m_now.cend(); ++row)
            ++m_ofResource[row->key.holding];
    }
    return m_ofResource[holding]++;
}

void FirstSeen::settle()
{
    const auto keyOf = [](const Row& row) -> const Key& { return row.key; };
    const auto same = [](const Row&, const Row&) { return true; };
    for (const auto& [was, is] : diffRows(m_before, m_now, keyOf, same).kept) {
        m_now[is].notBefore = m_before[was].notBefore;
        if (m_now[is].key.holding.transaction != 0)
            m_now[is].since = m_before[was].since;
    }
    noteGrants();
}

void FirstSeen::noteGrants()
{
    QMultiHash<SessionId, const Key*> waited; // of a session one or two
    for (const Row& row : m_before) {
        if (row.key.holding.state != RequestState::Granted)
            waited.insert(row.key.holding.session, &row.key);
    }
    if (waited.isEmpty())
        return;
    for (Row& row : m_now) {
        const Holding& is = row.key.holding;
        if (is.state != RequestState::Granted)
            continue;
        const auto [from, to] = waited.equal_range(is.session);
        const bool sawGrant = std::any_of(from, to, [&](const Key* was) {
            return was->holding.transaction == is.transaction && was->holding.mode == is.mode
                && was->resource == row.key.resource;
        });
        if (sawGrant)
            row.notBefore = m_takenAt;
    }
}

void EndedWaits::note(Snapshot& snapshot)
{
    const QHash<SessionKey, Wait> before = std::exchange(m_waits, {});
    if (snapshot.waits.empty())
        return;
    const WaitTargets targets(snapshot);
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting())
            continue;
        const Resource* target = targets.of(request);
        if (const Session* session = snapshot.session(snapshot.leaderOf(request.session)))
            m_waits.insert(session->key(),
                {snapshot.takenAt, target ? target->name : snapshot.resourceOf(request).name});
    }
    QSet<SessionId> blockers;
    for (const WaitEdge& wait : snapshot.waits)
        blockers.insert(wait.blocker);
    for (Session& session : snapshot.sessions) {
        const auto was = before.constFind(session.key());
        if (was == before.cend() || m_waits.contains(session.key()))
            continue;
        m_waits.insert(session.key(), *was);
        if (blockers.contains(session.id)) {
            session.waitedUntil = was->seen;
            session.waitedFor = was->what;
        }
    }
}

ServerSnapshotSource::ServerSnapshotSource(db::Server server, const ProbeSelection& probes)
    : m_connection(std::move(server), connectOptions())
    , m_readsFrameworkRows(probes.frameworkRows)
{
}

Result<SnapshotPtr> ServerSnapshotSource::take(std::stop_token stop)
{
    const auto began = Clock::now();
    const Result<void> ready = makeReady(stop);
    m_connectingTook = Clock::now() - began;
    Result<SnapshotPtr> taken = ready.and_then([&] { return read(stop); });
    if (!taken) {
        taken.error().server = profile().display();
        m_connection.noteFailure(taken.error());
    }
    return taken;
}

Result<void> ServerSnapshotSource::makeReady(const std::stop_token& stop)
{
    LOCKSCOPE_TRY_GET(const bool opened, m_connection.ensureOpen());
    if (!opened && m_searchedAt)
        return {};
    const Result<void> probed = probeServer(stop);
    m_searchedAt = probed.has_value();
    return probed;
}

Result<SnapshotPtr> ServerSnapshotSource::read(const std::stop_token& stop)
{
    const auto began = Clock::now();
    m_onTheWire = m_waited = {};
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->engine = profile().url.engine;
    snapshot->server = profile().display();
    snapshot->serverVersion = m_connection->serverVersion();
    LOCKSCOPE_TRY(poll(*snapshot, stop));
    m_endedWaits.note(*snapshot);
    snapshot->number = ++m_number;
    snapshot->cost.roundTrip = onTheWire();
    snapshot->cost.waited = std::chrono::duration_cast<microseconds>(m_waited);
    snapshot->cost.client = std::chrono::duration_cast<microseconds>(Clock::now() - began - m_onTheWire);
    return SnapshotPtr(std::move(snapshot));
}

std::vector<Result<qint64>> ServerSnapshotSource::ask(
    std::span<const db::BatchItem> items, const std::stop_token& stop)
{
    const auto began = Clock::now();
    auto results = m_connection->executeBatch(items, stop);
    const auto took = Clock::now() - began;
    m_onTheWire += took;
    if (std::ranges::any_of(
            results, [](const auto& each) { return !each && db::Dialect::isLockTimeout(each.error()); }))
        m_waited += took;
    return results;
}

void ServerSnapshotSource::onTheWire(const std::function<void()>& ask)
{
    const auto began = Clock::now();
    ask();
    m_onTheWire += Clock::now() - began;
}

Result<void> ServerSnapshotSource::lookUp(
    Snapshot& snapshot, std::span<const db::BatchItem> items, const std::stop_token& stop, const Judge& judge)
{
    if (items.empty())
        return {};
    const auto results = ask(items, stop);
    ++snapshot.cost.roundTrips;
    for (size_t i = 0; i < results.size(); ++i) {
        const auto& result = results[i];
        judge(i, result);
        if (!result && concernsTheConnection(result.error()))
            return pollFailure(result.error(), u"Can't read the names of what is locked."_s);
        if (result)
            snapshot.cost.rows += *result;
    }
    return {};
}

bool ServerSnapshotSource::concernsTheConnection(const Error& error)
{
    return error.kind == ErrorKind::Connection || error.kind == ErrorKind::Cancelled;
}

Failure ServerSnapshotSource::pollFailure(Error error, const QString& what)
{
    error.what = what;
    return Failure(std::move(error));
}

void LockReadingTurn::beginAgain()
{
    m_readLast = {};
    m_again = true;
}

/// A clock that was set back counts as time that went by.
bool LockReadingTurn::isDue() const
{
    return m_reading == LockReading::Always || m_again || !m_readLast.isValid() || m_takenLast < m_readLast
        || m_takenLast - m_readLast >= readEvery;
}

void LockReadingTurn::note(const Snapshot& snapshot, bool again)
{
    m_takenLast = snapshot.takenAt;
    if (snapshot.locksRead)
        m_readLast = snapshot.takenAt;
    m_again = again;
}

} // namespace lockscope::monitor
