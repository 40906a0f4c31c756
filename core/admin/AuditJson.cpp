// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/AuditJson.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::admin {

using namespace Qt::StringLiterals;

namespace {

QJsonValue timeValue(const std::optional<ServerTime>& time)
{
    return time ? QJsonValue(time->toIsoString()) : QJsonValue();
}

QJsonObject toObject(const LockTableEntry& entry)
{
    return {{u"table"_s, entry.table}, {u"name"_s, entry.name}, {u"fencing"_s, entry.fencing},
        {u"acquired_at"_s, entry.acquiredAt.toIsoString()}, {u"expires_at"_s, timeValue(entry.expiresAt)},
        {u"owner"_s, entry.party.owner}, {u"host"_s, entry.party.host}, {u"program"_s, entry.party.program},
        {u"process_id"_s, entry.party.processId}};
}

QString compact(const QJsonDocument& document)
{
    return QString::fromUtf8(document.toJson(QJsonDocument::Compact));
}

} // namespace

QString stateAsJson(const LockTableEntry& entry)
{
    return compact(QJsonDocument(toObject(entry)));
}

QString stateAsJson(const QList<LockTableEntry>& entries)
{
    QJsonArray array;
    for (const LockTableEntry& entry : entries)
        array.append(toObject(entry));
    return compact(QJsonDocument(array));
}

QString stateAsJson(const Session& session)
{
    return compact(QJsonDocument(QJsonObject{{u"pid"_s, session.id.value},
        {u"backend_start"_s, session.started.toIsoString()}, {u"usename"_s, session.user},
        {u"datname"_s, session.database}, {u"application_name"_s, session.program}, {u"host"_s, session.host},
        {u"state"_s, sessionStateName(session.state)},
        {u"xact_start"_s, timeValue(session.transactionStarted)},
        {u"query_start"_s, timeValue(session.statementStarted)}, {u"query"_s, session.statement}}));
}

QString jsonArray(const QStringList& elements)
{
    return u'[' + elements.join(u',') + u']';
}

} // namespace lockscope::admin
