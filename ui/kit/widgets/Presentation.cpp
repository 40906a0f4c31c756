// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/Presentation.h"

#include "ui/kit/widgets/KeyAction.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCloseEvent>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double stripLetters = 1.5; ///< to be read from the first rows; the hall sees the parts below

} // namespace

Presentation::Presentation(QWidget& place, const std::optional<db::ServerProfile>& server)
    : QWidget(&place, Qt::Window)
{
    setObjectName(QStringLiteral("presentation"));
    setWindowTitle(u"Lockscope – presentation"_s);
    auto* column = withMargins(new QVBoxLayout(this), {24, 20, 24, 16});
    if (server)
        column->setMenuBar(new ServerStrip(*server, this, stripLetters)); // from edge to edge
    // Not at once: what ends this window is one of its own actions.
    addKey(
        *this, u"Presentation"_s, u"Leave the presentation"_s, {Qt::Key_Escape, Qt::Key_F11},
        [this] { QMetaObject::invokeMethod(this, &Presentation::left, Qt::QueuedConnection); },
        Qt::WindowShortcut);
}

void Presentation::present(QWidget& content, QWidget& focus)
{
    layout()->addWidget(&content);
    m_focus = &focus;
    showFullScreen();
    activateWindow();
}

bool Presentation::event(QEvent* event)
{
    const bool isHandled = QWidget::event(event);
    if (event->type() == QEvent::WindowActivate && m_focus)
        m_focus->setFocus();
    return isHandled;
}

void Presentation::closeEvent(QCloseEvent* event)
{
    event->ignore();
    QMetaObject::invokeMethod(this, &Presentation::left, Qt::QueuedConnection);
}

} // namespace lockscope::ui
