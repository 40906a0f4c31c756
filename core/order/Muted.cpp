// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/Muted.h"

#include "core/base/Descriptor.h"
#include "core/base/Folders.h"
#include "core/base/PlainFile.h"
#include "core/base/WriteFile.h"

#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>

namespace lockscope::order {

using namespace Qt::StringLiterals;

namespace {

Failure systemFailure(const QString& path, const QString& what, int error = errno)
{
    return failure(ErrorKind::Server, u"%1 can't be %2: %3"_s.arg(path, what, qt_error_string(error)));
}

Result<QStringList> lines()
{
    const QString path = mutedFile();
    if (!QFileInfo::exists(path))
        return QStringList();
    return readTextFile(path).map(
        [](const QByteArray& text) { return QString::fromUtf8(text).split(u'\n', Qt::SkipEmptyParts); });
}

QString idOf(const QString& line)
{
    return line.section(u' ', 0, 0);
}

/// Nobody else changes the file while it is there.
Result<Descriptor> lockForChange()
{
    constexpr std::chrono::milliseconds patience{5'000};
    const QString path = mutedFile() + u".lock"_s;
    const QString folder = QFileInfo(path).path();
    if (!QDir().mkpath(folder))
        return failure(ErrorKind::Server, u"%1 can't be made."_s.arg(folder));
    // Never waits: opening a pipe would wait for its other end.
    Descriptor file(::open(QFile::encodeName(path).constData(),
        O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, S_IRUSR | S_IWUSR));
    struct stat seen { };
    if (!file.isOpen() || ::fstat(file.number(), &seen) != 0)
        return systemFailure(path, u"opened"_s);
    if (!S_ISREG(seen.st_mode))
        return failure(ErrorKind::BadInput, u"%1 is no plain file."_s.arg(path), u"Move it away."_s);
    if (const int error = lockFile(file, QDeadlineTimer(patience)); error == EWOULDBLOCK)
        return failure(ErrorKind::Timeout, u"Another program keeps %1 locked."_s.arg(path));
    else if (error != 0)
        return systemFailure(path, u"locked"_s, error);
    return file;
}

Result<void> write(const QStringList& lines)
{
    return writeFile(mutedFile(), (lines.join(u'\n') + (lines.isEmpty() ? u""_s : u"\n"_s)).toUtf8());
}

} // namespace

QString mutedFile()
{
    return configFolder() + u"/muted-lock-orders"_s;
}

Result<QSet<QString>> mutedIds()
{
    const auto read = lines();
    if (!read)
        return Failure(read.error());
    QSet<QString> ids;
    for (const QString& line : *read)
        ids.insert(idOf(line));
    return ids;
}

Result<void> mute(const QString& id, const QString& title)
{
    const auto lock = lockForChange();
    if (!lock)
        return Failure(lock.error());
    auto read = lines();
    if (!read)
        return Failure(read.error());
    for (const QString& line : *read)
        if (idOf(line) == id)
            return {};
    return write(*read << id + u' ' + title.simplified());
}

Result<void> unmute(const QString& id)
{
    const auto lock = lockForChange();
    if (!lock)
        return Failure(lock.error());
    auto read = lines();
    if (!read)
        return Failure(read.error());
    if (read->removeIf([&id](const QString& line) { return idOf(line) == id; }) == 0)
        return {};
    return write(*read);
}

} // namespace lockscope::order
