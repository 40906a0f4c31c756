// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/PostgresLog.h"

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// What the server's own functions read.
class ServerLog : public PostgresLog {
public:
    ServerLog(db::Connection& connection, SourceFormat format)
        : m_connection(connection)
        , m_format(format)
    {
    }

    SourceFormat format() const override { return m_format; }
    const QList<LogFile>& files() const override { return m_files; }
    int roundTrips() const override { return m_roundTrips; }

    Result<std::optional<QByteArray>> read(
        const LogFile& file, qint64 from, qint64 count, const std::stop_token& stop) override
    {
        std::optional<QByteArray> bytes;
        ++m_roundTrips;
        const auto done = m_connection.execute(
            db::Statement::get("postgres/deadlocks/log_piece"), {file.path, from, count},
            [&bytes](const db::Row& row) {
                if (!row.isNull(0))
                    bytes = unescaped(row.text(0));
            },
            stop);
        if (!done)
            return Failure(done.error());
        return bytes;
    }

protected:
    QList<LogFile> m_files;

private:
    db::Connection& m_connection;
    const SourceFormat m_format;
    int m_roundTrips = 0;
};

class CollectedLog final : public ServerLog {
public:
    using ServerLog::ServerLog;

    void ask(std::vector<db::BatchItem>& items, const QString& known, ServerTime from) override
    {
        m_files.clear();
        const QString destination = format() == SourceFormat::PostgresJson ? u"jsonlog"_s
            : format() == SourceFormat::PostgresCsv                        ? u"csvlog"_s
                                                                           : u"stderr"_s;
        items.push_back({&db::Statement::get("postgres/deadlocks/log_files"), {destination, from.us, known},
            [this](const db::Row& row) {
                m_files << LogFile{row.text(0), row.int64(1), row.time(2)};
            }});
    }
};

class StandardErrorLog final : public ServerLog {
public:
    explicit StandardErrorLog(db::Connection& connection)
        : ServerLog(connection, SourceFormat::PostgresText)
    {
    }

    void ask(std::vector<db::BatchItem>& items, const QString&, ServerTime) override
    {
        m_files.clear();
        items.push_back(
            {&db::Statement::get("postgres/deadlocks/standard_error"), {}, [this](const db::Row& row) {
                 // To read from what has no size could wait for ever.
                 if (row.int64(0) > 0)
                     m_files << LogFile{u"/proc/self/fd/2"_s, row.int64(0), row.time(1)};
             }});
    }
};

} // namespace

std::unique_ptr<PostgresLog> collectedLog(db::Connection& connection, SourceFormat format)
{
    return std::make_unique<CollectedLog>(connection, format);
}

std::unique_ptr<PostgresLog> standardErrorLog(db::Connection& connection)
{
    return std::make_unique<StandardErrorLog>(connection);
}

QByteArray unescaped(const QString& text)
{
    const auto digit = [](QChar c) { return c.unicode() - u'0'; };
    QByteArray bytes;
    bytes.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] != u'\\') {
            bytes += char(text[i].unicode());
        } else if (i + 1 < text.size() && text[i + 1] == u'\\') {
            bytes += '\\';
            ++i;
        } else if (i + 3 < text.size()) {
            bytes += char(digit(text[i + 1]) * 64 + digit(text[i + 2]) * 8 + digit(text[i + 3]));
            i += 3;
        } else {
            break;
        }
    }
    return bytes;
}

} // namespace lockscope::deadlock
