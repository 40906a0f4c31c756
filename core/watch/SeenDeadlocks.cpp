// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/SeenDeadlocks.h"

#include "core/deadlock/Family.h"

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

} // namespace lockscope::watch
