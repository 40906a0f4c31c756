// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/PostgresLog.h"

#include <QRegularExpression>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// Reads the log by the server's own functions.
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
        return ifDone(done, std::move(bytes));
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
    CollectedLog(db::Connection& connection, SourceFormat format, const QString& pattern)
        : ServerLog(connection, format)
        , m_pattern(pattern)
    {
    }
    QStringList passedOver() const override { return m_passedOver; }

    void ask(std::vector<db::BatchItem>& items, const QString& known, ServerTime from) override
    {
        m_files.clear();
        items.push_back({.statement = &db::Statement::get("postgres/deadlocks/log_files"),
            .params = {logDestination(format()), from.us, known},
            .sink = [this, known](const db::Row& row) {
                m_files << LogFile{row.text(0), row.int64(1), row.time(2)};
                if (row.boolean(3)) // the last one
                    m_passedOver = takeOthers(m_files, known, m_pattern);
            }});
    }

private:
    const QString m_pattern;
    QStringList m_passedOver;
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
        items.push_back({.statement = &db::Statement::get("postgres/deadlocks/standard_error"),
            .sink = [this](const db::Row& row) {
                // To read from what has no size could wait for ever.
                if (row.int64(0) > 0)
                    m_files << LogFile{u"/proc/self/fd/2"_s, row.int64(0), row.time(1)};
            }});
    }
};

/// Returns a pattern for the names that log_filename makes, with any suffix of a format: as strftime, in
/// English.
QRegularExpression namesBy(const QString& pattern)
{
    static const QString texts = u"aAbBhpPZ"_s;
    static const QString several = u"cDFrRTvxX+"_s;
    QString form;
    const QString stem = pattern.endsWith(u".log") ? pattern.chopped(4) : pattern;
    for (qsizetype i = 0; i < stem.size(); ++i) {
        if (stem[i] != u'%' || i + 1 == stem.size()) {
            form += QRegularExpression::escape(stem.mid(i, 1));
            continue;
        }
        const QChar what = stem[++i];
        form += what == u'%'         ? u"%"_s
            : texts.contains(what)   ? u"[A-Za-z]+"_s
            : several.contains(what) ? u".+"_s
                                     : u"[-+ 0-9]+"_s;
    }
    return QRegularExpression(u"\\A(?:%1)(?:\\.log|\\.csv|\\.json)?\\z"_s.arg(form));
}

/// The same for names that differ only by their times.
QString withoutTimes(QString name)
{
    static const QRegularExpression days(
        u"(?<![A-Za-z])(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|[AP]M)(?![A-Za-z])"_s,
        QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression digit(u"[0-9]"_s);
    return name.replace(days, u"*"_s).replace(digit, u"0"_s);
}

} // namespace

QString logDestination(SourceFormat format)
{
    return format == SourceFormat::PostgresJson ? u"jsonlog"_s
        : format == SourceFormat::PostgresCsv   ? u"csvlog"_s
                                                : u"stderr"_s;
}

bool isOfSameLog(const QString& name, const QString& current, const QString& pattern)
{
    const QRegularExpression names = namesBy(pattern);
    if (!pattern.isEmpty() && names.match(current).hasMatch())
        return names.match(name).hasMatch();
    return withoutTimes(name) == withoutTimes(current);
}

QStringList takeOthers(QList<LogFile>& files, const QString& known, const QString& pattern)
{
    QStringList others;
    if (files.isEmpty())
        return others;
    const QString current = files.last().name();
    files.removeIf([&](const LogFile& file) {
        const QString name = file.name();
        const bool isOther = name != known && !isOfSameLog(name, current, pattern);
        if (isOther)
            others << name;
        return isOther;
    });
    return others;
}

std::unique_ptr<PostgresLog> collectedLog(
    db::Connection& connection, SourceFormat format, const QString& pattern)
{
    return std::make_unique<CollectedLog>(connection, format, pattern);
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
