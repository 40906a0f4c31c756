// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/SnapshotBuilder.h"

namespace lockscope::test {

/// A server in trouble with so many sessions, at least 12: 51 keeps most of them waiting for a table, some
/// for hours, 7 keeps four waiting for 40 minutes, one of whom holds up another; the others don't wait. All
/// names and texts of them are long.
inline SnapshotBuilder crowd(int sessions, int later = 0)
{
    SnapshotBuilder s(later);
    const auto statement = [](int i) {
        return QByteArray("UPDATE public.orders SET state = 'paid', paid_at = now() WHERE customer = ")
            + QByteArray::number(i) + " AND state = 'open' RETURNING id";
    };
    const char* table = "public.orders_of_the_current_year";
    s.session(51, "billing-batch-of-the-night")
        .idleInTransaction(7'700 + later)
        .running("UPDATE orders SET …");
    s.holds(51, table, "AccessExclusiveLock", 7'700 + later);
    s.session(7, "maintenance").idleInTransaction(2'500 + later).running("LOCK TABLE customers");
    s.holds(7, "public.customers", "AccessExclusiveLock", 2'500 + later);
    for (int i = 0; i < 4; ++i) {
        s.session(100 + i, "crm").transaction(2'400).running(statement(i));
        s.waits(100 + i, "public.customers", "RowExclusiveLock", 2'400 - i + later);
    }
    s.session(110, "report").transaction(61).running("SELECT count(*) FROM items");
    s.holds(100, "public.items", "AccessExclusiveLock", 2'400 + later);
    s.waits(110, "public.items", "AccessShareLock", 3'700 + later);
    const int waiters = (sessions - 7) * 2 / 3;
    for (int i = 0; i < sessions - 7; ++i) {
        const int id = 1'000'000 + i;
        s.session(id, "web-front-end-of-the-shop")
            .transaction(25)
            .running(statement(i))
            .user("shop", "web-042");
        if (i < waiters)
            s.waits(id, table, "RowExclusiveLock", i == 0 ? 7'210 + later : 20 + later);
        else
            s.holds(id, "public.visits", "RowExclusiveLock", 90'000 + i + later);
    }
    return s;
}

} // namespace lockscope::test
