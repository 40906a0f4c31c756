// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/Histories.h"

#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/history/BiographyDialog.h"
#include "ui/views/history/RangePanel.h"
#include "ui/views/history/RecordingWindow.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/page/SessionActs.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

Histories::Histories(AppContext& context, QWidget& window)
    : QObject(&window)
    , m_context(context)
    , m_window(window)
{
}

const record::RecordingClient* Histories::recording()
{
    if (!m_context.recording())
        Q_EMIT said(reasonAgainstHistories());
    return m_context.recording();
}

void Histories::openHistory(const record::BiographySubject& subject, ServerTime around)
{
    if (const record::RecordingClient* shown = recording())
        follow(new BiographyDialog(*shown, subject, around, &m_window));
}

void Histories::openRange(ServerTime from, ServerTime to, bool compares)
{
    const record::RecordingClient* shown = recording();
    if (!shown)
        return;
    auto* panel = new RangePanel(*shown, from, to, &m_window);
    if (compares)
        panel->compareWith(from - (to - from), from);
    follow(panel);
}

void Histories::openSearch()
{
    if (const record::RecordingClient* shown = recording())
        follow(new SearchWindow(*shown, &m_window));
}

void Histories::openDifferences(ServerTime first, ServerTime second)
{
    if (const record::RecordingClient* shown = recording())
        follow(new DifferenceWindow(*shown, first, second, &m_window));
}

void Histories::saveClip(ServerTime from, ServerTime to)
{
    const record::RecordingClient* shown = recording();
    if (!shown)
        return;
    auto* dialog = deletedOnClose(new ClipDialog(*shown, from, to, &m_window));
    connect(dialog, &ClipDialog::said, this, &Histories::said);
    dialog->open();
}

/// A window asks its own recording, even if another one is on view by then.
void Histories::follow(RecordingWindow* window)
{
    connect(window, &RecordingWindow::historyRequested, this,
        [this, window](const record::BiographySubject& subject, ServerTime around) {
            follow(new BiographyDialog(window->client(), subject, around, &m_window));
        });
    connect(window, &RecordingWindow::timeTravelRequested, this, [this, window](ServerTime at) {
        const record::RecordingClient* shown = m_context.recording();
        if (shown && shown->place() == window->client().place())
            Q_EMIT timeTravelRequested(at);
        else
            Q_EMIT said(u"That time is of another server: show it first."_s);
    });
    window->show();
}

} // namespace lockscope::ui
