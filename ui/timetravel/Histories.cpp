// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timetravel/Histories.h"

#include "core/domain/Snapshot.h"
#include "ui/AppContext.h"
#include "ui/pages/Page.h"
#include "ui/timetravel/BiographyDialog.h"
#include "ui/timetravel/ClipDialog.h"
#include "ui/timetravel/DifferenceWindow.h"
#include "ui/timetravel/RangePanel.h"
#include "ui/timetravel/SearchWindow.h"
#include "ui/widgets/KeyAction.h"

#include <QMenu>
#include <QPointer>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

const QString nothingRecorded = u"Nothing is recorded of this server."_s;

} // namespace

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
        Q_EMIT said(nothingRecorded);
}

void Histories::openHistoryOf(
    const record::RecordingClient& client, const record::BiographySubject& subject, ServerTime around)
{
    follow(new BiographyDialog(client, subject, around, &m_window));
}

void Histories::openRange(ServerTime from, ServerTime to, bool compares)
{
    if (!m_context.recording()) {
        Q_EMIT said(nothingRecorded);
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
        Q_EMIT said(nothingRecorded);
}

void Histories::openDifferences(ServerTime first, ServerTime second)
{
    if (!m_context.recording()) {
        Q_EMIT said(nothingRecorded);
        return;
    }
    auto* window = new DifferenceWindow(*m_context.recording(), first, second, &m_window);
    followMoments(window);
    window->show();
}

void Histories::saveClip(ServerTime from, ServerTime to)
{
    if (!m_context.recording()) {
        Q_EMIT said(nothingRecorded);
        return;
    }
    auto* dialog = new ClipDialog(*m_context.recording(), from, to, &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ClipDialog::said, this, &Histories::said);
    dialog->open();
}

/// What a window asks for is of its own recording, whatever is on view by then.
template <class Window> void Histories::follow(Window* window)
{
    connect(window, &Window::historyRequested, this,
        [this, window](const record::BiographySubject& subject, ServerTime around) {
            openHistoryOf(window->client(), subject, around);
        });
    followMoments(window);
    window->show();
}

template <class Window> void Histories::followMoments(Window* window)
{
    connect(window, &Window::momentRequested, this, [this, window](ServerTime at) {
        const record::RecordingClient* shown = m_context.recording();
        if (shown && shown->place() == window->client().place())
            Q_EMIT momentRequested(at);
        else
            Q_EMIT said(u"That moment is of another server: show it first."_s);
    });
}

HistorySubjects historiesOf(const DetailSubject& subject, const Snapshot* snapshot)
{
    HistorySubjects histories;
    const auto ofResource = [&](const ResourceKey& key) {
        const auto found = std::ranges::find_if(
            snapshot->resources, [&key](const Resource& each) { return each.key == key; });
        if (found != snapshot->resources.end())
            histories.lock = record::recordedLock(*found);
    };
    if (!snapshot)
        return histories;
    if (const auto* request = std::get_if<LockRequestKey>(&subject)) {
        ofResource(request->resource);
        histories.session = record::RecordedSession{request->session, request->sessionStarted};
    } else if (const auto* name = std::get_if<LockTableKey>(&subject)) {
        histories.lock = record::recordedLock(*name);
        const auto entry = std::ranges::find_if(snapshot->entries, [name](const LockTableEntry& each) {
            return each.table == name->table && each.name == name->name;
        });
        if (entry != snapshot->entries.end() && entry->party.session.isValid()) {
            const Session* session = snapshot->session(entry->party.session);
            histories.session =
                record::RecordedSession{entry->party.session, session ? session->started : ServerTime()};
        }
    } else if (const auto* session = std::get_if<SessionKey>(&subject)) {
        histories.session = record::RecordedSession{session->id, session->started};
        const auto wait = std::ranges::find_if(snapshot->requests, [session](const LockRequest& each) {
            return each.isWaiting() && each.session == session->id && each.sessionStarted == session->started;
        });
        if (wait != snapshot->requests.end())
            ofResource(snapshot->resourceOf(*wait).key);
    }
    return histories;
}

void addHistories(QMenu& menu, Page& page, const HistorySubjects& subjects)
{
    if (!subjects.lock && !subjects.session)
        return;
    const QString reason = page.context().recording() ? QString() : nothingRecorded;
    const auto add = [&](const QString& text, const record::BiographySubject& subject) {
        QAction* action = menu.addAction(text);
        action->setEnabled(reason.isEmpty());
        action->setToolTip(reason);
        QObject::connect(
            action, &QAction::triggered, &page, [&page, subject] { Q_EMIT page.historyRequested(subject); });
    };
    menu.addSeparator();
    menu.setToolTipsVisible(true);
    if (subjects.lock)
        add(u"History of this lock…"_s, *subjects.lock);
    if (subjects.session)
        add(u"History of this session…"_s, *subjects.session);
}

void addHistoryKeys(QWidget& rows, Page& page, const std::function<HistorySubjects()>& subjects)
{
    addKey(rows, u"Table"_s, u"History of the lock"_s, {Qt::CTRL | Qt::Key_H}, [&page, subjects] {
        if (const auto lock = subjects().lock)
            Q_EMIT page.historyRequested(*lock);
        else
            Q_EMIT page.statusMessage(u"Select a lock, or a session that waits for one, first."_s);
    });
    addKey(
        rows, u"Table"_s, u"History of the session"_s, {Qt::CTRL | Qt::SHIFT | Qt::Key_H}, [&page, subjects] {
            if (const auto session = subjects().session)
                Q_EMIT page.historyRequested(*session);
            else
                Q_EMIT page.statusMessage(u"Select a session first."_s);
        });
}

} // namespace lockscope::ui
