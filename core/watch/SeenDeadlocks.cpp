// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/SeenDeadlocks.h"

#include "core/deadlock/Family.h"

namespace lockscope::watch {

using namespace Qt::StringLiterals;

void addUnknown(const deadlock::ReportPtr& report, ServerTime at, deadlock::KnownDeadlocks& known,
    const std::function<bool(const QString& family)>& isNewFamily, std::vector<alert::SeenDeadlock>& seen)
{
    if (report->kind == deadlock::ReportKind::Blocked)
        return;
    for (const deadlock::Deadlock& each : deadlock::deadlocksOf(report)) {
        if (known.add(deadlock::identityOf(each)) != deadlock::KnownDeadlocks::Came::New)
            continue;
        alert::SeenDeadlock one{deadlock::familyOf(each), deadlock::familyTitle(each), {}, {}, at};
        if (isNewFamily(one.family))
            one.whyNew = u"a deadlock of this family was never seen on this server."_s;
        seen.push_back(std::move(one));
    }
}

} // namespace lockscope::watch
