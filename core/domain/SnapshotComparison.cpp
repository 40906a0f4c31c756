// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotComparison.h"

#include "core/base/EnumTable.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/SnapshotNames.h"

#include <QHash>
#include <QSet>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

// Resources are numbered again in every snapshot. Giving equal ones equal numbers first lets a hundred
// thousand requests be compared by numbers instead of by names.
struct ResourceNumbers {
    std::vector<quint32> before;
    std::vector<quint32> after;
    std::vector<bool> sameText; ///< by position in `after`: shown alike in both
};

ResourceNumbers unify(const std::vector<Resource>& before, const std::vector<Resource>& after)
{
    ResourceNumbers numbers;
    numbers.before.resize(before.size());
    numbers.after.resize(after.size());
    numbers.sameText.resize(after.size(), true);
    size_t prefix = 0;
    while (prefix < before.size() && prefix < after.size() && before[prefix].key == after[prefix].key) {
        numbers.before[prefix] = numbers.after[prefix] = static_cast<quint32>(prefix);
        numbers.sameText[prefix] = before[prefix] == after[prefix];
        ++prefix;
    }
    QHash<ResourceKey, quint32> known;
    for (size_t i = prefix; i < before.size(); ++i) {
        numbers.before[i] = static_cast<quint32>(i);
        known.insert(before[i].key, static_cast<quint32>(i));
    }
    auto next = static_cast<quint32>(before.size());
    for (size_t i = prefix; i < after.size(); ++i) {
        const auto found = known.constFind(after[i].key);
        numbers.after[i] = found == known.cend() ? next++ : *found;
        numbers.sameText[i] = found == known.cend() || before[*found] == after[i];
    }
    return numbers;
}

struct RequestRowKey {
    SessionId session;
    ServerTime sessionStarted;
    quint32 resource;
    quint32 ordinal;
    LockMode mode;
    LockOwner owner;

    bool operator==(const RequestRowKey&) const = default;
    friend size_t qHash(const RequestRowKey& key, size_t seed) noexcept
    {
        return qHashMulti(seed, key.session.value, key.sessionStarted.us, key.resource, key.ordinal,
            key.mode.strength(), static_cast<quint8>(key.owner));
    }
};

std::vector<RequestRow> rowsOf(
    const Snapshot& snapshot, const std::vector<quint32>& numbers, const std::vector<bool>* sameText)
{
    std::vector<RequestRow> rows;
    rows.reserve(snapshot.requests.size());
    for (const LockRequest& request : snapshot.requests)
        rows.push_back({&request, numbers[request.resource], !sameText || (*sameText)[request.resource]});
    return rows;
}

RowDiff diffRequests(const Snapshot& before, const Snapshot& after)
{
    const ResourceNumbers numbers = unify(before.resources, after.resources);
    return diffRequests(
        rowsOf(before, numbers.before, nullptr), rowsOf(after, numbers.after, &numbers.sameText));
}

/// Treats what only one of the two snapshots was to show as neither come nor gone.
void forgetFrameworkRows(
    RowDiff& diff, const std::vector<LockTableEntry>& before, const std::vector<LockTableEntry>& after)
{
    const auto isOptional = [](const LockTableEntry& entry) {
        return entry.framework && !entry.framework->isAttached();
    };
    std::erase_if(diff.removed, [&](quint32 at) { return isOptional(before[at]); });
    std::erase_if(diff.inserted, [&](quint32 at) { return isOptional(after[at]); });
}

} // namespace

RowDiff diffRequests(const std::vector<RequestRow>& before, const std::vector<RequestRow>& after)
{
    const auto keyOf = [](const RequestRow& row) {
        const LockRequest& r = *row.request;
        return RequestRowKey{.session = r.session,
            .sessionStarted = r.sessionStarted,
            .resource = row.resource,
            .ordinal = r.ordinal,
            .mode = r.mode,
            .owner = r.owner};
    };
    const auto same = [](const RequestRow& old, const RequestRow& now) {
        const LockRequest& a = *old.request;
        const LockRequest& b = *now.request;
        return now.sameText && a.state == b.state && a.count == b.count && a.since == b.since
            && a.sinceExact == b.sinceExact;
    };
    return diffRows(before, after, keyOf, same);
}

bool SnapshotDiff::isEmpty() const
{
    return requests.isEmpty() && sessions.isEmpty() && entries.isEmpty() && entryWaiters.isEmpty();
}

SnapshotDiff diffSnapshots(const Snapshot& before, const Snapshot& after)
{
    SnapshotDiff diff;
    // Of locks that were not read nobody knows what became.
    if (before.locksRead && after.locksRead)
        diff.requests = diffRequests(before, after);
    diff.sessions = diffRows(before.sessions, after.sessions, [](const Session& s) { return s.key(); });
    diff.entries = diffRows(before.entries, after.entries, [](const LockTableEntry& e) {
        return LockTableKey{e.table, e.name};
    });
    if (!before.frameworkRows || !after.frameworkRows)
        forgetFrameworkRows(diff.entries, before.entries, after.entries);
    diff.entryWaiters = diffRows(before.entryWaiters, after.entryWaiters,
        [](const LockTableWaiter& w) { return std::pair(w.table, w.ticket); });
    return diff;
}

using What = SnapshotDifference::What;
using Change = SnapshotDifference::Change;

namespace {

QString withAge(const QString& text, const std::optional<Age>& age)
{
    return age ? text + u' ' + age->toString() : text;
}

QString requestText(const Snapshot& snapshot, const LockRequest& request)
{
    return withAge(request.isWaiting() ? u"waits"_s : u"holds"_s, snapshot.ageOf(request));
}

QString sessionText(const Snapshot& snapshot, const Session& session)
{
    QString text = sessionStateName(session.state);
    if (session.transactionStarted)
        text +=
            u", "_s + withAge(u"in transaction"_s, knownAge(*session.transactionStarted, snapshot.takenAt));
    return session.statement.isEmpty() ? text : text + u": "_s + session.statement.simplified();
}

/// Returns whether it is the same grant, whose lease at most was renewed.
bool isRenewed(const LockTableEntry& was, const LockTableEntry& is)
{
    return was.acquiredAt == is.acquiredAt && was.token == is.token;
}

QString entryText(const Snapshot& snapshot, const LockTableEntry& entry)
{
    return withAge(u"holds"_s, knownAge(entry.acquiredAt, snapshot.takenAt));
}

class SnapshotComparer {
public:
    SnapshotComparer(const Snapshot& before, const Snapshot& after)
        : m_before(before)
        , m_after(after)
        , m_diff(diffSnapshots(before, after))
    {
    }

    std::vector<SnapshotDifference> all()
    {
        addAll(m_diff.requests, m_before.requests, m_after.requests,
            [](const LockRequest& was, const LockRequest& is) { return was.isWaiting() != is.isWaiting(); });
        addAll(m_diff.entries, m_before.entries, m_after.entries,
            [](const LockTableEntry& was, const LockTableEntry& is) { return !isRenewed(was, is); });
        addAll(m_diff.entryWaiters, m_before.entryWaiters, m_after.entryWaiters,
            [](const LockTableWaiter&, const LockTableWaiter&) { return false; });
        addAll(
            m_diff.sessions, m_before.sessions, m_after.sessions, [](const Session& was, const Session& is) {
                return was.state != is.state || was.statement != is.statement
                    || was.transactionStarted != is.transactionStarted;
            });
        std::ranges::stable_sort(m_all, [](const SnapshotDifference& a, const SnapshotDifference& b) {
            return std::tie(a.what, a.change) < std::tie(b.what, b.change);
        });
        return std::move(m_all);
    }

private:
    /// Adds what is new and gone, and those changes that count.
    template <class Row, class Counts>
    void addAll(
        const RowDiff& diff, const std::vector<Row>& before, const std::vector<Row>& after, Counts counts)
    {
        for (const quint32 at : diff.inserted)
            add(nullptr, &after[at]);
        for (const quint32 at : diff.removed)
            add(&before[at], nullptr);
        for (const auto& [from, to] : diff.changed)
            if (counts(before[from], after[to]))
                add(&before[from], &after[to]);
    }

    static Change changeOf(const void* was, const void* is)
    {
        return !was ? Change::New : !is ? Change::Gone : Change::Changed;
    }

    static bool isOwn(const Snapshot& snapshot, SessionId id)
    {
        const Session* session = snapshot.session(id);
        return session && session->own;
    }

    void add(const LockRequest* was, const LockRequest* is)
    {
        const Snapshot& snapshot = is ? m_after : m_before;
        const LockRequest& request = is ? *is : *was;
        const Resource& resource = snapshot.resourceOf(request);
        if (resource.internal || isOwn(snapshot, request.session))
            return;
        const bool isWait = (was && was->isWaiting()) || (is && is->isWaiting());
        m_all.push_back({.what = isWait ? What::Wait : What::Lock,
            .change = changeOf(was, is),
            .who = sessionTitle(snapshot, request.session),
            .lock = resource.name,
            .mode = request.mode.name(),
            .before = was ? requestText(m_before, *was) : QString(),
            .after = is ? requestText(m_after, *is) : QString()});
    }

    void add(const LockTableEntry* was, const LockTableEntry* is)
    {
        if (was && is) {
            add(was, nullptr);
            return add(nullptr, is);
        }
        const LockTableEntry& entry = is ? *is : *was;
        m_all.push_back({.what = What::Lock,
            .change = changeOf(was, is),
            .who = entry.party.owner,
            .lock = entry.name,
            .before = was ? entryText(m_before, *was) : QString(),
            .after = is ? entryText(m_after, *is) : QString()});
    }

    void add(const LockTableWaiter* was, const LockTableWaiter* is)
    {
        const auto textOf = [](const Snapshot& snapshot, const LockTableWaiter* waiter) {
            return waiter ? withAge(u"waits"_s, knownAge(waiter->registeredAt, snapshot.takenAt)) : QString();
        };
        const LockTableWaiter& waiter = is ? *is : *was;
        m_all.push_back({.what = What::Wait,
            .change = changeOf(was, is),
            .who = waiter.party.owner,
            .lock = waiter.name,
            .before = textOf(m_before, was),
            .after = textOf(m_after, is)});
    }

    void add(const Session* was, const Session* is)
    {
        const Session& session = is ? *is : *was;
        if (session.own)
            return;
        m_all.push_back({.what = What::Session,
            .change = changeOf(was, is),
            .who = sessionTitle(is ? m_after : m_before, session.id),
            .before = was ? sessionText(m_before, *was) : QString(),
            .after = is ? sessionText(m_after, *is) : QString()});
    }

    const Snapshot& m_before;
    const Snapshot& m_after;
    const SnapshotDiff m_diff;
    std::vector<SnapshotDifference> m_all;
};

} // namespace

QString whatName(What what)
{
    static constexpr EnumTable<What> names({u"wait", u"lock", u"session"});
    return names[what].toString();
}

QString changeName(Change change)
{
    static constexpr EnumTable<Change> names({u"new", u"gone", u"changed"});
    return names[change].toString();
}

std::vector<SnapshotDifference> differencesBetween(const Snapshot& before, const Snapshot& after)
{
    return SnapshotComparer(before, after).all();
}

using Kind = LockChange::Kind;

namespace {

QSet<ResourceKey> awaited(const Snapshot& snapshot)
{
    QSet<ResourceKey> keys;
    for (const LockRequest& request : snapshot.requests)
        if (request.isWaiting())
            keys.insert(snapshot.resourceOf(request).key);
    return keys;
}

class ChangeFinder {
public:
    ChangeFinder(const Snapshot& before, const Snapshot& after)
        : m_before(before)
        , m_after(after)
        , m_diff(diffSnapshots(before, after))
        , m_waitedFor(awaited(before) + awaited(after))
    {
        for (const LockTableWaiter& waiter : before.entryWaiters)
            m_queues[{waiter.table, waiter.name}] << &waiter;
        for (const LockTableEntry& entry : after.entries) {
            const LockTableEntry*& first = m_entriesAfter[{entry.table, entry.name}];
            first = first ? first : &entry;
        }
    }

    std::vector<LockChange> all()
    {
        addRequests();
        addEntries();
        addTickets();
        std::ranges::stable_sort(m_all, {}, &LockChange::kind);
        return std::move(m_all);
    }

private:
    void addRequests()
    {
        for (const quint32 at : m_diff.requests.removed) {
            const LockRequest& was = m_before.requests[at];
            if (!was.isWaiting() || !holdsNow(was))
                add(was.isWaiting() ? Kind::StoppedWaiting : Kind::GaveBack, m_before, was);
        }
        for (const auto& [from, to] : m_diff.requests.changed) {
            const LockRequest& was = m_before.requests[from];
            const LockRequest& is = m_after.requests[to];
            if (was.isWaiting() && !is.isWaiting())
                add(Kind::Got, m_after, is, m_before.ageOf(was));
            else if (!was.isWaiting() && is.isWaiting())
                add(Kind::Waits, m_after, is);
        }
        for (const quint32 at : m_diff.requests.inserted) {
            const LockRequest& is = m_after.requests[at];
            add(is.isWaiting() ? Kind::Waits : Kind::Got, m_after, is);
        }
    }

    void addEntries()
    {
        for (const quint32 at : m_diff.entries.removed)
            add(Kind::GaveBack, m_before.entries[at]);
        for (const auto& [from, to] : m_diff.entries.changed) {
            const LockTableEntry& was = m_before.entries[from];
            const LockTableEntry& is = m_after.entries[to];
            if (isRenewed(was, is))
                continue;
            add(Kind::GaveBack, was);
            add(Kind::Got, is);
        }
        for (const quint32 at : m_diff.entries.inserted)
            add(Kind::Got, m_after.entries[at]);
    }

    void addTickets()
    {
        for (const quint32 at : m_diff.entryWaiters.removed) {
            const LockTableWaiter& was = m_before.entryWaiters[at];
            const LockTableEntry* entry = m_entriesAfter.value({was.table, was.name});
            if (!entry || !isSame(entry->party, was.party))
                m_all.push_back({.kind = Kind::StoppedWaiting,
                    .who = was.party,
                    .table = was.table,
                    .resource = was.name,
                    .waited = knownAge(was.registeredAt, m_before.takenAt)});
        }
        for (const quint32 at : m_diff.entryWaiters.inserted) {
            const LockTableWaiter& is = m_after.entryWaiters[at];
            m_all.push_back({.kind = Kind::Waits,
                .who = is.party,
                .table = is.table,
                .resource = is.name,
                .waited = knownAge(is.registeredAt, m_after.takenAt)});
        }
    }

    void add(Kind kind, const Snapshot& snapshot, const LockRequest& request, std::optional<Age> waited = {})
    {
        const Resource& resource = snapshot.resourceOf(request);
        const bool isOfInterest = m_waitedFor.contains(resource.key)
            || (resource.key.kind == ResourceKind::ApplicationLock && !resource.internal);
        const SessionId id = snapshot.leaderOf(request.session);
        const Session* session = snapshot.session(id);
        if (!isOfInterest || (session && session->own) || isPlaceInQueue(snapshot, request))
            return;
        LockChange change{.kind = kind, .resource = resource.name, .mode = request.mode, .waited = waited};
        if (session)
            change.who = {
                .owner = session->user, .host = session->host, .program = session->program, .session = id};
        change.who.session = id;
        if (request.isWaiting())
            change.waited = snapshot.ageOf(request);
        if (kind == Kind::Waits)
            change.blockers = snapshot.blocking().blockersOf(id);
        const Session* now = m_after.session(id);
        change.sessionEnded = session && (!now || now->key() != session->key());
        m_all.push_back(std::move(change));
    }

    void add(Kind kind, const LockTableEntry& entry)
    {
        LockChange change{.kind = kind, .who = entry.party, .table = entry.table, .resource = entry.name};
        for (const LockTableWaiter* waiter :
            kind == Kind::Got ? m_queues.value({entry.table, entry.name}) : QList<const LockTableWaiter*>())
            if (isSame(waiter->party, entry.party))
                change.waited = knownAge(waiter->registeredAt, entry.acquiredAt);
        m_all.push_back(std::move(change));
    }

    /// Another mode of the same thing: what it waited for was a conversion.
    bool holdsNow(const LockRequest& was)
    {
        if (!m_heldAfter) {
            m_heldAfter.emplace();
            for (const LockRequest& is : m_after.requests)
                if (!is.isWaiting() && m_waitedFor.contains(m_after.resourceOf(is).key))
                    m_heldAfter->insert(held(m_after, is));
        }
        return m_heldAfter->contains(held(m_before, was));
    }

    using Held = std::pair<std::pair<SessionId, int>, ResourceKey>; ///< with the strength of the mode

    static Held held(const Snapshot& snapshot, const LockRequest& request)
    {
        return {{request.session, request.mode.strength()}, snapshot.resourceOf(request).key};
    }

    static bool isSame(const LockOwnerInfo& a, const LockOwnerInfo& b)
    {
        return a.owner == b.owner && a.host == b.host && a.processId == b.processId;
    }

    const Snapshot& m_before;
    const Snapshot& m_after;
    const SnapshotDiff m_diff;
    const QSet<ResourceKey> m_waitedFor;
    QHash<LockTableKey, QList<const LockTableWaiter*>> m_queues; ///< before
    QHash<LockTableKey, const LockTableEntry*> m_entriesAfter;
    std::optional<QSet<Held>> m_heldAfter; ///< of what somebody waits for in either
    std::vector<LockChange> m_all;
};

} // namespace

QString changeName(LockChange::Kind kind)
{
    static constexpr EnumTable<LockChange::Kind> names(
        {u"gave back", u"got", u"stopped waiting for", u"waits for"});
    return names[kind].toString();
}

std::vector<LockChange> changesBetween(const Snapshot& before, const Snapshot& after)
{
    return ChangeFinder(before, after).all();
}

} // namespace lockscope
