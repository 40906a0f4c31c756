// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/HeldLocks.h"

#include <algorithm>

namespace lockscope::ui {

namespace {

QString holderText(const std::optional<LockParty>& party)
{
    if (!party)
        return HeldLocks::tr("somebody else has it");
    return HeldLocks::tr("%1 on %2 has it").arg(party->owner, party->host);
}

QString lossText(locks::LossReason reason)
{
    switch (reason) {
    case locks::LossReason::LeaseExpired:
        return HeldLocks::tr("lost: its lease could not be renewed in time");
    case locks::LossReason::RowGone:
        return HeldLocks::tr("lost: its row was released or purged by somebody");
    case locks::LossReason::ConnectionGone:
        return HeldLocks::tr("lost: the session is gone, or does not answer");
    }
    return {};
}

} // namespace

void HeldLocks::setFactory(Factory factory)
{
    m_factory = std::move(factory);
    m_held.clear();
    Q_EMIT changed();
}

void HeldLocks::acquire(locks::LockKind kind, const locks::AcquireRequest& request)
{
    auto made = m_factory ? m_factory(kind, request) : nullptr;
    if (!made)
        return;
    locks::HeldLock* lock = made.get();
    connect(lock, &locks::HeldLock::waiting, this, [this, lock](const std::optional<LockParty>& heldBy) {
        tell(lock, tr("waits; %1").arg(holderText(heldBy)), false);
    });
    connect(lock, &locks::HeldLock::granted, this, [this, lock](locks::Outcome outcome) {
        const QString how = locks::outcomeName(outcome);
        tell(lock,
            lock->fencing() > 0 ? tr("held (%1), fencing %2").arg(how).arg(lock->fencing())
                                : tr("held (%1)").arg(how),
            false);
    });
    connect(lock, &locks::HeldLock::denied, this,
        [this, lock](locks::Outcome outcome, const std::optional<LockParty>& heldBy) {
            const QString text = locks::outcomeName(outcome);
            tell(lock, heldBy ? text + QStringLiteral("; ") + holderText(heldBy) : text, true);
        });
    connect(lock, &locks::HeldLock::atRisk, this, [this, lock](milliseconds left) {
        tell(lock, tr("held, but could not be renewed: lost in %1").arg(formatDuration(left)), false);
    });
    connect(lock, &locks::HeldLock::renewed, this, [this, lock] { tell(lock, tr("held, renewed"), false); });
    connect(lock, &locks::HeldLock::lost, this,
        [this, lock](locks::LossReason reason) { tell(lock, lossText(reason), true); });
    connect(lock, &locks::HeldLock::failed, this,
        [this, lock](const Error& error) { tell(lock, error.toString(), true); });
    connect(lock, &locks::HeldLock::released, this, [this, lock] { tell(lock, tr("released"), true); });
    m_held.push_back({std::move(made), {request.name, tr("connecting…"), false}});
    Q_EMIT changed();
    lock->start();
}

void HeldLocks::release(int index)
{
    if (index < 0 || index >= count())
        return;
    Held& held = m_held[static_cast<size_t>(index)];
    if (held.item.ended) {
        m_held.erase(m_held.begin() + index);
        Q_EMIT changed();
    } else if (held.lock->state() == locks::HeldLock::State::Held) {
        held.lock->release();
    } else {
        held.lock->cancel();
    }
}

void HeldLocks::tell(const locks::HeldLock* lock, const QString& state, bool ended)
{
    const auto held =
        std::find_if(m_held.begin(), m_held.end(), [&](const Held& h) { return h.lock.get() == lock; });
    if (held == m_held.end())
        return;
    held->item.state = state;
    held->item.ended = ended;
    Q_EMIT changed();
}

} // namespace lockscope::ui
