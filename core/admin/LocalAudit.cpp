// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/LocalAudit.h"

#include "core/base/PlainFile.h"
#include "core/base/Result.h"
#include "core/base/ShownText.h"
#include "core/domain/SnapshotJson.h"

#include <QByteArray>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

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

namespace {

Failure unsafe(const QString& path, const QString& why, const QString& hint)
{
    return failure(ErrorKind::Permission, u"The local audit %1 is not used: %2."_s.arg(path, why), hint);
}

Failure systemFailure(const QString& path, const QString& what, int code = errno)
{
    return Failure(Error{.kind = code == EACCES || code == EPERM ? ErrorKind::Permission : ErrorKind::Server,
        .what = u"The local audit %1 can't be %2."_s.arg(path, what),
        .detail = QString::fromStdString(std::system_category().message(code)),
        .hint = u"See to its folder, its rights and the space on its disk."_s});
}

Failure strangers(const QString& path, const QString& what)
{
    return unsafe(path, u"%1 belongs to another account"_s.arg(what),
        u"Give it to this account (chown), or set XDG_STATE_HOME to a folder of your own."_s);
}

/// Nobody else could have laid this way, nor can turn it round, as far as it is there. Gives the last folder
/// that is there.
Result<QString> checkWay(const QString& path, const QString& folder)
{
    struct stat seen { };
    QString last;
    for (const QString& step : stepsOf(folder)) {
        if (::lstat(QFile::encodeName(step).constData(), &seen) != 0) {
            if (errno == ENOENT && !last.isEmpty())
                break;
            return systemFailure(path, u"reached"_s);
        }
        if (!isOurs(seen))
            return strangers(path, step);
        last = step;
    }
    // The target of links of our own.
    const QString real = QFileInfo(last).canonicalFilePath();
    if (const auto step = unsafeStep(real)) {
        switch (step->why) {
        case UnsafeStep::Why::Unreachable:
            return systemFailure(path, u"reached"_s);
        case UnsafeStep::Why::Strangers:
            return strangers(path, step->folder);
        case UnsafeStep::Why::Open:
            return unsafe(path, u"others may write to %1"_s.arg(step->folder),
                u"Set XDG_STATE_HOME to a folder of your own."_s);
        }
    }
    return last;
}

Result<Descriptor> openFolder(const QString& path, const QString& folder)
{
    Descriptor opened(
        ::open(QFile::encodeName(folder).constData(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat seen { };
    if (!opened.isOpen() && (errno == ELOOP || errno == ENOTDIR))
        return unsafe(path, u"%1 is no folder, but a link or a file"_s.arg(folder), u"Remove it."_s);
    if (!opened.isOpen() || ::fstat(opened.number(), &seen) != 0)
        return systemFailure(path, u"reached"_s);
    if (seen.st_uid != ::geteuid())
        return strangers(path, folder);
    if (othersMayWrite(seen))
        return unsafe(
            path, u"others may write to %1"_s.arg(folder), u"chmod 700 %1"_s.arg(shellWord(folder)));
    LOCKSCOPE_TRY(checkWay(path, folder));
    return opened;
}

/// Makes the folder if it is not there; nothing on a way that is not safe.
Result<Descriptor> makeFolder(const QString& path, const QString& folder)
{
    LOCKSCOPE_TRY(checkWay(path, folder));
    for (const QString& step : stepsOf(folder).mid(1))
        if (::mkdir(QFile::encodeName(step).constData(), S_IRWXU) != 0 && errno != EEXIST && errno != EROFS)
            return systemFailure(path, u"made"_s);
    return openFolder(path, folder);
}

Result<Descriptor> openFile(const QString& path, const Descriptor& folder, int flags)
{
    const QByteArray name = QFile::encodeName(QFileInfo(path).fileName());
    // Non-blocking: a pipe in this place must not keep us waiting.
    Descriptor opened(::openat(
        folder.number(), name.constData(), flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, S_IRUSR | S_IWUSR));
    struct stat seen { };
    if (!opened.isOpen() && errno == ELOOP)
        return unsafe(path, u"it is a link"_s, u"Remove the link."_s);
    if (!opened.isOpen() || ::fstat(opened.number(), &seen) != 0)
        return systemFailure(path, u"opened"_s);
    if (!S_ISREG(seen.st_mode) || seen.st_nlink != 1)
        return unsafe(path, u"it is no plain file with one name"_s, u"Move it away."_s);
    if (seen.st_uid != ::geteuid())
        return strangers(path, u"it"_s);
    if (othersMayUse(seen))
        return unsafe(path, u"it is not yours alone"_s, u"chmod 600 %1"_s.arg(shellWord(path)));
    return opened;
}

/// True if a full disk cut the last line off: the next one must not be joined to it.
bool endsInTheMiddle(const Descriptor& file)
{
    struct stat seen { };
    char last = '\n';
    return ::fstat(file.number(), &seen) == 0 && seen.st_size > 0
        && ::pread(file.number(), &last, 1, seen.st_size - 1) == 1 && last != '\n';
}

/// Appends to a file of this account that nobody else may read or write, by one write; it is on disk when
/// this returns. Makes the file (mode 0600) and its folder (0700) if they are not there. Refused
/// (Permission), and nothing made, if another account could have put its own file or link in the place, or
/// could change what is there (PlainFile.h). Any thread; blocks for the disk.
Result<void> appendToOwnFile(const QString& path, const QByteArray& line)
{
    LOCKSCOPE_TRY_GET(const auto folder, makeFolder(path, QFileInfo(path).path()));
    LOCKSCOPE_TRY_GET(const auto file, openFile(path, folder, O_RDWR | O_APPEND | O_CREAT));
    const QByteArray whole = endsInTheMiddle(file) ? '\n' + line : line;
    const auto written = ::write(file.number(), whole.constData(), static_cast<size_t>(whole.size()));
    if (written != whole.size())
        return systemFailure(path, u"written"_s, written < 0 ? errno : ENOSPC);
    if (::fsync(file.number()) != 0 || ::fsync(folder.number()) != 0)
        return systemFailure(path, u"written"_s);
    return {};
}

/// All of such a file, with the same checks; empty if it is not there.
Result<QByteArray> readOwnFile(const QString& path)
{
    if (!QFileInfo::exists(path) && !QFileInfo(path).isSymLink())
        return QByteArray();
    LOCKSCOPE_TRY_GET(const auto folder, openFolder(path, QFileInfo(path).path()));
    LOCKSCOPE_TRY_GET(const auto opened, openFile(path, folder, O_RDONLY));
    QFile file;
    if (!file.open(opened.number(), QIODevice::ReadOnly))
        return systemFailure(path, u"read"_s);
    const QByteArray content = file.readAll();
    if (file.error() != QFileDevice::NoError)
        return systemFailure(path, u"read"_s);
    return content;
}

/// Checks whether the file could be appended to now, as far as that can be found out without making anything:
/// the same checks.
Result<void> checkOwnFile(const QString& path)
{
    const QString requested = QFileInfo(path).path();
    LOCKSCOPE_TRY_GET(const auto last, checkWay(path, requested));
    if (last != requested)
        return ::access(QFile::encodeName(last).constData(), W_OK | X_OK) == 0
            ? Result<void>()
            : systemFailure(path, u"made"_s);
    LOCKSCOPE_TRY_GET(const auto folder, openFolder(path, requested));
    const QByteArray name = QFile::encodeName(QFileInfo(path).fileName());
    struct stat seen { };
    if (::fstatat(folder.number(), name.constData(), &seen, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        return ::faccessat(folder.number(), ".", W_OK | X_OK, 0) == 0 ? Result<void>()
                                                                      : systemFailure(path, u"made"_s);
    const auto file = openFile(path, folder, O_RDWR | O_APPEND);
    return ifDone(file);
}

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
    return AuditRecord{.id = id,
        .at = ServerTime::fromIsoString(text(u"at")),
        .who = text(u"who"),
        .from = text(u"from"),
        .act = text(u"act"),
        .target = text(u"target"),
        .reason = text(u"reason"),
        .before = text(u"before"),
        .outcome = text(u"outcome"),
        .server = text(u"server")};
}

} // namespace

LocalAudit::LocalAudit(QString path)
    : m_path(std::move(path))
{
}

QString LocalAudit::defaultPath()
{
    return stateFolder() + u"/audit.jsonl"_s;
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
    LOCKSCOPE_TRY_GET(const QByteArray content, readOwnFile(m_path));
    QHash<qint64, qsizetype> places;
    QList<AuditRecord> records;
    for (const QByteArray& line : content.split('\n')) {
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
    std::ranges::reverse(records);
    return records.mid(0, limit);
}

} // namespace lockscope::admin
