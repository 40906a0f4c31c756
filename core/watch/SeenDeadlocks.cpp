// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/SeenDeadlocks.h"

#include "core/deadlock/Family.h"
#include "core/order/Muted.h"

namespace lockscope::watch {

using namespace Qt::StringLiterals;

void addUnknown(const deadlock::ReportPtr& report, ServerTime at, deadlock::KnownDeadlocks& known,
    const std::function<QString(const QString& family)>& whyNew, std::vector<alert::SeenDeadlock>& seen)
{
    if (report->kind == deadlock::ReportKind::Blocked)
        return;
    for (const deadlock::Deadlock& each : deadlock::deadlocksOf(report)) {
        if (known.add(deadlock::identityOf(each)) != deadlock::KnownDeadlocks::Came::New)
            continue;
        alert::SeenDeadlock one{
            .family = deadlock::familyOf(each), .title = deadlock::familyTitle(each), .at = at};
        one.whyNew = whyNew(one.family);
        seen.push_back(std::move(one));
    }
}

QString neverSeen()
{
    return u"a deadlock of this family was never seen on this server."_s;
}

std::optional<std::vector<alert::OppositeOrder>> ordersOf(const order::OrderStatePtr& state)
{
    if (!state)
        return std::nullopt;
    const QSet<QString> muted = order::mutedIds().value_or(QSet<QString>());
    std::vector<alert::OppositeOrder> orders;
    for (const order::PotentialDeadlock& each : state->found.all)
        if (!muted.contains(each.id))
            orders.push_back(
                {.id = each.id, .title = each.title(), .database = each.database, .count = each.count()});
    return orders;
}

} // namespace lockscope::watch
