// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/bench/Traffic.h"

namespace lockscope::bench {

using namespace Qt::StringLiterals;

constexpr ServerTime begin{1'795'230'727'000'000};

static Snapshot emptyServer()
{
    Snapshot snapshot;
    snapshot.engine = Engine::Postgres;
    snapshot.server = u"shop@db1"_s;
    snapshot.serverVersion = u"PostgreSQL 15.18"_s;
    snapshot.takenAt = begin;
    return snapshot;
}

static Session newSession(int number)
{
    Session session;
    session.id = SessionId{1'000 + number};
    session.started = begin - std::chrono::hours(1) + std::chrono::seconds(number);
    session.state = SessionState::Active;
    session.user = u"shop"_s;
    session.database = u"shop"_s;
    session.program = u"web-%1"_s.arg(number % 20);
    session.host = u"app%1"_s.arg(number % 12);
    return session;
}

static void begins(Session& session, ServerTime at)
{
    session.statementStarted = session.transactionStarted = session.stateSince = at;
}

/// The next second, with what a poll costs.
static void passSecond(Snapshot& snapshot, std::mt19937& dice)
{
    const auto pick = [&dice](int count) { return std::uniform_int_distribution(0, count - 1)(dice); };
    snapshot.takenAt = snapshot.takenAt + std::chrono::seconds(1) + microseconds(pick(2'000));
    ++snapshot.number;
    snapshot.cost.roundTrip = microseconds(2'000 + pick(500));
    snapshot.cost.server = microseconds(1'000 + pick(200));
    snapshot.cost.client = microseconds(800 + pick(200));
    snapshot.cost.rows = static_cast<qint64>(snapshot.requests.size() + snapshot.sessions.size());
}

static SnapshotPtr taken(const Snapshot& now)
{
    auto snapshot = std::make_shared<Snapshot>(now);
    snapshot->index();
    snapshot->waits = computeWaits(*snapshot);
    return snapshot;
}

Traffic::Traffic(const Order& order)
    : m_order(order)
    , m_now(emptyServer())
{
    for (int i = 0; i < order.statements; ++i)
        m_statements.push_back(
            u"UPDATE public.orders_%1 SET state = $1, paid_at = now() WHERE customer = $2 AND id = $3 RETURNING id"_s
                .arg(i));
    for (int i = 0; i < order.names; ++i) {
        Resource resource;
        resource.key.kind = ResourceKind::Relation;
        resource.key.database = 5;
        resource.key.entity = static_cast<quint64>(16'384 + i);
        resource.database = u"shop"_s;
        resource.name = u"public.orders_%1"_s.arg(i);
        resource.named = true;
        m_now.resources.push_back(resource);
    }
    for (int i = 0; i < order.sessions; ++i) {
        Session session = newSession(i);
        session.statement = m_statements[static_cast<size_t>(pick(order.statements))];
        m_now.sessions.push_back(session);
    }
    for (int i = 0; i < order.locks; ++i)
        m_now.requests.push_back(newRequest());
}

LockRequest Traffic::newRequest()
{
    Session& session = m_now.sessions[static_cast<size_t>(pick(m_order.sessions))];
    session.statement = m_statements[static_cast<size_t>(pick(m_order.statements))];
    session.statementStarted = m_now.takenAt - microseconds(pick(1'000'000));
    session.transactionStarted = *session.statementStarted;
    session.stateSince = session.statementStarted;
    session.transactionId = session.transactionId.value_or(1'000'000) + pick(500);
    const bool waits = pick(10'000) < m_order.waits * 10'000;
    LockRequest request;
    request.session = session.id;
    request.sessionStarted = session.started;
    request.resource = static_cast<quint32>(pick(m_order.names));
    request.mode = LockMode::fromText(Engine::Postgres, waits ? u"AccessExclusiveLock" : u"RowExclusiveLock");
    request.state = waits ? RequestState::Waiting : RequestState::Granted;
    request.since = m_now.takenAt - microseconds(pick(1'000'000));
    request.sinceExact = waits;
    const auto isTaken = [&request](const LockRequest& other) {
        return other.session == request.session && other.resource == request.resource
            && other.mode == request.mode && other.ordinal == request.ordinal;
    };
    while (std::ranges::any_of(m_now.requests, isTaken))
        ++request.ordinal;
    return request;
}

SnapshotPtr Traffic::next()
{
    passSecond(m_now, m_dice);
    for (int i = 0; i < static_cast<int>(m_order.locks * m_order.changes); ++i) {
        m_now.requests.erase(m_now.requests.begin() + pick(static_cast<int>(m_now.requests.size())));
        m_now.requests.push_back(newRequest());
    }
    return taken(m_now);
}

Turns::Turns(int waiters, int turnsPerSecond)
    : m_turns(turnsPerSecond)
    , m_now(emptyServer())
{
    Resource resource;
    resource.key.kind = ResourceKind::ApplicationLock;
    resource.key.database = 5;
    resource.key.entity = 4'711;
    resource.database = u"shop"_s;
    resource.name = u"4711"_s;
    m_now.resources.push_back(resource);
    for (int i = 0; i <= waiters; ++i) {
        Session session = newSession(i);
        session.statement = u"SELECT pg_advisory_xact_lock($1)"_s;
        begins(session, begin - std::chrono::milliseconds(10 * (waiters - i)));
        LockRequest request;
        request.session = session.id;
        request.sessionStarted = session.started;
        request.mode = LockMode::fromText(Engine::Postgres, u"ExclusiveLock");
        request.state = i == 0 ? RequestState::Granted : RequestState::Waiting;
        request.since = session.statementStarted;
        request.sinceExact = i > 0;
        if (i > 0)
            session.waitEvent = u"Lock: advisory"_s;
        m_now.sessions.push_back(session);
        m_now.requests.push_back(request);
    }
}

/// The holder is the first request; the others wait for it.
void Turns::takeTurn(ServerTime at)
{
    const auto sessionOf = [this](const LockRequest& request) -> Session& {
        return m_now.sessions[static_cast<size_t>(request.session.value - 1'000)];
    };
    std::rotate(m_now.requests.begin(), m_now.requests.begin() + 1, m_now.requests.end());
    LockRequest& again = m_now.requests.back();
    again.state = RequestState::Waiting;
    again.since = at;
    again.sinceExact = true;
    begins(sessionOf(again), at);
    sessionOf(again).waitEvent = u"Lock: advisory"_s;
    LockRequest& holder = m_now.requests.front();
    holder.state = RequestState::Granted;
    holder.since = at;
    holder.sinceExact = false;
    sessionOf(holder).waitEvent.clear();
}

SnapshotPtr Turns::next()
{
    passSecond(m_now, m_dice);
    for (int i = m_turns; i > 0; --i)
        takeTurn(m_now.takenAt - microseconds(1'000'000LL * i / (m_turns + 1)));
    return taken(m_now);
}

LiteralTexts::LiteralTexts(int sessions)
    : m_now(emptyServer())
{
    for (const QString& table : {u"accounts"_s, u"tellers"_s, u"branches"_s, u"history"_s}) {
        Resource resource;
        resource.key.kind = ResourceKind::Relation;
        resource.key.database = 5;
        resource.key.entity = 16'384 + m_now.resources.size();
        resource.database = u"shop"_s;
        resource.name = u"public."_s + table;
        resource.named = true;
        m_now.resources.push_back(resource);
    }
    for (int i = 0; i < sessions; ++i)
        m_now.sessions.push_back(newSession(i));
}

SnapshotPtr LiteralTexts::next()
{
    const auto pick = [this](int count) { return std::uniform_int_distribution(1, count)(m_dice); };
    passSecond(m_now, m_dice);
    m_now.requests.clear();
    for (Session& session : m_now.sessions) {
        const std::array texts{
            u"UPDATE public.accounts SET balance = balance + %1, changed_by = 'teller%2', changed_at = now() WHERE account = %3 AND branch = %4 AND currency = 'EUR'"_s,
            u"UPDATE public.tellers SET balance = balance + %1, note = 'payment %3' WHERE teller = %2 AND branch = %4 RETURNING balance"_s,
            u"INSERT INTO public.history (amount, teller, account, branch, at) VALUES (%1, %2, %3, %4, CURRENT_TIMESTAMP)"_s,
            u"SELECT balance, changed_by FROM public.accounts WHERE account = %3 AND branch = %4 AND balance > %1 AND teller <> %2 FOR UPDATE"_s};
        const auto text = static_cast<size_t>(pick(int(texts.size()))) - 1;
        session.statement = texts[text].arg(pick(10'000)).arg(pick(100)).arg(pick(10'000'000)).arg(pick(50));
        begins(session, m_now.takenAt - microseconds(pick(25'000)));
        session.transactionId = session.transactionId.value_or(1'000'000) + pick(1'600);
        for (size_t table = 0; table <= text; ++table) {
            LockRequest request;
            request.session = session.id;
            request.sessionStarted = session.started;
            request.resource = static_cast<quint32>(table);
            request.mode = LockMode::fromText(Engine::Postgres, u"RowExclusiveLock");
            request.state = RequestState::Granted;
            m_now.requests.push_back(request);
        }
    }
    return taken(m_now);
}

} // namespace lockscope::bench
