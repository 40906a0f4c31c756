// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/WhatHappens.h"

#include "core/base/Duration.h"
#include "core/domain/Framework.h"

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

const FrameworkLock* lockOf(const LockTableEntry& entry)
{
    return entry.framework ? entry.framework->lockDefinition : nullptr;
}

/// True if the end of the lease is a time, and no text that only its client understands.
bool canBeReckoned(const FrameworkLock& lock, Engine engine)
{
    return lock.row.expires
        && lock.row.expires->clocks.value(engine, FrameworkClock::Application) != FrameworkClock::Application;
}

QString holderInWords(const HolderLife& life)
{
    switch (life.verdict) {
    case HolderLife::Verdict::Works:
        return u"Its holder works."_s;
    case HolderLife::Verdict::Gone:
        return u"Its holder is gone."_s;
    case HolderLife::Verdict::Silent:
        return u"Its holder is silent; whether it works is unknown."_s;
    case HolderLife::Verdict::Unknown:
        break;
    }
    return u"It is unknown whether its holder works."_s;
}

QString expiryInWords(ServerTime expires, ServerTime now)
{
    const auto words = [](microseconds time) {
        return durationInWords(std::chrono::duration_cast<milliseconds>(time));
    };
    return expires <= now ? u"It expired %1 ago."_s.arg(words(now - expires))
                          : u"It expires in %1."_s.arg(words(expires - now));
}

} // namespace

WhatHappens whatHappens(const FrameworkMatch& match)
{
    const FrameworkLock* const lock = match.lockDefinition;
    if (!lock)
        return {};
    return {.purpose = lock->purpose,
        .ends = lock->ends,
        .danger = lock->danger,
        .vendorCommand = lock->vendorCommand,
        .vendorNote = lock->vendorNote};
}

WhatHappens whatHappens(const LockTableEntry& entry, ServerTime now)
{
    WhatHappens effects = entry.framework ? whatHappens(*entry.framework) : WhatHappens();
    const FrameworkLock* const lock = lockOf(entry);
    if (lock && entry.expiresAt)
        effects.now << expiryInWords(*entry.expiresAt, now);
    if (lock)
        effects.now << holderInWords(entry.holderLife);
    return effects;
}

bool isPurgeable(const LockTableEntry& entry, Engine engine, ServerTime now)
{
    if (!entry.isStale(now))
        return false;
    if (!entry.framework)
        return true;
    const FrameworkLock* const lock = lockOf(entry);
    return lock && lock->row.mayBeFreed && canBeReckoned(*lock, engine)
        && lock->row.compare.contains(lock->row.expires->column, Qt::CaseInsensitive);
}

} // namespace lockscope
