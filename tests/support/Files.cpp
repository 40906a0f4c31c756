// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Files.h"

#include <QFile>

namespace lockscope::test {

QString sourcePath(const QString& name)
{
    return QStringLiteral(LOCKSCOPE_SOURCE_DIR "/") + name;
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QByteArray readFile(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("can't read %s: %s", qPrintable(path), qPrintable(file.errorString()));
    return file.readAll();
}

QString makeFile(const QString& path, const QByteArray& content, QFileDevice::Permissions permissions)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()
        || (permissions != QFileDevice::Permissions() && !file.setPermissions(permissions)))
        qFatal("can't write %s: %s", qPrintable(path), qPrintable(file.errorString()));
    return path;
}

} // namespace lockscope::test
