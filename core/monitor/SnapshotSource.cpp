// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SnapshotSource.h"

#include "core/domain/Engine.h"
#include "core/monitor/FrameworkProbe.h"
#include "core/monitor/LockTableProbe.h"
#include "core/monitor/ServerSnapshotSource.h"
#include "core/monitor/postgres/PostgresSnapshotSource.h"
#include "core/monitor/sqlserver/SqlServerSnapshotSource.h"

#include <optional>

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

/// The lock tables of an SQLite file. Sessions and engine locks can't be seen from outside there: that is a
/// Limitation of every snapshot.
class SqliteSnapshotSource final : public ServerSnapshotSource {
public:
    SqliteSnapshotSource(db::Server server, const ProbeSelection& probes)
        : ServerSnapshotSource(std::move(server), probes)
    {
    }

private:
    Result<void> probeServer(const std::stop_token& stop) override
    {
        m_lockTables.emplace(connection());
        m_frameworks.emplace(connection(), profile());
        std::vector<db::BatchItem> items;
        m_lockTables->addSearch(items);
        const size_t needed = items.size();
        for (db::BatchItem& item : m_frameworks->catalogueSearch())
            items.push_back(std::move(item));
        const auto results = connection().executeBatch(items, stop);
        m_frameworks->judgeSearch(std::span(results).subspan(needed));
        return results.front().map([](qint64) {});
    }

    Result<void> poll(Snapshot& snapshot, const std::stop_token& stop) override
    {
        const db::Dialect& dialect = connection().dialect();
        for (const auto capability : {db::Capability::Sessions, db::Capability::LockView})
            snapshot.limitations.push_back(
                {.kind = Limitation::Kind::Unsupported, .what = dialect.reasonAgainst(capability)});

        std::vector<db::BatchItem> items;
        m_lockTables->addTo(items, snapshot);
        const size_t frameworksFirst = items.size();
        m_frameworks->setReadsRows(readsFrameworkRows());
        m_frameworks->addTo(items);
        const size_t probes = items.size();
        items.push_back({.statement = &db::Statement::get("sqlite/monitor/clock"),
            .sink = [&snapshot](const db::Row& row) { snapshot.takenAt = row.time(0); }});
        const auto results = ask(items, stop);
        for (size_t i = 0; i < results.size(); ++i) {
            // A busy or unreadable file is no reading at all; what is wrong with one table only costs that
            // table.
            const bool concernsTheFile = !results[i]
                && (results[i].error().kind == ErrorKind::Timeout
                    || concernsTheConnection(results[i].error()));
            if (concernsTheFile || (!results[i] && i == probes))
                return pollFailure(results[i].error(), u"Can't read the lock tables."_s);
            if (results[i])
                snapshot.cost.rows += *results[i];
        }
        const auto again = [&](std::span<const db::BatchItem> more) { return ask(more, stop); };
        m_lockTables->judge(std::span(results).first(frameworksFirst), snapshot, again);
        m_frameworks->judge(
            std::span(results).subspan(frameworksFirst, probes - frameworksFirst), snapshot, again);
        m_frameworks->finish(snapshot, SessionsSeen::None);
        reportBadRows(snapshot);
        snapshot.index();
        snapshot.cost.server = onTheWire(); // the engine runs in this process
        return {};
    }

    std::optional<LockTableProbe> m_lockTables;
    std::optional<FrameworkProbe> m_frameworks;
};

template <typename Source>
std::unique_ptr<SnapshotSource> sourceOf(db::Server server, const ProbeSelection& probes)
{
    return std::make_unique<Source>(std::move(server), probes);
}

} // namespace

std::unique_ptr<SnapshotSource> makeSnapshotSource(db::Server server, const ProbeSelection& probes)
{
    using Make = std::unique_ptr<SnapshotSource> (*)(db::Server, const ProbeSelection&);
    static constexpr PerEngine<Make> make{.postgres = sourceOf<PostgresSnapshotSource>,
        .sqlServer = sourceOf<SqlServerSnapshotSource>,
        .sqlite = sourceOf<SqliteSnapshotSource>};
    const Engine engine = server.engine();
    return make[engine](std::move(server), probes);
}

} // namespace lockscope::monitor
