// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/HolderWatch.h"

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;
using frameworks::ProgramZone;
using frameworks::RowLock;

namespace {

constexpr qsizetype maxHeld = 10'000; ///< remembered of a table; with more of them all are forgotten
constexpr int renewalsThatTell = 2;
/// Between two polls that are further apart too much may have happened for a lock's taking to be seen …
constexpr std::chrono::minutes maxBetween{5};
/// … or for a session's end to prove what it was doing.
constexpr std::chrono::seconds maxUnwatched{15};

bool isAtWork(const Session& session)
{
    return session.transactionStarted || session.state == SessionState::Active
        || session.state == SessionState::IdleInTransaction
        || session.state == SessionState::IdleInFailedTransaction
        || session.state == SessionState::RollingBack;
}

} // namespace

/// A lock that is taken again is another one.
QString HolderWatch::keyOf(const RowLock& row)
{
    const qint64 since = row.zoneless.since.value_or(row.entry.acquiredAt.us);
    return QStringList{row.entry.name, row.signs.holderText, row.signs.process, QString::number(since)}.join(
        u'\n');
}

/// Returns an empty text where the row names nobody.
QString HolderWatch::holderOf(const RowLock& row)
{
    return row.signs.holderText.isEmpty() ? row.signs.process : row.signs.holderText;
}

void HolderWatch::begin(const std::vector<RowLock>& rows, bool isComplete,
    const std::optional<QTimeZone>& configuredZone, ServerTime now)
{
    ++m_poll;
    m_now = now;
    m_isComplete = isComplete;
    m_configuredZone = configuredZone;
    if (m_before.isValid() && now - m_before > maxBetween)
        m_before = {};
    m_counts.clear();
    m_bounds.clear();
    m_isAnyListed = std::ranges::any_of(rows, [](const RowLock& row) { return row.signs.isListed; });
    if (m_held.size() > maxHeld)
        m_held.clear();
    if (m_zones.size() > maxHeld)
        m_zones.clear();
    for (const RowLock& row : rows)
        ++m_counts[keyOf(row)];
    for (const RowLock& row : rows) {
        if (row.zoneless.since && !row.zoneless.isOfDatabase && !holderOf(row).isEmpty())
            m_bounds[holderOf(row)].noteThatHasCome(*row.zoneless.since, now);
        const QString key = keyOf(row);
        if (m_counts.value(key) != 1)
            continue;
        const bool isNew = !m_held.contains(key);
        Held& held = m_held[key];
        held.poll = m_poll;
        if (isNew && m_before.isValid()) {
            held.taken = PossibleTime{m_before, now};
            if (row.zoneless.since)
                noteZone(held, row, *row.zoneless.since);
        }
        noteRenewal(held, row);
    }
}

/// Notes the zone from a time that was written between the poll before and this one.
void HolderWatch::noteZone(Held& held, const RowLock& row, frameworks::ZonelessTime written)
{
    const ProgramZone zone = ProgramZone::seen(written, {m_before, m_now});
    if (!zone.isKnown() || row.zoneless.isOfDatabase)
        return;
    held.zone = zone;
    if (holderOf(row).isEmpty())
        return;
    HolderZone& known = m_zones[holderOf(row)];
    known.areSeveral = known.areSeveral || (known.seen.isKnown() && zone != known.seen);
    known.seen = zone;
}

ProgramZone HolderWatch::zoneOf(const RowLock& row) const
{
    if (row.zoneless.isOfDatabase)
        return ProgramZone::utc();
    if (m_configuredZone)
        return ProgramZone::known(*m_configuredZone);
    const QString key = keyOf(row);
    if (const auto held = m_held.constFind(key);
        held != m_held.cend() && held->zone.isKnown() && m_counts.value(key) == 1)
        return held->zone;
    const HolderZone known = m_zones.value(holderOf(row));
    if (known.areSeveral)
        return {};
    return known.seen.isKnown() ? known.seen : m_bounds.value(holderOf(row));
}

void HolderWatch::noteRenewal(Held& held, const RowLock& row)
{
    const auto beat = row.signs.heartbeat ? std::optional(row.signs.heartbeat->us) : row.zoneless.heartbeat;
    if (beat && held.heartbeat && *beat > *held.heartbeat && m_before.isValid()) {
        held.longest =
            std::max(held.longest, std::chrono::round<milliseconds>(microseconds(*beat - *held.heartbeat)));
        if (++held.renewals >= renewalsThatTell)
            m_renewedEvery = std::max(m_renewedEvery.value_or(held.longest), held.longest);
        if (row.zoneless.heartbeat)
            noteZone(held, row, *beat);
    }
    held.heartbeat = beat;
}

/// Notes which tied sessions have ended. A time that was not watched proves nothing: neither what a session
/// did when it ended, nor that no other one followed it.
void HolderWatch::noteEnds(Held& held, std::span<const Session> sessions) const
{
    const bool isGap = held.watched.isValid() && m_now - held.watched > maxUnwatched;
    for (EndedHolder& ended : held.ended)
        if (isGap && held.watched - ended.missedSince < endIsProofAfter)
            ended.missedSince = m_now;
    std::erase_if(held.tied, [&](const Tied& tied) {
        if (m_now - tied.as.lastSeen > maxUnwatched)
            return true;
        if (std::ranges::find(sessions, tied.key, &Session::key) != sessions.end())
            return false;
        // The strongest evidence goes first.
        const auto ended =
            held.ended.insert(tied.as.wasAtWork ? held.ended.begin() : held.ended.end(), tied.as);
        ended->missedSince = m_now;
        return true;
    });
    held.watched = m_now;
}

void HolderWatch::addTo(RowLock& row, std::span<const Session> sessions, bool areAll)
{
    row.signs.silence.seenInterval = m_renewedEvery;
    row.signs.areOthersListed = m_isAnyListed && !row.signs.isListed;
    const auto held = m_held.find(keyOf(row));
    if (held == m_held.end() || m_counts.value(held.key()) != 1)
        return;
    if (held->taken && !row.signs.taken)
        row.signs.taken = held->taken;
    if (areAll)
        noteEnds(*held, sessions);
    // As long as another session holds it, that one of a pool has ended tells nothing, then or later; but
    // what only its machine ties to the row may never have been the holder.
    if (!held->tied.empty())
        std::erase_if(
            held->ended, [](const EndedHolder& ended) { return !ended.wasAtWork || !ended.isByMachine; });
    row.signs.ended = held->ended;
}

void HolderWatch::note(const RowLock& row, const HolderJudgement& judged)
{
    const auto held = m_held.find(keyOf(row));
    // Without the time of its taking the lock looks like one that was given back and taken again.
    const bool showsTaking = row.zoneless.since || row.entry.acquiredAt.isValid();
    if (held == m_held.end() || !showsTaking)
        return;
    for (EndedHolder& ended : held->ended) {
        ended.isFollowed = ended.isFollowed || judged.isFollowed;
        if (judged.isAnyLeft)
            ended.missedSince = m_now;
    }
    for (const Session* session : judged.tied) {
        const EndedHolder as{.id = session->id,
            .user = session->user,
            .program = session->program,
            .lastSeen = m_now,
            .wasAtWork = isAtWork(*session),
            .isByMachine = judged.isByMachine};
        const auto same = std::ranges::find(held->tied, session->key(), &Tied::key);
        if (same == held->tied.end())
            held->tied.push_back({session->key(), as});
        else
            same->as = as;
    }
}

void HolderWatch::end(ServerTime now)
{
    if (m_isComplete)
        m_held.removeIf([this](QHash<QString, Held>::iterator held) { return held->poll != m_poll; });
    m_before = m_isComplete ? now : ServerTime();
}

} // namespace lockscope::monitor
