// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/AppContext.h"

#include "core/db/Dialect.h"
#include "core/record/ServerPlace.h"
#include "core/watch/ServerWatch.h"
#include "ui/views/page/ActAdvice.h"
#include "ui/views/page/DateTimeText.h"

#include <QDialog>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using namespace std::chrono_literals;

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

} // namespace lockscope::ui
