// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

namespace lockscope::locks {

/// Lets others see whether a session of SQL Server still lives, without any right: an application lock of a
/// random name that the session holds up to its end. Taken with the first grant that somebody watches.
class SessionLivenessLock {
public:
    explicit SessionLivenessLock(db::Connection& connection)
        : m_connection(connection)
    {
    }
    /// The name of the lock; empty if it could not be taken, and then nothing is known about the session.
    QString name();

private:
    db::Connection& m_connection;
    std::optional<QString> m_name;
};

} // namespace lockscope::locks
