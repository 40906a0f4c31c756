// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/HeldLocks.h"

#include "core/base/Duration.h"
#include "core/base/ShownText.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

QString holderText(const std::optional<LockOwnerInfo>& party)
{
    if (!party)
        return u"somebody else has it"_s;
    return u"%1 on %2 has it"_s.arg(party->owner, party->host);
}

QString lossText(locks::LossReason reason)
{
    switch (reason) {
    case locks::LossReason::LeaseExpired:
        return u"lost: its lease could not be renewed in time"_s;
    case locks::LossReason::RowGone:
        return u"lost: its row was released or purged by somebody"_s;
    case locks::LossReason::ConnectionGone:
        return u"lost: the session is gone, or does not answer"_s;
    }
    return {};
}

} // namespace

QString HeldLocks::Item::line() const
{
    return inOneLine(u"“%1” on %2: %3"_s.arg(name, server, state));
}

void HeldLocks::setFactory(Factory factory, const QString& server)
{
    m_factory = std::move(factory);
    m_server = server;
    Q_EMIT changed();
}

void HeldLocks::acquire(const locks::LockOptions& options)
{
    auto made = m_factory ? m_factory(options) : nullptr;
    if (!made)
        return;
    locks::HeldLock* lock = made.get();
    connect(lock, &locks::HeldLock::waiting, this, [this, lock](const std::optional<LockOwnerInfo>& heldBy) {
        tell(lock, u"waits; %1"_s.arg(holderText(heldBy)), false);
    });
    connect(lock, &locks::HeldLock::granted, this, [this, lock](locks::Outcome outcome) {
        const QString how = locks::outcomeName(outcome);
        tell(lock,
            lock->fencing() > 0 ? u"held (%1), fencing %2"_s.arg(how).arg(lock->fencing())
                                : u"held (%1)"_s.arg(how),
            false);
    });
    connect(lock, &locks::HeldLock::denied, this,
        [this, lock](locks::Outcome outcome, const std::optional<LockOwnerInfo>& heldBy) {
            const QString text = locks::outcomeName(outcome);
            tell(lock, heldBy ? text + QStringLiteral("; ") + holderText(heldBy) : text, true);
        });
    connect(lock, &locks::HeldLock::atRisk, this, [this, lock](milliseconds left) {
        tell(lock, u"held, but could not be renewed: lost in %1"_s.arg(formatDuration(left)), false);
    });
    connect(lock, &locks::HeldLock::renewed, this, [this, lock] { tell(lock, u"held, renewed"_s, false); });
    connect(lock, &locks::HeldLock::lost, this,
        [this, lock](locks::LossReason reason) { tell(lock, lossText(reason), true); });
    connect(lock, &locks::HeldLock::failed, this,
        [this, lock](const Error& error) { tell(lock, error.toString(), true); });
    connect(lock, &locks::HeldLock::released, this, [this, lock] { tell(lock, u"released"_s, true); });
    m_held.push_back(
        {std::move(made), {.name = options.name, .server = m_server, .state = u"connecting…"_s}});
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

int HeldLocks::liveCount() const
{
    return static_cast<int>(
        std::count_if(m_held.begin(), m_held.end(), [](const Held& held) { return !held.item.ended; }));
}

void HeldLocks::releaseAll()
{
    for (int i = 0; i < count(); ++i) {
        if (!item(i).ended)
            release(i);
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
