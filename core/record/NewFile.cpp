// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/NewFile.h"

#include "core/base/WriteFile.h"

#include <QFile>
#include <QFileInfo>
#include <QUuid>

#include <optional>
#include <utility>

#ifdef Q_OS_UNIX
#include <fcntl.h>
#include <unistd.h>
#endif

namespace lockscope::record {

using namespace Qt::StringLiterals;

Result<void> checkNewFile(const QString& path)
{
    if (QFileInfo::exists(path))
        return failure(ErrorKind::BadInput, u"%1 is there already."_s.arg(path), u"Choose another file."_s);
    if (!QFileInfo(QFileInfo(path).absolutePath()).isDir())
        return failure(
            ErrorKind::BadInput, u"The folder of %1 is not there."_s.arg(path), u"Make it first."_s);
    if (std::optional<Error> reason = reasonAgainstWriting(path))
        return Failure(std::move(*reason));
    return {};
}

NewFile::NewFile(const QString& out)
    : m_out(out)
    , m_path(u"%1.%2.part"_s.arg(out, QUuid::createUuid().toString(QUuid::Id128).left(8)))
{
}

NewFile::~NewFile()
{
    for (const QString& end : {u""_s, u"-journal"_s, u"-wal"_s, u"-shm"_s})
        QFile::remove(m_path + end);
}

Result<void> NewFile::finish()
{
#ifdef Q_OS_UNIX
    const int file = ::open(QFile::encodeName(m_path).constData(), O_RDONLY | O_CLOEXEC);
    const bool isOnDisk = file >= 0 && ::fsync(file) == 0;
    if (file >= 0)
        ::close(file);
    if (!isOnDisk)
        return failure(ErrorKind::Server, u"%1 could not be written to the disk."_s.arg(m_out));
#endif
    if (!QFile::rename(m_path, m_out))
        return failure(ErrorKind::BadInput,
            u"%1 could not be written: it is there already, or its folder is closed."_s.arg(m_out));
    return {};
}

} // namespace lockscope::record
