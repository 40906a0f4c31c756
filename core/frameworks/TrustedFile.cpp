// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/TrustedFile.h"

#include "core/base/FileOwner.h"

#include <QFile>
#include <QFileInfo>

#ifdef Q_OS_UNIX
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#endif

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

Failure unreadable(const QString& path, const QString& why)
{
    return failure(ErrorKind::Server, u"%1: It can't be read: %2."_s.arg(path, why));
}

Result<QByteArray> readOpened(QFile& file, const QString& path, qint64 most)
{
    const QByteArray content = file.read(most);
    return file.error() == QFileDevice::NoError ? Result<QByteArray>(content)
                                                : unreadable(path, file.errorString());
}

} // namespace

#ifdef Q_OS_UNIX

namespace {

Failure unsafe(const QString& path, const QString& why, const QString& hint)
{
    return failure(ErrorKind::Permission, u"%1: It is not used: %2."_s.arg(path, why), hint);
}

QString systemText()
{
    return QString::fromStdString(std::system_category().message(errno));
}

} // namespace

Result<void> checkFolder(const QString& folder)
{
    const auto step = unsafeStep(QFileInfo(folder).canonicalFilePath());
    if (!step)
        return {};
    switch (step->why) {
    case UnsafeStep::Why::Unreachable:
        return unreadable(step->folder, systemText());
    case UnsafeStep::Why::Strangers:
        return unsafe(folder, u"%1 belongs to another account"_s.arg(step->folder),
            u"Give it to this account or root (chown)."_s);
    case UnsafeStep::Why::Open:
        break;
    }
    return unsafe(
        folder, u"others may write to %1"_s.arg(step->folder), u"Take that right from them (chmod go-w)."_s);
}

Result<QByteArray> readTrustedFile(const QString& path, qint64 most)
{
    // Non-blocking: a pipe in this place must not keep us waiting.
    const int number =
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (number < 0 && errno == ELOOP)
        return unsafe(path, u"it is a link"_s, u"Put the file itself there."_s);
    if (number < 0)
        return unreadable(path, systemText());
    QFile file;
    if (!file.open(number, QIODevice::ReadOnly, QFileDevice::AutoCloseHandle))
        return unreadable(path, file.errorString());
    struct stat seen { };
    if (::fstat(number, &seen) != 0)
        return unreadable(path, systemText());
    if (!S_ISREG(seen.st_mode))
        return unsafe(path, u"it is no plain file"_s, u"Move it away."_s);
    if (!isOurs(seen))
        return unsafe(
            path, u"it belongs to another account"_s, u"Give it to this account or root (chown)."_s);
    if (othersMayWrite(seen))
        return unsafe(path, u"others may change it"_s, u"Take that right from them (chmod go-w)."_s);
    return readOpened(file, path, most);
}

#else

Result<void> checkFolder(const QString& /*folder*/)
{
    return {};
}

Result<QByteArray> readTrustedFile(const QString& path, qint64 most)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? readOpened(file, path, most)
                                          : unreadable(path, file.errorString());
}

#endif

} // namespace lockscope::frameworks
