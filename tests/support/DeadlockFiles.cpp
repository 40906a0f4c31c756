// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/DeadlockFiles.h"

#include "tests/support/Files.h"

#include <QtDebug>

namespace lockscope::test {

QString deadlockFilePath(const QString& name)
{
    return sourcePath(u"tests/support/deadlocks/"_s) + name;
}

QByteArray deadlockFile(const QString& name)
{
    return readFile(deadlockFilePath(name));
}

} // namespace lockscope::test
