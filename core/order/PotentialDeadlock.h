// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/order/LockOrder.h"

#include <QList>

namespace lockscope::order {

/// One half of the opposite orders: a lock, then the other, and a witness.
struct Leg {
    QString first; ///< the class; of locks of one class the lock
    QString second;
    Witness witness;
    qint64 count = 0; ///< times that it was seen in this order
    qint64 waited = 0;
    ServerTime seenFirst;
    ServerTime seenLast;
};

/// Locks that were taken in opposite orders, or in a ring of orders: sessions that do so at the same time
/// wait for each other for ever. It need not have happened.
struct PotentialDeadlock {
    QString id; ///< short, of the names of the locks: the same each time
    QString database; ///< empty: of none, or of several
    std::vector<Leg> legs; ///< two, or up to maxRingLength; each begins with what the one before it ends with
    bool isOneClass = false; ///< single locks of one class
    QString gate; ///< the lock that all held that were seen, so that it can't happen; empty: none
    int rank = 0; ///< the greater, the more urgent

    QString title() const; ///< "public.orders and public.stock are taken in both orders"
    qint64 count() const; ///< of the order seen least
    /// By polls, which may have seen what never happens again. Where each step is seen, once is enough.
    bool isSeenOnce() const;
    bool sawWaiting() const; ///< in one of the orders
    bool isCertain() const; ///< each order is known by more than polls
    ServerTime last() const;
};

struct Findings {
    QList<PotentialDeadlock> all; ///< the highest rank first; those seen once after all others
    bool isCut = false; ///< there may be more
};
/// The treatment of rings that a common lock keeps from happening.
enum class Guarded { LeftOut, Included };
/// Returns the potential deadlocks in the orders seen so far: rings of up to `maxRingLength`, and no more
/// than `maxRings`.
Findings potentialDeadlocks(const LockOrder& order, Guarded guarded = Guarded::LeftOut);
inline constexpr std::size_t maxRingLength = 4;
inline constexpr qsizetype maxRings = 500;

/// Returns whether that could be the id of one.
bool isPotentialDeadlockId(const QString& text);
/// Explains the cause and the remedy, in sentences.
QString explanation(const PotentialDeadlock& found);
/// "63 billing took public.orders (Exclusive) and then public.stock (Exclusive), which it waited for."
QString legText(const Leg& leg);

} // namespace lockscope::order
