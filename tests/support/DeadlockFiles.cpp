// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/DeadlockFiles.h"

#include <QFile>
#include <QtDebug>

namespace lockscope::test {

QString deadlockFilePath(const QString& name)
{
    return QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/support/deadlocks/") + name;
}

QByteArray deadlockFile(const QString& name)
{
    QFile file(deadlockFilePath(name));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("There is no %s.", qPrintable(file.fileName()));
    return file.readAll();
}

} // namespace lockscope::test
