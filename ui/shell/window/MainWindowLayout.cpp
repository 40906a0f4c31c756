// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Sentences.h"
#include "ui/kit/help/HelpWindow.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/Recordings.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/window/CentralArea.h"
#include "ui/shell/window/MainWindow.h"
#include "ui/shell/window/SideBar.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/shell/window/TopBar.h"
#include "ui/shell/window/TravelDisplay.h"
#include "ui/views/detail/DetailPane.h"

#include <QAction>
#include <QCloseEvent>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// The arrangement of the window's parts; its place, the division of its panes, and the page on view, which
// the settings keep: a part of MainWindow.

namespace {

const QString geometryKey = QStringLiteral("window/geometry");
const QString panesKey = QStringLiteral("window/splitter");
const QString detailKey = QStringLiteral("window/detail");
const QString timeBarKey = QStringLiteral("window/timeBar");
const QString pageKey = QStringLiteral("window/page");

constexpr QSize windowSize(1280, 800);
constexpr int sideBarWidth = 176;
constexpr int narrowestDetail = 220;
/// The frame that the window manager draws round the window; unknown before it is shown.
constexpr QSize titleBar(8, 36);

/// A window larger than the screen hides its end: the status line, and the dialogs' buttons.
void fitScreen(QMainWindow& window)
{
    if (window.isMaximized() || window.isFullScreen())
        return;
    const QSize space = window.screen()->availableGeometry().size() - titleBar;
    window.resize(window.size().boundedTo(space));
}

/// Says on every page, whatever server is on view, that this window holds locks or waits for some; its menu
/// releases them. Hidden while there is none.
class HeldLocksButton : public QToolButton {
public:
    explicit HeldLocksButton(HeldLocks& locks, QWidget* parent = nullptr)
        : QToolButton(parent)
        , m_locks(locks)
    {
        setObjectName(QStringLiteral("heldLocks"));
        setAutoRaise(true);
        setPopupMode(InstantPopup);
        auto* menu = new QMenu(this);
        menu->setToolTipsVisible(true);
        setMenu(menu);
        connect(menu, &QMenu::aboutToShow, this, [this] { fillMenu(); });
        connect(&locks, &HeldLocks::changed, this, [this] { update(); });
        update();
    }

private:
    void update()
    {
        QStringList lines;
        for (int i = 0; i < m_locks.count(); ++i)
            lines << m_locks.item(i).line();
        const int live = m_locks.liveCount();
        const int ended = m_locks.count() - live;
        setText(live == 0 ? u"Own locks: %1 ended"_s.arg(ended) : counted(live, u"own lock"));
        setToolTip(toolTipText(u"Locks that this window holds or waits for:\n"_s + lines.join(u'\n')));
        setAccessibleName(text());
        setVisible(m_locks.count() > 0);
    }
    void fillMenu()
    {
        menu()->clear();
        for (int i = 0; i < m_locks.count(); ++i) {
            const HeldLocks::Item& item = m_locks.item(i);
            const QString text = (item.ended ? u"Dismiss %1"_s : u"Release %1"_s).arg(item.line());
            QAction* act = menu()->addAction(inMenu(text));
            // A lock that has ended while the menu was open is not dismissed unseen.
            connect(act, &QAction::triggered, this, [this, i, name = item.name, ended = item.ended] {
                if (i < m_locks.count() && m_locks.item(i).name == name && m_locks.item(i).ended == ended)
                    m_locks.release(i);
            });
        }
    }

    HeldLocks& m_locks;
};

} // namespace

void MainWindow::assemble()
{
    divide(*m_splitter, {{m_sideBar, 0}, {m_centre, 1}, {m_detail, 0}});
    m_splitter->setHandleWidth(1);
    auto* middle = new QWidget(this);
    addAll(*withoutMargins(new QVBoxLayout(middle), 0), {m_mark, {m_splitter, 1}, &m_centre->foot()});
    setChapter(*m_mark, QStringLiteral("time-travel.md"));
    setCentralWidget(middle);
    addToolBar(m_topBar);
    m_topBar->setHelpMenu(m_help->menu());
    connect(m_help, &Help::keysRequested, m_pages, &PageStack::makeAll); // pages have keys of their own
    connect(m_help, &Help::tourRequested, this, [this] {
        showPage(QStringLiteral("scenarios"), QStringLiteral("tour"));
        if (!session())
            m_statusLine->say(u"The tour needs a server. “Try it here” starts one of its own."_s);
    });
    setChapter(*m_detail, QStringLiteral("window.md#the-detail-pane"));
    m_detail->hide(); // until something is selected
    setStatusBar(m_statusLine);
    // Behind the message, which is the first.
    m_statusLine->insertPermanentWidget(1, new HeldLocksButton(m_context.heldLocks(), m_statusLine));
    connect(&m_context.heldLocks(), &HeldLocks::changed, this, &MainWindow::finishClosing);
    auto* recorder = new RecorderButton(*m_shown, m_statusLine);
    m_statusLine->insertPermanentWidget(1, recorder);
    connect(recorder, &RecorderButton::turned, this, [this](bool on) { m_recorded->turn(*session(), on); });
    connect(
        recorder, &RecorderButton::settingsRequested, this, [this] { m_recorded->edit(*session(), *this); });
    connect(recorder, &RecorderButton::said, m_statusLine, &StatusLine::sayNext);
    connect(
        recorder, &RecorderButton::newFileRequested, this, [this] { session()->recorder()->beginAgain(); });
}

void MainWindow::restoreLayout()
{
    resize(windowSize);
    restoreGeometry(m_settings.value(geometryKey).toByteArray());
    fitScreen(*this);
    // The page has more use for what a small screen has.
    const int detail = std::clamp(width() / 5, narrowestDetail, 266);
    m_splitter->setSizes({sideBarWidth, width() - sideBarWidth - detail, detail});
    m_splitter->restoreState(m_settings.value(panesKey).toByteArray());
    m_topBar->setDetailShown(m_settings.value(detailKey, true).toBool());
    m_topBar->setTimeBarShown(m_settings.value(timeBarKey, true).toBool());
    if (!m_pages->show(m_settings.value(pageKey).toString()))
        m_pages->show(m_pages->ids().first());
}

void MainWindow::saveLayout()
{
    m_settings.setValue(geometryKey, saveGeometry());
    if (session()) // without a server the panes are not as the user has set them
        m_settings.setValue(panesKey, m_splitter->saveState());
    m_settings.setValue(detailKey, m_topBar->isDetailShown());
    m_settings.setValue(timeBarKey, m_topBar->isTimeBarShown());
    m_settings.setValue(pageKey, m_pages->current().id());
    m_pages->saveLayout();
}

// The end of the window: locks that it holds and scenarios that run are seen to first. A part of MainWindow.

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
