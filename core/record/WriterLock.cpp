// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/WriterLock.h"

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
