// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/order/OrderWatch.h"
#include "core/report/Report.h"

#include <QSet>
#include <QString>

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

/// The file with the ids of potential deadlocks that the user has muted: a text file in the account's folder
/// for settings, a line each, "id title", which lockctl and the window share. A pipe or a device in its place
/// is refused (BadInput), as is one of more than a megabyte. Any thread.
QString mutedFile(); ///< $XDG_CONFIG_HOME/lockscope/muted-lock-orders
/// A file that is not there is an empty one.
Result<QSet<QString>> mutedIds();
/// A second call changes nothing. Programs that change the file at the same time do so one after the other,
/// by a lock on a file beside it, ".lock"; Timeout if another one keeps that for seconds.
Result<void> mute(const QString& id, const QString& title);
Result<void> unmute(const QString& id);

} // namespace lockscope::order
