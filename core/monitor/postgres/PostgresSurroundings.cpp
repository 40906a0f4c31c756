// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresSurroundings.h"

#include "core/db/Statement.h"

#include <algorithm>
#include <utility>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds slowPoll{250}; // on the server
constexpr int firstWithCheckpointer = 170'000;

QString waitClassOf(const Session& session)
{
    return session.waitEvent.isEmpty() ? measures::running : session.waitEvent.section(u": "_s, 0, 0);
}

} // namespace

void PostgresSurroundings::begin(int serverVersion)
{
    const bool isNew = serverVersion >= firstWithCheckpointer;
    m_figures = db::Statement::filled("postgres/monitor/surroundings",
        {{"checkpoints"_L1,
             isNew ? u"num_timed + num_requested"_s : u"checkpoints_timed + checkpoints_req"_s},
            {"checkpoint_ms"_L1, isNew ? u"write_time"_s : u"checkpoint_write_time"_s},
            {"checkpointer"_L1, isNew ? u"pg_stat_checkpointer"_s : u"pg_stat_bgwriter"_s}});
    m_isRefused = {};
    m_wantsSettings = true;
}

void PostgresSurroundings::addTo(std::vector<db::BatchItem>& items)
{
    m_asked.clear();
    if (m_isSlow || !m_figures || (m_askedAt != Clock::time_point() && Clock::now() - m_askedAt < m_askEvery))
        return;
    m_askedAt = Clock::now();
    m_read.reset();
    m_ownLag.reset();
    m_lags.clear();
    m_settingsRead.clear();
    const auto ask = [&](Item item, const db::Statement& statement, db::RowSink sink) {
        if (m_isRefused[item])
            return;
        m_asked.push_back(item);
        items.push_back({&statement, {}, std::move(sink)});
    };
    // Settings are many: only once the server has read them again.
    if (m_wantsSettings || m_settingsOf != m_loaded)
        ask(Settings, db::Statement::get("postgres/monitor/settings"),
            [this](const db::Row& row) { m_settingsRead.emplace(row.text(0), row.text(1)); });
    ask(Replication, db::Statement::get("postgres/monitor/replication"), [this](const db::Row& row) {
        m_lags.push_back({measures::replicationLag, row.text(0), row.int64(1)});
    });
    ask(Figures, *m_figures, [this](const db::Row& row) {
        m_read = {row.int64(0), row.int64(1), row.int64(2), row.int64(3)};
        if (!row.isNull(4))
            m_ownLag = row.int64(4);
        m_loaded = row.text(5);
    });
}

void PostgresSurroundings::judge(std::span<const Result<qint64>> results)
{
    for (size_t i = 0; i < m_asked.size(); ++i) {
        if (!results[i])
            m_isRefused[m_asked[i]] = true;
    }
}

Surroundings PostgresSurroundings::finish(const Snapshot& snapshot)
{
    m_isSlow = snapshot.cost.server > slowPoll;
    Surroundings result;
    if (m_asked.empty())
        return result;
    addSessions(snapshot, result.measures);
    addCounters(snapshot.takenAt, result.measures);
    result.measures.insert(result.measures.end(), m_lags.begin(), m_lags.end());
    if (m_ownLag)
        result.measures.push_back({measures::replicationLag, {}, *m_ownLag});
    if (std::ranges::find(m_asked, Settings) != m_asked.end() && !m_isRefused[Settings])
        addSettings(result);
    return result;
}

void PostgresSurroundings::addSessions(const Snapshot& snapshot, std::vector<Measure>& measures)
{
    std::map<QString, qint64> byClass;
    qint64 active = 0;
    qint64 workers = 0;
    for (const Session& session : snapshot.sessions) {
        workers += session.system && session.program == u"autovacuum worker"_s ? 1 : 0;
        if (session.system || session.own || session.state != SessionState::Active)
            continue;
        ++active;
        ++byClass[waitClassOf(session)];
    }
    measures.push_back({measures::active, {}, active});
    measures.push_back({measures::autovacuum, {}, workers});
    for (const auto& [name, count] : byClass)
        measures.push_back({measures::waiting, name, count});
}

/// Between two readings; none where the server's statistics were reset.
void PostgresSurroundings::addCounters(ServerTime at, std::vector<Measure>& measures)
{
    if (!m_read)
        return;
    m_read->at = at;
    const auto before = std::exchange(m_before, m_read);
    if (!before)
        return;
    const microseconds length = at - before->at;
    const auto add = [&](const QString& kind, qint64 Counters::*counter, bool isRate) {
        const qint64 count = (*m_read).*counter - (*before).*counter;
        constexpr microseconds minute = std::chrono::minutes(1);
        if (count >= 0 && length.count() > 0)
            measures.push_back({kind, {},
                isRate ? static_cast<qint64>(double(count) * double(minute.count()) / double(length.count()))
                       : count});
    };
    add(measures::commits, &Counters::commits, true);
    add(measures::rollbacks, &Counters::rollbacks, true);
    add(measures::checkpoints, &Counters::checkpoints, false);
    add(measures::checkpointTime, &Counters::checkpointTime, false);
}

void PostgresSurroundings::addSettings(Surroundings& result)
{
    m_wantsSettings = false;
    m_settingsOf = m_loaded;
    const auto before = std::exchange(m_settings, m_settingsRead);
    if (!before)
        return;
    const auto in = [](const std::map<QString, QString>& settings, const QString& name) {
        const auto found = settings.find(name);
        return found == settings.end() ? QString() : found->second;
    };
    std::map<QString, QString> names = *before;
    names.insert(m_settingsRead.begin(), m_settingsRead.end());
    for (const auto& each : names) {
        const QString& name = each.first;
        const QString was = in(*before, name);
        const QString is = in(m_settingsRead, name);
        if (was == is)
            continue;
        result.changed.push_back({name, was, is});
        result.measures.push_back({measures::setting, name, 0, is});
    }
}

} // namespace lockscope::monitor
