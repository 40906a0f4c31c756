// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/HolderWatch.h"

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;
using frameworks::ProgramZone;
using frameworks::RowLock;

namespace {

constexpr qsizetype mostHeld = 10'000; ///< remembered of a table; with more of them all are forgotten
constexpr int renewalsThatTell = 2;
/// Between two polls that are further apart too much may have happened.
constexpr std::chrono::minutes longestBetween{5};

bool isAtWork(const Session& session)
{
    return session.transactionStarted || session.state == SessionState::Active
        || session.state == SessionState::IdleInTransaction
        || session.state == SessionState::IdleInFailedTransaction
        || session.state == SessionState::RollingBack;
}

std::optional<qint64> beatOf(const RowLock& row)
{
    return row.signs.heartbeat ? std::optional(row.signs.heartbeat->us) : row.zoneless.heartbeat;
}

} // namespace

/// One that is taken anew is another.
QString HolderWatch::keyOf(const RowLock& row)
{
    const qint64 since = row.zoneless.since.value_or(row.entry.acquiredAt.us);
    return QStringList{row.entry.name, row.signs.told, row.signs.process, QString::number(since)}.join(u'\n');
}

void HolderWatch::begin(
    const std::vector<RowLock>& rows, bool isComplete, const std::optional<QTimeZone>& told, ServerTime now)
{
    ++m_poll;
    m_now = now;
    m_isComplete = isComplete;
    if (m_before.isValid() && now - m_before > longestBetween)
        m_before = {};
    m_counts.clear();
    m_isAnyListed = std::ranges::any_of(rows, [](const RowLock& row) { return row.signs.isListed; });
    if (m_held.size() > mostHeld)
        m_held.clear();
    for (const RowLock& row : rows)
        ++m_counts[keyOf(row)];
    for (const RowLock& row : rows) {
        const QString key = keyOf(row);
        if (m_counts.value(key) != 1)
            continue;
        const bool isNew = !m_held.contains(key);
        Held& held = m_held[key];
        held.poll = m_poll;
        if (isNew && m_before.isValid()) {
            held.taken = PossibleTime{m_before, now};
            if (row.zoneless.since)
                noteZone(*row.zoneless.since, now);
        }
        noteRenewal(held, row, now);
    }
    findZone(rows, told, now);
}

/// What was written between the poll before and this one.
void HolderWatch::noteZone(frameworks::ZonelessTime written, ServerTime now)
{
    const ProgramZone zone = ProgramZone::seen(written, {m_before, now});
    if (!zone.isKnown())
        return;
    m_areZonesSeveral = m_areZonesSeveral || (m_seenZone.isKnown() && zone != m_seenZone);
    m_seenZone = zone;
}

void HolderWatch::findZone(
    const std::vector<RowLock>& rows, const std::optional<QTimeZone>& told, ServerTime now)
{
    m_zone = told ? ProgramZone::told(*told) : ProgramZone();
    const auto isOfDatabase = [](const RowLock& row) { return row.zoneless.isOfDatabase; };
    if (!m_zone.isKnown() && std::ranges::any_of(rows, isOfDatabase))
        m_zone = ProgramZone::utc();
    if (!m_zone.isKnown() && !m_areZonesSeveral)
        m_zone = m_seenZone;
    if (m_zone.isKnown() || m_areZonesSeveral)
        return;
    for (const RowLock& row : rows)
        if (row.zoneless.since)
            m_zone.noteThatHasCome(*row.zoneless.since, now);
}

void HolderWatch::noteRenewal(Held& held, const RowLock& row, ServerTime now)
{
    const auto beat = beatOf(row);
    if (beat && held.heartbeat && *beat > *held.heartbeat && m_before.isValid()) {
        held.longest =
            std::max(held.longest, std::chrono::round<milliseconds>(microseconds(*beat - *held.heartbeat)));
        if (++held.renewals >= renewalsThatTell)
            m_renewedEvery = std::max(m_renewedEvery.value_or(held.longest), held.longest);
        if (row.zoneless.heartbeat)
            noteZone(*beat, now);
    }
    held.heartbeat = beat;
}

void HolderWatch::noteEnds(Held& held, std::span<const Session> sessions)
{
    std::erase_if(held.tied, [&](Tied& tied) {
        const auto same = std::ranges::find(sessions, tied.key, &Session::key);
        if (same != sessions.end())
            return false;
        // The most telling one goes first.
        held.ended.insert(tied.as.wasAtWork ? held.ended.begin() : held.ended.end(), tied.as);
        return true;
    });
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
    // As long as another session holds it, that one of a pool has ended tells nothing, then or later.
    if (held->tied.empty())
        row.signs.ended = held->ended;
    else
        held->ended.clear();
}

void HolderWatch::note(const RowLock& row, const HolderJudgement& judged)
{
    const auto held = m_held.find(keyOf(row));
    if (held == m_held.end())
        return;
    for (const Session* session : judged.tied) {
        const EndedHolder as{
            session->id, session->user, session->program, m_now, isAtWork(*session), judged.isByMachine};
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
