// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Event.h"

#include "core/deadlock/ReadReports.h"

#include <QJsonArray>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

QString eventKindName(Event::Kind kind)
{
    static constexpr QStringView names[] = {
        u"failure", u"gap", u"act", u"deadlock", u"alert", u"note", u"mark"};
    static_assert(std::size(names) == size_t(Event::Kind::Mark) + 1);
    return names[size_t(kind)].toString();
}

Result<QList<deadlock::ReportPtr>> reportsOf(const RecordedReport& report)
{
    auto read = deadlock::readReports(report.raw.toUtf8(), report.origin);
    if (!read)
        return read;
    for (deadlock::ReportPtr& each : *read) {
        if (each->time.at && each->time.isZoneKnown)
            continue;
        auto timed = std::make_shared<deadlock::Report>(*each);
        timed->time.at = report.at;
        timed->time.isZoneKnown = true;
        each = std::move(timed);
    }
    return read;
}

QJsonObject ringDetail(const deadlock::Identity& ring)
{
    QJsonArray sessions;
    for (const qint64 session : ring.sessions)
        sessions.append(session);
    QJsonArray transactions;
    for (const QString& transaction : ring.transactions)
        transactions.append(transaction);
    return {{u"sessions"_s, sessions}, {u"transactions"_s, transactions}};
}

std::optional<deadlock::Identity> ringOfDetail(const QJsonValue& detail, ServerTime at)
{
    deadlock::Identity ring;
    ring.time.at = at;
    for (const auto& session : detail["sessions"_L1].toArray())
        ring.sessions.insert(session.toInteger());
    for (const auto& transaction : detail["transactions"_L1].toArray())
        ring.transactions.insert(transaction.toString());
    return ring.sessions.empty() ? std::nullopt : std::optional(ring);
}

} // namespace lockscope::alert
