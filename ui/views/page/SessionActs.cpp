// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/page/SessionActs.h"

#include "core/admin/ByHand.h"
#include "core/base/ShownText.h"
#include "core/db/Dialect.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/DangerText.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/page/Page.h"
#include "ui/views/page/RunThread.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

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

namespace {

/// Reading a whole index of SQL Server takes as long as it takes.
constexpr milliseconds lockTimeout = std::chrono::hours(1);

QString nameOf(const monitor::LockedRowPlace& place)
{
    return inOneLine(place.schema + u'.' + place.table);
}

/// A row each.
QString linesOf(QStringList rows)
{
    for (QString& row : rows)
        row = inOneLine(row);
    return rows.join(u'\n');
}

} // namespace

LockedRowDialog::LockedRowDialog(db::Server server, const Resource& resource, QWidget* parent)
    : QDialog(parent)
    , m_server(std::move(server))
    , m_resource(resource)
    , m_text(named("lockedRowText", selectable(wrapped(new QLabel(this)))))
    , m_rows(named("lockedRow", u"The row"_s, new QPlainTextEdit(this)))
    , m_read(named("readLockedRow", new QPushButton(u"&Read the table"_s, this)))
{
    setWindowTitle(u"Row behind %1"_s.arg(inOneLine(resource.name)));
    setAttribute(Qt::WA_DeleteOnClose);
    explain(*this, QStringLiteral("locks.md#the-row-behind-a-lock"));
    m_text->setMinimumWidth(460);
    m_rows->setReadOnly(true);
    m_rows->hide();
    QDialogButtonBox* buttons = cancelButtons(*this, QDialogButtonBox::Close);
    buttons->addButton(m_read, QDialogButtonBox::ActionRole);
    addAll(*new QVBoxLayout(this), {m_text, {m_rows, 1}, buttons});
    addServerStrip(*this, m_server.profile);
    connect(m_read, &QPushButton::clicked, this, [this] {
        if (m_place.table.isEmpty())
            searchPlace(); // again, after an error
        else
            read();
    });
    searchPlace();
}

void LockedRowDialog::searchPlace()
{
    m_read->setEnabled(false);
    m_text->setText(u"Asking the server which table that is…"_s);
    askServer(
        m_worker, m_server, lockTimeout, this,
        [resource = m_resource](db::Connection& connection, const std::stop_token& stop) {
            return monitor::lockedRowPlace(connection, resource, stop);
        },
        [this](const Result<monitor::LockedRowPlace>& place) {
            if (!place)
                return showError(place.error());
            m_place = *place;
            if (m_place.warning.isEmpty())
                return read();
            m_text->setText(inOneLine(m_place.warning));
            m_read->setEnabled(true);
        });
}

void LockedRowDialog::read()
{
    m_read->setEnabled(false);
    m_rows->hide();
    m_text->setText(u"Reading %1… Close this window to stop it."_s.arg(nameOf(m_place)));
    askServer(
        m_worker, m_server, lockTimeout, this,
        [place = m_place](db::Connection& connection, const std::stop_token& stop) {
            return monitor::findLockedRow(connection, place, stop);
        },
        [this](const Result<QStringList>& rows) { showRows(rows); });
}

void LockedRowDialog::showRows(const Result<QStringList>& rows)
{
    if (!rows)
        return showError(rows.error());
    m_read->setEnabled(true);
    if (rows->isEmpty()) {
        m_text->setText(u"The row is not there (any more), or its lock has gone."_s);
        return;
    }
    m_text->setText(rows->size() == 1
            ? u"The row in %1:"_s.arg(nameOf(m_place))
            : u"One of these rows in %1: they have the same hash."_s.arg(nameOf(m_place)));
    m_rows->setPlainText(linesOf(*rows));
    m_rows->show();
}

void LockedRowDialog::showError(const Error& error)
{
    m_text->setText(error.toString());
    m_read->setEnabled(true);
}

void addRowSearch(QMenu& menu, Page& page, const Snapshot& snapshot, const LockRequest& request)
{
    AppContext& context = page.context();
    const Resource* target =
        request.isWaiting() ? WaitTargets(snapshot).of(request) : &snapshot.resourceOf(request);
    if (!target || !context.server() || !monitor::hasLockedRow(snapshot.engine, *target))
        return;
    const auto find = [&page, &context, resource = *target] {
        if (!context.server() || !context.reasonAgainstAsking().isEmpty())
            return;
        auto* dialog = new LockedRowDialog(*context.server(), resource, &page);
        // It would read on a server that nobody sees any more.
        closeWithPresent(*dialog, context);
        dialog->open();
    };
    addEntry(menu, page, u"Find the row behind this lock…"_s, context.reasonAgainstAsking(), find);
    menu.addSeparator();
}

} // namespace lockscope::ui
