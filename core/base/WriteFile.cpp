// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/WriteFile.h"

#include "core/base/FileOwner.h"

#include <QFileInfo>
#include <QSaveFile>

namespace lockscope {

using namespace Qt::StringLiterals;

Result<void> writeFile(const QString& path, const QByteArray& content)
{
    if (std::optional<Error> reason = reasonAgainstWriting(path))
        return Failure(std::move(*reason));
    // A new file of a name that nobody could foresee, which then takes the place of the old one: no link is
    // followed.
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.commit())
        return {};
    return failure(ErrorKind::BadInput, u"Can't write %1: %2"_s.arg(path, file.errorString()),
        u"Choose another folder or free some space."_s);
}

std::optional<Error> reasonAgainstWriting(const QString& path)
{
#ifdef Q_OS_UNIX
    const auto refused = [&path](const QString& why, const QString& hint) {
        return failure(ErrorKind::BadInput, u"%1 is not written: %2."_s.arg(path, why), hint).value();
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
        return refused(u"the folder %1 can't be looked at"_s.arg(step->folder), hint);
    case UnsafeStep::Why::Strangers:
        return refused(u"the folder %1 belongs to another account"_s.arg(step->folder), hint);
    case UnsafeStep::Why::Open:
        return refused(u"others may write to the folder %1"_s.arg(step->folder), hint);
    }
#else
    Q_UNUSED(path)
#endif
    return std::nullopt;
}

} // namespace lockscope
