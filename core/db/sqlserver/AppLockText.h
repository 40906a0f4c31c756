// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>
#include <QStringView>

#include <optional>

namespace lockscope::db {

/// Returns whether these are hexadecimal digits, one at least.
bool isHex(QStringView text);

/// "0:[nightly]:(ea53e177)": principal, the name's first 32 characters, hash of the whole name. The name may
/// itself hold "]", ":" and ")".
struct AppLockText {
    quint32 principal = 0; ///< database principal; 0 = public
    QString name;
    QString hash; ///< eight hexadecimal digits; empty if there are none

    /// The server shows no more than that of a name: it may go on.
    bool mayBeCut() const { return name.size() >= 32; }
    /// The name that a client gave begins like that. (A cut may have split a character of two units.)
    bool matches(QStringView fullName) const;
    bool operator==(const AppLockText&) const = default;
};
std::optional<AppLockText> parseAppLockText(QStringView description);

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
