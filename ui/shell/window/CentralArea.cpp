// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/CentralArea.h"

#include "ui/kit/help/Chapter.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/timetravel/TimeBar.h"
#include "ui/shell/window/ConnectionErrorPage.h"
#include "ui/shell/window/PageStack.h"
#include "ui/shell/window/ServerNotices.h"
#include "ui/shell/window/StartPage.h"

#include <QVBoxLayout>

namespace lockscope::ui {

using monitor::Health;

namespace {

constexpr int pagesIndex = 2;

} // namespace

CentralArea::CentralArea(db::KeychainPtr keychain, QWidget* parent)
    : QStackedWidget(parent)
    , m_start(new StartPage(this))
    , m_trouble(new ConnectionErrorPage(std::move(keychain), this))
    , m_pages(new PageStack(this))
    , m_notices(new ServerNotices(this))
    , m_foot(new QWidget(this))
    , m_timeBar(new TimeBar(m_foot))
{
    // Below the page: what appears there moves nothing that is about to be clicked.
    addAll(*withoutMargins(new QVBoxLayout(m_foot), 0), {m_notices, m_timeBar});
    setChapter(*m_timeBar, QStringLiteral("time-travel.md"));
    addWidget(m_start);
    addWidget(m_trouble);
    addWidget(m_pages);
    connect(this, &QStackedWidget::currentChanged, this,
        [this](int index) { m_foot->setVisible(index == pagesIndex); });
    m_foot->setVisible(currentIndex() == pagesIndex);
    setChapter(*m_start, QStringLiteral("getting-started.md"));
    setChapter(*m_trouble, QStringLiteral("connecting.md#when-it-fails"));
}

void CentralArea::showHealth(const ShownServer& shown)
{
    const ServerSession* session = shown.session();
    if (!session) {
        if (m_pages->current().needsServer())
            setCurrentWidget(m_start);
        else
            setCurrentIndex(pagesIndex);
        m_notices->clearHealth();
        return;
    }
    if (session->recording() && session->recording()->error) {
        setCurrentWidget(m_trouble);
        m_trouble->showRecording(session->recording()->place, *session->recording()->error);
        return;
    }
    if (!shown.isLive()) {
        showPastView(shown);
        return;
    }
    const monitor::ServerMonitor& monitor = session->monitor();
    const auto error = monitor.lastError();
    if (monitor.snapshot()) {
        setCurrentIndex(pagesIndex);
        m_pages->current().showHealth(monitor.health(), error, session->dataAge());
        m_notices->showHealth(*session);
        return;
    }
    if (m_pages->current().needsServer())
        setCurrentWidget(m_trouble);
    else
        setCurrentIndex(pagesIndex);
    if (monitor.health() == Health::Silent)
        m_trouble->showSilent(session->profile());
    else if (error)
        m_trouble->showError(session->profile(), *error, monitor.failures());
    else
        m_trouble->showConnecting(session->profile());
}

void CentralArea::showPastView(const ShownServer& shown)
{
    const TimeTravel& travel = shown.travel();
    if (travel.snapshot()) {
        setCurrentIndex(pagesIndex);
        m_pages->current().showHealth(
            travel.error() ? Health::Failed : Health::Live, travel.error(), milliseconds(0));
        m_notices->showPastView(travel);
        return;
    }
    setCurrentWidget(m_trouble);
    if (travel.error())
        m_trouble->showRecording(travel.source().place, *travel.error());
    else
        m_trouble->showOpening(travel.source().place);
}

QString CentralArea::chapterOnView() const
{
    return chapterOf(currentIndex() == pagesIndex ? m_pages->current() : *currentWidget());
}

} // namespace lockscope::ui
