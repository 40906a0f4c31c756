// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/ServerSnapshotSource.h"

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
    const Result<bool> opened = m_connection.ensureOpen();
    if (!opened)
        return Failure(opened.error());
    if (!*opened && m_searchedAt)
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
    if (const auto polled = poll(*snapshot, stop); !polled)
        return Failure(polled.error());
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
