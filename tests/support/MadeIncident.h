// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Notice.h"

namespace lockscope::test {

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
