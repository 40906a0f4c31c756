// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/HistoryActs.h"

#include "core/domain/Snapshot.h"
#include "ui/kit/widgets/KeyAction.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/page/Page.h"

#include <QMenu>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

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
