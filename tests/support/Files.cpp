// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Files.h"

#include "core/db/Statement.h"

#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>

#include <deque>
#include <mutex>

using namespace Qt::StringLiterals;

namespace lockscope::test {

QString sourcePath(const QString& name)
{
    return QStringLiteral(LOCKSCOPE_SOURCE_DIR "/") + name;
}

QString programPath(const char* name)
{
    return QStringLiteral(LOCKSCOPE_PROGRAMS "/") + QLatin1String(name);
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

QString freshPath(const QString& name)
{
    static std::mutex mutex;
    static std::deque<QTemporaryDir> folders;
    const std::lock_guard guard(mutex);
    return folders.emplace_back().filePath(name);
}

QString makeFile(const QString& path, const QByteArray& content, QFileDevice::Permissions permissions)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()
        || (permissions != QFileDevice::Permissions() && !file.setPermissions(permissions)))
        qFatal("can't write %s: %s", qPrintable(path), qPrintable(file.errorString()));
    return path;
}

static const QString root = u":/schema/"_s;

QStringList schemaFiles()
{
    QStringList paths;
    QDirIterator files(root, {u"*.sql"_s}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext())
        paths << files.next().mid(root.size());
    paths.sort();
    return paths;
}

QStringList statementPaths()
{
    QStringList paths;
    for (const QString& path : schemaFiles()) {
        const QByteArray text = readFile(root + path);
        if (!text.contains("\n-- name: ")) {
            paths << path;
            continue;
        }
        const auto statements = db::namedStatements(text);
        if (!statements)
            qFatal("schema/%s: %s", qPrintable(path), qPrintable(statements.error()));
        for (const auto& [name, sql] : *statements)
            paths << path.chopped(4) + u'/' + QString::fromUtf8(name);
    }
    return paths;
}

} // namespace lockscope::test
