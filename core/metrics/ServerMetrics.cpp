// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/metrics/ServerMetrics.h"

#include "core/base/ServerTime.h"
#include "core/domain/WaitTotals.h"
#include "core/monitor/PollPace.h"

#include <algorithm>
#include <limits>

namespace lockscope::metrics {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array bounds{0.1, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3'600.0};

template <class Duration> double seconds(Duration duration)
{
    return std::chrono::duration<double>(duration).count();
}

double ageInSeconds(const Age& age)
{
    return seconds(age.value);
}

struct FamilyInfo {
    const char* name; ///< ends with its unit
    MetricType type;
    QStringView help;
};
constexpr FamilyInfo familyInfos[]{
    {"lockscope_build", MetricType::Info, u"The program that measures."},
    {"lockscope_up", MetricType::Gauge,
        u"1: the latest poll of the server was answered; 0: it failed, or hangs."},
    {"lockscope_snapshot_age_seconds", MetricType::Gauge,
        u"Time since the latest poll that was answered: so old are the other figures."},
    {"lockscope_snapshot_timestamp_seconds", MetricType::Gauge,
        u"When the latest poll was answered, by the clock of Lockscope's machine, since 1970."},
    {"lockscope_snapshot_incomplete", MetricType::Gauge,
        u"1: a part of the latest snapshot could not be read, so that there may be more."},
    {"lockscope_polls", MetricType::Counter, u"Polls that were answered."},
    {"lockscope_poll_failures", MetricType::Counter, u"Polls that failed."},
    {"lockscope_poll_seconds", MetricType::Counter, u"Time from the question to the last row, of all polls."},
    {"lockscope_poll_interval_seconds", MetricType::Gauge, u"Present pause from one poll to the next."},
    {"lockscope_replica", MetricType::Gauge, u"1: the server is a replica; 0: it is none."},
    {"lockscope_connections", MetricType::Gauge, u"Connections that are open, of all programs."},
    {"lockscope_connections_limit", MetricType::Gauge, u"Connections that the server allows."},
    {"lockscope_locks_held", MetricType::Gauge, u"Locks that are held, by what they are on."},
    {"lockscope_locks_awaited", MetricType::Gauge,
        u"Locks that somebody waits for, by what they are on and the mode."},
    {"lockscope_lock_table_entries", MetricType::Gauge, u"Entries of lock tables, stale ones among them."},
    {"lockscope_lock_table_stale_entries", MetricType::Gauge,
        u"Entries of lock tables past their lease or stale age."},
    {"lockscope_waiting_sessions", MetricType::Gauge,
        u"Sessions that wait for a lock, those in queues of lock tables among them."},
    {"lockscope_blocking_causes", MetricType::Gauge,
        u"Head blockers, those of the same user, program and host for the same lock as one."},
    {"lockscope_longest_wait_seconds", MetricType::Gauge, u"Age of the longest present wait, at least."},
    {"lockscope_wait_seconds", MetricType::GaugeHistogram,
        u"Ages of the present waits, as far as they are known."},
    {"lockscope_waited_seconds", MetricType::Counter,
        u"Time that sessions waited for others, all together. It is at least that: only time between two polls that follow on each other counts."},
    {"lockscope_observer_wait_seconds", MetricType::Counter, u"The same of Lockscope's own sessions."},
    {"lockscope_deadlocks", MetricType::Counter, u"Deadlocks since Lockscope began, counted by the server."},
    {"lockscope_server_lock_waits", MetricType::Counter,
        u"Waits for locks, counted by the server since it started or its statistics were reset. PostgreSQL counts those that were longer than deadlock_timeout and got the lock."},
    {"lockscope_server_lock_wait_seconds", MetricType::Counter,
        u"Time of these waits, counted by the server."},
    {"lockscope_server_fast_path_exceeded", MetricType::Counter,
        u"Locks that found no place in the fast path of their session, counted by the server."},
    {"lockscope_server_deadlocks", MetricType::Counter,
        u"Requests for locks that ended in a deadlock, counted by the server since it started."},
    {"lockscope_incidents", MetricType::Counter, u"Incidents that fired since Lockscope began."},
    {"lockscope_incidents_firing", MetricType::Gauge, u"Incidents that fire at present."},
    {"lockscope_recorded_snapshots", MetricType::Counter, u"Snapshots that were recorded."},
    {"lockscope_recording_failing", MetricType::Gauge, u"1: the latest snapshot could not be written."},
    {"lockscope_history_failing", MetricType::Gauge,
        u"1: the team's history did not take the recording at the latest try; 0: it did."},
    {"lockscope_history_failures", MetricType::Counter,
        u"Tries to bring the recording into the team's history that failed."},
    {"lockscope_history_snapshots", MetricType::Counter,
        u"Snapshots that were brought into the team's history."},
    {"lockscope_history_lost_snapshots", MetricType::Counter,
        u"Snapshots that were dropped from the recording before the team's history took them."},
    {"lockscope_history_pending_snapshots", MetricType::Gauge,
        u"Snapshots of the recording that are not in the team's history yet."},
    {"lockscope_history_pending_age_seconds", MetricType::Gauge,
        u"Time since the oldest of these was recorded; 0: there is none."},
    {"process_cpu_seconds", MetricType::Counter, u"Processor time that Lockscope has used."},
    {"process_resident_memory_bytes", MetricType::Gauge, u"Memory that Lockscope takes."},
};

QByteArray unitOf(const QByteArray& name)
{
    return name.endsWith("_seconds") ? "seconds" : name.endsWith("_bytes") ? "bytes" : QByteArray();
}

} // namespace

FamilySet::FamilySet()
{
    for (const auto& [name, type, help] : familyInfos)
        m_families.push_back({.name = name, .type = type, .unit = unitOf(name), .help = help.toString()});
}

void FamilySet::add(const char* name, Sample sample)
{
    const auto family = std::find_if(
        m_families.begin(), m_families.end(), [name](const MetricFamily& each) { return each.name == name; });
    Q_ASSERT(family != m_families.end());
    family->samples.push_back(std::move(sample));
}

Labels ServerMetrics::labels(Labels more) const
{
    Labels all{{"server", m_server}, {"database", m_database}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

void ServerMetrics::noteSnapshot(const SnapshotPtr& snapshot, milliseconds interval, Clock::time_point now)
{
    const milliseconds step = m_snapshot
        ? std::clamp(std::chrono::floor<milliseconds>(snapshot->takenAt - m_snapshot->takenAt),
            milliseconds(0), monitor::longestStep(interval))
        : milliseconds(0);
    m_snapshot = snapshot;
    m_chains = alert::chainsOf(*snapshot, m_server, m_database);
    m_taken = now;
    m_takenAt = ownClock();
    m_interval = interval;
    m_failedInARow = 0;
    m_isSilent = false;
    ++m_answered;
    m_polling += snapshot->cost.roundTrip;
    m_ownWaited += std::chrono::duration_cast<milliseconds>(snapshot->cost.waited);
    countWaits(step);
}

void ServerMetrics::countWaits(milliseconds step)
{
    for (const SessionWait& wait : m_snapshot->waitingSessions())
        if (wait.age)
            m_waited += std::min(wait.age->value, step);
    for (const LockRequest& request : m_snapshot->requests) {
        const Session* const session = request.isWaiting() ? m_snapshot->session(request.session) : nullptr;
        if (const auto age = session && session->own ? m_snapshot->ageOf(request) : std::nullopt)
            m_ownWaited += std::min(age->value, step);
    }
}

void ServerMetrics::noteMeasures(const std::vector<monitor::Measure>& measures)
{
    for (const monitor::Measure& measure : measures)
        if (measure.name.isEmpty())
            m_measures[measure.kind] = measure.value;
}

void ServerMetrics::noteLockCounts(const std::vector<monitor::LockCount>& counts)
{
    m_lockCounts = counts;
}

void ServerMetrics::noteFailures(int inARow, bool isSilent)
{
    m_failed += std::max(0, inARow - m_failedInARow);
    m_failedInARow = inARow;
    m_isSilent = isSilent;
}

void ServerMetrics::addTo(FamilySet& set, Clock::time_point now) const
{
    addPolls(set, now);
    // Of a server that does not answer nothing is known but what was counted.
    if (m_snapshot && m_failedInARow == 0 && !m_isSilent) {
        addLocks(set);
        addWaits(set);
    }
}

void ServerMetrics::addPolls(FamilySet& set, Clock::time_point now) const
{
    const bool isFailing = m_failedInARow > 0 || m_isSilent;
    if (m_snapshot || isFailing)
        set.add("lockscope_up", {labels(), isFailing ? 0.0 : 1.0});
    set.add("lockscope_polls", {labels(), double(m_answered)});
    set.add("lockscope_poll_failures", {labels(), double(m_failed)});
    set.add("lockscope_poll_seconds", {labels(), seconds(m_polling)});
    set.add("lockscope_waited_seconds", {labels(), seconds(m_waited)});
    set.add("lockscope_observer_wait_seconds", {labels(), seconds(m_ownWaited)});
    if (m_deadlocks)
        set.add("lockscope_deadlocks", {labels(), double(*m_deadlocks)});
    addLockCounts(set);
    if (m_recorded) {
        set.add("lockscope_recorded_snapshots", {labels(), double(m_recorded->first)});
        set.add("lockscope_recording_failing", {labels(), m_recorded->second ? 1.0 : 0.0});
    }
    addUpload(set);
    if (!m_snapshot)
        return;
    set.add("lockscope_snapshot_age_seconds", {labels(), seconds(now - m_taken)});
    set.add("lockscope_snapshot_timestamp_seconds", {labels(), double(m_takenAt.us) / 1e6});
    set.add("lockscope_poll_interval_seconds", {labels(), seconds(m_interval)});
}

void ServerMetrics::addUpload(FamilySet& set) const
{
    if (!m_upload)
        return;
    const bool isTried = m_upload->error || m_upload->isUpToDate || m_upload->reached;
    if (isTried)
        set.add("lockscope_history_failing", {labels(), m_upload->error ? 1.0 : 0.0});
    set.add("lockscope_history_failures", {labels(), double(m_upload->failures)});
    set.add("lockscope_history_snapshots", {labels(), double(m_upload->frames)});
    set.add("lockscope_history_lost_snapshots", {labels(), double(m_upload->skipped)});
    if (!m_upload->pending)
        return;
    const auto& oldest = m_upload->pending->oldest;
    set.add("lockscope_history_pending_snapshots", {labels(), double(m_upload->pending->snapshots)});
    set.add("lockscope_history_pending_age_seconds",
        {labels(), oldest ? std::max(0.0, seconds(ownClock() - *oldest)) : 0.0});
}

void ServerMetrics::addLockCounts(FamilySet& set) const
{
    std::optional<qint64> exceeded;
    for (const monitor::LockCount& count : m_lockCounts) {
        const Labels ofKind = labels({{"kind", count.kind}});
        set.add("lockscope_server_lock_waits", {ofKind, double(count.waits)});
        set.add("lockscope_server_lock_wait_seconds", {ofKind, seconds(count.waited)});
        if (count.deadlocks)
            set.add("lockscope_server_deadlocks", {ofKind, double(*count.deadlocks)});
        if (count.fastPathExceeded)
            exceeded = exceeded.value_or(0) + *count.fastPathExceeded;
    }
    if (exceeded)
        set.add("lockscope_server_fast_path_exceeded", {labels(), double(*exceeded)});
}

void ServerMetrics::addLocks(FamilySet& set) const
{
    set.add("lockscope_snapshot_incomplete", {labels(), m_snapshot->isIncomplete() ? 1.0 : 0.0});
    const std::array measured{std::pair("lockscope_replica", &monitor::measures::replica),
        std::pair("lockscope_connections", &monitor::measures::connections),
        std::pair("lockscope_connections_limit", &monitor::measures::maxConnections)};
    for (const auto& [name, kind] : measured)
        if (const auto found = m_measures.find(*kind); found != m_measures.end())
            set.add(name, {labels(), double(found->second)});
    if (!m_snapshot->locksRead)
        return;
    std::map<ResourceKind, int> held;
    std::map<std::pair<ResourceKind, QString>, int> awaited;
    for (const LockRequest& request : m_snapshot->requests) {
        const Session* const session = m_snapshot->session(request.session);
        if (session && session->own)
            continue;
        const ResourceKind kind = m_snapshot->resourceOf(request).key.kind;
        if (request.isWaiting())
            ++awaited[{kind, request.mode.name()}];
        else
            ++held[kind];
    }
    for (const auto& [kind, count] : held)
        set.add("lockscope_locks_held", {labels({{"kind", resourceKindName(kind)}}), double(count)});
    for (const auto& [what, count] : awaited)
        set.add("lockscope_locks_awaited",
            {labels({{"kind", resourceKindName(what.first)}, {"mode", what.second}}), double(count)});
}

void ServerMetrics::addWaits(FamilySet& set) const
{
    const WaitTotals totals = waitTotals(*m_snapshot);
    std::vector<milliseconds> ages;
    for (const SessionWait& wait : m_snapshot->waitingSessions())
        if (wait.age)
            ages.push_back(wait.age->value);
    set.add("lockscope_waiting_sessions", {labels(), double(totals.waiters)});
    set.add("lockscope_blocking_causes", {labels(), double(m_chains.size())});
    set.add("lockscope_longest_wait_seconds", {labels(), ageInSeconds(totals.longestWait)});
    Sample histogram{labels()};
    const auto upTo = [&ages](double bound) {
        return double(std::count_if(
            ages.begin(), ages.end(), [bound](milliseconds age) { return seconds(age) <= bound; }));
    };
    for (const double bound : bounds)
        histogram.buckets.emplace_back(bound, upTo(bound));
    histogram.buckets.emplace_back(std::numeric_limits<double>::infinity(), double(ages.size()));
    for (const milliseconds age : ages)
        histogram.value += seconds(age);
    set.add("lockscope_wait_seconds", std::move(histogram));
    const auto stale = std::count_if(m_snapshot->entries.begin(), m_snapshot->entries.end(),
        [at = m_snapshot->takenAt](const LockTableEntry& entry) { return entry.isStale(at); });
    set.add("lockscope_lock_table_entries", {labels(), double(m_snapshot->entries.size())});
    set.add("lockscope_lock_table_stale_entries", {labels(), double(stale)});
}

} // namespace lockscope::metrics
