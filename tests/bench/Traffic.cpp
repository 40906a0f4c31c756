// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/bench/Traffic.h"

#include <algorithm>

namespace lockscope::bench {

using namespace Qt::StringLiterals;

namespace {

constexpr ServerTime begin{1'795'230'727'000'000};

} // namespace

Traffic::Traffic(const Order& order)
    : m_order(order)
{
    m_now.engine = Engine::Postgres;
    m_now.server = u"shop@db1"_s;
    m_now.serverVersion = u"PostgreSQL 15.18"_s;
    m_now.takenAt = begin;
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
        Session session;
        session.id = SessionId{1'000 + i};
        session.started = begin - std::chrono::hours(1) + std::chrono::seconds(i);
        session.state = SessionState::Active;
        session.user = u"shop"_s;
        session.database = u"shop"_s;
        session.program = u"web-%1"_s.arg(i % 20);
        session.host = u"app%1"_s.arg(i % 12);
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
    while (std::any_of(m_now.requests.begin(), m_now.requests.end(), isTaken))
        ++request.ordinal;
    return request;
}

SnapshotPtr Traffic::next()
{
    m_now.takenAt = m_now.takenAt + std::chrono::seconds(1) + microseconds(pick(2'000));
    ++m_now.number;
    m_now.cost.roundTrip = microseconds(2'000 + pick(500));
    m_now.cost.server = microseconds(1'000 + pick(200));
    m_now.cost.client = microseconds(800 + pick(200));
    m_now.cost.rows = m_order.locks + m_order.sessions;
    for (int i = 0; i < static_cast<int>(m_order.locks * m_order.changes); ++i) {
        m_now.requests.erase(m_now.requests.begin() + pick(static_cast<int>(m_now.requests.size())));
        m_now.requests.push_back(newRequest());
    }
    auto snapshot = std::make_shared<Snapshot>(m_now);
    snapshot->index();
    snapshot->waits = computeWaits(*snapshot);
    return snapshot;
}

} // namespace lockscope::bench
