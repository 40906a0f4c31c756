// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/PlainFile.h"

#include "core/base/ShownText.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxTextFile = 1'024 * 1'024;

bool othersMayRead(const struct stat& file, PlainFile::Others allowed)
{
    const bool isRootsGroup = allowed == PlainFile::Others::ReadByRootsGroup && file.st_uid == 0
        && (file.st_mode & (S_IRWXG | S_IRWXO)) == S_IRGRP;
    return othersMayUse(file) && !isRootsGroup;
}

Result<QByteArray> readText(const PlainFile& file, const QString& path)
{
    const auto reason = file.reasonAgainst(PlainFile::Others::Anything);
    if (reason && reason->kind == ErrorKind::BadInput)
        return failure(ErrorKind::BadInput, u"%1 is no plain file."_s.arg(path));
    auto text = file.read(maxTextFile + 1);
    if (!text)
        return failure(ErrorKind::Permission, u"Can't read %1: %2"_s.arg(path, text.error().what));
    if (text->size() > maxTextFile)
        return failure(ErrorKind::BadInput, u"%1 is larger than a megabyte."_s.arg(path));
    return text;
}

/// Returns whether nobody but this account is in its own group: then what the group may do, nobody else may.
bool isAlone(gid_t group)
{
    if (group != ::getegid())
        return false;
    std::array<char, 16'384> room{};
    struct passwd account { };
    struct passwd* self = nullptr;
    if (::getpwuid_r(::geteuid(), &account, room.data(), room.size(), &self) != 0 || !self)
        return false;
    const QByteArray name(self->pw_name);
    if (self->pw_gid != group)
        return false;
    struct group read { };
    struct group* found = nullptr;
    // A name of its own: groups such as "users" are many accounts' without listing them.
    if (::getgrgid_r(group, &read, room.data(), room.size(), &found) != 0 || !found || name != found->gr_name)
        return false;
    for (char** member = found->gr_mem; *member; ++member) {
        if (name != *member)
            return false;
    }
    return true;
}

} // namespace

PlainFile::PlainFile(const QString& path, Links links)
    : m_file(::open(QFile::encodeName(path).constData(),
        O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (links == Links::Refuse ? O_NOFOLLOW : 0)))
{
    if (!m_file.isOpen() || ::fstat(m_file.number(), &m_status) != 0)
        m_error = errno;
}

std::optional<Error> PlainFile::reasonAgainst(Others allowed) const
{
    const auto because = [](ErrorKind kind, const QString& why, const QString& hint = {}) {
        return Error{.kind = kind, .what = why, .hint = hint};
    };
    if (m_error == ELOOP)
        return because(ErrorKind::BadInput, u"it is a link"_s, u"Put the file itself there."_s);
    if (m_error == ENXIO || (m_error == 0 && !S_ISREG(m_status.st_mode))) // a socket can't be opened
        return because(ErrorKind::BadInput, u"it is no plain file"_s);
    if (m_error != 0)
        return because(ErrorKind::Server, qt_error_string(m_error));
    if (allowed == Others::Anything)
        return std::nullopt;
    if (!isOurs(m_status))
        return because(ErrorKind::Permission, u"it belongs to another account"_s,
            u"Give it to this account or root (chown)."_s);
    if (allowed == Others::Read && othersMayWrite(m_status))
        return because(
            ErrorKind::Permission, u"others may change it"_s, u"Take that right from them (chmod go-w)."_s);
    if (allowed != Others::Read && othersMayRead(m_status, allowed))
        return because(
            ErrorKind::Permission, u"others may read it"_s, u"Take that right from them (chmod 600)."_s);
    return std::nullopt;
}

Result<QByteArray> PlainFile::read(qint64 maximum) const
{
    if (m_error != 0)
        return failure(ErrorKind::Server, qt_error_string(m_error));
    QFile file;
    if (!openIn(file))
        return failure(ErrorKind::Server, file.errorString());
    const QByteArray content = file.read(maximum);
    if (file.error() != QFileDevice::NoError)
        return failure(ErrorKind::Server, file.errorString());
    return content;
}

bool PlainFile::openIn(QFile& file) const
{
    return file.open(m_file.number(), QIODevice::ReadOnly);
}

Result<QByteArray> readTextFile(const QString& path)
{
    return readText(PlainFile(path), path);
}

/// On a way that nobody else can change, the real name leads to the same file each time.
Result<QByteArray> readTrustedFile(const QString& path)
{
    const QString real = QFileInfo(path).canonicalFilePath();
    if (real.isEmpty()) {
        struct stat none { };
        const int error = ::stat(QFile::encodeName(path).constData(), &none) == 0 ? ENOENT : errno;
        return failure(ErrorKind::Permission, u"Can't read %1: %2"_s.arg(path, qt_error_string(error)));
    }
    if (const auto step = unsafeStep(QFileInfo(real).path()))
        return failure(ErrorKind::Permission,
            u"%1 is not used: another account could put a file in its place, by the folder %2."_s.arg(
                path, step->folder),
            u"chmod go-w %1"_s.arg(shellWord(step->folder)));
    const PlainFile file(real, PlainFile::Links::Refuse);
    if (const auto reason = file.reasonAgainst(PlainFile::Others::Read);
        reason && reason->kind == ErrorKind::Permission)
        return failure(ErrorKind::Permission,
            u"%1 is not used: another account may write to that file."_s.arg(path),
            u"chmod go-w %1"_s.arg(shellWord(path)));
    return readText(file, path);
}

int lockFile(const Descriptor& file, const QDeadlineTimer& deadline)
{
    // Polled, because a blocking flock can't be given a time-out without a signal.
    while (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return errno;
        if (deadline.hasExpired())
            return EWOULDBLOCK;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return 0;
}

QByteArray fileContent(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray builtInFile(const QString& path)
{
    QFile file(u':' + path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("The file %s is not compiled in.", qPrintable(path));
    return file.readAll();
}

bool isOurs(const struct stat& file)
{
    return file.st_uid == ::geteuid() || file.st_uid == 0;
}

bool othersMayWrite(const struct stat& file)
{
    return (file.st_mode & S_IWOTH) != 0 || ((file.st_mode & S_IWGRP) != 0 && !isAlone(file.st_gid));
}

bool othersMayUse(const struct stat& file)
{
    return (file.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

QStringList stepsOf(const QString& folder)
{
    QStringList steps{u"/"_s};
    for (qsizetype at = folder.indexOf(u'/', 1); at > 0; at = folder.indexOf(u'/', at + 1))
        steps << folder.left(at);
    if (folder != steps.last())
        steps << folder;
    return steps;
}

std::optional<UnsafeStep> unsafeStep(const QString& folder)
{
    struct stat seen { };
    for (const QString& step : stepsOf(folder)) {
        if (::stat(QFile::encodeName(step).constData(), &seen) != 0)
            return UnsafeStep{step, UnsafeStep::Why::Unreachable};
        if (!isOurs(seen))
            return UnsafeStep{step, UnsafeStep::Why::Strangers};
        // In a sticky folder only its owner can take a file away.
        if ((seen.st_mode & S_ISVTX) == 0 && othersMayWrite(seen))
            return UnsafeStep{step, UnsafeStep::Why::Open};
    }
    return std::nullopt;
}

namespace {

Failure cantWrite(const QString& path, const QString& why)
{
    return failure(ErrorKind::BadInput, u"Can't write %1: %2"_s.arg(path, why),
        u"Choose another folder or free some space."_s);
}

QString reasonOf(int error)
{
    return QString::fromStdString(std::system_category().message(error));
}

/// Takes the mode of the file that is there; else that of the account's files.
void setMode(int folder, const QByteArray& name, int file)
{
    struct stat before { };
    if (::fstatat(folder, name.constData(), &before, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(before.st_mode)) {
        static_cast<void>(::fchmod(file, before.st_mode & 0777));
        return;
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    static_cast<void>(::fchmod(file, 0666 & ~mask));
}

bool writeAll(int file, const QByteArray& content)
{
    for (qsizetype at = 0; at < content.size();) {
        const ssize_t now = ::write(file, content.constData() + at, static_cast<size_t>(content.size() - at));
        if (now < 0 && errno != EINTR)
            return false;
        at += std::max<ssize_t>(now, 0);
    }
    return ::fsync(file) == 0;
}

} // namespace

/// A new file of a name that nobody could foresee, which then takes the place of what is there. All of it
/// happens in the folder that was opened, and no link is followed: somebody may put one there at any time
/// where many may write, as in /tmp.
Result<void> writeFile(const QString& path, const QByteArray& content)
{
    if (std::optional<Error> reason = reasonAgainstWriting(path))
        return Failure(std::move(*reason));
    const QFileInfo place(path);
    const Descriptor folder(
        ::open(QFile::encodeName(QFileInfo(place.absolutePath()).canonicalFilePath()).constData(),
            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (folder.number() < 0)
        return cantWrite(path, reasonOf(errno));
    const QByteArray name = QFile::encodeName(place.fileName());
    const QByteArray own =
        '.' + name.left(100) + '.' + QByteArray::number(QRandomGenerator::system()->generate64(), 36);
    const Descriptor file(::openat(
        folder.number(), own.constData(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.number() < 0)
        return cantWrite(path, reasonOf(errno));
    setMode(folder.number(), name, file.number());
    const bool done = writeAll(file.number(), content)
        && ::renameat(folder.number(), own.constData(), folder.number(), name.constData()) == 0;
    if (done)
        return {};
    const int error = errno;
    ::unlinkat(folder.number(), own.constData(), 0);
    return cantWrite(path, reasonOf(error));
}

std::optional<Error> reasonAgainstWriting(const QString& path)
{
    const auto refused = [&path](const QString& why, const QString& hint) {
        return Error{
            .kind = ErrorKind::BadInput, .what = u"%1 is not written: %2."_s.arg(path, why), .hint = hint};
    };
    const QFileInfo file(path);
    if (file.isSymLink())
        return refused(u"it is a link"_s, u"Name the file itself, or remove the link."_s);
    if (file.exists() && !file.isFile())
        return refused(u"it is no ordinary file"_s, u"Choose another name."_s);
    const QString folder = QFileInfo(file.absolutePath()).canonicalFilePath();
    if (folder.isEmpty())
        return refused(u"there is no folder %1"_s.arg(file.absolutePath()), u"Choose another folder."_s);
    const std::optional<UnsafeStep> step = unsafeStep(folder);
    if (!step)
        return std::nullopt;
    const QString hint = u"Choose a folder that only you can write to."_s;
    switch (step->why) {
    case UnsafeStep::Why::Unreachable:
        return refused(u"the folder %1 can't be checked"_s.arg(step->folder), hint);
    case UnsafeStep::Why::Strangers:
        return refused(u"the folder %1 belongs to another account"_s.arg(step->folder), hint);
    case UnsafeStep::Why::Open:
        return refused(u"others may write to the folder %1"_s.arg(step->folder), hint);
    }
    return std::nullopt;
}

namespace {

QString ownFolder(const char* variable, QLatin1StringView byDefault)
{
    const QString set = qEnvironmentVariable(variable);
    return QDir::cleanPath(QDir::isAbsolutePath(set) ? set : QDir::home().filePath(byDefault))
        + u"/lockscope"_s;
}

} // namespace

QString configFolder()
{
    return ownFolder("XDG_CONFIG_HOME", ".config"_L1);
}
QString dataFolder()
{
    return ownFolder("XDG_DATA_HOME", ".local/share"_L1);
}
QString stateFolder()
{
    return ownFolder("XDG_STATE_HOME", ".local/state"_L1);
}
QString cacheFolder()
{
    return ownFolder("XDG_CACHE_HOME", ".cache"_L1);
}

} // namespace lockscope
