// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/WriteFile.h"

#include "core/base/Descriptor.h"
#include "core/base/PlainFile.h"

#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace lockscope {

using namespace Qt::StringLiterals;

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

} // namespace lockscope
