// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

#include <tuple>
#include <type_traits>

/// The fields of all that a frame of a recording has, in the order in which they are written. A new field
/// goes to the end of its list: bits of a mask say which fields are there, so that older frames lack the last
/// ones. A field that is added to one of the structures and not here does not compile.
namespace lockscope::record {

/// Marks a text as a statement.
template <class Text> struct StatementField {
    Text& text;
    bool operator==(const StatementField& other) const
    {
        return text == other.text && text.isNull() == other.text.isNull();
    }
};

/// Marks a lock mode, which is written as its name.
template <class Mode> struct ModeField {
    Mode& mode;
    bool operator==(const ModeField& other) const { return mode == other.mode; }
};

template <class Text> StatementField<Text> asStatement(Text& text)
{
    return {text};
}
template <class Mode> ModeField<Mode> asMode(Mode& mode)
{
    return {mode};
}

template <class T, class Plain>
concept Like = std::is_same_v<std::remove_const_t<T>, Plain>;

namespace counting {
struct Anything {
    template <class T> operator T() const; // NOLINT(google-explicit-constructor)
};
template <class T, class... Fields> constexpr size_t count()
{
    if constexpr (requires { T{Fields{}..., Anything{}}; })
        return count<T, Fields..., Anything>();
    else
        return sizeof...(Fields);
}
} // namespace counting
/// The number of fields of an aggregate.
template <class T> inline constexpr size_t fieldCount = counting::count<T>();

auto fieldsOf(Like<Session> auto& s)
{
    static_assert(fieldCount<Session> == 34 && fieldCount<SessionWork> == 4);
    return std::make_tuple(std::ref(s.id.value), std::ref(s.started), std::ref(s.startedAhead),
        std::ref(s.state), std::ref(s.user), std::ref(s.database), std::ref(s.program), std::ref(s.host),
        asStatement(s.statement), std::ref(s.statementVisible), std::ref(s.waitEvent), std::ref(s.stateSince),
        std::ref(s.transactionStarted), std::ref(s.statementStarted), std::ref(s.leader.value),
        std::ref(s.percentDone), std::ref(s.timeLeft), std::ref(s.unitOfWork), std::ref(s.workSinceLogin.cpu),
        std::ref(s.workSinceLogin.logicalReads), std::ref(s.workSinceLogin.reads),
        std::ref(s.workSinceLogin.writes), std::ref(s.workOfStatement.cpu),
        std::ref(s.workOfStatement.logicalReads), std::ref(s.workOfStatement.reads),
        std::ref(s.workOfStatement.writes), std::ref(s.openTransactions), std::ref(s.memoryGrant),
        std::ref(s.logUsed), std::ref(s.transactionId), std::ref(s.snapshotAge), std::ref(s.isolation),
        std::ref(s.address), std::ref(s.waitResource), asStatement(s.inputBuffer), std::ref(s.own),
        std::ref(s.system), std::ref(s.clientProcess), std::ref(s.waitedUntil), std::ref(s.waitedFor));
}

auto fieldsOf(Like<Resource> auto& r)
{
    static_assert(fieldCount<Resource> == 6 && fieldCount<ResourceKey> == 5);
    return std::make_tuple(std::ref(r.key.kind), std::ref(r.key.database), std::ref(r.key.entity),
        std::ref(r.key.part), std::ref(r.key.text), std::ref(r.database), std::ref(r.name), std::ref(r.named),
        std::ref(r.internal), std::ref(r.framework));
}

auto fieldsOf(Like<LockRequest> auto& r)
{
    static_assert(fieldCount<LockRequest> == 10);
    return std::make_tuple(std::ref(r.session.value), std::ref(r.sessionStarted), std::ref(r.resource),
        asMode(r.mode), std::ref(r.state), std::ref(r.owner), std::ref(r.count), std::ref(r.ordinal),
        std::ref(r.since), std::ref(r.sinceExact));
}

auto fieldsOf(Like<WaitEdge> auto& e)
{
    static_assert(fieldCount<WaitEdge> == 4);
    return std::make_tuple(
        std::ref(e.waiter.value), std::ref(e.blocker.value), std::ref(e.resource), std::ref(e.kind));
}

/// The place of a framework's row is left out: it is needed to act, and nobody acts on the past.
auto fieldsOf(Like<LockTableEntry> auto& e)
{
    static_assert(fieldCount<LockTableEntry> == 15 && fieldCount<LockOwnerInfo> == 5);
    return std::make_tuple(std::ref(e.table), std::ref(e.name), std::ref(e.token), std::ref(e.fencing),
        std::ref(e.acquiredAt), std::ref(e.expiresAt), std::ref(e.party.owner), std::ref(e.party.host),
        std::ref(e.party.program), std::ref(e.party.processId), std::ref(e.party.session.value),
        std::ref(e.framework), std::ref(e.stored), std::ref(e.holderText), std::ref(e.heartbeat),
        std::ref(e.holderLife.verdict), std::ref(e.holderLife.evidence), std::ref(e.badRow),
        std::ref(e.holderLife.overturnedBy), std::ref(e.dependsOnZone));
}

auto fieldsOf(Like<LockTableWaiter> auto& w)
{
    static_assert(fieldCount<LockTableWaiter> == 7);
    return std::make_tuple(std::ref(w.table), std::ref(w.name), std::ref(w.ticket), std::ref(w.registeredAt),
        std::ref(w.expiresAt), std::ref(w.party.owner), std::ref(w.party.host), std::ref(w.party.program),
        std::ref(w.party.processId), std::ref(w.party.session.value), std::ref(w.badRow));
}

auto fieldsOf(Like<Limitation> auto& l)
{
    static_assert(fieldCount<Limitation> == 6);
    return std::make_tuple(std::ref(l.kind), std::ref(l.what), std::ref(l.remedy), std::ref(l.shown),
        std::ref(l.total), std::ref(l.hidesLocks));
}

auto fieldsOf(Like<UnreadTable> auto& t)
{
    static_assert(fieldCount<UnreadTable> == 6);
    return std::make_tuple(std::ref(t.framework), std::ref(t.schema), std::ref(t.table), std::ref(t.owner),
        std::ref(t.reason), std::ref(t.canBeApproved));
}

/// The fields of the snapshot itself, without its lists, takenAt, isPooled and cost.waited: nobody asks for
/// those of the past.
auto fieldsOf(Like<Snapshot> auto& s)
{
    static_assert(fieldCount<PollCost> == 7);
    return std::make_tuple(std::ref(s.engine), std::ref(s.server), std::ref(s.serverVersion),
        std::ref(s.number), std::ref(s.cost.roundTrip), std::ref(s.cost.server), std::ref(s.cost.client),
        std::ref(s.cost.roundTrips), std::ref(s.cost.rows), std::ref(s.cost.visited),
        std::ref(s.frameworkRows));
}

} // namespace lockscope::record
