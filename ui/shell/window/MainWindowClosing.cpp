// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The end of the window: locks that it holds and scenarios that run are seen to first. A part of MainWindow.

#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/Reopener.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/shell/window/PageStack.h"
#include "ui/shell/window/StatusLine.h"

#include <QCloseEvent>
#include <QMessageBox>
#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

/// A server that hangs must not keep the window open; what is left there the next run removes.
constexpr auto maxClosing = 5s;

} // namespace

/// True while there are locks that others wait for, or that would block them once nobody is left to see to
/// it.
bool MainWindow::isBusy()
{
    return m_pages->isRunning() || m_context.heldLocks().liveCount() > 0;
}

void MainWindow::finishClosing()
{
    if (m_isClosing && !isBusy())
        QMetaObject::invokeMethod(this, &MainWindow::close, Qt::QueuedConnection);
}

/// A lock may be held on purpose: closing would give it to the next one.
bool MainWindow::asksToClose()
{
    const int locks = m_context.heldLocks().liveCount();
    if (locks == 0)
        return false;
    QStringList names;
    for (int i = 0; i < m_context.heldLocks().count(); ++i) {
        const HeldLocks::Item& item = m_context.heldLocks().item(i);
        if (!item.ended)
            names << item.line();
    }
    auto* box = deletedOnClose(named("closeWithLocks",
        new QMessageBox(QMessageBox::Question, u"Close Lockscope"_s,
            locks == 1 ? u"This window holds a lock, or waits for it."_s
                       : u"This window holds %1 locks, or waits for them."_s.arg(locks),
            QMessageBox::Cancel, this)));
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(names.join(u'\n'));
    QPushButton* release =
        named("releaseAndClose", box->addButton(u"Release and close"_s, QMessageBox::AcceptRole));
    box->setDefaultButton(QMessageBox::Cancel);
    connect(release, &QPushButton::clicked, this, [this] {
        m_isClosing = true;
        m_context.heldLocks().releaseAll();
        close();
    });
    box->open();
    return true;
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!m_isClosing && asksToClose()) {
        event->ignore();
        return;
    }
    m_servers->rememberOpen(session(), m_reopener->rest());
    saveLayout();
    if (isBusy() && isEnabled()) {
        // Sessions are to end, tables to go and locks to be free while there is a program to see to it.
        m_isClosing = true;
        event->ignore();
        setEnabled(false);
        m_statusLine->say(
            m_pages->isRunning() ? u"Stopping the scenario…"_s : u"Releasing the locks of this window…"_s);
        m_pages->stop();
        QTimer::singleShot(maxClosing, this, &MainWindow::close);
        return;
    }
    m_isClosing = false;
    QMainWindow::closeEvent(event);
}

} // namespace lockscope::ui
