// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/AppContext.h"

#include "core/base/Duration.h"
#include "core/base/EnumTable.h"
#include "core/base/ShownText.h"
#include "core/db/Dialect.h"
#include "core/record/Recording.h"
#include "core/watch/ServerWatch.h"
#include "ui/views/page/ActAdvice.h"

#include <QDialog>
#include <QLocale>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

QString holderText(const std::optional<LockOwnerInfo>& party)
{
    if (!party)
        return u"somebody else has it"_s;
    return u"%1 on %2 has it"_s.arg(party->owner, party->host);
}

QString lossText(locks::LossReason reason)
{
    static constexpr EnumTable<locks::LossReason> texts(
        {u"lost: its lease could not be renewed in time", u"lost: its row was released or purged by somebody",
            u"lost: the session is gone, or does not answer"});
    return texts[reason].toString();
}

QString dated(const QDateTime& dateTime, const QDateTime& today, const QString& format)
{
    const QString date = dateTime.date() == today.date() ? QString()
        : dateTime.date().year() == today.date().year()  ? u"d MMM "_s
                                                         : u"d MMM yyyy "_s;
    return QLocale::c().toString(dateTime, date + format);
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

AppContext::AppContext(QSettings& settings, QObject* parent, SteadyClock clock)
    : QObject(parent)
    , m_settings(settings)
    , m_clock(std::move(clock))
{
    m_ticker.setInterval(500ms);
    connect(&m_ticker, &QTimer::timeout, this, &AppContext::tick);
}

AppContext::~AppContext() = default;

void AppContext::setServer(
    const db::ServerProfile& profile, watch::ServerWatch* watch, admin::ServerAdminClient* admin)
{
    m_profile = profile;
    m_watch = watch;
    m_admin = admin;
    m_unreachable.clear();
    m_dialect = &db::Dialect::of(profile.url.engine);
    m_anchor = {};
    m_ticker.stop();
    Q_EMIT serverChanged();
}

QString AppContext::place() const
{
    return m_watch ? m_watch->place() : record::serverPlace(m_profile.url);
}

QString AppContext::reasonAgainst(db::Capability capability) const
{
    if (!m_dialect || m_dialect->can(capability))
        return {};
    return m_dialect->reasonAgainst(capability);
}

void AppContext::setPastTime(const std::optional<PastTime>& pastTime)
{
    if (m_pastTime == pastTime)
        return;
    m_pastTime = pastTime;
    if (m_pastTime) {
        m_anchor = m_pastTime->clock;
        m_stopped = true;
        m_ticker.stop();
        Q_EMIT tick();
    }
    Q_EMIT pastTimeChanged();
}

QString AppContext::reasonAgainstAsking() const
{
    if (!m_pastTime)
        return {};
    if (m_pastTime->ofFile)
        return u"This is a recording: there is no server to ask."_s;
    return u"You are viewing %1: go back to Live to ask the server."_s.arg(shortDateTimeText(m_pastTime->at));
}

QString AppContext::reasonAgainstActing() const
{
    if (m_pastTime && m_pastTime->ofFile)
        return u"This is a recording: nothing can be changed."_s;
    if (m_pastTime)
        return u"You are viewing %1: go back to Live to act."_s.arg(shortDateTimeText(m_pastTime->at));
    if (!m_admin)
        return u"No server is connected."_s;
    if (m_profile.readOnly)
        return u"“%1” is read-only. Clear “read-only” in its server settings to act on it."_s.arg(
            m_profile.display());
    return m_unreachable;
}

void AppContext::setUnreachable(const QString& why)
{
    if (m_unreachable == why)
        return;
    m_unreachable = why;
    Q_EMIT pastTimeChanged();
}

bool AppContext::allowsLocalAudit() const
{
    return m_profile.localAudit.value_or(ui::allowsLocalAudit(m_settings));
}

void AppContext::allowLocalAudit()
{
    m_profile.localAudit = true;
    Q_EMIT localAuditAllowed();
}

void AppContext::setThresholds(const LockThresholds& thresholds)
{
    if (m_thresholds == thresholds)
        return;
    m_thresholds = thresholds;
    Q_EMIT thresholdsChanged();
}

void AppContext::noteSnapshot(const Snapshot& snapshot, milliseconds age)
{
    m_anchor = snapshot.takenAt;
    m_anchoredAt = m_clock() - age;
    if (!m_stopped && !m_ticker.isActive())
        m_ticker.start();
}

void AppContext::setClockStopped(bool stopped)
{
    if (m_stopped == stopped)
        return;
    if (stopped) {
        m_anchor = serverNow();
        m_ticker.stop();
    } else if (m_anchor.isValid()) {
        m_ticker.start();
    }
    m_anchoredAt = m_clock();
    m_stopped = stopped;
}

ServerTime AppContext::serverNow() const
{
    if (m_stopped || !m_anchor.isValid())
        return m_anchor;
    return m_anchor + std::chrono::duration_cast<microseconds>(m_clock() - m_anchoredAt);
}

void closeWithPresent(QDialog& dialog, const AppContext& context)
{
    QObject::connect(&context, &AppContext::serverChanged, &dialog, &QDialog::reject);
    QObject::connect(&context, &AppContext::pastTimeChanged, &dialog, [&context, &dialog] {
        if (context.pastTime())
            dialog.reject();
    });
}

QString shortDateTimeText(ServerTime time, const QDateTime& now)
{
    return dated(time.toDateTime(), now.toUTC(), u"HH:mm:ss 'UTC'"_s);
}

QString spanText(const record::Span& span, const QDateTime& now)
{
    const QDateTime first = span.first.toDateTime();
    const QDateTime last = span.last.toDateTime();
    return u"%1 to %2 UTC"_s.arg(dated(first, now.toUTC(), u"HH:mm"_s),
        dated(last, last.date() == first.date() ? first : now.toUTC(), u"HH:mm"_s));
}

} // namespace lockscope::ui
