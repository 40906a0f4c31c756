// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/SessionsModel.h"

#include "core/domain/BlockingGraph.h"
#include "ui/AppContext.h"
#include "ui/models/SnapshotNames.h"

namespace lockscope::ui {

namespace {

std::vector<ColumnInfo> sessionColumns()
{
    const auto tr = [](const char* text) { return SessionsModel::tr(text); };
    return {
        {QStringLiteral("session"), tr("Session"), tr("The server's number of the session"), 66, true, true},
        {QStringLiteral("state"), tr("State"), {}, 154},
        {QStringLiteral("waits"), tr("Waiting"), tr("Length of its longest wait for a lock"), 68, true, true,
            true},
        {QStringLiteral("transaction"), tr("Transaction"),
            tr("Age of its open transaction: locks of a transaction live as long"), 90, true, true, true},
        {QStringLiteral("holds"), tr("Holds"), tr("Number and names of the locks that it has"), 120, true,
            false, false, 2},
        {QStringLiteral("awaits"), tr("Awaits"), tr("What it waits for"), 120, true, false, false, 2},
        {QStringLiteral("blocked-by"), tr("Blocked by"), tr("Sessions that must give way first"), 84, false},
        {QStringLiteral("blocks"), tr("Blocks"), tr("Sessions that wait for it, directly or not"), 58, true,
            true},
        {QStringLiteral("user"), tr("User"), {}, 90, false},
        {QStringLiteral("program"), tr("Program"), {}, 96, true, false, false, 1},
        {QStringLiteral("host"), tr("Host"), {}, 100, false},
        {QStringLiteral("statement"), tr("Statement"),
            tr("The running one, or the last one of an idle session"), 130, true, false, false, 2},
        {QStringLiteral("database"), tr("Database"), {}, 100, false},
        {QStringLiteral("in-state"), tr("In state for"), {}, 96, false, true, true},
        {QStringLiteral("wait-event"), tr("Wait event"), tr("What the server says that it waits for"), 150,
            false},
        {QStringLiteral("started"), tr("Logged in"), {}, 170, false},
    };
}

void addOnce(QStringList& names, const QString& name)
{
    if (!names.contains(name))
        names << name;
}

void addRequest(SessionRow& row, const Snapshot& snapshot, const LockRequest& request)
{
    const Resource& resource = snapshot.resourceOf(request);
    if (!request.isWaiting()) {
        if (isInternalKind(resource.key.kind))
            return;
        ++row.held;
        addOnce(row.holds, resource.name);
        return;
    }
    addOnce(row.awaits, resource.name);
    if (request.since && (!row.waitingSince || *request.since < *row.waitingSince)) {
        row.waitingSince = request.since;
        row.waitExact = request.sinceExact;
    }
}

std::vector<SessionRow> makeRows(const Snapshot& snapshot)
{
    std::vector<SessionRow> rows(snapshot.sessions.size());
    QHash<SessionId, quint32> rowOf;
    rowOf.reserve(static_cast<qsizetype>(rows.size()));
    for (quint32 i = 0; i < rows.size(); ++i) {
        rows[i].session = snapshot.sessions[i];
        rowOf.insert(rows[i].session.id, i);
    }
    const auto find = [&](SessionId id) {
        const auto found = rowOf.constFind(id);
        return found == rowOf.cend() ? nullptr : &rows[*found];
    };
    for (const LockRequest& request : snapshot.requests) {
        if (SessionRow* row = find(request.session))
            addRequest(*row, snapshot, request);
    }
    // Whoever wrote a row of a lock table holds that lock while the session lives.
    for (const LockTableEntry& entry : snapshot.entries) {
        if (SessionRow* row = find(entry.party.session)) {
            ++row->held;
            addOnce(row->holds, entry.name);
        }
    }
    const BlockingGraph graph(snapshot);
    for (const SessionId id : graph.sessions()) {
        if (SessionRow* row = find(id)) {
            row->blockers = graph.blockersOf(id);
            row->victims = graph.victimsOf(id);
        }
    }
    return rows;
}

SortKey ageKey(const std::optional<ServerTime>& since)
{
    return since ? SortKey(-since->us) : SortKey();
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
    setRows(snapshot ? makeRows(*snapshot) : std::vector<SessionRow>());
}

bool SessionsModel::isNoise(quint32 row) const
{
    const SessionRow& r = rows()[row];
    return (r.session.own || r.session.system) && r.victims == 0 && r.blockers.empty();
}

QString SessionsModel::stateText(const SessionRow& row) const
{
    const QString state = sessionStateName(row.session.state);
    return row.waitingSince || !row.awaits.isEmpty() ? tr("waits for a lock") : state;
}

QString SessionsModel::text(quint32 row, int column) const
{
    const SessionRow& r = rows()[row];
    const ServerTime now = m_context.serverNow();
    switch (column) {
    case Id:
        return QString::number(r.session.id.value);
    case State:
        return stateText(r);
    case Waits:
        return r.awaits.isEmpty() ? QString() : ageText(r.waitingSince, now, r.waitExact);
    case Transaction:
        return r.session.transactionStarted ? ageText(r.session.transactionStarted, now) : QString();
    case Holds:
        return r.held == 0 ? QString() : QStringLiteral("%1: %2").arg(r.held).arg(nameList(r.holds));
    case Awaits:
        return nameList(r.awaits);
    case BlockedBy:
        return sessionList(r.blockers);
    case Blocks:
        return r.victims > 0 ? QString::number(r.victims) : QString();
    case User:
        return r.session.user;
    case Program:
        return r.session.program;
    case Host:
        return r.session.host;
    case Statement:
        return r.session.statementVisible ? r.session.statement : tr("(hidden from our role)");
    case Database:
        return r.session.database;
    case InState:
        return r.session.stateSince ? ageText(r.session.stateSince, now) : QString();
    case WaitEvent:
        return r.session.waitEvent;
    case Started:
        return r.session.started.isValid() ? momentText(r.session.loggedIn()) : noValue;
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
    default: {
        const QString value = text(row, column);
        return value.isEmpty() ? SortKey() : SortKey(value);
    }
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
        if (!r.awaits.isEmpty())
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
        return r.holds.join(QLatin1Char('\n'))
            .toHtmlEscaped()
            .replace(QLatin1Char('\n'), QStringLiteral("<br>"));
    if (role == Qt::ToolTipRole && column == State && r.session.own)
        return tr("A connection of this monitor itself");
    return {};
}

} // namespace lockscope::ui
