// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/AcquireRequest.h"

namespace lockscope::locks {

bool isGranted(Outcome outcome)
{
    return outcome == Outcome::Granted || outcome == Outcome::GrantedAfterWait;
}

QString outcomeName(Outcome outcome)
{
    static constexpr QStringView names[] = {
        u"granted", u"granted after waiting", u"denied", u"timed out", u"cancelled", u"deadlock victim"};
    static_assert(std::size(names) == size_t(Outcome::DeadlockVictim) + 1);
    return names[size_t(outcome)].toString();
}

AcquireRequest LockOptions::request() const
{
    const bool isSurrogate = kind == LockKind::LockedTable || kind == LockKind::LockedKey;
    return {.name = name,
        .mode = mode,
        .owner = isSurrogate ? LockOwner::Transaction : owner,
        .wait = wait,
        .lease = lease,
        .party = party,
        .principal = principal};
}

} // namespace lockscope::locks
