// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/LockTableProbe.h"
#include "core/monitor/SnapshotSource.h"
#include "core/monitor/SourceConnection.h"

#include <optional>

namespace lockscope::monitor {

/// The lock tables of an SQLite file. Sessions and engine locks can't be seen from outside there: that is a
/// Limitation of every snapshot.
class SqliteSnapshotSource : public SnapshotSource {
public:
    SqliteSnapshotSource(const db::ServerProfile& profile, db::PasswordProvider passwords);
    Result<SnapshotPtr> take(std::stop_token stop) override;

private:
    Result<void> connect(std::stop_token stop);
    Result<SnapshotPtr> poll(const std::stop_token& stop);

    db::ServerProfile m_profile;
    SourceConnection m_connection;
    std::optional<LockTableProbe> m_lockTables;
    quint64 m_number = 0;
};

} // namespace lockscope::monitor
