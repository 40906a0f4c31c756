// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/LockStrategy.h"

namespace lockscope::locks {

/// Where the surrogates are. The default is the product's own schema; a program may have its own.
struct Surrogates {
    QString schema = QStringLiteral("lockscope");
    QString tablePrefix = QStringLiteral("surrogate:"); ///< of the tables to lock: prefix and lock name
    QString keyTable = QStringLiteral("surrogate_key"); ///< one row a key
    QString keyColumn = QStringLiteral("key"); ///< unique

    /// The defaults: what is missing there may be made.
    bool areOurs() const { return *this == Surrogates(); }
    bool operator==(const Surrogates&) const = default;
};

/// Locked tables and rows of one engine, inside of the caller's transaction. Bound to the thread of its
/// connection.
class SurrogateAccess {
public:
    struct Answer {
        bool isTaken = false;
        bool hadToWait = false;
    };

    static std::unique_ptr<SurrogateAccess> create(
        LockKind kind, db::Connection& connection, const Surrogates& surrogates);
    virtual ~SurrogateAccess() = default;

    /// Nothing if the engine can keep a lock of this name apart from all others.
    virtual std::optional<Error> refuse(const QString& name) const = 0;
    virtual Result<void> prepare(const QString& name) = 0;
    /// One round trip if the lock is free. `isTaken` is false only if it was not to wait. A wait that ends
    /// otherwise is an error (Timeout, Cancelled, Deadlock): then nothing is held, and the transaction is as
    /// it was before, unless the engine had to end it.
    virtual Result<Answer> acquire(const QString& name, milliseconds wait, const std::stop_token& stop) = 0;
    virtual std::optional<LockOwnerInfo> holderOf(const QString& name) = 0;
};

} // namespace lockscope::locks
