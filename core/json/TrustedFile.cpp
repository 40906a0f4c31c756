// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/json/TrustedFile.h"

#include "core/base/FileOwner.h"

#include <QFile>
#include <QFileInfo>

#ifdef Q_OS_UNIX
#include <sys/stat.h>
#endif

namespace lockscope::json {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxTextFile = 1'024 * 1'024;

} // namespace

std::optional<Error> reasonAgainstTrust([[maybe_unused]] const QString& path)
{
#ifdef Q_OS_UNIX
    if (const auto step = unsafeStep(QFileInfo(path).canonicalPath()))
        return Error{ErrorKind::Permission,
            u"%1 is not used: another account could put a file in its place, by the folder %2."_s.arg(
                path, step->folder),
            {}, {}, u"chmod go-w '%1'"_s.arg(step->folder), {}};
    struct stat seen { };
    if (::stat(QFile::encodeName(path).constData(), &seen) == 0 && (!isOurs(seen) || othersMayWrite(seen)))
        return Error{ErrorKind::Permission,
            u"%1 is not used: another account may write to that file."_s.arg(path), {}, {},
            u"chmod go-w '%1'"_s.arg(path), {}};
#endif
    return std::nullopt;
}

Result<QByteArray> readTextFile(const QString& path)
{
    QFile file(path);
    if (file.exists() && !QFileInfo(path).isFile())
        return failure(ErrorKind::BadInput, u"%1 is no plain file."_s.arg(path));
    if (!file.open(QIODevice::ReadOnly))
        return failure(ErrorKind::Permission, u"Can't read %1: %2"_s.arg(path, file.errorString()));
    const QByteArray text = file.read(maxTextFile + 1);
    if (text.size() > maxTextFile)
        return failure(ErrorKind::BadInput, u"%1 is larger than a megabyte."_s.arg(path));
    return text;
}

} // namespace lockscope::json
