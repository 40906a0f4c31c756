// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/monitor/SnapshotSource.h"
#include "core/order/OrderOfLooks.h"
#include "core/scenario/run/StepRun.h"

#include <map>

namespace lockscope::scenario {

/// What the sessions of a run hold after each step: by the monitor's look at the server, where PostgreSQL
/// shows no locks of rows by the rows themselves, and by the names that the steps have for their locks.
/// Names are without what only keeps runs apart, so that looks of several runs go together. One thread.
class StepLooks {
public:
    /// Nothing is asked before look(). `run` must outlive it and not be restarted.
    explicit StepLooks(const StepRun& run);
    ~StepLooks();
    Q_DISABLE_COPY_MOVE(StepLooks)

    /// Before the step of that session.
    void expect(int session);
    /// After it. Blocks.
    Result<order::Look> look(const std::stop_token& stop);
    /// "A3": the latest step of a session.
    QString stepOf(SessionKey session) const;

private:
    SnapshotPtr ofRun(const Snapshot& seen);
    QString shown(QString name) const;
    QString statementOf(int session) const;
    int numberOf(SessionId session) const;
    void nameAcquired(Snapshot& snapshot);
    Result<void> addRows(order::Look& look, const std::stop_token& stop);
    Result<void> readKeys(const std::stop_token& stop);

    const StepRun& m_run;
    std::unique_ptr<monitor::SnapshotSource> m_source;
    std::unique_ptr<db::Connection> m_connection;
    std::map<QString, db::Statement> m_lockedRows; ///< by table
    QHash<ResourceKey, QString> m_appLocks; ///< by what the server has for them
    QString m_expected; ///< the name that the step acquires
    bool m_isTry = false; ///< and gives up if somebody else has it
    int m_stepping = 0;
    order::LookReader m_reader;
};

} // namespace lockscope::scenario
