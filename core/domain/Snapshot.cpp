// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Snapshot.h"

#include "core/base/EnumTable.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/Engine.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace lockscope {

using namespace Qt::StringLiterals;

QString limitationKindName(Limitation::Kind kind)
{
    static constexpr EnumTable<Limitation::Kind> names(
        {u"missing permission", u"missing schema", u"capped rows", u"unsupported", u"failed", u"bad rows"});
    return names[kind].toString();
}

Limitation cappedLocks(qint64 shown, qint64 total)
{
    return {.kind = Limitation::Kind::CappedRows,
        .what = u"Showing %1 of %2 locks; all that anybody waits for are among them."_s.arg(shown).arg(total),
        .remedy = u"Raise “Locks shown at most” in the settings, or --limit."_s,
        .shown = shown,
        .total = total};
}

const Session* Snapshot::session(SessionId id) const
{
    const auto found = m_sessionIndex.constFind(id);
    return found == m_sessionIndex.cend() ? nullptr : &sessions[*found];
}

SessionId Snapshot::leaderOf(SessionId id) const
{
    const Session* found = session(id);
    return found && found->leader.isValid() ? found->leader : id;
}

LockRequestKey Snapshot::keyOf(const LockRequest& request) const
{
    return {.session = request.session,
        .sessionStarted = request.sessionStarted,
        .resource = resourceOf(request).key,
        .mode = request.mode,
        .owner = request.owner,
        .ordinal = request.ordinal};
}

std::optional<Age> Snapshot::ageOf(const LockRequest& request) const
{
    if (!request.since)
        return std::nullopt;
    const auto age = std::chrono::floor<milliseconds>(takenAt - *request.since);
    return Age{std::max(age, milliseconds(0)), request.sinceExact};
}

void Snapshot::index()
{
    m_sessionIndex.clear();
    m_sessionIndex.reserve(static_cast<qsizetype>(sessions.size()));
    for (size_t i = 0; i < sessions.size(); ++i)
        m_sessionIndex.insert(sessions[i].id, static_cast<quint32>(i));
}

bool Snapshot::isIncomplete() const
{
    return std::ranges::any_of(limitations, [](const Limitation& limitation) {
        return limitation.hidesLocks || limitation.kind == Limitation::Kind::Failed;
    });
}

QString Snapshot::reasonAgainstLocks() const
{
    // PostgreSQL shows its locks to every login; a limitation there is about something else.
    static constexpr PerEngine<bool> needsRight{.postgres = false, .sqlServer = true, .sqlite = false};
    if (!needsRight[engine])
        return {};
    const auto found = std::ranges::find_if(limitations, [](const Limitation& each) {
        return each.kind == Limitation::Kind::MissingPermission || each.kind == Limitation::Kind::Unsupported;
    });
    return found == limitations.end() ? QString() : found->what;
}

const LockTableEntry* entryOf(const Snapshot& snapshot, const LockTableKey& key)
{
    const auto found = std::ranges::find_if(snapshot.entries,
        [&key](const LockTableEntry& one) { return one.table == key.table && one.name == key.name; });
    return found == snapshot.entries.end() ? nullptr : &*found;
}

LockTableQueue queueOf(const Snapshot& snapshot, const LockTableKey& key, ServerTime now)
{
    LockTableQueue queue;
    for (const LockTableWaiter& waiter : snapshot.entryWaiters)
        if (waiter.table == key.table && waiter.name == key.name && waiter.isWaiting(now))
            queue.push_back(&waiter);
    return queue;
}

namespace {

// Long queues are linked to their nearest neighbours only: who waits for whom stays the same, because those
// neighbours wait for the rest, and a queue of 10,000 doesn't need 50 million edges.
constexpr size_t maxNeighbours = 256;
constexpr size_t minNeighbours = 8;
constexpr size_t edgesOfOneQueue = size_t(1) << 18;
// Many waiters behind many holders of a shared lock: of each mode the first waiter is linked to all holders.
constexpr size_t edgesToHolders = size_t(1) << 18;

size_t neighboursIn(size_t queue)
{
    return std::clamp(edgesOfOneQueue / std::max<size_t>(queue, 1), minNeighbours, maxNeighbours);
}

struct Party {
    SessionId group;
    LockMode mode;
    quint32 number = 0; ///< of the group, within the contest
};

using HeldModes = QHash<SessionId, std::vector<LockMode>>; ///< by group

struct Contest {
    quint32 resource = 0;
    std::vector<Party> holders;
    std::vector<Party> queue;
};

// A new waiter joins the end of PostgreSQL's queue, unless it holds something here already that an earlier
// waiter has to wait for: then it goes before that one, or both would wait for each other.
void joinQueue(Contest& contest, const HeldModes& held, const Party& arrived)
{
    const auto own = held.constFind(arrived.group);
    const auto waitsForArrived = [&](const Party& waiter) {
        return waiter.group != arrived.group && std::ranges::any_of(*own, [&](const LockMode& mode) {
            return !mode.compatibleWith(waiter.mode);
        });
    };
    const auto place =
        own != held.cend() ? std::ranges::find_if(contest.queue, waitsForArrived) : contest.queue.end();
    contest.queue.insert(place, arrived);
}

void readQueue(Contest& contest, const Snapshot& snapshot, const std::vector<const LockRequest*>& waiting)
{
    const auto party = [&](const LockRequest* request) {
        return Party{snapshot.leaderOf(request->session), request->mode};
    };
    if (snapshot.engine == Engine::Postgres) {
        HeldModes held;
        for (const Party& holder : contest.holders)
            held[holder.group].push_back(holder.mode);
        for (const LockRequest* request : waiting)
            joinQueue(contest, held, party(request));
        return;
    }
    // SQL Server serves conversions before new requests.
    for (const auto state : {RequestState::Converting, RequestState::Waiting})
        for (const LockRequest* request : waiting)
            if (request->state == state)
                contest.queue.push_back(party(request));
}

// Gives each group a small number, so that "listed already?" is one access to a vector. Returns how many.
size_t numberGroups(Contest& contest)
{
    QHash<SessionId, quint32> numbers;
    for (std::vector<Party>* parties : {&contest.holders, &contest.queue}) {
        for (Party& party : *parties) {
            const auto found = numbers.constFind(party.group);
            party.number = found == numbers.cend() ? static_cast<quint32>(numbers.size()) : *found;
            if (found == numbers.cend())
                numbers.insert(party.group, party.number);
        }
    }
    return static_cast<size_t>(numbers.size());
}

// The waiters of the queue, by mode: the nearest that conflict are found without going through all the
// others.
class Ahead {
public:
    void join(const Party& party, size_t place)
    {
        const auto known =
            std::ranges::find_if(m_modes, [&](const Mode& mode) { return mode.mode == party.mode; });
        Mode& mode = known != m_modes.end() ? *known : m_modes.emplace_back(Mode{party.mode, {}});
        mode.places.push_back(place);
    }

    // Calls `see` with the places of conflicting modes, nearest first, until it returns false.
    template <class See> void nearest(const LockMode& requested, See see)
    {
        m_open.clear();
        for (const Mode& mode : m_modes)
            if (!mode.mode.compatibleWith(requested))
                m_open.emplace_back(&mode.places, mode.places.size());
        for (;;) {
            Cursor* next = nullptr;
            for (Cursor& cursor : m_open)
                if (cursor.left() && (!next || cursor.place() > next->place()))
                    next = &cursor;
            if (!next || !see(next->place()))
                return;
            --next->count;
        }
    }

private:
    struct Mode {
        LockMode mode;
        std::vector<size_t> places; // ascending
    };
    struct Cursor {
        Cursor(const std::vector<size_t>* thePlaces, size_t theCount)
            : places(thePlaces)
            , count(theCount)
        {
        }
        bool left() const { return count > 0; }
        size_t place() const { return (*places)[count - 1]; }

        const std::vector<size_t>* places;
        size_t count; // of those not seen yet
    };
    std::vector<Mode> m_modes;
    std::vector<Cursor> m_open;
};

/// The holders that block a mode, worked out once for each mode.
class InTheWay {
public:
    explicit InTheWay(const Contest& contest)
        : m_contest(contest)
    {
    }

    /// Calls `tell` for the blockers of this waiter. Returns whether there are more.
    template <class Tell> bool each(const Party& waiter, Tell tell)
    {
        auto known = std::ranges::find(m_modes, waiter.mode, &Mode::mode);
        const bool isFirst = known == m_modes.end();
        if (isFirst)
            known = m_modes.insert(known, {waiter.mode, blockersOf(waiter.mode)});
        const size_t maximum = isFirst
            ? known->blockers.size()
            : std::max(minNeighbours, edgesToHolders / std::max<size_t>(m_contest.queue.size(), 1));
        size_t shownCount = 0;
        for (const Party* holder : known->blockers) {
            if (holder->group == waiter.group)
                continue;
            if (shownCount++ == maximum)
                return true;
            tell(*holder);
        }
        return false;
    }

private:
    struct Mode {
        LockMode mode;
        std::vector<const Party*> blockers;
    };

    std::vector<const Party*> blockersOf(const LockMode& mode) const
    {
        std::vector<const Party*> blockers;
        for (const Party& holder : m_contest.holders)
            if (!holder.mode.compatibleWith(mode))
                blockers.push_back(&holder);
        return blockers;
    }

    const Contest& m_contest;
    std::vector<Mode> m_modes;
};

/// Returns the number of waiters that have more blockers than were added.
qint64 addEdges(Contest& contest, std::vector<WaitEdge>& edges)
{
    qint64 cut = 0;
    const size_t groups = numberGroups(contest);
    std::vector<size_t> listedFor(groups, 0); // blocker → the latest waiter it was listed for
    // The threads of a parallel statement stand in the queue one by one, but it waits only once.
    std::vector<int> places(groups, 0);
    for (const Party& waiter : contest.queue)
        ++places[waiter.number];
    std::set<std::tuple<quint32, quint32, WaitEdge::Kind>> listedForMany; // waiter of many places, blocker
    const size_t neighbours = neighboursIn(contest.queue.size());
    Ahead line;
    InTheWay holders(contest);
    for (size_t at = 0; at < contest.queue.size(); ++at) {
        const Party& waiter = contest.queue[at];
        const auto tell = [&](const Party& blocker, WaitEdge::Kind kind) {
            const bool isNew = std::exchange(listedFor[blocker.number], at + 1) != at + 1
                && (places[waiter.number] == 1
                    || listedForMany.insert({waiter.number, blocker.number, kind}).second);
            if (isNew)
                edges.push_back({.waiter = waiter.group,
                    .blocker = blocker.group,
                    .resource = contest.resource,
                    .kind = kind});
        };
        bool isCut = holders.each(waiter, [&](const Party& holder) { tell(holder, WaitEdge::Kind::Holder); });
        size_t queued = 0;
        line.nearest(waiter.mode, [&](size_t place) {
            const Party& ahead = contest.queue[place];
            if (ahead.group == waiter.group)
                return true;
            if (queued == neighbours) {
                isCut = true;
                return false;
            }
            tell(ahead, WaitEdge::Kind::Queue);
            ++queued;
            return true;
        });
        line.join(waiter, at);
        cut += isCut ? 1 : 0;
    }
    return cut;
}

} // namespace

std::vector<WaitEdge> computeWaits(const Snapshot& snapshot, qint64* cut)
{
    if (cut)
        *cut = 0;
    // Most resources have no waiter: they are passed over at the cost of one check of each request.
    constexpr quint32 none = ~0U;
    std::vector<quint32> slots(snapshot.resources.size(), none);
    std::vector<Contest> contests;
    std::vector<std::vector<const LockRequest*>> waiting;
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting())
            continue;
        quint32& slot = slots[request.resource];
        if (slot == none) {
            slot = static_cast<quint32>(contests.size());
            contests.push_back({request.resource, {}, {}});
            waiting.emplace_back();
        }
        waiting[slot].push_back(&request);
    }
    if (contests.empty())
        return {};
    for (const LockRequest& request : snapshot.requests)
        if (!request.isWaiting() && slots[request.resource] != none)
            contests[slots[request.resource]].holders.push_back(
                {snapshot.leaderOf(request.session), request.mode});
    std::vector<WaitEdge> edges;
    for (size_t slot = 0; slot < contests.size(); ++slot) {
        readQueue(contests[slot], snapshot, waiting[slot]);
        const qint64 cutHere = addEdges(contests[slot], edges);
        if (cut)
            *cut += cutHere;
    }
    return edges;
}

void addWaits(Snapshot& snapshot)
{
    qint64 cut = 0;
    snapshot.waits = computeWaits(snapshot, &cut);
    if (cut == 0)
        return;
    const auto waiters = std::ranges::count_if(
        snapshot.requests, [](const LockRequest& request) { return request.isWaiting(); });
    snapshot.limitations.push_back({.kind = Limitation::Kind::CappedRows,
        .what = u"For %2 of %3 waiters at most the nearest %1 blockers are listed."_s.arg(maxNeighbours)
                    .arg(cut)
                    .arg(waiters),
        .remedy = u"The others wait in the same queue themselves, behind the same heads."_s,
        .shown = waiters - cut,
        .total = waiters});
}

namespace {

/// The waiters for a mode, and the start of their waits; the longest wait first.
struct Waits {
    LockMode mode;
    std::vector<std::pair<ServerTime, SessionId>> queue;

    /// The longest that did not begin before `notBefore`: nobody waits for itself.
    std::optional<ServerTime> longestBehind(SessionId holder, ServerTime notBefore) const
    {
        auto wait = std::ranges::lower_bound(queue, notBefore, {}, &std::pair<ServerTime, SessionId>::first);
        while (wait != queue.end() && wait->second == holder)
            ++wait;
        return wait == queue.end() ? std::nullopt : std::optional(wait->first);
    }
};

/// The waits for one resource, and its holders.
struct ResourceQueues {
    std::vector<Waits> waits; ///< by mode
    QHash<SessionId, std::vector<const LockRequest*>> held; ///< by leader
};

QHash<quint32, ResourceQueues> queuesIn(const Snapshot& snapshot)
{
    QHash<quint32, ResourceQueues> queuesByResource;
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting() || !request.since || !request.sinceExact)
            continue;
        auto& modes = queuesByResource[request.resource].waits;
        auto known = std::ranges::find(modes, request.mode, &Waits::mode);
        if (known == modes.end())
            known = modes.insert(known, {request.mode, {}});
        known->queue.emplace_back(*request.since, snapshot.leaderOf(request.session));
    }
    for (ResourceQueues& queues : queuesByResource)
        for (Waits& waits : queues.waits)
            std::ranges::sort(waits.queue);
    if (queuesByResource.isEmpty())
        return queuesByResource;
    for (const LockRequest& request : snapshot.requests) {
        const auto queues = queuesByResource.find(request.resource);
        if (!request.isWaiting() && queues != queuesByResource.end())
            queues->held[snapshot.leaderOf(request.session)].push_back(&request);
    }
    return queuesByResource;
}
/// Returns whether `holder` may have got this lock past earlier waiters, because it had one that blocked
/// them.
bool mayHaveOvertaken(const LockRequest& holder, SessionId leader, const LockMode& requested,
    const std::vector<const LockRequest*>& held)
{
    return std::ranges::any_of(held, [&](const LockRequest* other) {
        // The leader of a parallel statement comes first.
        const bool isFollower =
            other->mode == holder.mode && (holder.session == leader || other->session == holder.session);
        return !isFollower && !other->mode.compatibleWith(requested);
    });
}

/// The start of the longest wait that this lock alone blocks.
std::optional<ServerTime> longestBehind(
    const LockRequest& holder, SessionId leader, const ResourceQueues& queues, ServerTime notBefore)
{
    const auto& held = *queues.held.constFind(leader);
    std::optional<ServerTime> longest;
    for (const Waits& waits : queues.waits) {
        if (holder.mode.compatibleWith(waits.mode) || mayHaveOvertaken(holder, leader, waits.mode, held))
            continue;
        const auto since = waits.longestBehind(leader, notBefore);
        if (since)
            longest = std::min(longest.value_or(*since), *since);
    }
    return longest;
}

} // namespace

void boundAgesByWaiters(Snapshot& snapshot, const std::vector<ServerTime>& notBefore)
{
    const auto queuesByResource = queuesIn(snapshot);
    if (queuesByResource.isEmpty())
        return;
    for (size_t i = 0; i < snapshot.requests.size(); ++i) {
        LockRequest& request = snapshot.requests[i];
        if (request.isWaiting() || request.sinceExact)
            continue;
        const auto queues = queuesByResource.constFind(request.resource);
        if (queues == queuesByResource.cend())
            continue;
        const auto since = longestBehind(request, snapshot.leaderOf(request.session), *queues,
            i < notBefore.size() ? notBefore[i] : ServerTime());
        if (!since)
            continue;
        ServerTime bound = std::min(request.since.value_or(*since), *since);
        const Session* session = snapshot.session(request.session);
        if (session && session->transactionStarted && request.owner == LockOwner::Transaction)
            bound = std::max(bound, std::min(*session->transactionStarted, request.since.value_or(bound)));
        request.since = bound;
    }
}

} // namespace lockscope
