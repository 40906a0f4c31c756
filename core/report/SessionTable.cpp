// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/report/SessionTable.h"

#include "core/domain/BlockingGraph.h"
#include "core/domain/SnapshotNames.h"
#include "core/domain/WaitTargets.h"

#include <QSet>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace lockscope::report {

using namespace Qt::StringLiterals;

namespace {

Value ageAt(ServerTime now, const std::optional<ServerTime>& since, bool exact = true)
{
    return since ? Value(microseconds(ageOf(*since, now)), exact) : Value();
}

/// The names that a session has already: it may have a hundred thousand.
using SeenNames = QSet<std::pair<std::pair<SessionId, bool>, QString>>;

void addOnce(SessionRow& row, bool held, const QString& name, SeenNames& seen)
{
    const qsizetype before = seen.size();
    seen.insert({{row.session.id, held}, name});
    if (seen.size() > before)
        (held ? row.holds : row.waitsFor) << name;
}

void addRequest(SessionRow& row, const Snapshot& snapshot, const LockRequest& request,
    const WaitTargets& targets, SeenNames& seen)
{
    const Resource& resource = snapshot.resourceOf(request);
    if (!request.isWaiting()) {
        if (isInternalKind(resource.key.kind) || isPlaceInQueue(snapshot, request))
            return;
        ++row.held;
        addOnce(row, true, resource.name, seen);
        return;
    }
    const Resource* const target = targets.of(request);
    addOnce(row, false, (target ? *target : resource).name, seen);
    if (request.since && (!row.waitingSince || *request.since < *row.waitingSince)) {
        row.waitingSince = request.since;
        row.waitExact = request.sinceExact;
    }
}

} // namespace

std::vector<SessionRow> sessionRows(const Snapshot& snapshot)
{
    std::vector<SessionRow> rows(snapshot.sessions.size());
    QHash<SessionId, quint32> rowOf;
    rowOf.reserve(static_cast<qsizetype>(rows.size()));
    for (quint32 i = 0; i < rows.size(); ++i) {
        rows[i].session = snapshot.sessions[i];
        rows[i].name = sessionName(snapshot, rows[i].session.id);
        rowOf.insert(rows[i].session.id, i);
    }
    const auto find = [&](SessionId id) {
        const auto found = rowOf.constFind(id);
        return found == rowOf.cend() ? nullptr : &rows[*found];
    };
    SeenNames seen;
    const WaitTargets targets(snapshot);
    for (const LockRequest& request : snapshot.requests) {
        if (SessionRow* row = find(request.session))
            addRequest(*row, snapshot, request, targets, seen);
    }
    // The session that wrote a row of a lock table holds that lock while it lives.
    for (const LockTableEntry& entry : snapshot.entries) {
        if (SessionRow* row = find(entry.party.session)) {
            ++row->held;
            addOnce(*row, true, entry.name, seen);
        }
    }
    const BlockingGraph& graph = snapshot.blocking();
    for (const SessionId id : graph.sessions()) {
        if (SessionRow* row = find(id)) {
            row->blockers = graph.blockersOf(id);
            row->blockedBy = sessionList(snapshot, row->blockers);
            row->victims = graph.victimsOf(id);
        }
    }
    std::ranges::stable_sort(rows, {}, [](const SessionRow& row) {
        constexpr qint64 none = std::numeric_limits<qint64>::max();
        const auto since = [](const std::optional<ServerTime>& time) { return time ? time->us : none; };
        return std::tuple(-row.victims, since(row.waitingSince), since(row.session.transactionStarted));
    });
    return rows;
}

QString SessionRow::stateText() const
{
    return waitingSince || !waitsFor.isEmpty() ? u"waits for a lock"_s : sessionStateName(session.state);
}

Section sessionsSection()
{
    using enum Type;
    using enum Shown;
    return {.key = u"sessions"_s,
        .title = u"Sessions"_s,
        .columns = {{u"session"_s, u"Session"_s}, {u"state"_s, u"State"_s},
            Column(Length, u"waits"_s, u"Waiting"_s).withExact(),
            {Length, u"transaction"_s, u"Transaction"_s}, Column(Texts, u"holds"_s, u"Holds"_s).wide(2),
            Column(Texts, u"waits_for"_s, u"Waits for"_s).wide(2),
            Column(u"blocked_by"_s, u"Blocked by"_s).show(OnRequest), {Count, u"blocks"_s, u"Blocks"_s},
            Column(u"user"_s, u"User"_s).show(OnRequest), Column(u"program"_s, u"Program"_s).wide(1),
            Column(u"host"_s, u"Host"_s).show(OnRequest), Column(u"statement"_s, u"Statement"_s).wide(2),
            Column(u"database"_s, u"Database"_s).show(OnRequest),
            Column(Length, u"in_state"_s, u"In state for"_s).show(OnRequest),
            Column(u"wait_event"_s, u"Wait event"_s).show(OnRequest),
            Column(Time, u"started"_s, u"Logged in"_s).show(OnRequest),
            Column(Count, u"held"_s, u"Locks"_s).show(OnRequest)},
        .whenEmpty = u"No sessions were seen."_s};
}

ReportRow sessionRow(const SessionRow& row, ServerTime now)
{
    const Session& session = row.session;
    return {.cells = {row.name, Value(row.stateText(), row.waitsFor.isEmpty() ? Mark::None : Mark::Waiter),
                row.waitsFor.isEmpty() ? Value() : ageAt(now, row.waitingSince, row.waitExact),
                ageAt(now, session.transactionStarted), row.holds, row.waitsFor, row.blockedBy,
                qint64(row.victims), session.user, session.program, session.host,
                session.statementVisible ? session.statement.simplified() : u"(hidden)"_s, session.database,
                ageAt(now, session.stateSince), session.waitEvent, session.loggedIn(), qint64(row.held)},
        .key = row.name};
}

} // namespace lockscope::report
