// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/LinePrefix.h"
#include "core/deadlock/PostgresReport.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr auto deadlockCode = QStringView(u"40P01");

/// The columns of csvlog that are read, by their places; newer servers add theirs at the end.
enum CsvColumn {
    LogTime,
    User,
    Database,
    Process,
    Client,
    State = 12,
    Message = 13,
    Detail = 14,
    Context = 18,
    Query = 19,
    Program = 22
};

struct CsvRecord {
    QStringList fields;
    qsizetype begin = 0;
    qsizetype end = 0;
};

/// Reads records one after the other. One whose quotes don't close goes to the end of the text; then reading
/// begins again behind its first line, so that a file that begins within a record is read.
class CsvReader {
public:
    explicit CsvReader(const QString& text)
        : m_text(text)
    {
    }

    bool next(CsvRecord& record)
    {
        if (m_at >= m_text.size())
            return false;
        record = {};
        record.begin = m_at;
        QString field;
        bool isQuoted = false;
        qsizetype i = m_at;
        for (; i < m_text.size(); ++i) {
            const QChar c = m_text[i];
            if (isQuoted) {
                if (c != u'"')
                    field += c;
                else if (i + 1 < m_text.size() && m_text[i + 1] == u'"')
                    field += m_text[++i];
                else
                    isQuoted = false;
            } else if (c == u'"') {
                isQuoted = true;
            } else if (c == u',') {
                record.fields << field;
                field.clear();
            } else if (c == u'\n') {
                break;
            } else if (c != u'\r') {
                field += c;
            }
        }
        if (isQuoted) {
            const qsizetype line = m_text.indexOf(u'\n', m_at);
            record.fields.clear();
            m_at = line < 0 ? m_text.size() : line + 1;
            ++m_torn;
        } else {
            record.fields << field;
            m_at = i + 1;
        }
        record.end = std::min(m_at, m_text.size());
        return m_torn < 1000; // each costs a search of the whole rest
    }

private:
    const QString& m_text;
    qsizetype m_at = 0;
    int m_torn = 0;
};

std::optional<DeadlockReport> readEither(const PostgresEntry& entry, QStringView state)
{
    return state == deadlockCode ? readPostgresEntry(entry) : readLockWait(entry);
}

qint64 linesUpTo(const QString& text, qsizetype& counted, qsizetype place)
{
    const qint64 lines = countLines(QStringView(text).mid(counted, place - counted));
    counted = place;
    return lines;
}

} // namespace

QList<ReportPtr> readPostgresCsv(const QString& text, const QString& place, PostgresEvents events)
{
    QList<ReportPtr> reports;
    CsvReader reader(text);
    CsvRecord record;
    qint64 line = 1;
    qsizetype counted = 0;
    while (reader.next(record)) {
        const QStringList& fields = record.fields;
        if (fields.size() <= Context
            || (fields[State] != deadlockCode
                && (events == PostgresEvents::Deadlocks || fields[State] != u"00000" // of what is no error
                    || !fields[Message].contains(u"eLock"))))
            continue;
        PostgresEntry entry;
        entry.message = fields[Message];
        entry.process = fields[Process].toLongLong();
        entry.time = fields[LogTime];
        entry.user = fields[User];
        entry.database = fields[Database];
        entry.host = fields[Client].section(u':', 0, -2);
        entry.detail = fields[Detail].split(u'\n');
        entry.context = fields[Context];
        entry.statement = fields.value(Query);
        entry.program = fields.value(Program);
        line += linesUpTo(text, counted, record.begin);
        if (auto report = readEither(entry, fields[State]))
            reports << postgresReport(std::move(*report), place, SourceFormat::PostgresCsv, line,
                text.mid(record.begin, record.end - record.begin));
    }
    return reports;
}

QList<ReportPtr> readPostgresJson(const QString& text, const QString& place, PostgresEvents events)
{
    QList<ReportPtr> reports;
    qint64 number = 0;
    for (qsizetype at = 0; at < text.size();) {
        qsizetype end = text.indexOf(u'\n', at);
        if (end < 0)
            end = text.size();
        ++number;
        const QStringView line = QStringView(text).mid(at, end - at);
        at = end + 1;
        const bool mayWait = events == PostgresEvents::DeadlocksAndWaits && line.contains(u"eLock");
        if (!line.contains(deadlockCode) && !mayWait)
            continue;
        const QJsonObject object = QJsonDocument::fromJson(line.toUtf8()).object();
        const QString state = object[u"state_code"].toString();
        if (state != deadlockCode && (!mayWait || !state.isEmpty()))
            continue;
        PostgresEntry entry;
        entry.message = object[u"message"].toString();
        entry.process = object[u"pid"].toInteger();
        entry.time = object[u"timestamp"].toString();
        entry.user = object[u"user"].toString();
        entry.database = object[u"dbname"].toString();
        entry.host = object[u"remote_host"].toString();
        entry.program = object[u"application_name"].toString();
        entry.detail = object[u"detail"].toString().split(u'\n');
        entry.context = object[u"context"].toString();
        entry.statement = object[u"statement"].toString();
        if (auto report = readEither(entry, state))
            reports << postgresReport(
                std::move(*report), place, SourceFormat::PostgresJson, number, line.toString());
    }
    return reports;
}

} // namespace lockscope::deadlock
