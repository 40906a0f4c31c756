// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/sessions/SessionsPage.h"

#include "core/db/Dialect.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/SessionActs.h"
#include "ui/views/sessions/SessionsModel.h"

#include <QCheckBox>
#include <QMenu>
#include <QPushButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

QStringList waitingColumns()
{
    return {QStringLiteral("waits"), QStringLiteral("waits-for"), QStringLiteral("blocks")};
}

} // namespace

SessionsPage::SessionsPage(AppContext& context, QWidget* parent)
    : TablePage(pageName, context, parent)
    , m_model(new SessionsModel(context))
    , m_hideInternal(new QCheckBox(u"Hide the server's &own"_s, this))
    , m_hideIdle(named("hideIdle", new QCheckBox(u"Hide &idle"_s, this)))
{
    setUp(m_model);
    m_hideInternal->setToolTip(u"Background workers of the server and the connections of this monitor"_s);
    m_hideIdle->setToolTip(u"Sessions that do nothing, hold nothing and have no open transaction"_s);
    addControl(m_hideInternal);
    addControl(m_hideIdle);
    m_cancel = addActButton(
        u"Cancel statement…"_s, u"Cancel the statement that runs; the session and its transaction live on"_s);
    m_end = addActButton(
        u"End session…"_s, u"End the session: its transaction is rolled back, its locks are freed (Del)"_s);
    for (const QCheckBox* box : {m_hideInternal, m_hideIdle})
        connect(box, &QCheckBox::toggled, m_model,
            [this] { m_model->hide(m_hideInternal->isChecked(), m_hideIdle->isChecked()); });
    connect(m_cancel, &QPushButton::clicked, this, [this, &context] {
        if (const QList<Session> all = cancellableAmong(context, selectedSessions()); all.size() > 1)
            Q_EMIT requestAct(CancelStatementsAction{all});
        else if (const Session* session = currentSession())
            Q_EMIT requestAct(CancelStatementAction{*session});
    });
    connect(m_end, &QPushButton::clicked, this, &SessionsPage::deleteKeyPressed);
    keepChoice(*m_hideInternal, u"hideInternal"_s, true);
    keepChoice(*m_hideIdle, u"hideIdle"_s, false);
    hideUntilSomebodyWaits({}, waitingColumns());
    updateActs();
}

void SessionsPage::showRows(const SnapshotPtr& snapshot)
{
    m_model->showSnapshot(snapshot);
    hideUntilSomebodyWaits(snapshot, waitingColumns());
}

const Session* SessionsPage::currentSession() const
{
    const int row = view().chosenViewRow();
    return row < 0 ? nullptr : &m_model->rowAt(row).session;
}

QList<Session> SessionsPage::selectedSessions() const
{
    QList<Session> sessions;
    for (const QModelIndex& row : view().selectionModel()->selectedRows())
        sessions << m_model->rowAt(row.row()).session;
    return sessions;
}

DetailSubject SessionsPage::subjectAt(int viewRow) const
{
    return m_model->rowAt(viewRow).session.key();
}

bool SessionsPage::reveal(const DetailSubject& subject)
{
    const auto* key = std::get_if<SessionKey>(&subject);
    const int row = key ? m_model->find(*key) : -1;
    view().selectRow(row);
    return row >= 0;
}

TablePage::EmptyText SessionsPage::emptyText() const
{
    if (const QString reason = context().reasonAgainst(db::Capability::Sessions); !reason.isEmpty())
        return {u"This engine shows no sessions"_s, reason};
    if (const int hidden = m_model->counts().noise; hidden > 0)
        return {u"All sessions are hidden"_s,
            noiseText(hidden) + u". Clear “Hide the server's own” and “Hide idle” to see all."_s};
    return {u"Nobody is connected"_s, u"Rows appear when a program connects."_s};
}

QString SessionsPage::noiseText(int rows) const
{
    return u"%1 hidden (%2)"_s.arg(rows).arg(!m_hideIdle->isChecked() ? u"the server's own"_s
            : m_hideInternal->isChecked()                             ? u"the server's own, and idle ones"_s
                                                                      : u"idle ones"_s);
}

void SessionsPage::updateActs()
{
    if (!m_end)
        return;
    const qsizetype several = cancellableAmong(context(), selectedSessions()).size();
    m_cancel->setText(several > 1 ? u"Cancel %1 statements…"_s.arg(several) : u"Cancel statement…"_s);
    setReason(m_cancel, several > 1 ? QString() : reasonAgainstCancel(context(), currentSession()));
    setReason(m_end, reasonAgainstSessionAct(context(), currentSession()));
}

void SessionsPage::deleteKeyPressed()
{
    askToEnd(*this, currentSession());
}

void SessionsPage::fillRowMenu(QMenu& menu)
{
    const Session* session = currentSession();
    if (!session)
        return;
    addSessionActs(menu, *this, *session);
    addCancelAll(menu, *this, selectedSessions());
    menu.addSeparator();
    connect(menu.addAction(u"Show its locks"_s), &QAction::triggered, this, [this, id = session->id] {
        Q_EMIT openPage(QStringLiteral("locks"), QStringLiteral("session:%1").arg(id.value));
    });
}

} // namespace lockscope::ui
