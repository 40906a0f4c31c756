// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/notify/TrayIcon.h"

#include "ui/kit/theme/Theme.h"

#include <QApplication>
#include <QEvent>
#include <QIcon>
#include <QMenu>
#include <QPainter>
#include <QSystemTrayIcon>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int traySize = 64; ///< the desktop scales it

QIcon markedIcon(std::optional<alert::Severity> worst)
{
    QPixmap picture = QIcon(u":/icons/lockscope-app.svg"_s).pixmap(traySize, traySize);
    if (worst && !picture.isNull()) {
        QPainter painter(&picture);
        painter.setRenderHint(QPainter::Antialiasing);
        const bool isCritical = *worst == alert::Severity::Critical;
        painter.setBrush(isCritical ? theme::colors().red : theme::colors().amber);
        painter.setPen(QPen(Qt::white, 4));
        const QRectF dot(traySize * 0.5, traySize * 0.5, traySize * 0.46, traySize * 0.46);
        // Not by colour alone: a square is critical, as everywhere.
        if (isCritical)
            painter.drawRect(dot);
        else
            painter.drawEllipse(dot);
    }
    return picture;
}

} // namespace

TrayIcon::TrayIcon(QWidget& window)
    : QObject(&window)
    , m_window(window)
    , m_menu(std::make_unique<QMenu>())
    , m_icon(new QSystemTrayIcon(this))
{
    connect(m_menu->addAction(u"&Show Lockscope"_s), &QAction::triggered, this, &TrayIcon::showWindow);
    connect(m_menu->addAction(u"&Mute all for 1 h…"_s), &QAction::triggered, this, &TrayIcon::muteRequested);
    m_menu->addSeparator();
    connect(m_menu->addAction(u"&Quit"_s), &QAction::triggered, this, &TrayIcon::quit);
    m_icon->setContextMenu(m_menu.get());
    connect(m_icon, &QSystemTrayIcon::activated, this, [this](QSystemTrayIcon::ActivationReason reason) {
        if (reason == QSystemTrayIcon::Trigger)
            showWindow();
    });
    show(0, std::nullopt);
    m_icon->show();
    window.installEventFilter(this);
}

TrayIcon::~TrayIcon() = default;

void TrayIcon::showWindow()
{
    m_quits = false;
    QApplication::setQuitOnLastWindowClosed(true);
    m_window.show();
    m_window.setWindowState(m_window.windowState() & ~Qt::WindowMinimized);
    m_window.raise();
    m_window.activateWindow();
}

/// As the window is closed without a tray: it may ask first, or end what it runs.
void TrayIcon::quit()
{
    showWindow();
    m_quits = true;
    m_window.close();
}

bool TrayIcon::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != &m_window || event->type() != QEvent::Close || !m_keepsWindow || m_quits)
        return QObject::eventFilter(watched, event);
    event->ignore();
    QApplication::setQuitOnLastWindowClosed(false); // others that are closed meanwhile
    m_window.hide();
    return true;
}

void TrayIcon::show(std::optional<int> count, std::optional<alert::Severity> worst)
{
    m_icon->setIcon(markedIcon(worst));
    m_icon->setToolTip(!count ? u"Lockscope: the incidents can't be read"_s
            : *count == 0     ? u"Lockscope: no incident needs attention"_s
            : *count == 1     ? u"Lockscope: 1 incident needs attention (%1)"_s.arg(severityName(*worst))
                              : u"Lockscope: %L1 incidents need attention, the worst is %2"_s.arg(*count).arg(
                                  severityName(*worst)));
}

QString TrayIcon::toolTip() const
{
    return m_icon->toolTip();
}

} // namespace lockscope::ui
