// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/AcquireRequest.h"

#include "core/base/EnumTable.h"

namespace lockscope::locks {

bool isGranted(Outcome outcome)
{
    return outcome == Outcome::Granted || outcome == Outcome::GrantedAfterWait;
}

QString outcomeName(Outcome outcome)
{
    static constexpr EnumTable<Outcome> names(
        {u"granted", u"granted after waiting", u"denied", u"timed out", u"cancelled", u"deadlock victim"});
    return names[outcome].toString();
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
