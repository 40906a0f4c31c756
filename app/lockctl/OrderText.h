// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/OrderWatch.h"

namespace lockscope::ctl {

/// What the findings rest on.
struct OrderSummary {
    order::OrderStatePtr state;
    qint64 unreadable = 0; ///< looks that failed
    qint64 muted = 0; ///< findings that are left out
};

/// For people; holds what others wrote.
QString orderText(const QList<order::PotentialDeadlock>& told, const OrderSummary& summary);
/// The findings alone, each with its witnesses.
QString potentialDeadlocksText(const QList<order::PotentialDeadlock>& all);
QJsonObject orderJson(const QList<order::PotentialDeadlock>& told, const OrderSummary& summary);

} // namespace lockscope::ctl
