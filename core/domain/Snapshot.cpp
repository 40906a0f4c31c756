// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Snapshot.h"

#include "core/base/EnumTable.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/Engine.h"

#include <algorithm>

namespace lockscope {

using namespace Qt::StringLiterals;

QString limitationKindName(Limitation::Kind kind)
{
    static constexpr EnumTable<Limitation::Kind> names(
        {u"missing permission", u"missing schema", u"capped rows", u"unsupported", u"failed", u"bad rows"});
    return names[kind].toString();
}

Limitation cappedLocks(qint64 shown, qint64 total)
{
    return {.kind = Limitation::Kind::CappedRows,
        .what = u"Showing %1 of %2 locks; all that anybody waits for are among them."_s.arg(shown).arg(total),
        .remedy = u"Raise “Locks shown at most” in the settings, or --limit."_s,
        .shown = shown,
        .total = total};
}

const Session* Snapshot::session(SessionId id) const
{
    const auto found = m_sessionIndex.constFind(id);
    return found == m_sessionIndex.cend() ? nullptr : &sessions[*found];
}

SessionId Snapshot::leaderOf(SessionId id) const
{
    const Session* found = session(id);
    return found && found->leader.isValid() ? found->leader : id;
}

LockRequestKey Snapshot::keyOf(const LockRequest& request) const
{
    return {.session = request.session,
        .sessionStarted = request.sessionStarted,
        .resource = resourceOf(request).key,
        .mode = request.mode,
        .owner = request.owner,
        .ordinal = request.ordinal};
}

std::optional<Age> Snapshot::ageOf(const LockRequest& request) const
{
    if (!request.since)
        return std::nullopt;
    const auto age = std::chrono::floor<milliseconds>(takenAt - *request.since);
    return Age{std::max(age, milliseconds(0)), request.sinceExact};
}

void Snapshot::index()
{
    m_sessionIndex.clear();
    m_sessionIndex.reserve(static_cast<qsizetype>(sessions.size()));
    for (size_t i = 0; i < sessions.size(); ++i)
        m_sessionIndex.insert(sessions[i].id, static_cast<quint32>(i));
}

bool Snapshot::isIncomplete() const
{
    return std::ranges::any_of(limitations, [](const Limitation& limitation) {
        return limitation.hidesLocks || limitation.kind == Limitation::Kind::Failed;
    });
}

QString Snapshot::reasonAgainstLocks() const
{
    // PostgreSQL shows its locks to every login; a limitation there is about something else.
    static constexpr PerEngine<bool> needsRight{.postgres = false, .sqlServer = true, .sqlite = false};
    if (!needsRight[engine])
        return {};
    const auto found = std::ranges::find_if(limitations, [](const Limitation& each) {
        return each.kind == Limitation::Kind::MissingPermission || each.kind == Limitation::Kind::Unsupported;
    });
    return found == limitations.end() ? QString() : found->what;
}

const LockTableEntry* entryOf(const Snapshot& snapshot, const LockTableKey& key)
{
    const auto found = std::ranges::find_if(snapshot.entries,
        [&key](const LockTableEntry& one) { return one.table == key.table && one.name == key.name; });
    return found == snapshot.entries.end() ? nullptr : &*found;
}

LockTableQueue queueOf(const Snapshot& snapshot, const LockTableKey& key, ServerTime now)
{
    LockTableQueue queue;
    for (const LockTableWaiter& waiter : snapshot.entryWaiters)
        if (waiter.table == key.table && waiter.name == key.name && waiter.isWaiting(now))
            queue.push_back(&waiter);
    return queue;
}

} // namespace lockscope
