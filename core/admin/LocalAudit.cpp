// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/LocalAudit.h"

#include "core/admin/OwnFile.h"

#include <QDateTime>
#include <QDir>
#include <QHash>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace lockscope::admin {

using namespace Qt::StringLiterals;

namespace {

QByteArray lineOf(const AuditRecord& record)
{
    const QJsonObject json{{u"id"_s, record.id}, {u"at"_s, record.at.toIsoString()},
        {u"server"_s, record.server}, {u"who"_s, record.who}, {u"from"_s, record.from},
        {u"act"_s, record.act}, {u"target"_s, record.target}, {u"reason"_s, record.reason},
        {u"before"_s, record.before}, {u"outcome"_s, record.outcome}};
    return QJsonDocument(json).toJson(QJsonDocument::Compact) + '\n';
}

std::optional<AuditRecord> recordOf(const QByteArray& line)
{
    const QJsonDocument document = QJsonDocument::fromJson(line);
    const QJsonObject json = document.object();
    const qint64 id = json[u"id"].toInteger();
    if (id <= 0)
        return std::nullopt;
    const auto text = [&json](QStringView key) { return json[key].toString(); };
    // The last three digits are beyond what QDateTime knows.
    const QDateTime at = QDateTime::fromString(text(u"at").left(23) + u'Z', Qt::ISODateWithMs);
    const qint64 micros = text(u"at").mid(23, 3).toLongLong();
    return AuditRecord{id, at.isValid() ? ServerTime{at.toMSecsSinceEpoch() * 1'000 + micros} : ServerTime(),
        text(u"who"), text(u"from"), text(u"act"), text(u"target"), text(u"reason"), text(u"before"),
        text(u"outcome"), text(u"server")};
}

} // namespace

LocalAudit::LocalAudit(QString path)
    : m_path(std::move(path))
{
}

QString LocalAudit::defaultPath()
{
    QString folder = qEnvironmentVariable("XDG_STATE_HOME");
    if (!QDir::isAbsolutePath(folder)) // the specification: others are to be ignored
        folder = QDir::homePath() + u"/.local/state"_s;
    return QDir::cleanPath(folder + u"/lockscope/audit.jsonl"_s);
}

Result<void> LocalAudit::check() const
{
    return checkOwnFile(m_path);
}

Result<qint64> LocalAudit::begin(AuditRecord record) const
{
    // Unique for what persons do on one computer, ascending, and exact in the numbers of JSON.
    record.id =
        std::chrono::duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    return appendToOwnFile(m_path, lineOf(record)).map([&record] { return record.id; });
}

Result<void> LocalAudit::end(const AuditRecord& record) const
{
    return appendToOwnFile(m_path, lineOf(record));
}

Result<QList<AuditRecord>> LocalAudit::read(int limit) const
{
    const Result<QByteArray> content = readOwnFile(m_path);
    if (!content)
        return Failure(content.error());
    QHash<qint64, qsizetype> places;
    QList<AuditRecord> records;
    for (const QByteArray& line : content->split('\n')) {
        const auto record = recordOf(line);
        if (!record)
            continue;
        if (const auto place = places.constFind(record->id); place != places.constEnd()) {
            records[*place] = *record;
        } else {
            places.insert(record->id, records.size());
            records.append(*record);
        }
    }
    std::reverse(records.begin(), records.end());
    return records.mid(0, limit);
}

} // namespace lockscope::admin
