// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/Muted.h"

#include "core/base/WriteFile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace lockscope::order {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostBytes = 1'000'000;

Result<QStringList> lines()
{
    QFile file(mutedFile());
    if (!file.exists())
        return QStringList();
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorKind::Server, u"%1 can't be read: %2"_s.arg(file.fileName(), file.errorString()));
    return QString::fromUtf8(file.read(mostBytes)).split(u'\n', Qt::SkipEmptyParts);
}

QString idOf(const QString& line)
{
    return line.section(u' ', 0, 0);
}

Result<void> write(const QStringList& lines)
{
    const QString path = mutedFile();
    const QString folder = QFileInfo(path).path();
    if (!QDir().mkpath(folder))
        return failure(ErrorKind::Server, u"%1 can't be made."_s.arg(folder));
    return writeFile(path, (lines.join(u'\n') + (lines.isEmpty() ? u""_s : u"\n"_s)).toUtf8());
}

} // namespace

QString mutedFile()
{
    const QString settings = qEnvironmentVariable("XDG_CONFIG_HOME");
    const QString base = QDir::isAbsolutePath(settings) ? settings : QDir::homePath() + u"/.config"_s;
    return base + u"/lockscope/muted-lock-orders"_s;
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
    auto read = lines();
    if (!read)
        return Failure(read.error());
    if (read->removeIf([&id](const QString& line) { return idOf(line) == id; }) == 0)
        return {};
    return write(*read);
}

} // namespace lockscope::order
