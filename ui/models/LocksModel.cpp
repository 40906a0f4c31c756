// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/LocksModel.h"

#include "ui/AppContext.h"
#include "ui/models/SnapshotNames.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

std::vector<ColumnInfo> lockColumns()
{
    return {
        {QStringLiteral("group"), u"Group"_s, {}, 200, false, false, false, 2},
        {QStringLiteral("state"), u"State"_s, u"Holds the lock, waits for it, or waits to convert it"_s, 100},
        {QStringLiteral("age"), u"Age"_s,
            u"Since when it holds or waits, by the server's clock; ≥ where only a bound is known"_s, 80, true,
            true, true},
        {QStringLiteral("mode"), u"Mode"_s,
            u"Point at a mode to read what it allows and what it conflicts with"_s, 120},
        {QStringLiteral("resource"), u"Resource"_s, u"What is locked"_s, 170, true, false, false, 1},
        {QStringLiteral("kind"), u"Kind"_s, {}, 116, false},
        {QStringLiteral("session"), u"Session"_s, u"The server's number of the session"_s, 66, true, true},
        {QStringLiteral("blocked-by"), u"Blocked by"_s, u"Sessions that must give way first"_s, 84},
        {QStringLiteral("blocks"), u"Blocks"_s, u"Sessions that wait for this one here"_s, 76},
        {QStringLiteral("user"), u"User"_s, {}, 84, false},
        {QStringLiteral("program"), u"Program"_s, {}, 104, true, false, false, 1},
        {QStringLiteral("statement"), u"Statement"_s,
            u"The running one, or the last one of an idle session"_s, 150, true, false, false, 2},
        {QStringLiteral("host"), u"Host"_s, {}, 90, false},
        {QStringLiteral("database"), u"Database"_s, {}, 100, false},
        {QStringLiteral("owner"), u"Released by"_s, u"The end of the transaction or of the session"_s, 110,
            false},
        {QStringLiteral("count"), u"Times"_s, u"How often it is held; each needs its release"_s, 64, false,
            true},
    };
}

QString stateText(RequestState state)
{
    switch (state) {
    case RequestState::Granted:
        return u"holding"_s;
    case RequestState::Waiting:
        return u"waiting"_s;
    case RequestState::Converting:
        return u"converting"_s;
    }
    return {};
}

Glyph glyphOf(RequestState state)
{
    return state == RequestState::Granted ? Glyph::Holder
        : state == RequestState::Waiting  ? Glyph::Waiter
                                          : Glyph::Converting;
}

QString ownerText(LockOwner owner)
{
    switch (owner) {
    case LockOwner::Transaction:
        return u"transaction"_s;
    case LockOwner::Session:
        return u"session"_s;
    case LockOwner::Other:
        return u"other"_s;
    }
    return {};
}

QString statementText(const Session* session)
{
    if (!session)
        return noValue;
    return session->statementVisible ? session->statement : u"(hidden from our role)"_s;
}

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
    QMultiHash<quint64, quint32> requests;
    for (const WaitEdge& edge : snapshot.waits)
        view.contended[edge.resource] = 1;
    for (quint32 i = 0; i < snapshot.requests.size(); ++i) {
        if (view.contended[snapshot.requests[i].resource])
            requests.insert(place(snapshot.requests[i].session, snapshot.requests[i].resource), i);
    }
    const auto addTo = [&](QHash<quint32, std::vector<SessionId>>& lists, SessionId of, quint32 resource,
                           SessionId other, bool waitingOnly) {
        const auto [from, to] = requests.equal_range(place(of, resource));
        for (auto it = from; it != to; ++it) {
            if (waitingOnly && !snapshot.requests[*it].isWaiting())
                continue;
            auto& list = lists[*it];
            if (std::find(list.begin(), list.end(), other) == list.end())
                list.push_back(other);
        }
    };
    for (const WaitEdge& edge : snapshot.waits) {
        addTo(view.blockers, edge.waiter, edge.resource, edge.blocker, true);
        addTo(view.victims, edge.blocker, edge.resource, edge.waiter, false);
    }
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
        const QString id = QString::number(view.request(request).session.value);
        return session && !session->program.isEmpty() ? id + QStringLiteral(" · ") + session->program : id;
    }
    case LockGrouping::Mode:
        return view.request(request).mode.title();
    case LockGrouping::None:
        break;
    }
    return {};
}

/// What somebody waits for, the longest wait first; then what is held in peace, in the order of the snapshot.
void arrange(LockView& view)
{
    const Snapshot& snapshot = *view.snapshot;
    struct Contended {
        quint32 resource;
        ServerTime since; ///< of its longest wait
        std::vector<quint32> holders;
        std::vector<quint32> waiters;
    };
    constexpr quint32 peaceful = ~quint32(0);
    std::vector<quint32> placeOf(snapshot.resources.size(), peaceful);
    std::vector<Contended> contended;
    for (const LockRequest& request : snapshot.requests) {
        if (!request.isWaiting())
            continue;
        quint32& place = placeOf[request.resource];
        if (place == peaceful) {
            place = static_cast<quint32>(contended.size());
            contended.push_back({request.resource, snapshot.takenAt, {}, {}});
        }
        contended[place].since = std::min(contended[place].since, request.since.value_or(snapshot.takenAt));
    }
    std::vector<quint32> rest;
    rest.reserve(snapshot.requests.size());
    for (quint32 i = 0; i < snapshot.requests.size(); ++i) {
        const LockRequest& request = snapshot.requests[i];
        if (const quint32 place = placeOf[request.resource]; place == peaceful)
            rest.push_back(i);
        else
            (request.isWaiting() ? contended[place].waiters : contended[place].holders).push_back(i);
    }
    // By the resource where the waits are of one age, so that nothing changes places from poll to poll.
    std::sort(contended.begin(), contended.end(), [&](const Contended& a, const Contended& b) {
        return a.since != b.since ? a.since < b.since
                                  : snapshot.resources[a.resource].name < snapshot.resources[b.resource].name;
    });
    view.order.reserve(snapshot.requests.size());
    for (const Contended& one : contended) {
        view.order.insert(view.order.end(), one.holders.begin(), one.holders.end());
        view.order.insert(view.order.end(), one.waiters.begin(), one.waiters.end());
    }
    view.order.insert(view.order.end(), rest.begin(), rest.end());
}

void group(LockView& view)
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

std::shared_ptr<const LockView> makeView(
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
        view->sessionOf[i] =
            session ? static_cast<quint32>(session - snapshot->sessions.data()) : LockView::unseen;
    }
    view->sessionSame.resize(snapshot->sessions.size());
    for (size_t i = 0; i < snapshot->sessions.size(); ++i) {
        const Session* was = former ? former->snapshot->session(snapshot->sessions[i].id) : nullptr;
        view->sessionSame[i] = static_cast<char>(was && *was == snapshot->sessions[i]);
    }
    relate(*view);
    arrange(*view);
    if (grouping != LockGrouping::None)
        group(*view);
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

bool sameList(const QHash<quint32, std::vector<SessionId>>& before, quint32 was,
    const QHash<quint32, std::vector<SessionId>>& after, quint32 is)
{
    const auto a = before.constFind(was);
    const auto b = after.constFind(is);
    if (a == before.cend() || b == after.cend())
        return a == before.cend() && b == after.cend();
    return *a == *b;
}

SortKey textKey(const QString& text)
{
    return text.isEmpty() || text == noValue ? SortKey() : SortKey(text);
}

/// Old first when descending: the age grows as the time of its start falls.
SortKey ageKey(const std::optional<ServerTime>& since)
{
    return since ? SortKey(-since->us) : SortKey();
}

SortKey countKey(const QHash<quint32, std::vector<SessionId>>& lists, quint32 request)
{
    const auto found = lists.constFind(request);
    return found == lists.cend() ? SortKey() : SortKey(static_cast<qint64>(found->size()));
}

} // namespace

LocksModel::LocksModel(const AppContext& context, QObject* parent)
    : KeyedTableModel(lockColumns(), parent)
    , m_context(context)
{
    connect(&context, &AppContext::thresholdsChanged, this, &LocksModel::repaintAll);
}

void LocksModel::showSnapshot(const SnapshotPtr& snapshot)
{
    auto view = makeView(snapshot, m_grouping, anchor().get());
    auto lockRows = makeRows(view.get());
    m_sameResource.assign(snapshot ? snapshot->resources.size() : 0, std::nullopt);
    setRows(std::move(lockRows), std::move(view));
}

void LocksModel::setGrouping(LockGrouping grouping)
{
    if (m_grouping == grouping)
        return;
    m_grouping = grouping;
    if (anchor())
        showSnapshot(anchor()->snapshot);
}

const LockRequest* LocksModel::requestAt(int viewRow) const
{
    const LockRow& row = rowAt(viewRow);
    return row.head ? nullptr : &row.view->request(row.index);
}

std::optional<LockRequestKey> LocksModel::keyAt(int viewRow) const
{
    const LockRequest* request = requestAt(viewRow);
    if (!request)
        return std::nullopt;
    return anchor()->snapshot->keyOf(*request);
}

const Session* LocksModel::sessionAt(int viewRow) const
{
    const LockRow& row = rowAt(viewRow);
    if (!row.head)
        return row.view->session(row.index);
    return m_grouping == LockGrouping::Session ? row.view->session(row.view->groups[row.index].sample)
                                               : nullptr;
}

int LocksModel::findRequest(const LockRequestKey& key) const
{
    for (int row = 0; row < rowCount(); ++row) {
        const LockRequest* request = requestAt(row);
        if (request && request->session == key.session && anchor()->snapshot->keyOf(*request) == key)
            return row;
    }
    return -1;
}

bool LocksModel::sameResource(const LockRow& before, const LockRow& after) const
{
    std::optional<bool>& known = m_sameResource[after.view->request(after.index).resource];
    if (!known)
        known = before.view->resource(before.index) == after.view->resource(after.index);
    return *known;
}

bool LocksModel::same(const LockRow& before, const LockRow& after) const
{
    if (after.head)
        return before.view->groups[before.index] == after.view->groups[after.index];
    const LockRequest& a = before.view->request(before.index);
    const LockRequest& b = after.view->request(after.index);
    const quint32 session = after.view->sessionOf[after.index];
    const bool sameSession = session == LockView::unseen ? !before.view->session(before.index)
                                                         : after.view->sessionSame[session] != 0;
    if (!sameSession || a.state != b.state || a.count != b.count || a.since != b.since
        || a.sinceExact != b.sinceExact || !sameResource(before, after))
        return false;
    if (!before.view->contended[a.resource] && !after.view->contended[b.resource])
        return true;
    return sameList(before.view->blockers, before.index, after.view->blockers, after.index)
        && sameList(before.view->victims, before.index, after.view->victims, after.index);
}

bool LocksModel::isNoise(quint32 row) const
{
    const LockRow& r = rows()[row];
    if (r.head)
        return false;
    const LockRequest& request = r.view->request(r.index);
    // Nobody's wait is ever noise, nor what it waits for.
    if (request.isWaiting() || r.view->victims.contains(r.index))
        return false;
    const Session* session = r.view->session(r.index);
    const Resource& resource = r.view->resource(r.index);
    return resource.internal || isInternalKind(resource.key.kind) || (session && session->own);
}

quint32 LocksModel::parentOf(quint32 row) const
{
    const LockRow& r = rows()[row];
    return r.head || r.view->groups.empty() ? noParent : r.view->groupOf[r.index];
}

QString LocksModel::nodeId(quint32 row) const
{
    return rows()[row].view->groups[rows()[row].index].id;
}

QString LocksModel::text(quint32 row, int column) const
{
    const LockRow& r = rows()[row];
    return r.head ? headText(*r.view, r.view->groups[r.index], column)
                  : requestText(*r.view, r.index, column);
}

QString LocksModel::headText(const LockView& view, const LockView::Group& group, int column) const
{
    switch (column) {
    case Group:
        return group.title;
    case State: {
        QStringList parts;
        if (group.holders > 0)
            parts << u"%1 hold"_s.arg(group.holders);
        if (group.waiters > 0)
            parts << u"%1 wait"_s.arg(group.waiters);
        return parts.join(QStringLiteral(", "));
    }
    case AgeColumn:
        return group.waitingSince ? ageText(group.waitingSince, m_context.serverNow(), group.waitExact)
                                  : QString();
    case Mode:
        return view.grouping == LockGrouping::Mode ? requestText(view, group.sample, column) : QString();
    case ResourceName:
    case Kind:
    case Database:
        return view.grouping == LockGrouping::Resource ? requestText(view, group.sample, column) : QString();
    case SessionColumn:
    case User:
    case Program:
    case Host:
    case Statement:
        return view.grouping == LockGrouping::Session ? requestText(view, group.sample, column) : QString();
    default:
        return {};
    }
}

QString LocksModel::requestText(const LockView& view, quint32 request, int column) const
{
    const LockRequest& r = view.request(request);
    const Session* session = view.session(request);
    switch (column) {
    case State:
        return stateText(r.state);
    case AgeColumn:
        return ageText(r.since, m_context.serverNow(), r.sinceExact);
    case Mode:
        return r.mode.title();
    case ResourceName:
        return view.resource(request).name;
    case Kind:
        return resourceKindName(view.resource(request).key.kind);
    case SessionColumn:
        return r.session.isValid() ? QString::number(r.session.value) : noValue;
    case User:
        return session ? session->user : noValue;
    case Program:
        return session ? session->program : noValue;
    case Host:
        return session ? session->host : noValue;
    case Statement:
        return statementText(session);
    case BlockedBy:
        return sessionList(view.blockers.value(request));
    case Blocks:
        return sessionList(view.victims.value(request));
    case Database:
        return view.resource(request).database;
    case Owner:
        return ownerText(r.owner);
    case Count:
        return QString::number(r.count);
    default:
        return {};
    }
}

SortKey LocksModel::headKey(const LockView& view, const LockView::Group& group, int column) const
{
    switch (column) {
    case State:
        return static_cast<qint64>(group.waiters);
    case AgeColumn:
        return ageKey(group.waitingSince);
    case SessionColumn:
        return view.grouping == LockGrouping::Session ? SortKey(view.request(group.sample).session.value)
                                                      : SortKey();
    default:
        return textKey(headText(view, group, column));
    }
}

SortKey LocksModel::sortKey(quint32 row, int column) const
{
    const LockRow& r = rows()[row];
    const LockView& view = *r.view;
    if (r.head)
        return headKey(view, view.groups[r.index], column);
    const LockRequest& request = view.request(r.index);
    switch (column) {
    case State:
        return static_cast<qint64>(request.state);
    case AgeColumn:
        return ageKey(request.since);
    case Mode:
        return static_cast<qint64>(request.mode.strength());
    case ResourceName:
        return textKey(view.resource(r.index).name);
    case SessionColumn:
        return request.session.value;
    case BlockedBy:
        return countKey(view.blockers, r.index);
    case Blocks:
        return countKey(view.victims, r.index);
    case Count:
        return static_cast<qint64>(request.count);
    default:
        return textKey(requestText(view, r.index, column));
    }
}

/// What is held by the monitor or the server itself is no matter of the user's.
Tone LocksModel::toneOfAge(const LockView& view, quint32 request) const
{
    const LockRequest& r = view.request(request);
    const Session* session = view.session(request);
    if (!r.since || (!r.isWaiting() && session && (session->own || session->system)))
        return Tone::Normal;
    const LockThresholds& limits = m_context.thresholds();
    return toneOf(
        (r.isWaiting() ? limits.wait : limits.hold).levelOf(ageOf(*r.since, m_context.serverNow())));
}

QVariant LocksModel::cell(quint32 row, int column, int role) const
{
    const LockRow& r = rows()[row];
    if (role == Qt::ToolTipRole) {
        const QString tip = tipOf(row, column);
        return tip.isEmpty() ? QVariant() : tip;
    }
    if (r.head) {
        const LockView::Group& head = r.view->groups[r.index];
        if (role == EmphasisRole)
            return column == Group;
        if (column != AgeColumn || !head.waitingSince)
            return {};
        const Tone tone =
            toneOf(m_context.thresholds().wait.levelOf(ageOf(*head.waitingSince, m_context.serverNow())));
        if (role == ToneRole)
            return QVariant::fromValue(tone);
        return role == GlyphRole && tone != Tone::Normal ? QVariant::fromValue(Glyph::Warning) : QVariant();
    }
    const Tone tone = column == State || column == AgeColumn ? toneOfAge(*r.view, r.index) : Tone::Normal;
    if (role == GlyphRole) {
        if (column == State)
            return QVariant::fromValue(glyphOf(r.view->request(r.index).state));
        if (column == AgeColumn && tone != Tone::Normal)
            return QVariant::fromValue(Glyph::Warning);
    }
    if (role == ToneRole)
        return QVariant::fromValue(tone);
    return {};
}

QString LocksModel::tipOf(quint32 row, int column) const
{
    const LockRow& r = rows()[row];
    if (column != Mode || (r.head && m_grouping != LockGrouping::Mode))
        return {};
    const LockMode& mode = r.view->request(r.head ? r.view->groups[r.index].sample : r.index).mode;
    QStringList conflicts;
    for (const LockMode& other : mode.conflicts())
        conflicts << other.title();
    return QStringLiteral("<b>%1</b> (%2)<br>%3<br><br>%4")
        .arg(mode.title().toHtmlEscaped(), mode.name().toHtmlEscaped(), mode.meaning().toHtmlEscaped(),
            conflicts.isEmpty()
                ? u"Conflicts with no other mode."_s
                : u"Conflicts with: %1."_s.arg(conflicts.join(QStringLiteral(", ")).toHtmlEscaped()));
}

} // namespace lockscope::ui
