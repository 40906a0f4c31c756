// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/PostgresLogReader.h"

#include "core/base/PlainFile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

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

/// Returns the content of a small file of the server's account: if there is something else in its place, a
/// pipe say, it does not wait for that.
QByteArray contentOfPlainFile(const QString& path)
{
    constexpr qint64 maximum = 16'384;
    const PlainFile file(path, PlainFile::Links::Refuse);
    return file.reasonAgainst(PlainFile::Others::Anything) ? QByteArray()
                                                           : file.read(maximum).value_or(QByteArray());
}

/// Returns the start of a process, by the machine's clock; invalid if there is none.
ServerTime processStarted(qint64 pid)
{
    constexpr int startField = 19; // behind the name, which may hold anything
    const QByteArray stat = fileContent(u"/proc/%1/stat"_s.arg(pid));
    const QList<QByteArray> fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
    const QByteArray system = fileContent(u"/proc/stat"_s);
    const qsizetype boot = system.indexOf("btime ");
    const long ticks = sysconf(_SC_CLK_TCK);
    if (fields.size() <= startField || boot < 0 || ticks <= 0)
        return {};
    const qint64 seconds = system.mid(boot + 6, system.indexOf('\n', boot) - boot - 6).toLongLong();
    return {(seconds + fields[startField].toLongLong() / ticks) * 1'000'000};
}

/// An account may inspect its own processes only; so where this works, the server is of this account, or we
/// are root. A connection to this machine may lead on to another one: then no process here has that number
/// and that start and that name.
bool runsHere(const db::Connection& connection)
{
    const db::ServerUrl& url = connection.url();
    if (!url.moreHosts.isEmpty() || (!db::isThisHost(url.host) && !url.host.startsWith(u'/')))
        return false;
    const qint64 pid = connection.sessionId().value;
    if (pid <= 0)
        return false; // behind a pooler
    if (fileContent(u"/proc/%1/comm"_s.arg(pid)).trimmed() != "postgres")
        return false;
    const ServerTime started = processStarted(pid);
    constexpr qint64 tolerance = 3'000'000; // boot time and ticks are rounded
    return started.isValid() && std::abs(started.us - connection.sessionStarted().us) <= tolerance;
}

class LocalLog final : public PostgresLog {
public:
    LocalLog(qint64 pid, uid_t account, SourceFormat format, bool isCollected, const QString& pattern = {})
        : m_process(u"/proc/%1/"_s.arg(pid))
        , m_account(account)
        , m_format(format)
        , m_isCollected(isCollected)
        , m_pattern(pattern)
    {
    }

    SourceFormat format() const override { return m_format; }
    int roundTrips() const override { return 0; }
    const QList<LogFile>& files() const override { return m_files; }
    QStringList passedOver() const override { return m_passedOver; }

    void ask(std::vector<db::BatchItem>&, const QString& known, ServerTime from) override
    {
        m_files.clear();
        // For standard error the very file that the server writes to, whatever it is called by now.
        const QString current = m_isCollected ? currentOf(m_process, m_format) : m_process + u"fd/2"_s;
        const QFileInfo now(current);
        if (current.isEmpty())
            return;
        if (m_isCollected) {
            const auto entries =
                now.dir().entryInfoList({u"*."_s + now.suffix()}, QDir::Files, QDir::Time | QDir::Reversed);
            for (const QFileInfo& each : entries) {
                const ServerTime modified = ServerTime::fromDateTime(each.lastModified());
                if (each.fileName() != now.fileName() && (modified >= from || each.fileName() == known))
                    m_files << LogFile{each.filePath(), each.size(), modified};
            }
        }
        m_files << LogFile{current, now.size(), ServerTime::fromDateTime(now.lastModified())};
        if (m_isCollected)
            m_passedOver = takeOthers(m_files, known, m_pattern);
    }

    Result<std::optional<QByteArray>> read(
        const LogFile& file, qint64 from, qint64 count, const std::stop_token&) override
    {
        const PlainFile opened(
            file.path, m_isCollected ? PlainFile::Links::Refuse : PlainFile::Links::Follow);
        const struct stat& seen = opened.status();
        const bool isTrusted = seen.st_uid == m_account || isOurs(seen);
        QFile log;
        if (opened.reasonAgainst(PlainFile::Others::Anything) || !isTrusted || (seen.st_mode & S_IWOTH) != 0
            || !opened.openIn(log))
            return std::nullopt;
        return log.seek(from) ? log.read(count) : QByteArray();
    }

    /// The collector writes into the data directory, which is every process's own, which file is which.
    static QString currentOf(const QString& process, SourceFormat format)
    {
        const QByteArray requested = logDestination(format).toLatin1() + ' ';
        const QString data = QFileInfo(process + u"cwd"_s).canonicalFilePath();
        for (const QByteArray& line : contentOfPlainFile(data + u"/current_logfiles"_s).split('\n'))
            if (line.startsWith(requested))
                return QDir(data).absoluteFilePath(QFile::decodeName(line.mid(requested.size())));
        return {};
    }

private:
    const QString m_process;
    const uid_t m_account;
    const SourceFormat m_format;
    const bool m_isCollected;
    const QString m_pattern;
    QList<LogFile> m_files;
    QStringList m_passedOver;
};

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

std::unique_ptr<PostgresLog> localLog(
    const db::Connection& connection, const QStringList& destinations, const QString& pattern)
{
    struct stat info { };
    const qint64 pid = connection.sessionId().value;
    const QString process = u"/proc/%1/"_s.arg(pid);
    if (!runsHere(connection) || stat(QFile::encodeName(process).constData(), &info) != 0)
        return nullptr;
    for (const SourceFormat format : logFormats)
        if (destinations.contains(logDestination(format)) && !LocalLog::currentOf(process, format).isEmpty())
            return std::make_unique<LocalLog>(pid, info.st_uid, format, true, pattern);
    struct stat target { };
    if (stat(QFile::encodeName(process + u"fd/2"_s).constData(), &target) != 0 || !S_ISREG(target.st_mode)
        || !destinations.contains(u"stderr"_s))
        return nullptr;
    return std::make_unique<LocalLog>(pid, info.st_uid, SourceFormat::PostgresText, false);
}

} // namespace lockscope::deadlock
