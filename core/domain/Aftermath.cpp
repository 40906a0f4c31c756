// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Aftermath.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/Engine.h"
#include "core/domain/SnapshotNames.h"
#include "core/domain/SqlLexer.h"

#include <algorithm>
#include <map>
#include <set>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t maxNamed = 5;

/// "63", "63 and 70", "63, 70 and 71", "63, 64, 65, 66, 67 and 3 more".
QString listed(const std::vector<SessionId>& sessions)
{
    QStringList names;
    const std::size_t named = std::min(maxNamed, sessions.size());
    for (std::size_t i = 0; i < named; ++i)
        names << QString::number(sessions[i].value);
    if (sessions.size() > named)
        names << u"%1 more"_s.arg(sessions.size() - named);
    if (names.size() == 1)
        return names.first();
    const QString last = names.takeLast();
    return names.join(u", "_s) + u" and "_s + last;
}

QString sessionsNamed(const std::vector<SessionId>& sessions)
{
    return (sessions.size() == 1 ? u"session "_s : u"sessions "_s) + listed(sessions);
}

QString capitalised(QString text)
{
    text[0] = text[0].toUpper();
    return text;
}

/// Rows are waited for by the transaction that holds them: nobody gets that.
bool canBeGot(ResourceKind kind)
{
    return kind != ResourceKind::TransactionId && kind != ResourceKind::VirtualTransaction
        && kind != ResourceKind::SpeculativeToken;
}

/// Returns the lock that it gets if it waits for that itself; else an empty text.
QString nameOfGot(const Snapshot& snapshot, const Aftermath::Next& next)
{
    const bool asks = std::ranges::any_of(snapshot.requests, [&](const LockRequest& request) {
        return request.isWaiting() && request.resource == next.resource
            && snapshot.leaderOf(request.session) == next.session;
    });
    if (!asks || next.resource >= snapshot.resources.size())
        return {};
    const Resource& resource = snapshot.resources[next.resource];
    return canBeGot(resource.key.kind) ? resource.name : QString();
}

QString nextInWords(const Snapshot& snapshot, const std::vector<Aftermath::Next>& next)
{
    std::vector<SessionId> sessions;
    sessions.reserve(next.size());
    for (const Aftermath::Next& each : next)
        sessions.push_back(each.session);
    const QString who = capitalised(sessionsNamed(sessions));
    if (const QString name = nameOfGot(snapshot, next.front()); next.size() == 1 && !name.isEmpty())
        return u"%1 gets %2 next, as far as is known now."_s.arg(who, name);
    return u"%1 can go on, as far as is known now."_s.arg(who);
}

QString leftInWords(const Aftermath& aftermath)
{
    std::set<SessionId> next;
    for (const Aftermath::Next& each : aftermath.next)
        next.insert(each.session);
    std::vector<SessionId> stay;
    for (const Aftermath::Left& each : aftermath.left)
        stay.push_back(each.session);
    std::set<SessionId> ahead; // of those that go on
    std::set<SessionId> others; // that had nothing to do with it
    for (const Aftermath::Left& each : aftermath.left) {
        for (const SessionId blocker : each.behind) {
            if (next.contains(blocker))
                ahead.insert(blocker);
            else if (!std::ranges::binary_search(stay, blocker))
                others.insert(blocker);
        }
    }
    QString text =
        capitalised(sessionsNamed(stay)) + (stay.size() == 1 ? u" stays blocked"_s : u" stay blocked"_s);
    if (!others.empty())
        text += u" by "_s + sessionsNamed({others.begin(), others.end()})
            + (ahead.empty() ? QString() : u" or behind "_s + listed({ahead.begin(), ahead.end()}));
    else if (!ahead.empty())
        text += u" behind "_s + listed({ahead.begin(), ahead.end()});
    else
        text += u" by one another"_s;
    return text + u'.';
}

/// "ALTER TABLE", "UPDATE": the words that a statement begins with, two where it defines something.
QString commandOf(const Session& session, Engine engine)
{
    static const QStringList ofTwo{
        u"ALTER"_s, u"CREATE"_s, u"DROP"_s, u"LOCK"_s, u"REFRESH"_s, u"REINDEX"_s, u"TRUNCATE"_s};
    QStringList words;
    for (SqlLexer lexer(session.statementVisible ? session.statement : QString(), engine); !lexer.atEnd();) {
        const SqlToken token = lexer.next();
        if (token.kind == SqlToken::Kind::Space || token.kind == SqlToken::Kind::Comment)
            continue;
        if (token.kind != SqlToken::Kind::Word)
            break;
        words << token.text.toString().toUpper();
        if (words.size() == 2 || !ofTwo.contains(words.first()))
            break;
    }
    return words.join(u' ');
}

/// The work that a session loses with its transaction, as far as its server tells.
struct Work {
    milliseconds age{0}; ///< of its transaction; 0 if it has none
    std::optional<qint64> written; ///< 0: nothing; bytes of log where the engine gives them; nothing: unknown

    bool isMoreThan(const Work& other) const
    {
        return std::pair(written.value_or(1), age) > std::pair(other.written.value_or(1), other.age);
    }
    QString toString(Engine engine) const
    {
        const QString what =
            age.count() > 0 ? u"a transaction of %1"_s.arg(durationInWords(age)) : u"its statement"_s;
        if (!written)
            return what;
        if (*written == 0)
            return what + u" that has written nothing"_s;
        return what
            + (engine == Engine::SqlServer ? u" with %1 of log"_s.arg(byteCountText(*written))
                                           : u" that has written"_s);
    }
};

Work workOf(const Snapshot& snapshot, SessionId id)
{
    Work work;
    const Session* session = snapshot.session(id);
    if (!session)
        return work;
    if (session->transactionStarted)
        work.age = std::chrono::duration_cast<milliseconds>(snapshot.takenAt - *session->transactionStarted);
    if (snapshot.engine != Engine::Postgres)
        work.written = session->logUsed;
    else if (session->statementVisible && session->state != SessionState::Hidden)
        work.written = session->transactionId ? 1 : 0;
    return work;
}

QStringList inWords(const Snapshot& snapshot, const Aftermath& aftermath)
{
    QStringList lines;
    if (!aftermath.next.empty())
        lines << nextInWords(snapshot, aftermath.next);
    if (!aftermath.left.empty())
        lines << leftInWords(aftermath);
    return lines;
}

} // namespace

Aftermath aftermathOf(const Snapshot& snapshot, SessionId ended)
{
    return aftermathOf(snapshot, std::vector{ended});
}

Aftermath aftermathOf(const Snapshot& snapshot, const std::vector<SessionId>& ended)
{
    const std::set<SessionId> gone(ended.begin(), ended.end());
    const BlockingGraph& graph = snapshot.blocking();
    std::map<SessionId, std::set<SessionId>> blockers;
    std::map<SessionId, std::vector<SessionId>> waiters;
    std::map<SessionId, quint32> requested;
    for (const WaitEdge& wait : snapshot.waits) {
        const SessionId waiter = snapshot.leaderOf(wait.waiter);
        const SessionId blocker = snapshot.leaderOf(wait.blocker);
        if (waiter == blocker || gone.contains(waiter) || graph.leavesOut(waiter) || graph.leavesOut(blocker))
            continue;
        blockers[waiter].insert(blocker);
        waiters[blocker].push_back(waiter);
        requested.try_emplace(waiter, wait.resource);
    }
    std::set<SessionId> victims;
    std::vector<SessionId> toVisit = ended;
    while (!toVisit.empty()) {
        const SessionId blocker = toVisit.back();
        toVisit.pop_back();
        for (const SessionId waiter : waiters[blocker])
            if (victims.insert(waiter).second)
                toVisit.push_back(waiter);
    }
    Aftermath aftermath;
    for (const SessionId victim : victims) {
        std::set<SessionId> behind = blockers[victim];
        for (const SessionId each : gone)
            behind.erase(each);
        if (behind.empty())
            aftermath.next.push_back({victim, requested[victim]});
        else
            aftermath.left.push_back({victim, {behind.begin(), behind.end()}});
    }
    return aftermath;
}

QStringList aftermathInWords(const Snapshot& snapshot, SessionId ended)
{
    return aftermathInWords(snapshot, std::vector{ended});
}

QStringList aftermathInWords(const Snapshot& snapshot, const std::vector<SessionId>& ended)
{
    const Aftermath aftermath = aftermathOf(snapshot, ended);
    const QString it = ended.size() == 1 ? u"it"_s : u"them"_s;
    if (aftermath.isEmpty())
        return {u"Nobody waits for %1."_s.arg(it)};
    const std::size_t victims = aftermath.next.size() + aftermath.left.size();
    QStringList lines;
    if (victims > 1)
        lines << u"%1 sessions wait for %2, directly or behind others."_s.arg(QString::number(victims), it);
    return lines + inWords(snapshot, aftermath);
}

QStringList whoGoesOn(const Snapshot& snapshot, SessionId ended)
{
    return inWords(snapshot, aftermathOf(snapshot, ended));
}

QString OtherAct::toString() const
{
    return sentences({(isBetter ? u"Better: "_s : u"Or "_s) + text, losses});
}

std::optional<OtherAct> otherActThanEnding(const Snapshot& snapshot, SessionId head)
{
    const BlockingGraph& graph = snapshot.blocking();
    const SessionId jam = graph.jamBehind(head);
    const Session* session = snapshot.session(jam);
    if (!session)
        return std::nullopt;
    const Session* first = snapshot.session(head);
    const bool runs = first && first->state == SessionState::Active;
    const int goOn = graph.freedBy(jam);
    const int goOnOtherwise = graph.freedBy(head);
    const Work lost = workOf(snapshot, jam);
    const Work lostOtherwise = workOf(snapshot, head);
    const QString command = commandOf(*session, snapshot.engine);
    const bool cancels = canCancelStatements(snapshot.engine);
    const QString name = sessionName(snapshot, head);
    const auto goingOn = [](int count) { return counted(count, u"goes on", u"go on"); };
    return OtherAct{.session = jam,
        .cancels = cancels,
        .text = u"%1 %2%3: %4, %5 %6"_s.arg(cancels ? u"cancel"_s : u"end"_s, QString::number(jam.value),
            command.isEmpty() ? QString() : u" (%1)"_s.arg(command), goingOn(goOn), name,
            runs ? u"keeps running"_s : u"keeps its transaction"_s),
        .losses = u"That loses %1; ending %2 loses %3, and %4."_s.arg(lost.toString(snapshot.engine), name,
            lostOtherwise.toString(snapshot.engine),
            goOnOtherwise == 0 ? u"nobody goes on"_s : goingOn(goOnOtherwise)),
        .isBetter = goOn >= goOnOtherwise && !lost.isMoreThan(lostOtherwise)};
}

std::vector<const LockRequest*> otherLocks(const Snapshot& snapshot, SessionId ended, quint32 resource)
{
    std::set<quint32> contended;
    for (const LockRequest& request : snapshot.requests)
        if (request.isWaiting())
            contended.insert(request.resource);
    std::map<quint32, const LockRequest*> strongest;
    for (const LockRequest& request : snapshot.requests) {
        const bool isHeld = request.state != RequestState::Waiting && !isPlaceInQueue(snapshot, request);
        if (!isHeld || request.resource == resource || snapshot.leaderOf(request.session) != ended
            || snapshot.resourceOf(request).internal)
            continue;
        const LockRequest*& kept = strongest[request.resource];
        if (!kept || kept->mode.strength() < request.mode.strength())
            kept = &request;
    }
    std::vector<const LockRequest*> locks;
    for (const auto& [held, request] : strongest)
        locks.push_back(request);
    std::stable_partition(locks.begin(), locks.end(),
        [&contended](const LockRequest* request) { return contended.contains(request->resource); });
    return locks;
}

QString otherLocksInWords(const Snapshot& snapshot, SessionId ended, quint32 resource)
{
    const auto locks = otherLocks(snapshot, ended, resource);
    if (locks.empty())
        return u"It holds no other lock."_s;
    QStringList names;
    for (const LockRequest* lock : locks)
        names << u"%1 on %2"_s.arg(lock->mode.name(), snapshot.resourceOf(*lock).name);
    const QString listed = nameList(names, maxNamed);
    return locks.size() == 1
        ? u"It also holds another lock, which goes with it: %1."_s.arg(listed)
        : u"It also holds %1 other locks, which go with it: %2."_s.arg(QString::number(locks.size()), listed);
}

QString aftermathAsSeen(const QStringList& aftermath)
{
    return aftermath.isEmpty() ? QString() : u"As predicted from the last poll: "_s + aftermath.join(u' ');
}

} // namespace lockscope
