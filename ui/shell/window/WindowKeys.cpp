// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/WindowKeys.h"

#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/window/CentralArea.h"
#include "ui/shell/window/StatusLine.h"
#include "ui/shell/window/TopBar.h"

#include <QAbstractButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

WindowKeys::WindowKeys(QWidget& window, const Parts& parts)
    : QObject(&window)
    , m_window(window)
    , m_parts(parts)
{
    add(u"Pause, resume; play a past time, stop"_s, Qt::Key_Space, [this] { pauseOrPress(); });
    add(u"Ask the server now"_s, Qt::Key_F5, [this] { refresh(); });
    add(u"Filter the rows"_s, QKeySequence::Find, [this] { focusFilter(); });
    add(u"Show or hide the detail pane"_s, Qt::CTRL | Qt::Key_D,
        [this] { Q_EMIT m_parts.topBar.detailToggled(!m_parts.topBar.isDetailShown()); });
    add(u"Show or hide the time bar"_s, Qt::CTRL | Qt::Key_T,
        [this] { m_parts.topBar.setTimeBarShown(!m_parts.topBar.isTimeBarShown()); });
    addTravel();
    add(u"Export all rows on view"_s, Qt::CTRL | Qt::SHIFT | Qt::Key_E, [this] { exportRows(); });
}

void WindowKeys::addTravel()
{
    TimeTravel& travel = m_parts.shown.travel();
    const auto addOf = [this](const QString& text, const QKeySequence& keys, std::function<void()> act) {
        addKey(m_window, u"Time travel"_s, text, {keys}, std::move(act), Qt::WindowShortcut);
    };
    addOf(u"The snapshot before"_s, Qt::ALT | Qt::Key_Left, [&travel] { travel.step(-1); });
    addOf(u"The snapshot after"_s, Qt::ALT | Qt::Key_Right, [&travel] { travel.step(1); });
    addOf(u"The previous wait, deadlock, alert … as chosen at the time bar"_s, Qt::ALT | Qt::Key_PageUp,
        [&travel] { travel.goToLandmark(false); });
    addOf(u"The next wait, deadlock, alert … as chosen at the time bar"_s, Qt::ALT | Qt::Key_PageDown,
        [&travel] { travel.goToLandmark(true); });
    addOf(u"Go to a time…"_s, Qt::CTRL | Qt::Key_G, [this] { Q_EMIT timeRequested(); });
    addOf(u"Search the recording…"_s, Qt::CTRL | Qt::SHIFT | Qt::Key_F, [this] { Q_EMIT searchRequested(); });
    addOf(u"Back to the present"_s, Qt::ALT | Qt::Key_End, [&travel] { travel.goLive(); });
}

void WindowKeys::refresh()
{
    if (const ServerSession* session = m_parts.shown.session(); session && session->recording())
        m_parts.statusLine.say(u"This is a recording: there is no server to ask."_s);
    else
        m_parts.shown.refresh();
}

void WindowKeys::add(const QString& text, const QKeySequence& keys, std::function<void()> act)
{
    addKey(m_window, u"Window"_s, text, {keys}, std::move(act), Qt::WindowShortcut);
}

QKeySequence WindowKeys::keysOfPage(int number)
{
    constexpr int digits = 10;
    return Qt::CTRL | (number > digits ? Qt::Key_L : static_cast<Qt::Key>(Qt::Key_0 + number % digits));
}

void WindowKeys::addPage(const PageName& page, int number)
{
    add(u"Page %1"_s.arg(page.title), keysOfPage(number), [this, id = page.id] {
        m_parts.pages.show(id);
        // The next key is for the rows: Delete in the filter box would end no session.
        QWidget* const rows = m_parts.pages.current().focusProxy();
        if (rows && rows->isVisible())
            rows->setFocus(Qt::ShortcutFocusReason);
    });
}

void WindowKeys::pauseOrPress()
{
    // A focused button keeps its own key.
    if (auto* button = qobject_cast<QAbstractButton*>(m_window.focusWidget()))
        button->click();
    else if (m_parts.shown.travel().isOn())
        m_parts.shown.travel().play(m_parts.shown.travel().speed() > 0 ? 0 : 1);
    else
        m_parts.shown.togglePaused();
}

void WindowKeys::focusFilter()
{
    Page& page = m_parts.pages.current();
    if (const QString reason = page.reasonAgainstFilter(); !reason.isEmpty())
        m_parts.statusLine.say(reason);
    else
        page.focusFilter();
}

void WindowKeys::exportRows()
{
    Page& page = m_parts.pages.current();
    if (page.canExportCsv())
        page.exportCsv();
    else
        m_parts.statusLine.say(u"This page has no rows to export."_s);
}

} // namespace lockscope::ui
