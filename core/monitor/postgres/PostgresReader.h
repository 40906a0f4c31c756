// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/LiveConnection.h"
#include "core/monitor/FrameworkProbe.h"

#include <stop_token>

namespace lockscope::monitor {

/// Reads frameworks' and attached tables by a connection of its own, of the role that the URL's option
/// `reader` names: whatever a table runs there, runs with that role's rights, which are next to none. A role
/// with more is refused, and no table is read then. Poll thread only.
class PostgresReader {
public:
    /// Returns null if the URL names no reader.
    static std::unique_ptr<PostgresReader> of(const db::Server& server);

    explicit PostgresReader(db::Server server);

    /// Reads as part of a poll, and connects if need be. A failure costs only these tables, and is shown as a
    /// limitation.
    void poll(Snapshot& snapshot, bool readsRows, const std::stop_token& stop);
    /// Ends a poll, as FrameworkProbe::finish; false: nothing was read.
    bool finish(Snapshot& snapshot, SessionsSeen seen);

private:
    Result<void> checkRights(const std::stop_token& stop);
    Result<void> makeReady(const std::stop_token& stop);

    db::LiveConnection m_connection;
    const QString m_role;
    std::optional<FrameworkProbe> m_probe; ///< of this connection
    std::optional<Error> m_failure;
};

} // namespace lockscope::monitor
