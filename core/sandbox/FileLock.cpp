// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/FileLock.h"

#include "core/sandbox/Account.h"

#include <QFile>

#include <fcntl.h>
#include <sys/file.h>

#include <thread>

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

Result<Descriptor> openOwned(const QString& path, const Account& account)
{
    const int flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
    Descriptor fd(::open(QFile::encodeName(path).constData(), flags, 0600));
    if (!fd.isOpen())
        return systemFailure(u"Can't open %1."_s.arg(path));
    if (geteuid() == 0 && fchown(fd.number(), account.uid, account.gid) != 0)
        return systemFailure(u"Can't hand %1 to the account of the sandbox's server."_s.arg(path));
    return fd;
}

Result<FileLock> FileLock::take(const QString& path, const Account& account, const QDeadlineTimer& deadline)
{
    auto fd = openOwned(path, account);
    if (!fd)
        return Failure(fd.error());
    // Polled, because a blocking flock can't be given a time-out without a signal.
    while (flock(fd->number(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return systemFailure(u"Can't lock %1."_s.arg(path));
        if (deadline.hasExpired())
            return failure(ErrorKind::Timeout, u"Another process keeps %1 locked."_s.arg(path));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return FileLock(std::move(*fd));
}

} // namespace lockscope::sandbox
