// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/OwnProgram.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStandardPaths>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

QString ownFolder()
{
    const QString own = QFileInfo(u"/proc/self/exe"_s).canonicalPath();
    return own.isEmpty() ? QCoreApplication::applicationDirPath() : own;
}

} // namespace

Result<QString> findOwnProgram(const QString& name, const QString& purpose)
{
    const QString beside = ownFolder();
    QString found = QStandardPaths::findExecutable(name, {beside, beside + u"/../libexec/lockscope"_s});
    if (found.isEmpty())
        found = QStandardPaths::findExecutable(name);
    if (!found.isEmpty())
        return found;
    return failure(ErrorKind::MissingObject, u"The program %1, %2, is not installed."_s.arg(name, purpose),
        ownProgramHint());
}

QString ownProgramHint()
{
    return u"It belongs beside this program (in %1) or on the PATH."_s.arg(ownFolder());
}

} // namespace lockscope
