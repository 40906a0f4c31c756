// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/StatementPaths.h"

#include "core/db/Statement.h"
#include "tests/support/Files.h"

#include <QDirIterator>

using namespace Qt::StringLiterals;

namespace lockscope::test {

namespace {

const QString root = u":/schema/"_s;

} // namespace

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
