// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/CrossServer.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/HolderLife.h"
#include "core/domain/Snapshot.h"
#include "core/domain/SnapshotNames.h"
#include "core/domain/StrongComponents.h"

#include <QSet>

#include <algorithm>

namespace lockscope {

using namespace Qt::StringLiterals;

using Certainty = CrossWait::Certainty;
using SeenAt = std::chrono::steady_clock::time_point;

namespace {

/// A snapshot is taken some time before it is here, and the clocks of server and client run apart meanwhile.
constexpr milliseconds clockSlack{250};
/// A client that goes on elsewhere does so at once; what comes later may be another of its sessions.
constexpr milliseconds followsWithin{2'000};
/// Times of rows may be anything.
constexpr milliseconds oldest = std::chrono::hours(24 * 3'650);

/// By what a client is known again on another server.
struct ClientTrace {
    QString key; ///< equal for the same client
    QString text; ///< "process 4711 on web-3", "orders on 10.0.0.3"
};
struct Client {
    QList<ClientTrace> processes;
    QList<ClientTrace> programs;
    QString address; ///< as machineKey() has it; empty: not known
};

/// Returns what two servers call a machine alike; empty: not known. What one calls local is its own.
QString machineKey(const QString& name, const SeenServer& server)
{
    const QString plain = plainAddress(name);
    if (!isOwnName(plain))
        return plain;
    return server.machine.isEmpty() ? QString() : u"at "_s + server.machine;
}

bool isLocalKey(const QString& machine)
{
    return machine.startsWith(u"at "_s);
}

void addProcess(Client& client, const QString& host, qint64 process, const SeenServer& server)
{
    const QString machine = machineKey(host, server);
    const QString number = QString::number(process);
    if (!machine.isEmpty() && process > 0)
        client.processes << ClientTrace{
            u"%1\n%2"_s.arg(machine, number), u"process %1 on %2"_s.arg(number, host)};
}

Client clientOf(const Session& session, const SeenServer& server)
{
    Client client;
    for (const QString& place : {session.host, session.address}) {
        const QString machine = machineKey(place, server);
        if (!machine.isEmpty() && !session.program.isEmpty())
            client.programs << ClientTrace{
                u"%1\n%2"_s.arg(machine, session.program), u"%1 on %2"_s.arg(session.program, place)};
    }
    addProcess(client, session.host, session.clientProcess.value_or(0), server);
    client.address = machineKey(session.address, server);
    return client;
}

bool isInTransaction(const Session& session)
{
    return session.state == SessionState::IdleInTransaction
        || session.state == SessionState::IdleInFailedTransaction;
}

/// A head blocker that does nothing, or a waiter.
struct Stuck {
    CrossWait::End end;
    QString node; ///< names a head blocker among all; of a waiter the head blocker that it is behind
    Client client;
    Age age;
    SeenAt since;
    int behind = 0; ///< head blockers
    QString doing{}; ///< head blockers
    QString resource{}; ///< waiters
    CrossWait::End blocker{}; ///< waiters
    std::optional<SessionKey> key; ///< nothing: a row of which no session is seen
    bool isRow = false; ///< of a lock table
};

/// Reads the head blockers and waiters of one server.
class StuckReader {
public:
    StuckReader(const std::vector<SeenServer>& servers, size_t index)
        : m_server(servers[index])
        , m_snapshot(*m_server.snapshot)
        , m_index(index)
        , m_targets(m_snapshot)
    {
        for (const LockTableEntry& entry : m_snapshot.entries)
            note(entry.party);
        for (const LockTableWaiter& waiter : m_snapshot.entryWaiters)
            note(waiter.party);
    }

    struct Idle {
        SessionKey session;
        SeenAt since;
    };
    /// Adds head blockers and waiters, and by their traces all sessions that do nothing in a transaction.
    void read(std::vector<Stuck>& heads, std::vector<Stuck>& waiters,
        QHash<std::pair<size_t, QString>, std::vector<Idle>>& idle) const
    {
        for (const Session& session : m_snapshot.sessions)
            addIdle(session, idle);
        for (const BlockingGraph::Head& head : m_snapshot.blocking().heads())
            if (const Session* const session = m_snapshot.session(head.session))
                addHead(*session, head.victims, heads);
        for (const LockRequest& request : m_snapshot.requests)
            if (const Session* const session =
                    request.isWaiting() ? m_snapshot.session(request.session) : nullptr)
                addWait(request, *session, waiters);
        for (const LockTableEntry& entry : m_snapshot.entries)
            addEntry(entry, heads, waiters);
    }

private:
    void note(const LockOwnerInfo& party)
    {
        if (party.session.isValid())
            addProcess(m_clientsInRows[party.session], party.host, party.processId, m_server);
    }

    /// A session, with what its rows in lock tables tell of it.
    Client clientOf(const Session& session) const
    {
        Client client = lockscope::clientOf(session, m_server);
        client.processes << m_clientsInRows.value(session.id).processes;
        return client;
    }

    SeenAt before(Age age) const { return m_server.taken - age.value; }
    Age since(ServerTime time) const
    {
        return {
            std::clamp(std::chrono::floor<milliseconds>(m_snapshot.takenAt - time), milliseconds(0), oldest),
            true};
    }
    QString node(const QString& of) const { return u"%1 %2"_s.arg(QString::number(m_index), of); }
    QString node(SessionId id) const { return node(QString::number(id.value)); }
    CrossWait::End endOf(SessionId id) const { return {m_index, id, sessionTitle(m_snapshot, id)}; }

    void addIdle(const Session& session, QHash<std::pair<size_t, QString>, std::vector<Idle>>& idle) const
    {
        if (session.own || !isInTransaction(session) || !session.stateSince)
            return;
        const Client client = clientOf(session);
        for (const ClientTrace& trace : client.processes + client.programs)
            idle[{m_index, trace.key}].push_back({session.key(), before(since(*session.stateSince))});
    }

    void addHead(const Session& session, int behind, std::vector<Stuck>& heads) const
    {
        if (session.own || !session.stateSince
            || (!isInTransaction(session) && session.state != SessionState::Idle))
            return;
        const Age idle = since(*session.stateSince);
        heads.push_back({.end = endOf(session.id),
            .node = node(session.id),
            .client = clientOf(session),
            .age = idle,
            .since = before(idle),
            .behind = behind,
            .doing = u"is "_s + sessionStateName(session.state),
            .key = session.key()});
    }

    void addWait(const LockRequest& request, const Session& session, std::vector<Stuck>& waiters) const
    {
        const SessionId head = m_snapshot.blocking().headOf(session.id);
        if (session.own || !head.isValid())
            return;
        const Age waits = m_snapshot.ageOf(request).value_or(Age{milliseconds(0), false});
        const QString table = m_targets.tableOf(request);
        waiters.push_back({.end = endOf(session.id),
            .node = node(head),
            .client = clientOf(session),
            .age = waits,
            .since = before(waits),
            .resource = table.isEmpty() ? m_snapshot.resourceOf(request).name : table,
            .blocker = endOf(head),
            .key = session.key()});
    }

    std::optional<SessionKey> keyOf(const LockOwnerInfo& party) const
    {
        const Session* const session = m_snapshot.session(party.session);
        return session ? std::optional(session->key()) : std::nullopt;
    }

    Client clientOfRow(const LockOwnerInfo& party) const
    {
        Client client;
        addProcess(client, party.host, party.processId, m_server);
        return client;
    }

    /// The row is the lock: its holder is not seen to be idle.
    void addEntry(const LockTableEntry& entry, std::vector<Stuck>& heads, std::vector<Stuck>& waiters) const
    {
        const auto queue = queueOf(m_snapshot, {entry.table, entry.name}, m_snapshot.takenAt);
        if (queue.empty() || entry.isBad())
            return;
        const auto endOfRow = [this](const LockOwnerInfo& party) {
            return CrossWait::End{
                m_index, party.session, party.owner.isEmpty() ? party.program : party.owner};
        };
        const QString name = node(entry.table + u'\n' + entry.name);
        const Age held = since(entry.acquiredAt);
        heads.push_back({.end = endOfRow(entry.party),
            .node = name,
            .client = clientOfRow(entry.party),
            .age = held,
            .since = before(held),
            .behind = int(queue.size()),
            .doing = u"holds the entry “%1”"_s.arg(entry.name),
            .key = keyOf(entry.party),
            .isRow = true});
        for (const LockTableWaiter* const waiter : queue) {
            if (waiter->isBad() || !waiter->registeredAt.isValid())
                continue;
            const Age waits = since(waiter->registeredAt);
            waiters.push_back({.end = endOfRow(waiter->party),
                .node = name,
                .client = clientOfRow(waiter->party),
                .age = waits,
                .since = before(waits),
                .resource = entry.name,
                .blocker = endOfRow(entry.party),
                .key = keyOf(waiter->party),
                .isRow = true});
        }
    }

    const SeenServer& m_server;
    const Snapshot& m_snapshot;
    const size_t m_index;
    const WaitTargets m_targets;
    QHash<SessionId, Client> m_clientsInRows; ///< as the rows of lock tables name them
};

class ClientMatcher {
public:
    explicit ClientMatcher(const std::vector<SeenServer>& servers)
        : m_servers(servers)
    {
        for (size_t index = 0; index < servers.size(); ++index) {
            const SnapshotPtr& snapshot = servers[index].snapshot;
            const bool hasWaits = snapshot && (!snapshot->waits.empty() || !snapshot->entryWaiters.empty());
            if (hasWaits)
                StuckReader(servers, index).read(m_heads, m_waiters, m_idle);
        }
        std::ranges::stable_sort(m_heads, std::greater(), &Stuck::behind);
        for (size_t index = 0; index < m_waiters.size(); ++index) {
            for (const ClientTrace& trace : m_waiters[index].client.processes)
                m_byProcess[trace.key].push_back(index);
            for (const ClientTrace& trace : m_waiters[index].client.programs)
                m_byProgram[trace.key].push_back(index);
        }
    }

    CrossServer found()
    {
        CrossServer cross;
        for (const Stuck& head : m_heads)
            if (const auto wait = waitOf(head)) {
                cross.waits.push_back(*wait);
                m_matched.push_back({&head, m_best});
            }
        addRings(cross);
        return cross;
    }

private:
    struct Matched {
        const Stuck* head;
        const Stuck* waiter;
    };

    bool isSameServer(const Stuck& a, const Stuck& b) const
    {
        const SeenServer& one = m_servers[a.end.server];
        const SeenServer& other = m_servers[b.end.server];
        const auto shows = [](const SeenServer& server, const std::optional<SessionKey>& key) {
            const Session* const session = key ? server.snapshot->session(key->id) : nullptr;
            return session && key->started.isValid() && session->key() == *key;
        };
        return a.end.server == b.end.server || one.place == other.place || shows(other, a.key)
            || shows(one, b.key);
    }

    /// Both hold at one time, and the wait came after the head blocker went idle.
    bool fits(const Stuck& head, const Stuck& waiter) const
    {
        const milliseconds slack =
            std::max(m_servers[head.end.server].slack, m_servers[waiter.end.server].slack) + clockSlack;
        const SeenAt both = std::min(m_servers[head.end.server].taken, m_servers[waiter.end.server].taken);
        return waiter.since >= head.since - slack && head.since <= both + slack
            && waiter.since <= both + slack && !isSameServer(head, waiter);
    }
    static bool isAtOnce(const Stuck& head, const Stuck& waiter)
    {
        return waiter.since - head.since <= followsWithin;
    }

    /// Waiters that agree in a trace and in the times, and by which traces.
    struct Candidates {
        std::vector<const Stuck*> all;
        QList<ClientTrace> traces;
    };
    Candidates candidatesOf(const Stuck& head, const QList<ClientTrace>& traces,
        const QHash<QString, std::vector<size_t>>& index, bool isProcess) const
    {
        Candidates found;
        for (const ClientTrace& trace : traces) {
            for (const size_t each : index.value(trace.key)) {
                const Stuck& waiter = m_waiters[each];
                const bool isKnownOther = !isProcess && !head.client.processes.isEmpty()
                    && !waiter.client.processes.isEmpty(); // their processes are known, and differ
                if (isKnownOther || !fits(head, waiter) || std::ranges::count(found.all, &waiter) > 0)
                    continue;
                found.all.push_back(&waiter);
                if (found.traces.isEmpty() || found.traces.last().key != trace.key)
                    found.traces << trace;
            }
        }
        return found;
    }

    /// Another session of that client has done nothing since about then: the wait may be behind that one.
    bool hasTwin(const Stuck& head, const Stuck& waiter, const QList<ClientTrace>& traces) const
    {
        const auto isTwin = [&](const StuckReader::Idle& each) {
            return each.session != head.key && each.since <= waiter.since + clockSlack
                && waiter.since - each.since <= followsWithin;
        };
        return std::ranges::any_of(traces, [&](const ClientTrace& trace) {
            return std::ranges::any_of(m_idle.value({head.end.server, trace.key}), isTwin);
        });
    }

    /// Says why m_best may be another client than the head blocker's, of whose sessions so many fit; empty:
    /// nothing speaks against it. A session that waits long after, or holds a row and is not seen to be idle,
    /// may be another of its threads.
    QString doubtOf(
        const Stuck& head, const QList<ClientTrace>& traces, bool isProcess, qsizetype fitting) const
    {
        if (!m_best->age.exact || head.isRow || !isAtOnce(head, *m_best) || fitting != 1
            || hasTwin(head, *m_best, traces))
            return u"it may be another of its sessions"_s;
        const bool isPooled =
            m_servers[head.end.server].snapshot->isPooled || m_servers[m_best->end.server].snapshot->isPooled;
        if (!isProcess)
            return isPooled ? u"behind a pooler all clients have its address"_s : QString();
        const QString& one = head.client.address;
        const QString& other = m_best->client.address;
        // A machine's own clients have no address that another server would show.
        const bool areKnown = !one.isEmpty() && !other.isEmpty() && isLocalKey(one) == isLocalKey(other);
        if (areKnown && one != other && !isPooled)
            return u"its address there is another one"_s;
        return !areKnown && traces.last().key.endsWith(u"\n1"_s) ? u"each container has a process 1"_s
                                                                 : QString();
    }

    std::optional<CrossWait> waitOf(const Stuck& head)
    {
        Candidates candidates = candidatesOf(head, head.client.processes, m_byProcess, true);
        const bool isProcess = !candidates.all.empty();
        if (!isProcess)
            candidates = candidatesOf(head, head.client.programs, m_byProgram, false);
        if (candidates.all.empty())
            return std::nullopt;
        const auto soonest = std::ranges::min_element(
            candidates.all, {}, [](const Stuck* each) { return std::pair(each->since, each->end.session); });
        m_best = *soonest;
        const auto near =
            std::ranges::count_if(candidates.all, [&](const Stuck* each) { return isAtOnce(head, *each); });
        const QString doubt =
            doubtOf(head, candidates.traces, isProcess, isProcess ? qsizetype(candidates.all.size()) : near);
        const auto gap = std::chrono::floor<milliseconds>(m_best->since - head.since);
        return CrossWait{.head = head.end,
            .behind = head.behind,
            .doing = head.doing,
            .idle = head.age,
            .waiter = m_best->end,
            .waits = m_best->age,
            .resource = m_best->resource,
            .blocker = m_best->blocker,
            .certainty = !doubt.isEmpty() ? Certainty::Several
                : isProcess               ? Certainty::Process
                                          : Certainty::Program,
            .doubt = doubt,
            .candidates = int(candidates.all.size()),
            .client = candidates.traces.last().text,
            .gap = std::max(milliseconds(0), gap)};
    }

    /// Follows each head blocker to the one that its client waits for.
    void addRings(CrossServer& cross) const
    {
        QHash<QString, quint32> byHead;
        for (quint32 each = 0; each < m_matched.size(); ++each)
            byHead.insert(m_matched[each].head->node, each);
        std::vector<std::vector<quint32>> next(m_matched.size());
        for (size_t each = 0; each < m_matched.size(); ++each)
            if (const auto found = byHead.constFind(m_matched[each].waiter->node); found != byHead.cend())
                next[each].push_back(*found);
        for (const auto& members : strongComponents(next).members) {
            if (members.size() < 2)
                continue;
            std::vector<size_t> ring{members.front()};
            while (next[ring.back()].front() != members.front())
                ring.push_back(next[ring.back()].front());
            const bool isLikely = std::ranges::none_of(
                ring, [&](size_t each) { return cross.waits[each].certainty == Certainty::Several; });
            if (isLikely && holdsAtOneTime(ring))
                cross.rings.push_back(std::move(ring));
        }
    }

    bool holdsAtOneTime(const std::vector<size_t>& ring) const
    {
        SeenAt at = SeenAt::max();
        for (const size_t each : ring)
            at = std::min(at, m_servers[m_matched[each].head->end.server].taken);
        return std::ranges::all_of(ring, [&](size_t each) {
            return m_matched[each].head->since <= at && m_matched[each].waiter->since <= at;
        });
    }

    const std::vector<SeenServer>& m_servers;
    std::vector<Stuck> m_heads;
    std::vector<Stuck> m_waiters;
    QHash<QString, std::vector<size_t>> m_byProcess;
    QHash<QString, std::vector<size_t>> m_byProgram;
    QHash<std::pair<size_t, QString>, std::vector<StuckReader::Idle>> m_idle;
    const Stuck* m_best = nullptr;
    std::vector<Matched> m_matched; ///< beside CrossServer::waits
};

QString becauseOf(const CrossWait& wait)
{
    switch (wait.certainty) {
    case Certainty::Process:
        return u"because its client (%1) waits"_s.arg(wait.client);
    case Certainty::Program:
        return u"probably because %1 waits"_s.arg(wait.client);
    case Certainty::Several:
        break;
    }
    return u"perhaps because %1 waits"_s.arg(wait.client);
}

/// Says what was compared.
QString evidenceOf(const CrossWait& wait)
{
    const QString began = wait.gap < clockSlack ? u"the wait began at once"_s
                                                : u"the wait began %1 later"_s.arg(durationInWords(wait.gap));
    if (wait.certainty == Certainty::Several)
        return u"The client agrees, and %1; but %2."_s.arg(began, wait.doubt);
    return u"%1 and machine agree, %2, and no other session fits."_s.arg(
        wait.certainty == Certainty::Process ? u"Process"_s : u"Program"_s, began);
}

} // namespace

CrossServer crossServer(const std::vector<SeenServer>& servers)
{
    return servers.size() < 2 ? CrossServer() : ClientMatcher(servers).found();
}

QString textOf(const CrossWait& wait, const std::vector<SeenServer>& servers)
{
    const QString what = u"%1 of %2 %3 for %4, %5 on %6 for %7: for %8, behind %9."_s.arg(wait.head.title,
        servers[wait.head.server].name, wait.doing, durationInWords(wait.idle), becauseOf(wait),
        servers[wait.waiter.server].name, wait.resource, durationInWords(wait.waits), wait.blocker.title);
    return sentences({what, evidenceOf(wait)});
}

QString textOfRing(
    const std::vector<size_t>& ring, const CrossServer& cross, const std::vector<SeenServer>& servers)
{
    QStringList names;
    QStringList texts;
    QSet<size_t> named;
    bool isSure = true;
    for (const size_t each : ring) {
        const CrossWait& wait = cross.waits[each];
        if (!named.contains(wait.head.server)) // two servers may have one name
            names << servers[wait.head.server].name;
        named << wait.head.server;
        texts << textOf(wait, servers);
        isSure = isSure && wait.certainty == Certainty::Process;
    }
    const QString last = names.takeLast();
    return sentences(QStringList{u"%1 over %2 and %3, which no server can see:"_s.arg(
                         isSure ? u"A deadlock"_s : u"Probably a deadlock"_s, names.join(u", "_s), last)}
        + texts);
}

} // namespace lockscope
