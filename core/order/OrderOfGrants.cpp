// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/OrderOfGrants.h"

#include "core/base/Mutex.h"

namespace lockscope::order {

using namespace Qt::StringLiterals;

struct OrderOfGrants::Shared {
    explicit Shared(Activity theActivity)
        : activity(std::move(theActivity))
    {
    }

    void note(const OwnStep& own) LOCKSCOPE_EXCLUDES(mutex);
    Taken taken(const OwnLock& lock) LOCKSCOPE_REQUIRES(mutex);
    LockNamePtr nameOf(const OwnLock& lock) LOCKSCOPE_REQUIRES(mutex);

    const Activity activity;
    Mutex mutex;
    LockOrder order LOCKSCOPE_GUARDED_BY(mutex);
    /// Keyed by place, form and name: each lock that a program takes again and again is worked out once.
    QHash<QStringList, LockNamePtr> names LOCKSCOPE_GUARDED_BY(mutex);
    QString firstPlace LOCKSCOPE_GUARDED_BY(mutex); ///< of the others names tell where they are
};

LockNamePtr OrderOfGrants::Shared::nameOf(const OwnLock& lock)
{
    const QStringList key{lock.place, lock.form, lock.name};
    const auto known = names.constFind(key);
    if (known != names.constEnd())
        return *known;
    if (names.size() >= LockNames::maxKept)
        names.clear();
    if (firstPlace.isEmpty())
        firstPlace = lock.place;
    const QString where = lock.place == firstPlace ? QString() : u" at "_s + lock.place;
    const auto made = std::make_shared<const LockName>(lockName(u"own"_s, lock.place,
        lock.form.arg(lock.name) + where, lock.form.arg(namePattern(lock.name)) + where));
    names.insert(key, made);
    return made;
}

Taken OrderOfGrants::Shared::taken(const OwnLock& lock)
{
    return {nameOf(lock), lock.mode};
}

void OrderOfGrants::Shared::note(const OwnStep& own)
{
    if (own.held.empty())
        return;
    LockOrder::Step step;
    Witness& witness = step.witness;
    witness.user = own.party.owner;
    witness.program = own.party.program;
    witness.host = own.party.host;
    witness.thread = own.party.program.isEmpty() ? u"thread %1"_s.arg(own.thread)
                                                 : u"thread %1 of "_s.arg(own.thread) + own.party.program;
    witness.statement = activity ? activity() : QString();
    witness.at = own.at;
    witness.here = own.here;
    witness.evidence = own.hadToWait ? Evidence::Waiting : Evidence::Exact;
    const MutexLock lock(mutex);
    for (const OwnLock& each : own.held)
        step.held.push_back(taken(each));
    step.second = taken(own.taken);
    // The latest of many are paired.
    step.firsts.assign(step.held.rbegin(), step.held.rend());
    order.note(step);
}

OrderOfGrants::OrderOfGrants(Activity activity)
    : m_shared(std::make_shared<Shared>(std::move(activity)))
{
}

OwnStepListener OrderOfGrants::listener() const
{
    return [shared = m_shared](const OwnStep& step) { shared->note(step); };
}

void OrderOfGrants::note(const OwnStep& step)
{
    m_shared->note(step);
}

LockOrder OrderOfGrants::order() const
{
    const MutexLock lock(m_shared->mutex);
    return m_shared->order;
}

Findings OrderOfGrants::potentialDeadlocks(Guarded guarded) const
{
    // From a copy, so that no thread waits for it.
    return order::potentialDeadlocks(order(), guarded);
}

} // namespace lockscope::order
