// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/sessions/SessionsPage.h"

#include "core/db/Dialect.h"
#include "core/domain/SnapshotNames.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/page/SessionActs.h"

#include <QCheckBox>
#include <QMenu>
#include <QPushButton>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

std::vector<ColumnInfo> sessionColumns()
{
    return {
        ColumnInfo{u"session"_s, u"Session"_s, u"The server's number of the session"_s, 66}.ofNumbers(),
        {u"state"_s, u"State"_s, {}, 154},
        ColumnInfo{u"waits"_s, u"Waiting"_s, u"Length of its longest wait for a lock"_s, 68}.ofAges(),
        ColumnInfo{u"transaction"_s, u"Transaction"_s,
            u"Age of its open transaction: locks of a transaction live as long"_s, 90}
            .ofAges(),
        ColumnInfo{u"holds"_s, u"Holds"_s, u"Number and names of the locks that it has"_s}.wide(2).yield(2),
        ColumnInfo{u"waits-for"_s, u"Waits for"_s, u"What it waits for"_s}.wide(2).yield(1).whole(),
        ColumnInfo{u"blocked-by"_s, u"Blocked by"_s, u"Sessions that must give way first"_s, 84}.hidden(),
        ColumnInfo{u"blocks"_s, u"Blocks"_s, u"Sessions that wait for it, directly or not"_s, 58}.ofNumbers(),
        ColumnInfo{u"user"_s, u"User"_s, {}, 90}.hidden(),
        ColumnInfo{u"program"_s, u"Program"_s, {}, 96}.wide(1),
        ColumnInfo{u"host"_s, u"Host"_s, {}, 100}.hidden(),
        ColumnInfo{
            u"statement"_s, u"Statement"_s, u"The running one, or the last one of an idle session"_s, 130}
            .wide(2)
            .yield(3),
        ColumnInfo{u"database"_s, u"Database"_s, {}, 100}.hidden(),
        ColumnInfo{u"in-state"_s, u"In state for"_s, {}, 96}.hidden().ofAges(),
        ColumnInfo{u"wait-event"_s, u"Wait event"_s, u"What the server says that it waits for"_s, 150}
            .hidden(),
        ColumnInfo{u"started"_s, u"Logged in"_s, {}, 170}.hidden(),
    };
}

/// Returns the text for a tool tip, which can't be scrolled.
QString namesInLines(const QStringList& names)
{
    QStringList lines = names.first(std::min(maxNamesInList, names.size()));
    if (names.size() > lines.size())
        lines << u"and %1 more"_s.arg(names.size() - lines.size());
    return lines.join(u'\n');
}

SortKey positive(qint64 number)
{
    return number > 0 ? SortKey(number) : SortKey();
}

bool isIdleInTransaction(const Session& session)
{
    return session.state == SessionState::IdleInTransaction
        || session.state == SessionState::IdleInFailedTransaction;
}

QStringList waitingColumns()
{
    return {QStringLiteral("waits"), QStringLiteral("waits-for"), QStringLiteral("blocks")};
}

} // namespace

SessionsModel::SessionsModel(const AppContext& context, QObject* parent)
    : KeyedTableModel(sessionColumns(), parent)
    , m_context(context)
{
    connect(&context, &AppContext::thresholdsChanged, this, &SessionsModel::repaintAll);
}

void SessionsModel::showSnapshot(const SnapshotPtr& snapshot)
{
    if (snapshot)
        m_takenAt = snapshot->takenAt;
    setRows(snapshot ? report::sessionRows(*snapshot) : std::vector<SessionRow>());
}

std::vector<report::Column> SessionsModel::reportColumns() const
{
    return report::sessionsSection().columns;
}

std::vector<report::Value> SessionsModel::reportCells(const QModelIndex& row) const
{
    return report::sessionRow(rowAt(row.row()), m_takenAt).cells;
}

void SessionsModel::hide(bool internal, bool idle)
{
    m_hidesInternal = internal;
    m_hidesIdle = idle;
    setNoiseHidden(true);
    refilter();
}

bool SessionsModel::isNoise(quint32 row) const
{
    const SessionRow& r = rows()[row];
    if (r.victims > 0 || !r.blockers.empty())
        return false;
    const bool isIdle = r.session.state == SessionState::Idle && r.held == 0 && !r.session.transactionStarted;
    return (m_hidesInternal && (r.session.own || r.session.system)) || (m_hidesIdle && isIdle);
}

QString SessionsModel::text(quint32 row, int column) const
{
    const SessionRow& r = rows()[row];
    const ServerTime now = m_context.serverNow();
    switch (column) {
    case Id:
        return r.name;
    case State:
        return r.stateText();
    case Waits:
        return r.waitsFor.isEmpty() ? QString() : ageText(r.waitingSince, now, r.waitExact);
    case Transaction:
        return r.session.transactionStarted ? ageText(r.session.transactionStarted, now) : QString();
    case Holds:
        return r.held == 0 ? QString() : QStringLiteral("%1: %2").arg(r.held).arg(nameList(r.holds));
    case WaitsFor:
        return nameList(r.waitsFor);
    case BlockedBy:
        return r.blockedBy;
    case Blocks:
        return r.victims > 0 ? QString::number(r.victims) : QString();
    case User:
        return r.session.user;
    case Program:
        return r.session.program;
    case Host:
        return r.session.host;
    case Statement:
        return r.session.statementVisible ? r.session.statement : u"(hidden from our role)"_s;
    case Database:
        return r.session.database;
    case InState:
        return r.session.stateSince ? ageText(r.session.stateSince, now) : QString();
    case WaitEvent:
        return r.session.waitEvent;
    case Started:
        return r.session.started.isValid() ? dateTimeText(r.session.loggedIn()) : noValue;
    default:
        return {};
    }
}

SortKey SessionsModel::sortKey(quint32 row, int column) const
{
    const SessionRow& r = rows()[row];
    switch (column) {
    case Id:
        return r.session.id.value;
    case Waits:
        return ageKey(r.waitingSince);
    case Transaction:
        return ageKey(r.session.transactionStarted);
    case InState:
        return ageKey(r.session.stateSince);
    case Holds:
        return positive(r.held);
    case BlockedBy:
        return positive(static_cast<qint64>(r.blockers.size()));
    case Blocks:
        return positive(r.victims);
    case Started:
        return r.session.started.us;
    default:
        return textKey(text(row, column));
    }
}

/// Waits are alarming by their length; a transaction is by how long it has kept its locks from others.
Tone SessionsModel::toneAt(const SessionRow& row, int column) const
{
    const ServerTime now = m_context.serverNow();
    const auto level = [&](const AgeThresholds& limits, const std::optional<ServerTime>& since) {
        return since ? toneOf(limits.levelOf(ageOf(*since, now))) : Tone::Normal;
    };
    const LockThresholds& limits = m_context.thresholds();
    const bool background =
        row.session.system || row.session.own || row.session.state == SessionState::Hidden;
    if (column == Waits)
        return level(limits.wait, row.waitingSince);
    const bool holds = row.victims > 0 || (row.held > 0 && !background);
    if (holds && (column == Transaction || (column == State && isIdleInTransaction(row.session))))
        return level(limits.hold, row.session.transactionStarted);
    if (column == State && row.waitingSince)
        return level(limits.wait, row.waitingSince);
    return background ? Tone::Muted : Tone::Normal;
}

QVariant SessionsModel::cell(quint32 row, int column, int role) const
{
    const SessionRow& r = rows()[row];
    if (role == ToneRole)
        return QVariant::fromValue(toneAt(r, column));
    if (role == GlyphRole && column == State) {
        if (!r.waitsFor.isEmpty())
            return QVariant::fromValue(Glyph::Waiter);
        if (r.victims > 0)
            return QVariant::fromValue(Glyph::Holder);
        return QVariant::fromValue(r.session.state == SessionState::Active ? Glyph::Running : Glyph::Idle);
    }
    if (role == GlyphRole && (column == Waits || column == Transaction)) {
        const Tone tone = toneAt(r, column);
        if (tone == Tone::Amber || tone == Tone::Red)
            return QVariant::fromValue(Glyph::Warning);
    }
    if (role == Qt::ToolTipRole && column == Holds && r.holds.size() > 1)
        return htmlText(namesInLines(r.holds)).replace(QLatin1Char('\n'), QStringLiteral("<br>"));
    if (role == Qt::ToolTipRole && column == State && r.session.own)
        return u"A connection of this monitor itself"_s;
    return {};
}

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
