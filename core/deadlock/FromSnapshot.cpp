// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Deadlock.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/Snapshot.h"

#include <QCryptographicHash>
#include <QHash>

#include <algorithm>
#include <optional>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

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

ReportPtr fromSnapshot(const Snapshot& snapshot)
{
    return snapshot.blocking().cycles().empty() ? nullptr : Taker(snapshot).take();
}

} // namespace lockscope::deadlock
