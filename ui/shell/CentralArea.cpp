// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/CentralArea.h"

#include "ui/ServerSession.h"
#include "ui/StartPage.h"
#include "ui/help/Chapter.h"
#include "ui/shell/ConnectionErrorPage.h"
#include "ui/shell/PageStack.h"
#include "ui/shell/ServerNotices.h"

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
{
    auto* both = new QWidget(this);
    auto* column = new QVBoxLayout(both);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_pages, 1);
    // Below the page: what appears there moves nothing that is about to be clicked.
    column->addWidget(m_notices);
    addWidget(m_start);
    addWidget(m_trouble);
    addWidget(both);
    setChapter(*m_start, QStringLiteral("getting-started.md"));
    setChapter(*m_trouble, QStringLiteral("connecting.md#when-it-fails"));
}

void CentralArea::showHealth(const ServerSession* session)
{
    if (!session) {
        setCurrentWidget(m_start);
        m_notices->clearHealth();
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
    setCurrentWidget(m_trouble);
    if (monitor.health() == Health::Silent)
        m_trouble->showSilent(session->profile());
    else if (error)
        m_trouble->showError(session->profile(), *error, monitor.failures());
    else
        m_trouble->showConnecting(session->profile());
}

QString CentralArea::chapterOnView() const
{
    return chapterOf(currentIndex() == pagesIndex ? m_pages->current() : *currentWidget());
}

} // namespace lockscope::ui
