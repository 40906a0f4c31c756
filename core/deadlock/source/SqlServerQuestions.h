// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/deadlock/source/DeadlockSource.h"

namespace lockscope::deadlock {

/// Runs the queries of one poll and notes their cost in it. Of the thread of its connection.
class SqlServerQuestions {
public:
    SqlServerQuestions(db::Connection& connection, SourcePoll& poll, const std::stop_token& stop)
        : m_connection(connection)
        , m_poll(poll)
        , m_stop(stop)
    {
    }

    /// Runs all in one round trip, between two readings of the server's clock. Each has its own result.
    std::vector<Result<qint64>> ask(std::span<const db::BatchItem> items);
    Result<qint64> ask(const char* statement, std::vector<db::Param> params, const db::RowSink& sink);
    /// The server's clock at the last question; invalid if it did not answer.
    ServerTime now() const { return m_now; }

    /// True for an error of more than one source of reports: there is no connection any more, or nobody waits
    /// for the answer.
    static bool isFatal(const Error& error);

private:
    db::Connection& m_connection;
    SourcePoll& m_poll;
    const std::stop_token m_stop;
    ServerTime m_now;
};

} // namespace lockscope::deadlock
