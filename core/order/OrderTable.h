// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/order/OrderWatch.h"
#include "core/report/Report.h"

namespace lockscope::order {

/// The table "potential_deadlocks". Each row is about its PotentialDeadlock.
report::Section foundSection(const QList<PotentialDeadlock>& found, const QSet<QString>& mutedIds = {});
/// The table "witnesses", for programs: for each potential deadlock and order in it, who took the locks so.
report::Section witnessesSection(const QList<PotentialDeadlock>& found);
/// Both, and in sentences who took which locks and what helps.
void addTo(report::Report& report, const QList<PotentialDeadlock>& found);

/// The polls that findings rest on.
struct OrderSummary {
    OrderStatePtr state;
    qint64 unreadable = 0; ///< polls that failed
    qint64 muted = 0; ///< findings that are left out
};
report::Report toReport(const QList<PotentialDeadlock>& found, const OrderSummary& summary);

} // namespace lockscope::order
