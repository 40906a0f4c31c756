// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/order/LockOrder.h"

#include <QList>

namespace lockscope::order {

/// One order of a potential deadlock: the first lock, then the second, and a witness.
struct Leg {
    QString first; ///< the class of the first lock; the lock itself if both are of one class
    QString second;
    Witness witness;
    qint64 count = 0; ///< times that it was seen in this order
    qint64 waited = 0; ///< times of these that it was seen waiting for the second lock
    ServerTime seenFirst;
    ServerTime seenLast;
};

/// Locks that were taken in opposite orders, or in a ring of orders: sessions that do so at the same time
/// wait for each other for ever. It may never have happened.
struct PotentialDeadlock {
    QString id; ///< short, of the names of the locks: the same each time
    QString database; ///< empty if the locks are of no database, or of several
    std::vector<Leg> legs; ///< two, or up to maxRingLength; each begins with what the one before it ends with
    bool isOneClass = false; ///< single locks of one class
    QString gate; ///< the lock that all witnesses held, so that it can't happen; empty if there is none
    int rank = 0; ///< the greater, the more urgent

    QString title() const; ///< "public.orders and public.stock are taken in both orders"
    qint64 count() const; ///< times that the rarest of its orders was seen
    /// True if polls saw an order only once, so that it may never happen again. False where each step is
    /// known.
    bool isSeenOnce() const;
    bool sawWaiting() const; ///< in one of the orders
    bool isCertain() const; ///< each order has better evidence than Evidence::Polls
    ServerTime last() const; ///< time at which one of its orders was last seen
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

/// Returns whether `text` has the form of PotentialDeadlock::id.
bool isPotentialDeadlockId(const QString& text);
/// Explains the cause and the remedy, in sentences.
QString explanation(const PotentialDeadlock& found);
/// "63 billing took public.orders (Exclusive) and then public.stock (Exclusive), which it waited for."
QString legText(const Leg& leg);

} // namespace lockscope::order
