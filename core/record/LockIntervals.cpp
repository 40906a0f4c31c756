// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/LockIntervals.h"

namespace lockscope::record {

namespace {

LockOwnerInfo partyOf(const Snapshot& snapshot, SessionId id)
{
    LockOwnerInfo party;
    party.session = id;
    if (const Session* session = snapshot.session(id)) {
        party.owner = session->user;
        party.host = session->host;
        party.program = session->program;
    }
    return party;
}

} // namespace

/// `make` begins the interval of a row; `goes` tells whether a row's interval is still the same one.
template <class Row, class Make, class Goes>
void LockIntervals::follow(Rows& rows, const std::vector<Row>& after, const std::vector<qint64>& origin,
    ServerTime now, News& news, Make make, Goes goes)
{
    Rows next;
    next.reserve(after.size());
    for (size_t at = 0; at < after.size(); ++at) {
        const auto from = origin[at];
        if (from >= 0 && static_cast<size_t>(from) < rows.size()
            && goes(rows[static_cast<size_t>(from)].interval, after[at])) {
            next.push_back(std::move(rows[static_cast<size_t>(from)]));
            rows[static_cast<size_t>(from)].counts = false;
            next.back().interval.to = now;
        } else {
            next.push_back(make(after[at]));
            if (next.back().counts) {
                next.back().interval.id = ++m_lastId;
                news.begun.push_back(next.back().interval);
            }
        }
    }
    for (Open& left : rows) {
        if (left.counts) {
            left.interval.gone = now;
            news.ended.push_back(std::move(left.interval));
        }
    }
    rows = std::move(next);
}

LockIntervals::News LockIntervals::advance(
    const Snapshot& snapshot, const RowOrigins& origins, IntervalNumbers& numbers)
{
    News news;
    const ServerTime now = snapshot.takenAt;
    const auto since = [now](std::optional<ServerTime> time) {
        return time && time->isValid() && *time <= now ? *time : now;
    };
    follow(
        m_requests, snapshot.requests, origins.requests, now, news,
        [&](const LockRequest& request) {
            const Session* session = snapshot.session(request.session);
            if (session && session->own)
                return Open{};
            const bool known = request.since && request.sinceExact;
            return Open{{0, numbers.numberOf(snapshot.resourceOf(request)),
                            numbers.numberOf(partyOf(snapshot, request.session), request.sessionStarted),
                            request.mode.name(), request.isWaiting(), since(request.since), known, now, {}},
                true};
        },
        [](const LockInterval& open, const LockRequest& request) {
            return open.waited == request.isWaiting();
        });
    follow(
        m_entries, snapshot.entries, origins.entries, now, news,
        [&](const LockTableEntry& entry) {
            return Open{
                {0, numbers.numberOfLockTableName(entry.table, entry.name), numbers.numberOf(entry.party, {}),
                    {}, false, since(entry.acquiredAt), entry.acquiredAt.isValid(), now, {}},
                true};
        },
        [&](const LockInterval& open, const LockTableEntry& entry) {
            // Another grant of the same name is another interval.
            return open.from == since(entry.acquiredAt) || !open.fromExact;
        });
    follow(
        m_entryWaiters, snapshot.entryWaiters, origins.entryWaiters, now, news,
        [&](const LockTableWaiter& waiter) {
            return Open{{0, numbers.numberOfLockTableName(waiter.table, waiter.name),
                            numbers.numberOf(waiter.party, {}), {}, true, since(waiter.registeredAt),
                            waiter.registeredAt.isValid(), now, {}},
                true};
        },
        [](const LockInterval&, const LockTableWaiter&) { return true; });
    return news;
}

std::vector<LockInterval> LockIntervals::end()
{
    std::vector<LockInterval> all;
    for (Rows* rows : {&m_requests, &m_entries, &m_entryWaiters}) {
        for (Open& row : *rows) {
            if (row.counts)
                all.push_back(std::move(row.interval));
        }
        rows->clear();
    }
    return all;
}

} // namespace lockscope::record
