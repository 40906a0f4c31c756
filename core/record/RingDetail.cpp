// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RingDetail.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace lockscope::record {

using namespace Qt::StringLiterals;

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

QString detailText(const QJsonObject& detail)
{
    return QString::fromUtf8(QJsonDocument(detail).toJson(QJsonDocument::Compact));
}

} // namespace lockscope::record
