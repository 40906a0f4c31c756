// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Deadlock.h"

#include "core/domain/BlockingGraph.h"
#include "core/domain/Snapshot.h"
#include "core/domain/StrongComponents.h"

#include <QCryptographicHash>
#include <QHash>
#include <QSet>

#include <algorithm>
#include <deque>
#include <numeric>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// Above this a report is not one of a deadlock: all pairs of owners and waiters would be too many.
constexpr qsizetype maxLinks = 20'000;
constexpr qsizetype maxCycles = 500;

bool conflicts(Engine engine, const Edge& held, const Edge& awaited)
{
    const LockMode holds = LockMode::fromText(engine, held.mode);
    const LockMode waitsFor = LockMode::fromText(engine, awaited.mode);
    return !holds.isKnown() || !waitsFor.isKnown() || !holds.compatibleWith(waitsFor);
}

/// The edges at one resource.
struct Meeting {
    QList<const Edge*> holders;
    QList<const Edge*> ahead; ///< wait, and are named among the owners
    QList<const Edge*> waiters;
};

Link linkOf(const Edge& waiter, const Edge& blocker, bool isQueue)
{
    return {.waiter = waiter.participant,
        .blocker = blocker.participant,
        .resource = waiter.resource,
        .awaited = waiter.mode,
        .held = isQueue ? QString() : blocker.mode,
        .converts = waiter.converts,
        .isQueue = isQueue};
}

/// Returns the holders that block the waiter; if there is none, holders in an unknown mode; then those ahead
/// in the queue.
QList<Link> linksOf(Engine engine, const Meeting& meeting, const Edge& waiter)
{
    QList<Link> links;
    const auto add = [&](const QList<const Edge*>& blockers, bool isQueue, bool judge) {
        for (const Edge* blocker : blockers) {
            const bool isInTheWay =
                blocker->participant != waiter.participant && (!judge || conflicts(engine, *blocker, waiter));
            const Link link = linkOf(waiter, *blocker, isQueue);
            const bool isNew = std::ranges::none_of(
                links, [&link](const Link& other) { return other.blocker == link.blocker; });
            if (isInTheWay && isNew)
                links << link;
        }
    };
    add(meeting.holders, false, true);
    if (links.isEmpty())
        add(meeting.ahead, true, true);
    if (links.isEmpty())
        add(meeting.holders, false, false);
    return links;
}

QList<Link> allLinks(const DeadlockReport& report)
{
    std::vector<Meeting> meetings(size_t(report.resources.size()));
    for (const Edge& edge : report.edges) {
        Meeting& meeting = meetings[size_t(edge.resource)];
        if (edge.kind == Edge::Kind::Holds)
            meeting.holders << &edge;
        else
            meeting.waiters << &edge;
        if (edge.isAmongOwners)
            meeting.ahead << &edge;
    }
    QList<Link> links;
    for (const Meeting& meeting : meetings) {
        for (const Edge* waiter : meeting.waiters) {
            if (links.size() > maxLinks)
                return links;
            for (const Link& link : linksOf(report.engine, meeting, *waiter)) {
                const bool isNew = std::none_of(links.crbegin(), links.crend(), [&link](const Link& other) {
                    return other.waiter == link.waiter && other.blocker == link.blocker
                        && other.resource == link.resource;
                });
                if (isNew)
                    links << link;
            }
        }
    }
    return links;
}

/// The graph of waits.
class Rings {
public:
    /// `nodes`: which node each participant is of.
    Rings(const DeadlockReport& report, QList<int> nodes)
        : m_links(report.links)
        , m_nodes(std::move(nodes))
        , m_out(size_t(report.participants.size()))
    {
        for (qsizetype i = 0; i < m_links.size(); ++i)
            if (waiter(m_links[i]) != blocker(m_links[i]))
                m_out[waiter(m_links[i])].push_back(i);
    }

    /// The shortest ring through this node, beginning with it; empty if it is in none.
    QList<Link> through(int node) const
    {
        const auto start = size_t(node);
        std::vector<qsizetype> cameBy(m_out.size(), -1);
        std::deque<size_t> next{start};
        while (!next.empty()) {
            const size_t at = next.front();
            next.pop_front();
            for (const qsizetype i : m_out[at]) {
                const size_t to = blocker(m_links[i]);
                if (cameBy[to] >= 0)
                    continue;
                cameBy[to] = i;
                if (to == start)
                    return wayBack(cameBy, start);
                next.push_back(to);
            }
        }
        return {};
    }

    /// All nodes that are in rings.
    QList<int> members() const
    {
        std::vector<std::vector<quint32>> successors(m_out.size());
        for (size_t from = 0; from < m_out.size(); ++from)
            for (const qsizetype i : m_out[from])
                successors[from].push_back(quint32(blocker(m_links[i])));
        QList<int> all;
        for (const auto& members : strongComponents(successors).members)
            if (members.size() > 1)
                for (const quint32 member : members)
                    all << int(member);
        std::ranges::sort(all);
        return all;
    }

private:
    size_t waiter(const Link& link) const { return size_t(m_nodes[link.waiter]); }
    size_t blocker(const Link& link) const { return size_t(m_nodes[link.blocker]); }

    QList<Link> wayBack(const std::vector<qsizetype>& cameBy, size_t start) const
    {
        QList<Link> ring;
        size_t at = start;
        do {
            Link link = m_links[cameBy[at]];
            link.waiter = m_nodes[link.waiter];
            link.blocker = m_nodes[link.blocker];
            ring << link;
            at = waiter(link);
        } while (at != start);
        std::ranges::reverse(ring);
        return ring;
    }

    const QList<Link>& m_links;
    const QList<int> m_nodes;
    std::vector<std::vector<qsizetype>> m_out;
};

/// `nodes`: leadersOf(), or each participant by itself.
void findRings(DeadlockReport& report, const QList<int>& nodes)
{
    const Rings rings(report, nodes);
    QSet<int> victims;
    for (const int victim : report.victims)
        victims.insert(nodes[victim]);
    QSet<int> covered;
    const auto take = [&](int node) {
        if (covered.contains(node) || report.cycles.size() >= maxCycles)
            return;
        Cycle cycle;
        cycle.links = rings.through(node);
        for (const Link& link : cycle.links) {
            covered.insert(link.waiter);
            if (victims.contains(link.waiter))
                cycle.victims << link.waiter;
        }
        if (!cycle.links.isEmpty())
            report.cycles << cycle;
    };
    for (const int victim : report.victims)
        take(nodes[victim]);
    for (const int member : rings.members())
        take(member);
    if (report.cycles.size() >= maxCycles)
        report.complaints << u"The report has %1 rings of waits or more; the rest was left out."_s.arg(
            maxCycles);
}

/// Builds the report of those sessions that are in a ring.
class Taker {
public:
    explicit Taker(const Snapshot& snapshot)
        : m_snapshot(snapshot)
        , m_targets(snapshot)
    {
        m_report.kind = ReportKind::Live;
        m_report.engine = snapshot.engine;
        m_report.source.place = snapshot.server;
        m_report.source.format = SourceFormat::Snapshot;
        if (snapshot.takenAt.isValid())
            m_report.time.at = snapshot.takenAt;
        m_report.time.sourceText = snapshot.takenAt.toIsoString();
    }

    ReportPtr take()
    {
        for (const auto& ring : m_snapshot.blocking().cycles())
            for (const SessionId session : ring)
                addParticipant(session);
        for (const WaitEdge& wait : m_snapshot.waits)
            if (m_participants.contains(leader(wait.waiter)) && m_participants.contains(leader(wait.blocker)))
                addWait(wait);
        findCycles(m_report);
        if (m_report.cycles.isEmpty())
            return nullptr;
        if (m_snapshot.isIncomplete())
            m_report.complaints << u"The snapshot is incomplete: a part of the locks could not be read."_s;
        m_report.source.eventKey = eventKey();
        return std::make_shared<const DeadlockReport>(std::move(m_report));
    }

private:
    SessionId leader(SessionId session) const { return m_snapshot.leaderOf(session); }

    void addParticipant(SessionId id)
    {
        Participant one;
        one.key = QString::number(id.value);
        one.session = id;
        if (const Session* session = m_snapshot.session(id)) {
            one.user = session->user;
            one.program = session->program;
            one.host = session->host;
            one.database = session->database;
            one.isolation = session->isolation;
            one.state = sessionStateName(session->state);
            one.logUsed = session->logUsed;
            one.waitResource = session->waitResource;
            if (session->transactionStarted)
                one.transactionStarted = {session->transactionStarted, true, {}};
            if (session->statementStarted)
                one.batchStarted = {session->statementStarted, true, {}};
            if (session->openTransactions)
                one.openTransactions = int(*session->openTransactions);
            one.inputBuffer = session->inputBuffer;
            one.statement = session->statement;
            if (!session->statementVisible)
                m_report.complaints << u"The statement of session %1 is hidden from us."_s.arg(one.key);
        } else {
            one.isListed = false;
        }
        m_participants.insert(id, int(m_report.participants.size()));
        m_report.participants << one;
    }

    int resource(quint32 index)
    {
        const auto known = m_resources.constFind(index);
        if (known != m_resources.cend())
            return *known;
        const Resource& from = m_snapshot.resources[index];
        LockedThing thing;
        thing.key = QString::number(index);
        thing.element = resourceKindName(from.key.kind);
        thing.kind = from.key.kind;
        thing.database = from.database;
        thing.name = from.name.isEmpty() ? thing.element : from.name;
        thing.named = from.named;
        thing.isTransaction = from.key.kind == ResourceKind::TransactionId;
        if (from.key.kind == ResourceKind::Relation && from.named)
            thing.table = from.name;
        const int at = int(m_report.resources.size());
        m_report.resources << thing;
        m_resources.insert(index, at);
        return at;
    }

    void addEdge(const Edge& edge)
    {
        QList<Edge>& known = m_edgesFrom[{edge.participant, edge.resource}];
        if (known.contains(edge))
            return;
        known << edge;
        m_report.edges << edge;
    }

    /// Returns the requests of its waiter and of its blocker, in the order of the snapshot.
    std::vector<const LockRequest*> requestsFor(const WaitEdge& wait)
    {
        if (!m_requests) {
            m_requests.emplace();
            for (const LockRequest& request : m_snapshot.requests)
                (*m_requests)[{leader(request.session), request.resource}].push_back(&request);
        }
        std::vector<const LockRequest*> found = m_requests->value({leader(wait.waiter), wait.resource});
        if (leader(wait.blocker) != leader(wait.waiter)) {
            const std::vector<const LockRequest*> more =
                m_requests->value({leader(wait.blocker), wait.resource});
            found.insert(found.end(), more.begin(), more.end());
        }
        std::ranges::sort(found); // they lie in one array
        return found;
    }

    void addWait(const WaitEdge& wait)
    {
        const int at = resource(wait.resource);
        const int waiter = m_participants.value(leader(wait.waiter));
        const int blocker = m_participants.value(leader(wait.blocker));
        bool isHeld = false;
        for (const LockRequest* each : requestsFor(wait)) {
            const LockRequest& request = *each;
            const SessionId who = leader(request.session);
            if (who == leader(wait.waiter) && request.isWaiting()) {
                addEdge({.participant = waiter,
                    .resource = at,
                    .kind = Edge::Kind::WaitsFor,
                    .mode = request.mode.name(),
                    .converts = request.state == RequestState::Converting});
                if (LockedThing& thing = m_report.resources[at]; thing.table.isEmpty())
                    thing.table = m_targets.tableOf(request);
            } else if (who == leader(wait.blocker) && !request.isWaiting()) {
                addEdge({.participant = blocker,
                    .resource = at,
                    .kind = Edge::Kind::Holds,
                    .mode = request.mode.name()});
                isHeld = true;
            } else if (who == leader(wait.blocker) && wait.kind == WaitEdge::Kind::Queue) {
                addEdge({.participant = blocker,
                    .resource = at,
                    .kind = Edge::Kind::WaitsFor,
                    .mode = request.mode.name(),
                    .converts = request.state == RequestState::Converting,
                    .isAmongOwners = true});
                isHeld = true;
            }
        }
        if (!isHeld)
            addEdge({.participant = blocker, .resource = at, .kind = Edge::Kind::Holds, .isImplied = true});
    }

    QString eventKey() const
    {
        QCryptographicHash hash(QCryptographicHash::Sha256);
        for (const Participant& one : m_report.participants) {
            const Session* session = m_snapshot.session(one.session);
            // The same sessions may meet in the same way again, each in its next transaction.
            const ServerTime transaction =
                session ? session->transactionStarted.value_or(ServerTime()) : ServerTime();
            hash.addData(one.key.toUtf8() + '@' + QByteArray::number(session ? session->started.us : 0) + '/'
                + QByteArray::number(transaction.us) + ';');
        }
        for (const Link& link : m_report.links)
            hash.addData(m_report.resources[link.resource].name.toUtf8() + link.awaited.toUtf8() + ';');
        return QString::fromLatin1(hash.result().toHex().left(32));
    }

    const Snapshot& m_snapshot;
    const WaitTargets m_targets;
    DeadlockReport m_report;
    QHash<SessionId, int> m_participants;
    QHash<quint32, int> m_resources;
    QHash<std::pair<int, int>, QList<Edge>> m_edgesFrom; ///< of a participant at a resource
    using Requests = std::vector<const LockRequest*>;
    std::optional<QHash<std::pair<SessionId, quint32>, Requests>> m_requests; ///< by leader and resource
};

} // namespace

void findCycles(DeadlockReport& report)
{
    report.links = allLinks(report);
    report.cycles.clear();
    findRings(report, leadersOf(report));
    if (!report.cycles.isEmpty())
        return;
    // Threads of one session may wait for each other alone.
    QList<int> each(report.participants.size());
    std::iota(each.begin(), each.end(), 0);
    findRings(report, each);
}

ReportPtr fromSnapshot(const Snapshot& snapshot)
{
    return snapshot.blocking().cycles().empty() ? nullptr : Taker(snapshot).take();
}

} // namespace lockscope::deadlock
