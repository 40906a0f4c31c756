// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresReader.h"

#include "core/monitor/FrameworkReading.h"

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxFaultsShown = 3;

db::ConnectOptions readerOptions()
{
    return {.purpose = db::Purpose::Monitor,
        .programSuffix = u"reader"_s,
        .statementTimeout = milliseconds(5'000)};
}

} // namespace

std::unique_ptr<PostgresReader> PostgresReader::of(const db::Server& server)
{
    std::optional<db::Server> reader = db::readerOf(server);
    return reader ? std::make_unique<PostgresReader>(std::move(*reader)) : nullptr;
}

PostgresReader::PostgresReader(db::Server server)
    : m_connection(std::move(server), readerOptions())
    , m_role(m_connection.server().profile.url.user)
{
}

/// Somebody may give the role more at any time.
Result<void> PostgresReader::checkRights(const std::stop_token& stop)
{
    constexpr int parametersHaveRightsFrom = 150'000;
    QStringList faults;
    const auto note = [&faults](const db::Row& row) { faults << row.text(0); };
    std::vector<db::BatchItem> check{
        {.statement = &db::Statement::get("postgres/frameworks/reader"), .sink = note}};
    if (m_connection->serverVersionNumber() >= parametersHaveRightsFrom)
        check.push_back(
            {.statement = &db::Statement::get("postgres/frameworks/reader_parameters"), .sink = note});
    for (const auto& checked : m_connection->executeBatch(check, stop))
        if (!checked)
            return Failure(checked.error());
    if (!faults.isEmpty())
        return failure(ErrorKind::Permission,
            u"The role %1 has rights that somebody could gain by it: %2"_s.arg(
                m_role, faults.first(std::min(faults.size(), maxFaultsShown)).join(u"; "_s)),
            u"Name a role that is a member of pg_monitor at most, owns nothing and may write nowhere."_s);
    return {};
}

Result<void> PostgresReader::makeReady(const std::stop_token& stop)
{
    const Result<bool> opened = m_connection.ensureOpen();
    if (!opened)
        return Failure(opened.error());
    const bool isNew = *opened || !m_probe;
    if (!isNew && !m_probe->isSearchDue())
        return {};
    if (auto harmless = checkRights(stop); !harmless) {
        m_probe.reset();
        return harmless;
    }
    if (!isNew)
        return {};
    m_probe.emplace(*m_connection, m_connection.server().profile);
    m_probe->setByReader(true);
    m_probe->setRole(m_role);
    m_probe->judgeSearch(m_connection->executeBatch(m_probe->catalogueSearch(), stop), stop);
    return {};
}

void PostgresReader::poll(Snapshot& snapshot, bool readsRows, const std::stop_token& stop)
{
    m_failure.reset();
    const auto fail = [&](const Error& error) {
        m_connection.noteFailure(error);
        m_failure = error;
        snapshot.limitations.push_back(readerLimitation(error));
    };
    if (const Result<void> ready = makeReady(stop); !ready)
        return fail(ready.error());
    std::vector<db::BatchItem> items;
    m_probe->setReadsRows(readsRows);
    m_probe->addTo(items);
    const auto results = m_connection->executeBatch(items, stop);
    ++snapshot.cost.roundTrips;
    for (const auto& result : results) {
        if (!result && result.error().kind == ErrorKind::Connection)
            return fail(result.error());
    }
    m_probe->judge(
        results, snapshot,
        [&](std::span<const db::BatchItem> more) { return m_connection->executeBatch(more, stop); }, stop);
}

bool PostgresReader::finish(Snapshot& snapshot, SessionsSeen seen)
{
    if (!m_probe || m_failure)
        return false;
    m_probe->finish(snapshot, seen);
    return true;
}

} // namespace lockscope::monitor
