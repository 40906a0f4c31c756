// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingFile.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"
#include "core/record/Damage.h"
#include "core/record/Database.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QSysInfo>

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

const QString anotherServer = u"another server/"_s; // the native code of such an error, before the cluster

} // namespace

QString exposureOf(const QString& path)
{
    const auto rights = QFileInfo(path).permissions();
    if (!rights.testAnyFlags(QFile::ReadGroup | QFile::ReadOther))
        return {};
    return u"Others may read %1, with all statements in it. Close it to them: chmod go= %2"_s.arg(
        QFileInfo(path).fileName(), shellWord(path));
}

Result<void> makeRecording(Database& database, const Identity& identity)
{
    return inTransaction(database, [&]() -> Result<void> {
        for (const char* script : {"recording/install.sql", "recording/intervals.sql"}) {
            LOCKSCOPE_TRY(database.script(db::Statement::get(script).sql()));
        }
        return database.run("recording/recording/identify",
            {identity.id, identity.server, engineKey(identity.engine), identity.began.us,
                qint64(identity.redacted), identity.program, u""_s + identity.place,
                u""_s + identity.cluster});
    });
}

Result<std::optional<Identity>> identityOf(Store& store)
{
    std::optional<Identity> identity;
    const auto read = store.run("recording/recording/identity", {}, [&](const Store::Row& row) {
        if (const auto engine = engineOfKey(row.text(2)))
            identity = {.id = row.text(0),
                .server = row.text(1),
                .engine = *engine,
                .began = {row.number(3)},
                .redacted = row.number(4) != 0,
                .program = row.text(5),
                .place = row.text(6),
                .cluster = row.text(7)};
    });
    return ifDone(read, std::move(identity));
}

Failure ofAnotherServer(const QString& path, const Identity& file, const Identity& expected)
{
    const auto named = [](const Identity& one) {
        return (one.place.isEmpty() ? u"%1 (%2)"_s.arg(one.server, engineKey(one.engine)) : one.place)
            + (one.cluster.isEmpty() ? QString() : u" (cluster %1)"_s.arg(one.cluster));
    };
    Failure refused = failure(ErrorKind::BadInput,
        u"The file %1 is a recording of another server, %2 and not %3."_s.arg(
            path, named(file), named(expected)),
        u"Choose another file."_s);
    refused.value().nativeCode = anotherServer + expected.cluster;
    return refused;
}

bool isOfOneServer(const Identity& one, const Identity& another)
{
    const bool havePlaces = !one.place.isEmpty() && !another.place.isEmpty();
    return one.engine == another.engine
        && (havePlaces ? one.place == another.place : one.server == another.server);
}

bool isAnotherCluster(const Identity& one, const QString& cluster)
{
    return !one.cluster.isEmpty() && !cluster.isEmpty() && one.cluster != cluster;
}

Result<void> checkForm(Database& database, const QString& path)
{
    LOCKSCOPE_TRY_GET(const qint64 application, database.number("recording/recording/application"));
    LOCKSCOPE_TRY_GET(const qint64 version, database.number("recording/recording/version"));
    LOCKSCOPE_TRY_GET(const qint64 strange, database.number("recording/recording/strange_tables"));
    if (application != recordingApplication)
        return failure(ErrorKind::BadInput, u"%1 is no recording of Lockscope's."_s.arg(path),
            u"Recordings are files that Lockscope or lockctl record has written: choose another file."_s);
    if (version != formatVersion)
        return failure(ErrorKind::BadInput,
            u"The recording %1 has version %2; this program knows version %3."_s.arg(
                path, QString::number(version), QString::number(formatVersion)),
            version > formatVersion ? u"Update this program."_s
                                    : u"Use the program that wrote it, or record into another file."_s);
    if (strange != 0)
        return failure(ErrorKind::BadInput, u"%1 has tables that no recording has."_s.arg(path),
            u"Choose another file."_s);
    return {};
}

Result<void> checkRecording(Database& database, const QString& path, Identity& expected)
{
    LOCKSCOPE_TRY(checkForm(database, path));
    LOCKSCOPE_TRY_GET(const auto file, identityOf(database));
    if (!file)
        return failure(ErrorKind::BadInput, u"The file %1 is a recording of something else."_s.arg(path),
            u"Choose another file."_s);
    if (!isOfOneServer(*file, expected) || isAnotherCluster(*file, expected.cluster))
        return ofAnotherServer(path, *file, expected);
    if (expected.redacted && !file->redacted)
        return failure(ErrorKind::BadInput,
            u"The recording %1 keeps the values that stand in statements."_s.arg(path),
            u"Choose another file: from now on they would be kept, too."_s);
    expected.redacted = file->redacted;
    if (expected.cluster.isEmpty())
        expected.cluster = file->cluster;
    return {};
}

Result<void> prepareToRead(Database& database)
{
    return database.script(db::Statement::get("recording/reading.sql").sql());
}

Result<void> addEvent(Database& database, ServerTime at, ServerTime noted, const QString& kind,
    const QString& what, const QString& detail, const QString& key)
{
    return database.run("recording/recording/add_event",
        {at.us, noted.us, kind, u""_s + what, u""_s + detail, key.isEmpty() ? Value() : Value(key),
            eventChecksum(at, kind, what, detail)});
}

qint64 eventChecksum(ServerTime at, const QString& kind, const QString& what, const QString& detail)
{
    return checksumOf(at.us, {kind, what, detail});
}

bool isOfAnotherServer(const Error& error)
{
    return error.nativeCode.startsWith(anotherServer);
}

QString expectedCluster(const Error& error)
{
    return isOfAnotherServer(error) ? error.nativeCode.mid(anotherServer.size()) : QString();
}

Result<QStringList> faultsBesideFrames(Database& file)
{
    auto faults = file.faults();
    if (!faults)
        return faults;
    const auto add = [&faults](const Result<void>& read) {
        if (!read)
            faults->append(read.error().what);
    };
    QStringList damagedTexts;
    add(file.run("recording/recording/texts", {-1}, [&](const Database::Row& row) {
        if (row.number(3) != checksumOf(row.number(0), {row.text(1)}))
            damagedTexts << QString::number(row.number(0));
    }));
    if (!damagedTexts.isEmpty())
        faults->append(u"%1 texts are damaged, the first has the number %2."_s.arg(
            QString::number(damagedTexts.size()), damagedTexts.last()));
    qint64 damagedEvents = 0;
    add(file.run("recording/upload/events_after", {0, -1}, [&](const Database::Row& row) {
        if (row.number(7) != eventChecksum({row.number(1)}, row.text(3), row.text(4), row.text(5)))
            ++damagedEvents;
    }));
    if (damagedEvents > 0)
        faults->append(counted(damagedEvents, u"event is damaged.", u"events are damaged."));
    qint64 strays = 0;
    add(file.run(
        "recording/recording/strays", {}, [&strays](const Database::Row& row) { strays = row.number(0); }));
    if (strays > 0)
        faults->append(u"%1 intervals of locks are damaged."_s.arg(strays));
    return faults;
}

namespace {

Failure writtenBy(const QString& recording, const QString& program, const QString& process)
{
    Failure refused = failure(ErrorKind::Permission,
        u"The recording %1 is written by %2 (process %3) already."_s.arg(recording, program, process),
        u"One program a recording is enough; any number may read it."_s);
    refused.value().nativeCode = writtenByAnother;
    return refused;
}

constexpr int attempts = 100; // each one that is lost was somebody's who ended meanwhile

Failure cannotBeWritten(const QString& recording)
{
    return failure(ErrorKind::Permission,
        u"The recording %1 can't be written: %2"_s.arg(
            recording, QString::fromStdString(std::system_category().message(errno))));
}

/// "4711\nlockctl\ndb1", as tell() wrote it.
Failure otherWriter(const QString& recording, int file)
{
    constexpr size_t maximum = 1'024;
    QByteArray text(maximum, '\0');
    const ssize_t count = ::pread(file, text.data(), maximum, 0);
    const QStringList lines = QString::fromUtf8(text.first(std::max<ssize_t>(count, 0))).split(u'\n');
    const QString process = lines.value(0).isEmpty() ? u"unknown"_s : lines.value(0);
    const QString host = lines.value(2);
    const bool isHere = host.isEmpty() || host == QSysInfo::machineHostName();
    return writtenBy(recording, lines.value(1).isEmpty() ? u"another program"_s : lines.value(1),
        isHere ? process : u"%1 on %2"_s.arg(process, host));
}

/// True if writing hits no other file: somebody may have put a link there.
bool isPlainFileOfAccount(int file)
{
    struct stat seen { };
    return ::fstat(file, &seen) == 0 && S_ISREG(seen.st_mode) && seen.st_nlink <= 1
        && seen.st_uid == ::geteuid();
}

void tell(int file)
{
    const QByteArray text = u"%1\n%2\n%3\n"_s.arg(QCoreApplication::applicationPid())
                                .arg(QCoreApplication::applicationName(), QSysInfo::machineHostName())
                                .toUtf8();
    if (::ftruncate(file, 0) == 0)
        static_cast<void>(::pwrite(file, text.constData(), static_cast<size_t>(text.size()), 0));
}

} // namespace

WriterLock::WriterLock(QByteArray name, Descriptor file)
    : m_name(std::move(name))
    , m_file(std::move(file))
{
}

WriterLock::~WriterLock()
{
    if (isHeld())
        ::unlink(m_name.constData());
}

bool WriterLock::isHeld() const
{
    struct stat ours { };
    struct stat there { };
    return ::fstat(m_file.number(), &ours) == 0 && ::lstat(m_name.constData(), &there) == 0
        && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

Result<std::unique_ptr<WriterLock>> WriterLock::take(const QString& recording)
{
    const QByteArray name = QFile::encodeName(recording + u".lock"_s);
    for (int i = 0; i < attempts; ++i) {
        Descriptor file(::open(
            name.constData(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR));
        if (!file.isOpen())
            return cannotBeWritten(recording);
        if (!isPlainFileOfAccount(file.number()))
            return failure(ErrorKind::Permission,
                u"The recording %1 is not written: %2 is no plain file of this account's with one name."_s
                    .arg(recording, QFile::decodeName(name)),
                u"Choose another file, in a folder of this account."_s);
        if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0)
            return errno == EWOULDBLOCK ? otherWriter(recording, file.number()) : cannotBeWritten(recording);
        std::unique_ptr<WriterLock> lock(new WriterLock(name, std::move(file)));
        // The former holder may have removed its file between the two calls: then nobody else sees this lock.
        if (lock->isHeld()) {
            tell(lock->m_file.number());
            return lock;
        }
    }
    return failure(ErrorKind::Permission,
        u"The recording %1 can't be written: its lock file comes and goes."_s.arg(recording));
}

bool WriterLock::isAnybodys(const QString& recording)
{
    return QFileInfo::exists(recording + u".lock"_s);
}

} // namespace lockscope::record
