// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/TransactionGrant.h"

namespace lockscope::locks {

Result<void> TransactionGrant::release()
{
    return failure(ErrorKind::Unsupported,
        QStringLiteral("A lock that belongs to a transaction can't be released by itself."),
        QStringLiteral("Commit or roll back the transaction."));
}

Result<ServerTime> TransactionGrant::renew()
{
    return failure(ErrorKind::Unsupported, QStringLiteral("This lock has no lease to renew."),
        QStringLiteral("It lasts as long as its transaction."));
}

bool TransactionGrant::isAlive() const
{
    if (!connection.isOpen())
        return false;
    // Once it has been seen outside of a transaction, a later transaction is not the one that had the lock.
    hasEnded = hasEnded || !connection.inTransaction();
    return !hasEnded;
}

} // namespace lockscope::locks
