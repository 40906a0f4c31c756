// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Descriptor.h"
#include "core/base/Result.h"

#include <QDeadlineTimer>

#include <cerrno>
#include <sys/types.h>
#include <system_error>

namespace lockscope::sandbox {

/// The operating-system account that the server runs under: this program's own, or, since PostgreSQL refuses
/// root, an unprivileged one.
struct Account {
    uid_t uid = 0;
    gid_t gid = 0;

    /// The owner of `directory` if this program is root and somebody else owns it, else `postgres`, else
    /// `nobody`.
    static Result<Account> forDirectory(const QString& directory);
};

/// Refuses a directory that `account` can't reach, and says which part of the path is closed.
Result<void> checkReachable(const QString& directory, const Account& account);
/// Gives up root for good. Only for a process that belongs to the sandbox.
Result<void> become(const Account& account);

/// A failed system call as an error value: `what` failed, the system's own words as detail.
inline Failure systemFailure(QString what, int code = errno)
{
    Error error;
    error.kind = ErrorKind::Server;
    error.what = std::move(what);
    error.server = QStringLiteral("sandbox");
    error.detail = QString::fromStdString(std::system_category().message(code));
    return Failure(std::move(error));
}

/// An exclusive flock(2) on a file, made if it is not there. Held until the last copy of the descriptor is
/// closed, in this process and in every child that it was given to: so it outlives a killed owner exactly as
/// long as those live.
class FileLock {
public:
    /// Waits until `deadline`; Timeout after it. `account` will own the file.
    static Result<FileLock> take(const QString& path, const Account& account, const QDeadlineTimer& deadline);
    int number() const { return m_fd.number(); } ///< of its descriptor

private:
    explicit FileLock(Descriptor fd)
        : m_fd(std::move(fd))
    {
    }
    Descriptor m_fd;
};

/// Opens a file to append to, with mode 0600 and owned by `account` if it is made.
Result<Descriptor> openOwned(const QString& path, const Account& account);

} // namespace lockscope::sandbox
