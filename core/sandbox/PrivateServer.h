// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/sandbox/Account.h"
#include "core/sandbox/ChildProcess.h"
#include "core/sandbox/Layout.h"
#include "core/sandbox/Sandbox.h"

#include "core/base/ServerTime.h"

#include <QDeadlineTimer>

namespace lockscope::sandbox {

/// The PostgreSQL server of a sandbox, as its supervisor sees it: makes the cluster on first use, starts and
/// stops the server. One thread, one process.
class PrivateServer {
public:
    PrivateServer(Layout layout, QString programs, bool durable, Sandbox::Capacity capacity)
        : m_layout(std::move(layout))
        , m_programs(std::move(programs))
        , m_durable(durable)
        , m_capacity(capacity)
    {
    }

    /// Returns when the server accepts connections.
    Result<void> start(const QDeadlineTimer& deadline);
    bool hasEnded() { return !m_postgres || m_postgres->status().has_value(); }
    enum class Manner { Clean, Crash }; ///< with a checkpoint, or as if the power failed (quick)
    /// Ends all sessions and returns when the server is gone.
    void stop(Manner manner);
    /// The log grows with every wait for a lock; only its newest part is of interest.
    void trimLog() const;

private:
    Result<void> makeCluster();
    Result<void> runInitdb(const QString& data, const QString& passwordFile);
    Result<void> createDatabase(const QString& data);
    Result<void> removeStalePidFile() const;
    Result<void> waitUntilReady(const QDeadlineTimer& deadline);
    Result<void> run(ChildProcess::Command command, const QString& whatFailed);
    QStringList settings() const;

    const Layout m_layout;
    const QString m_programs;
    const bool m_durable;
    const Sandbox::Capacity m_capacity;
    Descriptor m_log;
    std::optional<FileLock> m_lock;
    std::optional<ChildProcess> m_postgres;
};

} // namespace lockscope::sandbox
