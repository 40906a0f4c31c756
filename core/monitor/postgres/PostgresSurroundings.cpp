// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresSurroundings.h"

#include "core/monitor/postgres/PostgresRows.h"

#include <algorithm>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;
using As = RunningCounters::As;

namespace {

constexpr int firstWithCheckpointer = 170'000;

const QString postgresFigures = u"commits, checkpoints and how far this standby is behind"_s;
const QString postgresLags = u"how far standbys are behind"_s;
const QString postgresLockCounts = u"waits for locks that the server counts"_s;
const QString postgresSettings = u"changed settings"_s;

} // namespace

void PostgresSurroundings::begin(int serverVersion, const QString& role, bool countsWaits)
{
    const bool isNew = serverVersion >= firstWithCheckpointer;
    m_checkpointer = isNew ? u"pg_stat_checkpointer"_s : u"pg_stat_bgwriter"_s;
    m_figures = db::Statement::filled("postgres/monitor/surroundings",
        {{"checkpoints"_L1,
             isNew ? u"num_timed + num_requested"_s : u"checkpoints_timed + checkpoints_req"_s},
            {"checkpoint_ms"_L1, isNew ? u"write_time"_s : u"checkpoint_write_time"_s},
            {"checkpointer"_L1, m_checkpointer}});
    m_role = role;
    m_countsWaits = countsWaits;
    m_questions.begin();
    m_wantsSettings = true;
}

void PostgresSurroundings::addTo(std::vector<db::BatchItem>& items)
{
    if (!m_figures || !m_questions.isDue())
        return;
    m_ownLag.reset();
    m_connections.clear();
    m_lags.clear();
    m_settingsRead.clear();
    m_lockCounter.begin();
    const auto grant = [this](const QString& views) {
        return u"GRANT SELECT ON %1 TO %2;"_s.arg(views, m_role);
    };
    // Settings are many: only once the server has read them again.
    if (m_wantsSettings || m_settingsOf != m_loaded)
        m_questions.ask(items, {postgresSettings, grant(u"pg_catalog.pg_settings"_s)},
            db::Statement::get("postgres/monitor/settings"),
            [this](const db::Row& row) { m_settingsRead.emplace(row.text(0), row.text(1)); });
    m_questions.ask(items, {postgresLags, grant(u"pg_catalog.pg_stat_replication"_s)},
        db::Statement::get("postgres/monitor/replication"), [this](const db::Row& row) {
            m_lags.push_back({.kind = measures::replicationLag, .name = row.text(0), .value = row.int64(1)});
        });
    if (m_countsWaits)
        m_questions.ask(items, {postgresLockCounts, grant(u"pg_catalog.pg_stat_lock"_s)},
            db::Statement::get("postgres/monitor/lock_counts"), [this](const db::Row& row) {
                const QString type = row.text(0);
                LockCount& count = m_lockCounter.of(resourceKindOf(type.toStdString()), type);
                count.waits += row.int64(1);
                count.waited += milliseconds(row.int64(2));
                count.fastPathExceeded = count.fastPathExceeded.value_or(0) + row.int64(3);
                count.reset = row.int64(4);
            });
    m_questions.ask(items,
        {postgresFigures, grant(u"pg_catalog.pg_stat_database, pg_catalog."_s + m_checkpointer)}, *m_figures,
        [this](const db::Row& row) {
            m_counters.read(measures::commits, As::PerMinute, row.int64(0));
            m_counters.read(measures::rollbacks, As::PerMinute, row.int64(1));
            m_counters.read(measures::checkpoints, As::Count, row.int64(2));
            m_counters.read(measures::checkpointTime, As::Count, row.int64(3));
            if (!row.isNull(4))
                m_ownLag = row.int64(4);
            m_loaded = row.text(5);
            m_connections = {{measures::connections, {}, row.int64(6)},
                {measures::maxConnections, {}, row.int64(7)}, {measures::replica, {}, row.int64(8)}};
        });
}

Surroundings PostgresSurroundings::finish(Snapshot& snapshot)
{
    m_questions.end(snapshot);
    m_questions.limit(snapshot);
    Surroundings result;
    if (!m_questions.hasAsked())
        return result;
    addActiveSessions( // of "IO: DataFileRead" the first word
        snapshot, [](const QString& waitEvent) { return waitEvent.section(u": "_s, 0, 0); }, result.measures);
    const auto workers = std::ranges::count_if(snapshot.sessions,
        [](const Session& session) { return session.system && session.program == u"autovacuum worker"_s; });
    result.measures.push_back({.kind = measures::autovacuum, .value = workers});
    if (m_questions.isAnswered(postgresLockCounts)) {
        result.lockCounts = m_lockCounter.counts();
        m_counters.read(result.lockCounts);
    }
    m_counters.addTo(result.measures, snapshot.takenAt);
    result.measures.insert(result.measures.end(), m_lags.begin(), m_lags.end());
    result.measures.insert(result.measures.end(), m_connections.begin(), m_connections.end());
    if (m_ownLag)
        result.measures.push_back({.kind = measures::replicationLag, .value = *m_ownLag});
    if (m_questions.isAnswered(postgresSettings)) {
        m_wantsSettings = false;
        m_settingsOf = m_loaded;
        m_settings.compare(m_settingsRead, result);
    }
    return result;
}

} // namespace lockscope::monitor
