// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/AuditJson.h"

#include "core/domain/SnapshotJson.h"

#include <QJsonDocument>

namespace lockscope::admin {

using namespace Qt::StringLiterals;

namespace {

/// Readers of the audit must not be able to release a lock that was left alone.
QJsonObject shownOf(const LockTableEntry& entry)
{
    QJsonObject json = toJson(entry, ServerTime());
    for (const QString& key : {u"token"_s, u"stale"_s})
        json.remove(key);
    return json;
}

QString compact(const QJsonDocument& document)
{
    return QString::fromUtf8(document.toJson(QJsonDocument::Compact));
}

} // namespace

QString stateAsJson(const LockTableEntry& entry)
{
    return compact(QJsonDocument(shownOf(entry)));
}

QString stateAsJson(const QList<LockTableEntry>& entries)
{
    QJsonArray array;
    for (const LockTableEntry& entry : entries)
        array.append(shownOf(entry));
    return compact(QJsonDocument(array));
}

QString stateAsJson(const Session& session)
{
    return compact(QJsonDocument(toJson(session)));
}

QString jsonArray(const QStringList& elements)
{
    return u'[' + elements.join(u',') + u']';
}

} // namespace lockscope::admin
