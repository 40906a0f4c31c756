// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/report/SnapshotTables.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/FrameworkText.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SnapshotNames.h"

#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace lockscope::report {

using namespace Qt::StringLiterals;

namespace {

Value lengthSince(ServerTime since, ServerTime now)
{
    return since.isValid() ? Value(now - since) : Value();
}

Mark markOfChange(SnapshotDifference::Change change)
{
    switch (change) {
    case SnapshotDifference::Change::New:
        return Mark::Warning;
    case SnapshotDifference::Change::Gone:
        return Mark::Muted;
    case SnapshotDifference::Change::Changed:
        break;
    }
    return Mark::None;
}

/// A time by another clock than the server's as it is stored.
Value timeOrStored(ServerTime time, const QString& stored)
{
    return stored.isEmpty() ? Value(time) : Value(stored);
}

/// `cells`: without those that a holder and a waiter have alike.
template <class Seen> ReportRow tableRow(const Seen& seen, std::vector<Value> cells)
{
    cells.insert(cells.begin() + 3, // behind the lease
        {Value(seen.name.isEmpty() ? u"(no name)"_s : seen.name), seen.table, seen.party.owner,
            seen.party.program, seen.party.host,
            seen.party.processId > 0 ? Value(qint64(seen.party.processId)) : Value()});
    return {.cells = std::move(cells), .key = seen.table + u' ' + seen.name};
}

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

Shown shownIf(bool is)
{
    return is ? Shown::Always : Shown::ToPrograms;
}

bool knowsFrameworks(const Snapshot& snapshot)
{
    return std::ranges::any_of(
        snapshot.resources, [](const Resource& resource) { return resource.framework != nullptr; });
}

void addRows(std::vector<ReportRow>& rows, const std::vector<BlockingNode>& forest, int level, ServerTime now)
{
    for (const BlockingNode& node : forest) {
        rows.push_back(blockingRow(node.row, level, now));
        addRows(rows, node.children, level + 1, now);
    }
}

} // namespace

QString storedTimeText(const QString& stored)
{
    static const QRegularExpression toTheMinute(
        u"^(\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d)(:\\d\\d([.,]\\d*)?)?$"_s);
    const auto match = toTheMinute.match(stored);
    return match.hasMatch() ? match.captured(1) : stored;
}

QString leaseText(const LockTableEntry& entry, ServerTime now)
{
    if (!entry.expiresAt) {
        const QString stored = storedExpiry(entry);
        return !stored.isEmpty() ? u"until "_s + storedTimeText(stored)
            : entry.framework    ? u"no end"_s
                                 : u"never stale"_s;
    }
    const ServerTime end = *entry.expiresAt;
    return end <= now ? u"expired %1 ago"_s.arg(formatDuration(ageOf(end, now)))
                      : u"%1 left"_s.arg(formatDuration(ageOf(now, end)));
}

Section locksSection(const Snapshot& snapshot)
{
    using enum Type;
    // Nothing seen is nothing there only if everything could be looked at.
    return {.key = u"locks"_s,
        .columns = {{u"state"_s, u"State"_s}, Column(Length, u"age"_s, u"Age"_s).withExact(),
            {u"mode"_s, u"Mode"_s}, {u"kind"_s, u"Kind"_s}, Column(u"resource"_s, u"Resource"_s).wide(3),
            Column(u"framework"_s, u"Framework"_s).wide(1).show(shownIf(knowsFrameworks(snapshot))),
            {u"session"_s, u"Session"_s}, Column(u"user"_s, u"User"_s).wide(1),
            Column(u"program"_s, u"Program"_s).wide(1), Column(u"host"_s, u"Host"_s).wide(1),
            Column(u"statement"_s, u"Statement"_s).wide(2), {u"database"_s}, {Time, u"since"_s}},
        .whenEmpty = snapshot.isIncomplete() ? u"No locks were seen, but not everything could be read:"_s
                                             : u"No locks."_s};
}

std::vector<const LockRequest*> lockRequests(const Snapshot& snapshot, bool all)
{
    const std::vector<quint32> contended = contendedOrder(snapshot);
    std::vector<size_t> place(snapshot.resources.size(), contended.size());
    for (size_t i = 0; i < contended.size(); ++i)
        place[contended[i]] = i;
    std::vector<const LockRequest*> requests;
    for (const LockRequest& request : snapshot.requests) {
        const Session* session = snapshot.session(request.session);
        if (all || !session || !session->own)
            requests.push_back(&request);
    }
    std::ranges::stable_sort(
        requests, {}, [&place](const LockRequest* request) { return place[request->resource]; });
    return requests;
}

ReportRow lockRow(const Snapshot& snapshot, const LockRequest& request)
{
    const Resource& resource = snapshot.resourceOf(request);
    const Session* session = snapshot.session(request.session);
    const auto of = [session](QString Session::*field) { return session ? session->*field : QString(); };
    const auto age = snapshot.ageOf(request);
    return {.cells = {Value(stateOf(request.state), request.isWaiting() ? Mark::Waiter : Mark::None),
                age ? Value(microseconds(age->value), age->exact) : Value(), request.mode.name(),
                resourceKindName(resource.key.kind), resource.name,
                resource.framework ? Value(frameworkLockTitle(*resource.framework)) : Value(),
                sessionName(snapshot, request.session), of(&Session::user), of(&Session::program),
                of(&Session::host),
                session && !session->statementVisible ? u"(hidden)"_s : of(&Session::statement).simplified(),
                resource.database, request.since.value_or(ServerTime())}};
}

/// Failed is only what is proven; an expired lease is silence.
Mark markOf(const LockTableEntry& entry, ServerTime now)
{
    using Verdict = HolderLife::Verdict;
    if (entry.isBad() || entry.holderLife.verdict == Verdict::Gone)
        return Mark::Failed;
    return entry.isStale(now) || entry.holderLife.verdict == Verdict::Silent ? Mark::Warning : Mark::None;
}

QString stateOf(RequestState state)
{
    switch (state) {
    case RequestState::Granted:
        return u"holding"_s;
    case RequestState::Waiting:
        return u"waiting"_s;
    case RequestState::Converting:
        return u"converting"_s;
    }
    return {};
}

QString stateOf(const LockTableEntry& entry, ServerTime now)
{
    return entry.isBad()      ? u"bad row"_s
        : entry.isStale(now)  ? u"stale"_s
        : entry.dependsOnZone ? u"held?"_s
                              : u"held"_s;
}

QString stateOf(const LockTableWaiter& waiter, int place, ServerTime now)
{
    return waiter.isBad()       ? u"bad row"_s
        : waiter.isExpired(now) ? u"silent, passed over"_s
        : place == 1            ? u"next"_s
                                : u"waits, no. %1"_s.arg(place);
}

ReportRow entryRow(const LockTableEntry& entry, ServerTime now)
{
    ReportRow row = tableRow(entry,
        {Value(stateOf(entry, now), markOf(entry, now)), lengthSince(entry.acquiredAt, now),
            leaseText(entry, now), entry.token, entry.framework ? Value(entry.framework->badge()) : Value(),
            entry.isJudged() ? Value(verdictName(entry.holderLife.verdict)) : Value(),
            entry.isJudged() ? Value(verdictInBrief(entry.holderLife)) : Value(),
            entry.isBad() ? Value(entry.badRow) : Value(), timeOrStored(entry.acquiredAt, storedSince(entry)),
            timeOrStored(entry.expiresAt.value_or(ServerTime()), storedExpiry(entry))});
    // The text of a framework's row that has more than account and host.
    if (entry.framework && entry.party.owner.isEmpty() && entry.party.host.isEmpty())
        row.cells[5] = entry.holderText;
    return row;
}

ReportRow waiterRow(const LockTableWaiter& waiter, int place, ServerTime now)
{
    ReportRow row = tableRow(waiter,
        {Value(stateOf(waiter, place, now), Mark::Waiter), lengthSince(waiter.registeredAt, now), QString(),
            QString(), Value(), Value(), Value(), waiter.isBad() ? Value(waiter.badRow) : Value(),
            waiter.registeredAt, waiter.expiresAt});
    row.rowTime = waiter.registeredAt;
    return row;
}

Section entriesSection(const Snapshot& snapshot)
{
    using enum Type;
    const ServerTime now = snapshot.takenAt;
    const Shown known = shownIf(std::ranges::any_of(
        snapshot.entries, [](const LockTableEntry& entry) { return entry.framework != nullptr; }));
    const Shown judged = shownIf(std::ranges::any_of(snapshot.entries, &LockTableEntry::isJudged));
    const Shown bad = shownIf(std::ranges::any_of(snapshot.entries, &LockTableEntry::isBad)
        || std::ranges::any_of(snapshot.entryWaiters, &LockTableWaiter::isBad));
    Section section{.key = u"entries"_s,
        .title = u"Lock table"_s,
        .columns = {{u"state"_s, u"State"_s}, {Length, u"age"_s, u"Age"_s}, {u"lease"_s, u"Lease"_s},
            Column(u"name"_s, u"Name"_s).wide(2), Column(u"table"_s, u"Table"_s).wide(1),
            Column(u"owner"_s, u"Owner"_s).wide(1), Column(u"program"_s, u"Program"_s).wide(1),
            Column(u"host"_s, u"Host"_s).wide(1), {Count, u"process_id"_s, u"PID"_s},
            {u"token"_s, u"Token"_s}, Column(u"framework"_s, u"Framework"_s).wide(1).show(known),
            Column(u"verdict"_s, u"Verdict"_s).show(judged),
            Column(u"evidence"_s, u"Evidence"_s).wide(1).show(judged),
            Column(u"bad_row"_s, u"Fault"_s).wide(1).show(bad), {Time, u"since"_s}, {Time, u"expires_at"_s}}};
    // Entries come first, and waiters stand below the one that has their name.
    std::vector<std::vector<ReportRow>> groups;
    struct Place {
        size_t group = 0;
        int waiters = 0;
    };
    QHash<LockTableKey, Place> places;
    const auto placeOf = [&](const auto& seen) -> Place& {
        const LockTableKey key{seen.table, seen.name};
        if (!places.contains(key)) {
            places.insert(key, {groups.size()});
            groups.emplace_back();
        }
        return places[key];
    };
    for (const LockTableEntry& each : snapshot.entries)
        groups[placeOf(each).group].push_back(entryRow(each, now));
    for (const LockTableWaiter& each : snapshot.entryWaiters) {
        Place& place = placeOf(each);
        groups[place.group].push_back(waiterRow(each, ++place.waiters, now));
    }
    for (std::vector<ReportRow>& group : groups)
        std::ranges::move(group, std::back_inserter(section.rows));
    return section;
}

Section blockingSection(const Snapshot& snapshot)
{
    using enum Type;
    return {.key = u"blocking"_s,
        .columns = {Column(u"session"_s, u"Session"_s).wide(1),
            Column(u"framework"_s, u"Framework"_s).wide(1).show(shownIf(knowsFrameworks(snapshot))),
            {Count, u"blocks"_s, u"Blocks"_s}, {Count, u"new"_s, u"New"_s},
            Column(Length, u"longest"_s, u"Longest"_s).withExact(),
            Column(Length, u"for"_s, u"For"_s).withExact(), Column(u"what"_s, u"What it does"_s).wide(3),
            {u"wants"_s, u"Waits for"_s}, Column(u"on"_s, u"On"_s).wide(2),
            Column(u"table"_s, u"Table"_s).show(Shown::OnRequest),
            Column(u"statement"_s, u"Statement"_s).show(Shown::OnRequest), {u"blocked_by"_s, u"Blocked by"_s},
            {Count, u"session_id"_s}, {u"program"_s}, {Count, u"level"_s}},
        .whenEmpty = snapshot.isIncomplete()
            ? u"Nobody was seen waiting for a lock, but not everything could be read:"_s
            : u"Nobody waits for a lock."_s};
}

ReportRow blockingRow(const BlockingRow& row, int level, ServerTime now)
{
    return {.cells = {row.program.isEmpty() ? row.name : row.name + u"  "_s + row.program,
                row.framework ? Value(row.framework->badge()) : Value(), qint64(row.harm.victims),
                row.isHead() ? Value(qint64(row.harm.joined)) : Value(),
                ageAt(now, row.longestSince, row.harm.longestExact), ageAt(now, row.since, row.sinceExact),
                row.doing().simplified(), row.mode ? Value(row.mode->name()) : Value(), row.target, row.table,
                row.statement.simplified(), row.blockedBy, row.key.id.value, row.program, qint64(level)}};
}

Report toReport(const Snapshot& snapshot, const std::vector<BlockingNode>& forest)
{
    Report report{.title = u"%1: who blocks whom, %2"_s.arg(snapshot.server, timeText(snapshot.takenAt)),
        .notes = ringTexts(snapshot),
        .sections = {blockingSection(snapshot)}};
    addRows(report.sections.front().rows, forest, 0, snapshot.takenAt);
    return report;
}

QStringList ringTexts(const Snapshot& snapshot)
{
    return textOfEach(snapshot.blocking().cycles(), [&](const auto& ring) {
        return u"Deadlock: %1 wait for each other."_s.arg(sessionNames(snapshot, ring));
    });
}

Section differenceSection()
{
    return {.key = u"differences"_s,
        .columns = {{u"what"_s, u"What"_s}, {u"change"_s, u"Change"_s}, Column(u"who"_s, u"Who"_s).wide(2),
            Column(u"lock"_s, u"Lock"_s).wide(3), Column(u"mode"_s, u"Mode"_s).yield(1),
            Column(u"before"_s, u"First"_s, u"How it was in the first snapshot"_s).wide(2),
            Column(u"after"_s, u"Second"_s, u"How it was in the second snapshot"_s).wide(2)},
        .whenEmpty = u"Sessions, locks and waits are the same."_s};
}

Report toReport(
    const Snapshot& before, const Snapshot& after, const std::vector<SnapshotDifference>& differences)
{
    using enum Type;
    Report report{.title = u"%1: %2, compared with %3"_s.arg(
                      before.server, timeText(before.takenAt), timeText(after.takenAt)),
        .facts = {{{Time, u"before"_s}, before.takenAt}, {{Time, u"after"_s}, after.takenAt}},
        .sections = {differenceSection()}};
    std::vector<ReportRow>& rows = report.sections.front().rows;
    for (const SnapshotDifference& each : differences) {
        QStringList more{each.before, each.after};
        more.removeAll(QString());
        rows.push_back(
            {.cells = {whatName(each.what), Value(changeName(each.change), markOfChange(each.change)),
                 each.who, each.lock, each.mode, each.before, each.after},
                .key = QString::number(rows.size()),
                .more = more});
    }
    return report;
}

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
