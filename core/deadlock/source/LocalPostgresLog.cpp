// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/PlainFile.h"
#include "core/deadlock/source/PostgresLog.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

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
