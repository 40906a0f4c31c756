// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/LockStrategy.h"

namespace lockscope::locks {

bool isGranted(Outcome outcome)
{
    return outcome == Outcome::Granted || outcome == Outcome::GrantedAfterWait;
}

QString outcomeName(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Granted:
        return QStringLiteral("granted");
    case Outcome::GrantedAfterWait:
        return QStringLiteral("granted after waiting");
    case Outcome::Denied:
        return QStringLiteral("denied");
    case Outcome::TimedOut:
        return QStringLiteral("timed out");
    case Outcome::Cancelled:
        return QStringLiteral("cancelled");
    case Outcome::DeadlockVictim:
        return QStringLiteral("deadlock victim");
    }
    return {};
}

} // namespace lockscope::locks
