// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Descriptor.h"
#include "core/sandbox/Account.h"

#include <QDeadlineTimer>

namespace lockscope::sandbox {

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
