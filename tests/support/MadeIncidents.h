// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Database.h"
#include "core/watch/IncidentStore.h"
#include "tests/support/OrDie.h"

#include <chrono>

namespace lockscope::test {

/// Incidents by hand, of a day in a shop; times before the present.
class MadeIncidents {
public:
    explicit MadeIncidents(const QString& path)
        : m_store(orDie(watch::IncidentStore::open(path)))
        , m_file(orDie(record::Database::open(path, record::Database::Mode::Write)))
    {
    }

    watch::IncidentStore& store() { return *m_store; }

    /// 25 sessions wait for "billing" (51 of SnapshotBuilder), idle in its transaction.
    static alert::Incident billing(ServerTime began, alert::Severity severity = alert::Severity::Critical)
    {
        using namespace std::chrono_literals;
        alert::Incident made = chain(QStringLiteral("billing"), began, severity);
        made.title = QStringLiteral("25 sessions wait for 51 billing, idle in transaction for 6 min.");
        made.reason =
            QStringLiteral("They wait for shop.orders, which 51 has locked since it last did something.");
        made.chain = {
            QStringLiteral("51 billing: idle in transaction for 6 min, has shop.orders (row exclusive)"),
            QStringLiteral("├─ 63 report: waits for shop.orders (access exclusive) for 5 min 02 s"),
            QStringLiteral("│  └─ 70 web: waits for shop.orders (access share) for 4 min 41 s"),
            QStringLiteral("└─ 22 more")};
        made.waiting = 25;
        made.worstWaiting = 25;
        made.longestWait = 302s;
        made.waited = 95min;
        made.head.session = SessionId{51};
        made.head.title = QStringLiteral("51 billing");
        made.head.doing = QStringLiteral("idle in transaction for 6 min");
        made.head.statement = QStringLiteral("UPDATE shop.orders SET state = 'billed' WHERE id = 4711");
        made.head.remedy = QStringLiteral("End session 51: its client has not sent a statement for 6 min.");
        made.symptoms = {symptom(QStringLiteral("blocked sessions"), severity, began,
                             QStringLiteral("25 sessions are blocked.")),
            symptom(QStringLiteral("idle head blocker"), alert::Severity::Warning, began,
                QStringLiteral("The head blocker is idle in its transaction for 6 min."))};
        return made;
    }

    static alert::Incident unreachable(ServerTime began)
    {
        alert::Incident made;
        made.cause.kind = QStringLiteral("unreachable");
        made.cause.server = QStringLiteral("stock");
        made.severity = made.worst = alert::Severity::Critical;
        made.since = made.fired = began;
        made.seen = ownClock();
        made.title = QStringLiteral("stock has not answered for 2 min.");
        made.reason = QStringLiteral("Polls fail: could not connect to server: connection refused.");
        made.symptoms = {symptom(QStringLiteral("server unreachable"), made.severity, began, made.title)};
        return made;
    }

    static alert::Incident chain(const QString& program, ServerTime began, alert::Severity severity)
    {
        alert::Incident made;
        made.cause = {QStringLiteral("chain"), QStringLiteral("localhost:1"), QStringLiteral("shop"),
            QStringLiteral("shop"), program, QStringLiteral("app01"), QStringLiteral("shop.orders")};
        made.severity = made.worst = severity;
        made.since = made.fired = made.worstAt = began;
        made.seen = ownClock();
        made.waiting = made.worstWaiting = 3;
        made.waited = std::chrono::minutes(2);
        made.title = QStringLiteral("3 sessions wait for %1.").arg(program);
        made.symptoms = {symptom(
            QStringLiteral("blocked sessions"), severity, began, QStringLiteral("3 sessions are blocked."))};
        return made;
    }

    static alert::Symptom symptom(
        const QString& rule, alert::Severity severity, ServerTime since, const QString& text)
    {
        alert::Symptom made;
        made.rule = rule;
        made.severity = severity;
        made.since = since;
        made.text = text;
        return made;
    }

    alert::Incident fire(alert::Incident incident)
    {
        incident.id = orDie(m_store->fire(incident, {}, QStringLiteral("Fired."))).id;
        return incident;
    }

    /// It has fired, and is over.
    alert::Incident resolve(alert::Incident incident, ServerTime at, const QString& clearedBy)
    {
        incident.state = alert::Incident::State::Resolved;
        incident.resolved = at;
        incident.clearedBy = clearedBy;
        const auto over = m_store->resolve(incident, {}, QStringLiteral("Resolved: ") + clearedBy);
        if (!over || !*over)
            qFatal("it did not fire");
        return incident;
    }

    /// It fired, and was over after that time.
    alert::Incident pass(alert::Incident incident, microseconds lasted, const QString& clearedBy)
    {
        incident = fire(incident);
        incident.seen = incident.since + lasted;
        incident = resolve(incident, incident.seen, clearedBy);
        orDie(m_file->script("UPDATE incident SET resolved_us = " + QByteArray::number(incident.resolved.us)
            + " WHERE id = " + QByteArray::number(incident.id)));
        return incident;
    }

private:
    std::unique_ptr<watch::IncidentStore> m_store;
    std::unique_ptr<record::Database> m_file; ///< the same one
};

/// An incident as a shop has it: 990 holds an order row and went to lunch.
inline alert::Incident madeIncident(qint64 id = 7)
{
    using namespace Qt::StringLiterals;
    constexpr ServerTime start{1'795'000'000'000'000}; // 2026-11-18T11:06:40Z
    alert::Incident incident;
    incident.id = id;
    incident.cause = {.kind = u"chain"_s,
        .server = u"db1:5432"_s,
        .database = u"shop"_s,
        .user = u"ann"_s,
        .program = u"support-desk"_s,
        .host = u"pc7"_s,
        .resource = u"orders"_s};
    incident.since = start;
    incident.fired = start + std::chrono::seconds(30);
    incident.seen = start + std::chrono::seconds(60);
    incident.worstAt = incident.seen;
    incident.waiting = incident.worstWaiting = 25;
    incident.title = u"25 sessions wait for 990 support-desk, idle in transaction for 4 min."_s;
    incident.reason = u"25 sessions are blocked."_s;
    incident.head.title = u"990 support-desk"_s;
    incident.head.statement = u"UPDATE orders SET card = '4929-1234'"_s;
    incident.head.remedy = u"End session 990."_s;
    return incident;
}

inline alert::Notice madeNotice(
    alert::Notice::Kind kind = alert::Notice::Kind::Fired, qint64 id = 7, const QString& key = {})
{
    using namespace Qt::StringLiterals;
    alert::Notice notice;
    notice.kind = kind;
    notice.key = key.isEmpty() ? u"%1/%2"_s.arg(id).arg(int(kind)) : key;
    notice.server = u"postgresql://db1/shop"_s;
    notice.incident = madeIncident(id);
    if (kind == alert::Notice::Kind::Escalated || kind == alert::Notice::Kind::Resolved)
        notice.incident.severity = notice.incident.worst = alert::Severity::Critical;
    if (kind == alert::Notice::Kind::Resolved) {
        notice.incident.state = alert::Incident::State::Resolved;
        notice.incident.resolved = notice.incident.since + std::chrono::minutes(4);
        notice.incident.clearedBy = u"Session 990 committed."_s;
    }
    return notice;
}

} // namespace lockscope::test
