// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/AuditRecord.h"

#include "core/domain/SnapshotJson.h"

#include <QJsonDocument>

namespace lockscope::admin {

using namespace Qt::StringLiterals;

report::Report toReport(const QList<AuditRecord>& records, bool hasServers)
{
    using enum report::Type;
    using report::Column;
    using report::Shown;
    report::Section section{
        .columns = {Column(Count, u"id"_s, u"No."_s).yield(2),
            {Time, u"at"_s, u"At"_s, u"By the server's clock"_s}, {u"act"_s, u"Act"_s},
            Column(u"target"_s, u"Acted on"_s).wide(3), Column(u"reason"_s, u"Reason"_s).wide(2),
            Column(u"outcome"_s, u"Outcome"_s).wide(2),
            Column(u"who"_s, u"Who"_s, u"Account of the person and the database role used"_s).wide(1),
            Column(u"from"_s, u"From"_s, u"Host and program"_s).wide(1).yield(1),
            Column(u"before"_s, u"State before"_s).show(Shown::OnRequest).wide(3),
            Column(u"server"_s, u"Server"_s).show(hasServers ? Shown::Always : Shown::ToPrograms).wide(1)},
        .whenEmpty = u"Nothing is recorded."_s};
    for (const AuditRecord& record : records) {
        const bool isDone = record.outcome.startsWith(u"done"_s);
        section.rows.push_back(
            {.cells = {record.id, record.at, record.act, record.target, record.reason,
                 report::Value(record.outcome, isDone ? report::Mark::Done : report::Mark::Alarm), record.who,
                 record.from, record.before, record.server},
                .key = QString::number(record.id),
                .about = record});
    }
    return {.sections = {std::move(section)}};
}

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
