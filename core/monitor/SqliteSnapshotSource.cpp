// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SqliteSnapshotSource.h"

namespace lockscope::monitor {

using namespace Qt::StringLiterals;
using Clock = std::chrono::steady_clock;

namespace {

bool concernsTheFile(const Error& error)
{
    return error.kind == ErrorKind::Connection || error.kind == ErrorKind::Timeout
        || error.kind == ErrorKind::Cancelled;
}

} // namespace

SqliteSnapshotSource::SqliteSnapshotSource(const db::ServerProfile& profile, db::PasswordProvider passwords)
    : m_profile(profile)
    , m_connection(profile.url, std::move(passwords))
{
}

Result<SnapshotPtr> SqliteSnapshotSource::take(std::stop_token stop)
{
    Result<SnapshotPtr> taken = connect(stop).and_then([&] { return poll(stop); });
    if (!taken) {
        taken.error().server = m_profile.display();
        m_connection.noteFailure(taken.error());
    }
    return taken;
}

Result<void> SqliteSnapshotSource::connect(std::stop_token stop)
{
    const Result<bool> opened = m_connection.ensureOpen();
    if (!opened)
        return Failure(opened.error());
    if (!*opened && m_lockTables)
        return {};
    m_lockTables.emplace(*m_connection, m_profile.attached);
    const db::BatchItem look = m_lockTables->lookRound();
    if (const auto looked = m_connection->execute(*look.statement, look.params, look.sink, std::move(stop));
        !looked) {
        m_lockTables.reset();
        return Failure(looked.error());
    }
    return {};
}

Result<SnapshotPtr> SqliteSnapshotSource::poll(const std::stop_token& stop)
{
    const auto began = Clock::now();
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->engine = Engine::Sqlite;
    snapshot->server = m_profile.display();
    snapshot->serverVersion = m_connection->serverVersion();
    const db::Dialect& dialect = m_connection->dialect();
    for (const auto capability : {db::Capability::Sessions, db::Capability::LockView})
        snapshot->limitations.push_back(
            {Limitation::Kind::Unsupported, dialect.reasonAgainst(capability), {}});

    std::vector<db::BatchItem> items;
    m_lockTables->addTo(items, *snapshot);
    const size_t probes = items.size();
    items.push_back({&db::Statement::get("sqlite/monitor/clock.sql"), {},
        [&snapshot](const db::Row& row) { snapshot->takenAt = row.time(0); }});
    const auto results = m_connection->executeBatch(items, stop);
    const auto ended = Clock::now();
    for (size_t i = 0; i < results.size(); ++i) {
        // A busy or unreadable file is no reading at all; what is wrong with one table only costs that table.
        if (!results[i] && (i == probes || concernsTheFile(results[i].error()))) {
            Error error = results[i].error();
            error.what = u"Can't read the lock tables."_s;
            return Failure(std::move(error));
        }
        if (results[i])
            snapshot->cost.rows += *results[i];
    }
    m_lockTables->judge(std::span(results).first(probes), *snapshot);
    snapshot->index();
    snapshot->number = ++m_number;
    snapshot->cost.roundTrip = std::chrono::duration_cast<microseconds>(ended - began);
    snapshot->cost.server = snapshot->cost.roundTrip; // the engine runs in this process
    snapshot->cost.client = std::chrono::duration_cast<microseconds>(Clock::now() - ended);
    return SnapshotPtr(std::move(snapshot));
}

} // namespace lockscope::monitor
