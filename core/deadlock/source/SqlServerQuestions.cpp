// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/SqlServerQuestions.h"

namespace lockscope::deadlock {

std::vector<Result<qint64>> SqlServerQuestions::ask(std::span<const db::BatchItem> items)
{
    const db::Statement& clock = db::Statement::get("sqlserver/monitor/clock");
    std::vector<ServerTime> clocks;
    const db::RowSink tell = [&clocks](const db::Row& row) { clocks.push_back(row.time(0)); };
    std::vector<db::BatchItem> all{{.statement = &clock, .sink = tell}};
    all.insert(all.end(), items.begin(), items.end());
    all.push_back({.statement = &clock, .sink = tell});
    auto results = m_connection.executeBatch(all, m_stop);
    ++m_poll.roundTrips;
    if (clocks.size() == 2)
        m_poll.serverTime += clocks[1] - clocks[0];
    if (!clocks.empty())
        m_now = clocks.back();
    // The first result has the error that ended them all.
    if (!results.front() && isFatal(results.front().error()))
        return std::vector<Result<qint64>>(items.size(), results.front());
    return {results.begin() + 1, results.end() - 1};
}

Result<qint64> SqlServerQuestions::ask(
    const char* statement, std::vector<db::Param> params, const db::RowSink& sink)
{
    const db::BatchItem item{
        .statement = &db::Statement::get(statement), .params = std::move(params), .sink = sink};
    return ask(std::span(&item, 1)).front();
}

bool SqlServerQuestions::isFatal(const Error& error)
{
    return error.kind == ErrorKind::Connection || error.kind == ErrorKind::Login
        || error.kind == ErrorKind::Cancelled;
}

} // namespace lockscope::deadlock
