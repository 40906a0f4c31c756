// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/WriterLock.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QSysInfo>

#ifdef Q_OS_UNIX
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#else
#include <QLockFile>
#endif

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

} // namespace

#ifdef Q_OS_UNIX

namespace {

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

class WriterLock::Impl {
public:
    Impl(QByteArray name, int file)
        : m_name(std::move(name))
        , m_file(file)
    {
    }
    ~Impl()
    {
        if (isAtItsPlace())
            ::unlink(m_name.constData());
        ::close(m_file);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    bool isAtItsPlace() const
    {
        struct stat ours { };
        struct stat there { };
        return ::fstat(m_file, &ours) == 0 && ::lstat(m_name.constData(), &there) == 0
            && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
    }

private:
    QByteArray m_name;
    int m_file;
};

Result<std::unique_ptr<WriterLock>> WriterLock::take(const QString& recording)
{
    const QByteArray name = QFile::encodeName(recording + u".lock"_s);
    for (int i = 0; i < attempts; ++i) {
        const int file = ::open(
            name.constData(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (file < 0)
            return cannotBeWritten(recording);
        if (!isPlainFileOfAccount(file)) {
            ::close(file);
            return failure(ErrorKind::Permission,
                u"The recording %1 is not written: %2 is no plain file of this account's with one name."_s
                    .arg(recording, QFile::decodeName(name)),
                u"Choose another file, in a folder of this account."_s);
        }
        if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
            auto refused = errno == EWOULDBLOCK ? otherWriter(recording, file) : cannotBeWritten(recording);
            ::close(file);
            return refused;
        }
        auto impl = std::make_unique<Impl>(name, file);
        // The former holder may have removed its file between the two calls: then nobody else sees this lock.
        if (impl->isAtItsPlace()) {
            tell(file);
            return std::unique_ptr<WriterLock>(new WriterLock(std::move(impl)));
        }
    }
    return failure(ErrorKind::Permission,
        u"The recording %1 can't be written: its lock file comes and goes."_s.arg(recording));
}

bool WriterLock::isHeld() const
{
    return m_impl->isAtItsPlace();
}

#else

class WriterLock::Impl {
public:
    explicit Impl(const QString& name)
        : file(name)
    {
        file.setStaleLockTime(0); // only the end of its process frees it
    }
    QLockFile file;
};

Result<std::unique_ptr<WriterLock>> WriterLock::take(const QString& recording)
{
    auto impl = std::make_unique<Impl>(recording + u".lock"_s);
    if (!impl->file.tryLock(0)) {
        qint64 process = 0;
        QString host;
        QString program;
        if (impl->file.getLockInfo(&process, &host, &program))
            return writtenBy(recording, program, QString::number(process));
        return failure(ErrorKind::Permission,
            u"The recording %1 can't be written: its folder is closed."_s.arg(recording));
    }
    return std::unique_ptr<WriterLock>(new WriterLock(std::move(impl)));
}

bool WriterLock::isHeld() const
{
    return m_impl->file.isLocked();
}

#endif

WriterLock::WriterLock(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}

WriterLock::~WriterLock() = default;

bool WriterLock::isAnybodys(const QString& recording)
{
    return QFileInfo::exists(recording + u".lock"_s);
}

} // namespace lockscope::record
