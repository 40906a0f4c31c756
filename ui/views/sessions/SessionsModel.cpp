// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/sessions/SessionsModel.h"

#include "core/domain/SnapshotNames.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/views/page/AppContext.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

std::vector<ColumnInfo> sessionColumns()
{
    return {
        {QStringLiteral("session"), u"Session"_s, u"The server's number of the session"_s, 66, true, true},
        {QStringLiteral("state"), u"State"_s, {}, 154},
        {QStringLiteral("waits"), u"Waiting"_s, u"Length of its longest wait for a lock"_s, 68, true, true,
            true},
        {QStringLiteral("transaction"), u"Transaction"_s,
            u"Age of its open transaction: locks of a transaction live as long"_s, 90, true, true, true},
        {QStringLiteral("holds"), u"Holds"_s, u"Number and names of the locks that it has"_s, 120, true,
            false, false, 2, 2},
        {QStringLiteral("waits-for"), u"Waits for"_s, u"What it waits for"_s, 120, true, false, false, 2, 1,
            true},
        {QStringLiteral("blocked-by"), u"Blocked by"_s, u"Sessions that must give way first"_s, 84, false},
        {QStringLiteral("blocks"), u"Blocks"_s, u"Sessions that wait for it, directly or not"_s, 58, true,
            true},
        {QStringLiteral("user"), u"User"_s, {}, 90, false},
        {QStringLiteral("program"), u"Program"_s, {}, 96, true, false, false, 1},
        {QStringLiteral("host"), u"Host"_s, {}, 100, false},
        {QStringLiteral("statement"), u"Statement"_s,
            u"The running one, or the last one of an idle session"_s, 130, true, false, false, 2, 3},
        {QStringLiteral("database"), u"Database"_s, {}, 100, false},
        {QStringLiteral("in-state"), u"In state for"_s, {}, 96, false, true, true},
        {QStringLiteral("wait-event"), u"Wait event"_s, u"What the server says that it waits for"_s, 150,
            false},
        {QStringLiteral("started"), u"Logged in"_s, {}, 170, false},
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

} // namespace lockscope::ui
