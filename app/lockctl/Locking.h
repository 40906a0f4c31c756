// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/locks/LockStrategy.h"

namespace lockscope::ctl {

/// The options that `run` and `acquire` share.
struct LockOrder {
    locks::LockKind kind = locks::LockKind::Table;
    locks::AcquireRequest request;

    static void addOptions(Command& command);
    static Result<LockOrder> from(const CommandLine& line);

    /// The lock belongs to a transaction, which stays open as long as it is held.
    bool needsTransaction() const;
    /// Does what the kind of lock needs first.
    Result<locks::AcquireResult> acquire(db::Connection& connection, locks::LockStrategy& strategy,
        const std::stop_token& stop, locks::LossHandler lost) const;
    Result<void> release(db::Connection& connection, locks::Grant& grant, const std::stop_token& stop) const;
};

/// What became of it, without the grant: that belongs to its thread.
struct Obtained {
    locks::Outcome outcome = locks::Outcome::Denied;
    milliseconds waited{0};
    std::optional<LockOwnerInfo> heldBy;
    QString token; ///< this and the rest: lock table only
    qint64 fencing = 0;
    ServerTime acquiredAt;
    std::optional<ServerTime> expiresAt;

    static Obtained of(const locks::AcquireResult& result);
    bool isGranted() const { return locks::isGranted(outcome); }
};

/// Tells why the lock is not ours, and gives the exit code for it.
int notObtained(const LockOrder& order, const Obtained& result);
QString describe(const LockOwnerInfo& party); ///< "ann on app01 (nightly, process 4711)"
QJsonObject toJson(const LockOrder& order, const Obtained& result);

} // namespace lockscope::ctl
