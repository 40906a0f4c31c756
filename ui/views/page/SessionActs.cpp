// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/SessionActs.h"

#include "core/admin/ByHand.h"
#include "core/db/Dialect.h"
#include "core/domain/DangerText.h"
#include "core/domain/Snapshot.h"
#include "ui/kit/widgets/KeyAction.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/page/Page.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

QString reasonAgainstSessionAct(const AppContext& context, const Session* session)
{
    if (const QString reason = context.reasonAgainstActing(); !reason.isEmpty())
        return reason;
    if (const QString reason = context.reasonAgainst(db::Capability::EndSession); !reason.isEmpty())
        return reason;
    if (!session)
        return u"Select a row with a session first."_s;
    return reasonAgainstEnding(context.profile().url.engine, *session);
}

QString reasonAgainstCancel(const AppContext& context, const Session* session)
{
    if (const QString reason = context.reasonAgainst(db::Capability::CancelStatement); !reason.isEmpty())
        return reason;
    return reasonAgainstSessionAct(context, session);
}

void askToEnd(Page& page, const Session* session)
{
    if (const QString reason = reasonAgainstSessionAct(page.context(), session); !reason.isEmpty())
        Q_EMIT page.statusMessage(reason);
    else
        Q_EMIT page.requestAct(EndSessionAction{*session});
}

QList<Session> cancellableAmong(const AppContext& context, const QList<Session>& sessions)
{
    QList<Session> found;
    for (const Session& session : sessions)
        if (session.state == SessionState::Active && reasonAgainstCancel(context, &session).isEmpty())
            found << session;
    return found;
}

void addCancelAll(QMenu& menu, Page& page, const QList<Session>& selected)
{
    const QList<Session> sessions = cancellableAmong(page.context(), selected);
    if (sessions.size() < 2)
        return;
    addEntry(menu, page, u"Cancel %1 statements…"_s.arg(sessions.size()), {},
        [&page, sessions] { Q_EMIT page.requestAct(CancelStatementsAction{sessions}); });
}

void addSessionActs(QMenu& menu, Page& page, const Session& session)
{
    if (session.id.value < 0 && session.unitOfWork.isEmpty())
        return; // there is nothing that could be ended from here
    const auto add = [&](const QString& text, const Action& action, const QString& reason) {
        addEntry(menu, page, text, reason, [&page, action] { Q_EMIT page.requestAct(action); });
    };
    add(u"Cancel statement of %1…"_s.arg(session.id.value), CancelStatementAction{session},
        reasonAgainstCancel(page.context(), &session));
    add(u"End session %1…"_s.arg(session.id.value), EndSessionAction{session},
        reasonAgainstSessionAct(page.context(), &session));
    // For users who may act elsewhere but not here: it needs no right of ours.
    const QString statement = admin::endByHand(page.context().profile().url.engine, session);
    // At a past time it may be another session's by now, or nobody's: no text of ours ends that.
    const QString past = page.context().pastTime() ? page.context().reasonAgainstActing() : QString();
    const QString reason = past.isEmpty() && statement.isEmpty() ? u"No statement ends it by hand."_s : past;
    const QString text = u"Copy the statement that ends %1"_s.arg(session.id.value);
    QAction* copy = addEntry(menu, page, text, reason, [&page, statement] {
        QGuiApplication::clipboard()->setText(statement);
        Q_EMIT page.statusMessage(
            u"Statement copied. The audit does not record sessions that are ended by hand."_s);
    });
    if (reason.isEmpty())
        copy->setToolTip(toolTipText(statement));
}

QString reasonAgainstHistories()
{
    return u"Nothing is recorded of this server."_s;
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
    const QString reason = page.context().recording() ? QString() : reasonAgainstHistories();
    const auto add = [&](const QString& text, const record::BiographySubject& subject) {
        addEntry(menu, page, text, reason, [&page, subject] { Q_EMIT page.historyRequested(subject); });
    };
    menu.addSeparator();
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
