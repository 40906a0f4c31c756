// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Conditions.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/BlockingForest.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/Snapshot.h"
#include "core/domain/SnapshotNames.h"
#include "core/domain/WaitTotals.h"

#include <algorithm>
#include <numeric>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

const QString chainKind = u"chain"_s;

/// A reader's weakest lock conflicts with it: while it waits, even readers queue.
bool keepsReadersOut(const LockMode& mode)
{
    static const PerEngine<QStringList> readers{
        .postgres = {u"AccessShareLock"_s}, .sqlServer = {u"Sch-S"_s, u"IS"_s}, .sqlite = {}};
    return std::ranges::any_of(readers[mode.engine()], [&mode](const QString& reader) {
        return !mode.compatibleWith(LockMode::fromText(mode.engine(), reader));
    });
}

class ChainBuilder {
public:
    ChainBuilder(const Snapshot& snapshot, const QString& server, const QString& database)
        : m_snapshot(snapshot)
        , m_graph(snapshot.blocking())
        , m_server(server)
        , m_database(database)
        , m_targets(snapshot)
    {
        for (const WaitEdge& edge : snapshot.waits)
            if (edge.kind == WaitEdge::Kind::Queue && !m_graph.leavesOut(edge.waiter))
                ++m_queued[edge.blocker];
        for (const BlockingGraph::Head& head : m_graph.heads())
            m_heads.insert(head.session, &head);
    }

    std::vector<Chain> build()
    {
        for (const SessionWait& wait : m_snapshot.waitingSessions())
            if (wait.request)
                add(wait);
        for (const LockTableEntry& entry : m_snapshot.entries)
            add(entry);
        std::vector<Chain> chains;
        for (Open& open : m_chains)
            chains.push_back(finished(open));
        return chains;
    }

private:
    struct Open {
        Chain chain;
        QHash<QString, int> direct; ///< waiters by what they wait for from the head itself
    };

    QString nameOf(const LockRequest& wait) const
    {
        const QString table = m_targets.tableOf(wait);
        return table.isEmpty() ? m_snapshot.resourceOf(wait).name : table;
    }

    Cause causeOf(SessionId head) const
    {
        Cause cause{.kind = chainKind, .server = m_server};
        const Session* const session = isPrepared(m_snapshot, head) ? nullptr : m_snapshot.session(head);
        if (session) {
            cause.database = session->database;
            cause.user = session->user;
            cause.program = session->program;
            cause.host = session->host;
        } else
            cause.program =
                head == unidentifiedHolder ? u"an unknown holder"_s : sessionTitle(m_snapshot, head);
        return cause;
    }

    Open& open(const Cause& cause)
    {
        const QString key = cause.fingerprint();
        const auto found = m_byCause.constFind(key);
        if (found != m_byCause.cend())
            return m_chains[*found];
        m_byCause.insert(key, m_chains.size());
        m_chains.emplace_back().chain.cause = cause;
        return m_chains.back();
    }

    /// Asked once for each head, since it makes texts.
    Open& openOf(SessionId head)
    {
        const auto found = m_byHead.constFind(head);
        if (found != m_byHead.cend())
            return m_chains[*found];
        Open& opened = open(causeOf(head));
        m_byHead.insert(head, size_t(&opened - m_chains.data()));
        Chain other;
        other.head = head;
        other.isRing = m_graph.inCycle(head);
        if (const BlockingGraph::Head* const known = m_heads.value(head))
            other.harm = *known;
        if (opened.chain.waiting == 0 || isWorse(other, opened.chain))
            setHead(opened.chain, other);
        return opened;
    }

    void setHead(Chain& chain, const Chain& worse) const
    {
        const SessionId head = worse.head;
        chain.head = head;
        chain.isRing = worse.isRing;
        chain.harm = worse.harm;
        chain.headTitle =
            head == unidentifiedHolder ? u"an unknown holder"_s : sessionTitle(m_snapshot, head);
        chain.inherited = inheritedBy(head);
        chain.idle.reset();
        const Session* const session = m_snapshot.session(head);
        chain.headStarted = session ? session->started : ServerTime();
        chain.headTransaction = session ? session->transactionStarted.value_or(ServerTime()) : ServerTime();
        const bool isIdle = session
            && (session->state == SessionState::IdleInTransaction
                || session->state == SessionState::IdleInFailedTransaction);
        if (isIdle && session->stateSince)
            chain.idle = Age{ageOf(*session->stateSince, m_snapshot.takenAt)};
        else if (isIdle)
            chain.idle = Age{milliseconds(0), false};
    }

    /// "The head blocker has had it for at most 4 s: the queue is older."
    QString inheritedBy(SessionId head) const
    {
        const Session* const session = m_snapshot.session(head);
        if (!session || !session->waitedUntil)
            return {};
        const BlockingGraph::Head* const found = m_heads.value(head);
        if (!found || !found->inheritedWithin)
            return {};
        const QString verb = found->hasWhatItWaitedFor ? QString() : u"is "_s;
        return u"The head blocker %1: the queue is older."_s.arg(verb + inheritedText(*found));
    }

    void add(const SessionWait& wait)
    {
        const SessionId head = m_graph.headOf(wait.session);
        if (!head.isValid())
            return;
        Open& opened = openOf(head);
        Chain& chain = opened.chain;
        ++chain.waiting; // in a ring the smallest session stands for the head, and waits as well
        const Age age = wait.age.value_or(Age{milliseconds(0), false});
        chain.ages.push_back(age.value);
        if (age.value >= chain.longest.value)
            chain.longest = age;
        const std::vector<SessionId> blockers = m_graph.blockersOf(wait.session);
        const LockRequest& request = *wait.request;
        if (std::ranges::binary_search(blockers, head))
            ++opened.direct[nameOf(request)];
        if (m_snapshot.resourceOf(request).key.kind == ResourceKind::Relation
            && keepsReadersOut(request.mode))
            addStrong(chain, wait, age);
    }

    void addStrong(Chain& chain, const SessionWait& wait, const Age& age) const
    {
        const int behind = m_queued.value(wait.session);
        if (behind == 0 || (chain.strong && chain.strong->value >= age.value))
            return;
        chain.strong = age;
        chain.strongText = u"%1 waits for %2 (%3), and %4 behind it."_s.arg(
            sessionTitle(m_snapshot, wait.session), m_snapshot.resourceOf(*wait.request).name,
            wait.request->mode.title(), counted(behind, u"session queues", u"sessions queue"));
    }

    void add(const LockTableEntry& entry)
    {
        const auto waiters = queueOf(m_snapshot, {entry.table, entry.name}, m_snapshot.takenAt);
        if (waiters.empty() || entry.isBad())
            return;
        const Cause cause{.kind = chainKind,
            .server = m_server,
            .user = entry.party.owner,
            .program = entry.party.program,
            .host = entry.party.host};
        Chain& chain = open(cause).chain;
        chain.resources << entry.name;
        const Harm harm = harmOf(waiters, m_snapshot.takenAt);
        if (!chain.isRing && (chain.waiting == 0 || isWorse(harm, chain.harm))) {
            chain.headStarted = chain.headTransaction = {};
            chain.idle = {};
            chain.inherited.clear();
            chain.head = entry.party.session;
            chain.headTitle = entry.party.owner.isEmpty() ? entry.party.program : entry.party.owner;
            chain.harm = harm;
        }
        chain.waiting += harm.victims;
        for (const LockTableWaiter* const waiter : waiters) {
            if (!waiter->registeredAt.isValid())
                continue;
            chain.ages.push_back(ageOf(waiter->registeredAt, m_snapshot.takenAt));
            chain.longest = std::max(chain.longest, Age{chain.ages.back(), true});
        }
    }

    static Chain finished(Open& open)
    {
        Chain& chain = open.chain;
        int most = 0;
        for (auto each = open.direct.cbegin(); each != open.direct.cend(); ++each) {
            if (each.value() > most || (each.value() == most && each.key() < chain.cause.resource)) {
                most = each.value();
                chain.cause.resource = each.key();
            }
            chain.resources << each.key();
        }
        chain.resources.sort();
        if (chain.cause.resource.isEmpty())
            chain.cause.resource = chain.resources.value(0);
        return std::move(chain);
    }

    const Snapshot& m_snapshot;
    const BlockingGraph& m_graph;
    const QString m_server;
    const QString m_database;
    const WaitTargets m_targets;
    QHash<SessionId, const BlockingGraph::Head*> m_heads;
    QHash<SessionId, int> m_queued; ///< waiters that are blocked by a session only in the queue
    std::vector<Open> m_chains;
    QHash<QString, size_t> m_byCause;
    QHash<SessionId, size_t> m_byHead;
};

class TreeLines {
public:
    explicit TreeLines(const Snapshot& snapshot)
        : m_snapshot(snapshot)
        , m_graph(snapshot.blocking())
        , m_targets(snapshot)
    {
        for (const SessionWait& wait : snapshot.waitingSessions())
            if (wait.request)
                m_waits.insert(wait.session, wait.request);
    }

    QStringList below(SessionId head)
    {
        add(head, 0);
        if (const int left = m_graph.victimsOf(head) + 1 - int(m_lines.size()); left > 0)
            m_lines << u"… and %1 more"_s.arg(left);
        return m_lines;
    }

private:
    static constexpr qsizetype maxLines = 12;

    void add(SessionId session, int depth)
    {
        if (m_lines.size() >= maxLines || m_seen.contains(session))
            return;
        m_seen.insert(session);
        m_lines << QString(depth * 2, u' ') + textOf(session);
        for (const SessionId waiter : m_graph.waitersOf(session))
            add(waiter, depth + 1);
    }

    QString textOf(SessionId session) const
    {
        const QString title = sessionTitle(m_snapshot, session);
        const LockRequest* const wait = m_waits.value(session);
        if (!wait)
            return title;
        const auto age = m_snapshot.ageOf(*wait);
        const Resource* const row = m_targets.of(*wait);
        return u"%1 waits for %2 (%3)%4"_s.arg(title, row ? row->name : m_snapshot.resourceOf(*wait).name,
            wait->mode.title(), age ? u" for "_s + durationInWords(*age) : QString());
    }

    const Snapshot& m_snapshot;
    const BlockingGraph& m_graph;
    const WaitTargets m_targets;
    QHash<SessionId, const LockRequest*> m_waits;
    QSet<SessionId> m_seen;
    QStringList m_lines;
};

} // namespace

milliseconds Chain::waited(milliseconds maxEach) const
{
    return std::accumulate(ages.begin(), ages.end(), milliseconds(0),
        [maxEach](milliseconds sum, milliseconds age) { return sum + std::min(age, maxEach); });
}

std::vector<Chain> chainsOf(const Snapshot& snapshot, const QString& server, const QString& database)
{
    if (snapshot.waits.empty() && snapshot.entryWaiters.empty())
        return {};
    return ChainBuilder(snapshot, server, database).build();
}

bool isWorse(const Chain& one, const Chain& other)
{
    if (one.isRing != other.isRing)
        return one.isRing;
    return isWorse(one.harm, other.harm) || (!isWorse(other.harm, one.harm) && one.head < other.head);
}

QStringList treeOf(const Snapshot& snapshot, const Chain& chain)
{
    return chain.head.isValid() ? TreeLines(snapshot).below(chain.head) : QStringList(chain.headTitle);
}

IncidentHead headOf(const Snapshot& snapshot, const Chain& chain, milliseconds longRunning)
{
    IncidentHead head{.session = chain.head,
        .started = chain.headStarted,
        .transaction = chain.headTransaction,
        .title = chain.headTitle};
    if (!chain.head.isValid())
        return head;
    const Diagnosis diagnosis = diagnose(snapshot, chain.head, longRunning);
    head.doing = diagnosis.summary;
    head.remedy = diagnosis.remedy;
    if (const Session* const session = snapshot.session(chain.head); session && session->statementVisible)
        head.statement = session->statement;
    return head;
}

QString titleOf(const Chain& chain, const IncidentHead& head)
{
    const QString count = counted(chain.waiting, u"session waits", u"sessions wait");
    if (chain.isRing)
        return u"%1 in a ring or behind one, with %2."_s.arg(count, chain.headTitle);
    const QString doing = withoutStop(head.doing.section(u':', 0, 0));
    return doing.isEmpty() ? u"%1 for %2."_s.arg(count, chain.headTitle)
                           : u"%1 for %2, %3."_s.arg(count, chain.headTitle, doing);
}

} // namespace lockscope::alert
