// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/locks/LockView.h"

#include "core/domain/BlockingForest.h"
#include "core/domain/SnapshotNames.h"

#include <QSet>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// A session and a resource in one number: enough to find the few requests of an edge.
quint64 place(SessionId session, quint32 resource)
{
    return (static_cast<quint64>(session.value) << 32) ^ resource;
}

void relate(LockView& view)
{
    const Snapshot& snapshot = *view.snapshot;
    view.contended.assign(snapshot.resources.size(), 0);
    if (snapshot.waits.empty())
        return;
    for (const WaitEdge& edge : snapshot.waits)
        view.contended[edge.resource] = 1;
    // The first request of each place, and behind it the next one, which hardly any has.
    constexpr quint32 none = ~quint32(0);
    QHash<quint64, quint32> firstAt;
    std::vector<quint32> nextAt(snapshot.requests.size(), none);
    for (quint32 i = 0; i < snapshot.requests.size(); ++i) {
        const LockRequest& request = snapshot.requests[i];
        if (!view.contended[request.resource])
            continue;
        const auto known = firstAt.find(place(request.session, request.resource));
        if (known == firstAt.end())
            firstAt.insert(place(request.session, request.resource), i);
        else
            nextAt[i] = std::exchange(*known, i);
    }
    const auto first = [&](SessionId of, quint32 resource) {
        return firstAt.value(place(of, resource), none);
    };
    std::vector<SessionLists::Pair> blockers;
    std::vector<SessionLists::Pair> victims;
    blockers.reserve(snapshot.waits.size());
    victims.reserve(snapshot.waits.size());
    quint32 waiting = none;
    for (size_t at = 0; at < snapshot.waits.size(); ++at) {
        const WaitEdge& edge = snapshot.waits[at];
        // Edges come grouped by waiter.
        const bool isSame = at > 0 && snapshot.waits[at - 1].waiter == edge.waiter
            && snapshot.waits[at - 1].resource == edge.resource;
        if (!isSame)
            waiting = first(edge.waiter, edge.resource);
        for (quint32 i = waiting; i != none; i = nextAt[i]) {
            if (snapshot.requests[i].isWaiting())
                blockers.emplace_back(i, edge.blocker);
        }
        for (quint32 i = first(edge.blocker, edge.resource); i != none; i = nextAt[i])
            victims.emplace_back(i, edge.waiter);
    }
    view.blockers = SessionLists(snapshot.requests.size(), blockers);
    view.victims = SessionLists(snapshot.requests.size(), victims);
}

QString groupId(const LockView& view, quint32 request)
{
    const LockRequest& r = view.request(request);
    switch (view.grouping) {
    case LockGrouping::Resource: {
        const ResourceKey& key = view.resource(request).key;
        return QStringLiteral("%1/%2/%3/%4/%5")
            .arg(static_cast<int>(key.kind))
            .arg(key.database)
            .arg(key.entity)
            .arg(key.part)
            .arg(key.text);
    }
    case LockGrouping::Session:
        return QStringLiteral("%1@%2").arg(r.session.value).arg(r.sessionStarted.us);
    case LockGrouping::Mode:
        return r.mode.name();
    case LockGrouping::Framework:
        return view.resource(request).framework ? view.resource(request).framework->badge() : QString();
    case LockGrouping::None:
        break;
    }
    return {};
}

QString groupTitle(const LockView& view, quint32 request)
{
    switch (view.grouping) {
    case LockGrouping::Resource:
        return view.resource(request).name;
    case LockGrouping::Session: {
        const Session* session = view.session(request);
        const SessionId of = view.request(request).session;
        const QString id = sessionName(*view.snapshot, of);
        if (isPrepared(*view.snapshot, of))
            return id;
        return session && !session->program.isEmpty() ? id + QStringLiteral(" · ") + session->program : id;
    }
    case LockGrouping::Mode:
        return view.request(request).mode.title();
    case LockGrouping::Framework:
        return view.resource(request).framework ? view.resource(request).framework->badge()
                                                : u"No framework is known"_s;
    case LockGrouping::None:
        break;
    }
    return {};
}

/// Arranges locks with waiters first, the worst chain's before the others; then those held without one, in
/// the order of the snapshot.
void arrange(LockView& view)
{
    const Snapshot& snapshot = *view.snapshot;
    const std::vector<quint32> contended = contendedOrder(snapshot);
    std::vector<size_t> placeOf(snapshot.resources.size(), contended.size());
    for (size_t i = 0; i < contended.size(); ++i)
        placeOf[contended[i]] = i;
    struct Place {
        std::vector<quint32> holders;
        std::vector<quint32> waiters;
    };
    std::vector<Place> places(contended.size() + 1); // the last one: of what nobody waits for
    places.back().holders.reserve(snapshot.requests.size());
    for (quint32 i = 0; i < snapshot.requests.size(); ++i) {
        const LockRequest& request = snapshot.requests[i];
        Place& at = places[placeOf[request.resource]];
        (request.isWaiting() ? at.waiters : at.holders).push_back(i);
    }
    view.order.reserve(snapshot.requests.size());
    for (const Place& at : places) {
        view.order.insert(view.order.end(), at.holders.begin(), at.holders.end());
        view.order.insert(view.order.end(), at.waiters.begin(), at.waiters.end());
    }
}

void groupRows(LockView& view)
{
    QHash<QString, quint32> known;
    view.groupOf.resize(view.snapshot->requests.size());
    for (const quint32 i : view.order) {
        const QString id = groupId(view, i);
        auto found = known.constFind(id);
        if (found == known.cend()) {
            found = known.insert(id, static_cast<quint32>(view.groups.size()));
            LockView::Group fresh;
            fresh.id = id;
            fresh.title = groupTitle(view, i);
            fresh.sample = i;
            view.groups.push_back(std::move(fresh));
        }
        view.groupOf[i] = *found;
        LockView::Group& target = view.groups[*found];
        const LockRequest& request = view.request(i);
        ++(request.isWaiting() ? target.waiters : target.holders);
        if (request.isWaiting() && request.since
            && (!target.waitingSince || *request.since < *target.waitingSince)) {
            target.waitingSince = request.since;
            target.waitExact = request.sinceExact;
        }
    }
}

} // namespace

SessionLists::SessionLists(size_t requests, const std::vector<Pair>& pairs)
    : m_first(requests + 1, 0)
    , m_count(requests, 0)
    , m_sessions(pairs.size())
{
    for (const auto& [request, session] : pairs)
        ++m_first[request + 1];
    for (size_t request = 0; request < requests; ++request)
        m_first[request + 1] += m_first[request];
    constexpr size_t few = 32; // in a short list looking is faster than hashing
    QSet<std::pair<quint32, SessionId>> seenBefore;
    for (const auto& [request, session] : pairs) {
        const auto list = of(request);
        bool isNew = false;
        if (m_first[request + 1] - m_first[request] > few) {
            const qsizetype before = seenBefore.size();
            seenBefore.insert({request, session});
            isNew = seenBefore.size() > before;
        } else {
            isNew = std::find(list.begin(), list.end(), session) == list.end();
        }
        if (isNew)
            m_sessions[m_first[request] + m_count[request]++] = session;
    }
}

bool LockView::Group::operator==(const Group& other) const
{
    return id == other.id && title == other.title && holders == other.holders && waiters == other.waiters
        && waitingSince == other.waitingSince && waitExact == other.waitExact;
}

std::shared_ptr<const LockView> LockView::make(
    const SnapshotPtr& snapshot, LockGrouping grouping, const LockView* former)
{
    if (!snapshot)
        return {};
    auto view = std::make_shared<LockView>();
    view->snapshot = snapshot;
    view->grouping = grouping;
    view->sessionOf.resize(snapshot->requests.size());
    for (quint32 i = 0; i < snapshot->requests.size(); ++i) {
        const Session* session = snapshot->session(snapshot->requests[i].session);
        view->sessionOf[i] = session ? static_cast<quint32>(session - snapshot->sessions.data()) : unseen;
    }
    view->sessionSame.resize(snapshot->sessions.size());
    for (size_t i = 0; i < snapshot->sessions.size(); ++i) {
        const Session* was = former ? former->snapshot->session(snapshot->sessions[i].id) : nullptr;
        view->sessionSame[i] = static_cast<char>(was && *was == snapshot->sessions[i]);
    }
    relate(*view);
    arrange(*view);
    if (grouping != LockGrouping::None)
        groupRows(*view);
    return view;
}

std::vector<LockRow> makeRows(const LockView* view)
{
    std::vector<LockRow> rows;
    if (!view)
        return rows;
    rows.reserve(view->groups.size() + view->sessionOf.size());
    // parentOf relies on the heads coming first, in their order.
    for (quint32 i = 0; i < view->groups.size(); ++i)
        rows.push_back({view, i, true});
    for (const quint32 i : view->order)
        rows.push_back({view, i, false});
    if (view->grouping != LockGrouping::None) {
        const auto heads = static_cast<std::ptrdiff_t>(view->groups.size());
        std::stable_partition(rows.begin() + heads, rows.end(),
            [view](const LockRow& row) { return !view->request(row.index).isWaiting(); });
    }
    return rows;
}

const Session* LockView::session(quint32 request) const
{
    const quint32 index = sessionOf[request];
    return index == unseen ? nullptr : &snapshot->sessions[index];
}

bool LockRowKey::operator==(const LockRowKey& other) const
{
    if (row.head != other.row.head)
        return false;
    if (row.head)
        return row.view->groups[row.index].id == other.row.view->groups[other.row.index].id;
    const LockRequest& a = row.view->request(row.index);
    const LockRequest& b = other.row.view->request(other.row.index);
    return a.session == b.session && a.sessionStarted == b.sessionStarted && a.owner == b.owner
        && a.ordinal == b.ordinal && a.mode == b.mode
        && row.view->resource(row.index).key == other.row.view->resource(other.row.index).key;
}

size_t qHash(const LockRowKey& key, size_t seed) noexcept
{
    if (key.row.head)
        return ::qHash(key.row.view->groups[key.row.index].id, seed);
    const LockRequest& request = key.row.view->request(key.row.index);
    return qHashMulti(seed, request.session.value, request.sessionStarted.us, request.mode.strength(),
        static_cast<int>(request.owner), request.ordinal, key.row.view->resource(key.row.index).key);
}

} // namespace lockscope::ui
