// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <optional>

namespace lockscope::db {

/// An application lock that Lockscope's schema or library takes for its own purposes, recognised by its name
/// (sqlserver/install.sql, locks::LockBackend::sessionLivenessLock).
struct OwnAppLock {
    enum class Purpose : quint8 {
        Queue, ///< waiters for a lock-table name stand in line here; its holder, or the first waiter, has it
        Guard, ///< one session at a time checks a lock-table name: held for a short time
        SessionLivenessLock, ///< shows others that a session lives; nobody ever waits for it
        Installation, ///< two that install at once take turns
    };
    Purpose purpose = Purpose::Queue;
    QString detail; ///< the lock-table name, or the mark's number, as far as the server shows it

    bool operator==(const OwnAppLock&) const = default;
};

/// Returns nothing if the application lock is somebody else's.
std::optional<OwnAppLock> ownAppLock(const QString& name);

/// "queue of lock-table name 'orders/4711'"
QString displayed(const OwnAppLock& lock);

} // namespace lockscope::db
