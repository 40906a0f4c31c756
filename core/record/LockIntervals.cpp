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

/// A lease may be renewed by another session of the holder.
bool isSameHolder(const LockOwnerInfo& a, const LockOwnerInfo& b)
{
    return a.owner == b.owner && a.host == b.host && a.program == b.program;
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
            && goes(rows[static_cast<size_t>(from)], after[at])) {
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
            if (m_sure)
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
    noteWhatIsHidden(snapshot);
    // A time to come, by the clock of who wrote it, is no time to begin at.
    const auto isKnown = [now](std::optional<ServerTime> time) {
        return time && time->isValid() && *time <= now;
    };
    const auto since = [&](std::optional<ServerTime> time) { return isKnown(time) ? *time : now; };
    follow(
        m_requests, snapshot.requests, origins.requests, now, news,
        [&](const LockRequest& request) {
            const Session* session = snapshot.session(request.session);
            if (session && session->own)
                return Open{};
            const bool known = request.sinceExact && isKnown(request.since);
            return Open{{0, numbers.numberOf(snapshot.resourceOf(request)),
                            numbers.numberOf(partyOf(snapshot, request.session), request.sessionStarted),
                            request.mode.name(), request.isWaiting(), since(request.since), known, now, {}},
                true, {}, {}, {}};
        },
        [](const Open& open, const LockRequest& request) {
            // One that began exactly after the last look is not the one that was seen then.
            const bool isAnother = open.interval.fromExact && request.sinceExact && request.since
                && *request.since > open.interval.to;
            return open.interval.waited == request.isWaiting() && !isAnother;
        });
    follow(
        m_entries, snapshot.entries, origins.entries, now, news,
        [&](const LockTableEntry& entry) {
            if (entry.isBad())
                return Open{};
            return Open{
                {0, numbers.numberOfLockTableName(entry.table, entry.name), numbers.numberOf(entry.party, {}),
                    {}, false, since(entry.acquiredAt), isKnown(entry.acquiredAt), now, {}},
                true, entry.acquiredAt, entry.party, entry.told};
        },
        [](const Open& open, const LockTableEntry& entry) {
            // Another grant of the same name is another interval.
            return open.counts == !entry.isBad()
                && (!open.counts
                    || (open.acquired == entry.acquiredAt && open.told == entry.told
                        && isSameHolder(open.holder, entry.party)));
        });
    follow(
        m_entryWaiters, snapshot.entryWaiters, origins.entryWaiters, now, news,
        [&](const LockTableWaiter& waiter) {
            if (waiter.isBad())
                return Open{};
            return Open{{0, numbers.numberOfLockTableName(waiter.table, waiter.name),
                            numbers.numberOf(waiter.party, {}), {}, true, since(waiter.registeredAt),
                            isKnown(waiter.registeredAt), now, {}},
                true, {}, {}, {}};
        },
        [](const Open& open, const LockTableWaiter& waiter) { return open.counts == !waiter.isBad(); });
    return news;
}

/// What was there and is not seen any more is gone only if it would have been seen.
void LockIntervals::noteWhatIsHidden(const Snapshot& snapshot)
{
    bool hides = false;
    m_sure = true;
    for (const Limitation& limitation : snapshot.limitations) {
        hides = hides || limitation.hidesLocks;
        if (limitation.kind == Limitation::Kind::Failed || limitation.kind == Limitation::Kind::CappedRows)
            m_sure = false;
    }
    if (hides && !m_hides)
        m_sure = false; // what is hidden all the time was not seen before either
    m_hides = hides;
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
