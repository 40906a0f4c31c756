// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/Histories.h"

#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/history/BiographyDialog.h"
#include "ui/views/history/ClipDialog.h"
#include "ui/views/history/DifferenceWindow.h"
#include "ui/views/history/RangePanel.h"
#include "ui/views/history/SearchWindow.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/page/HistoryActs.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

Histories::Histories(AppContext& context, QWidget& window)
    : QObject(&window)
    , m_context(context)
    , m_window(window)
{
}

void Histories::openHistory(const record::BiographySubject& subject, ServerTime around)
{
    if (m_context.recording())
        openHistoryOf(*m_context.recording(), subject, around);
    else
        Q_EMIT said(reasonAgainstHistories());
}

void Histories::openHistoryOf(
    const record::RecordingClient& client, const record::BiographySubject& subject, ServerTime around)
{
    follow(new BiographyDialog(client, subject, around, &m_window));
}

void Histories::openRange(ServerTime from, ServerTime to, bool compares)
{
    if (!m_context.recording()) {
        Q_EMIT said(reasonAgainstHistories());
        return;
    }
    auto* panel = new RangePanel(*m_context.recording(), from, to, &m_window);
    if (compares)
        panel->compareWith(from - (to - from), from);
    follow(panel);
}

void Histories::openSearch()
{
    if (m_context.recording())
        follow(new SearchWindow(*m_context.recording(), &m_window));
    else
        Q_EMIT said(reasonAgainstHistories());
}

void Histories::openDifferences(ServerTime first, ServerTime second)
{
    if (!m_context.recording()) {
        Q_EMIT said(reasonAgainstHistories());
        return;
    }
    auto* window = new DifferenceWindow(*m_context.recording(), first, second, &m_window);
    followTimes(window);
    window->show();
}

void Histories::saveClip(ServerTime from, ServerTime to)
{
    if (!m_context.recording()) {
        Q_EMIT said(reasonAgainstHistories());
        return;
    }
    auto* dialog = deletedOnClose(new ClipDialog(*m_context.recording(), from, to, &m_window));
    connect(dialog, &ClipDialog::said, this, &Histories::said);
    dialog->open();
}

/// A window asks its own recording, even if another one is on view by then.
template <class Window> void Histories::follow(Window* window)
{
    connect(window, &Window::historyRequested, this,
        [this, window](const record::BiographySubject& subject, ServerTime around) {
            openHistoryOf(window->client(), subject, around);
        });
    followTimes(window);
    window->show();
}

template <class Window> void Histories::followTimes(Window* window)
{
    connect(window, &Window::timeTravelRequested, this, [this, window](ServerTime at) {
        const record::RecordingClient* shown = m_context.recording();
        if (shown && shown->place() == window->client().place())
            Q_EMIT timeTravelRequested(at);
        else
            Q_EMIT said(u"That time is of another server: show it first."_s);
    });
}

} // namespace lockscope::ui
