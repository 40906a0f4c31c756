// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/admin/ServerAdminClient.h"
#include "core/db/ServerProfile.h"
#include "core/domain/BlockingGraph.h"
#include "core/locks/HeldLock.h"
#include "core/monitor/History.h"
#include "core/monitor/ServerMonitor.h"

#include "ui/AgeThresholds.h"

#include <QObject>

#include <functional>
#include <memory>

namespace lockscope::ui {

/// One open server: its monitor, its way to act, its history. GUI thread; nothing here waits for a server.
class ServerSession : public QObject {
    Q_OBJECT

public:
    struct Options {
        db::PasswordProvider passwords = db::defaultPasswords();
        milliseconds interval{2'000};
        monitor::ProbeSelection probes;
        bool demo = false; ///< start the demo workload on it (sandbox only)
    };

    ServerSession(const db::ServerProfile& profile, const Options& options, QObject* parent = nullptr);
    /// Polls what `source` gives; for tests and pictures. No acts.
    ServerSession(const db::ServerProfile& profile, monitor::ServerMonitor::SourceFactory source,
        const Options& options, QObject* parent = nullptr);
    ~ServerSession() override;

    const db::ServerProfile& profile() const { return m_profile; }
    monitor::ServerMonitor& monitor() { return *m_monitor; }
    const monitor::ServerMonitor& monitor() const { return *m_monitor; }
    admin::ServerAdminClient* admin() { return m_admin.get(); }
    /// A lock of this window's own, not started; null for a session that only shows a source.
    std::unique_ptr<locks::HeldLock> makeLock(const locks::LockOptions& lock) const;
    /// For work on other threads; none for a session that only shows a source.
    const std::optional<db::Server>& server() const { return m_server; }
    const monitor::History& history() const { return m_history; }
    const monitor::Figures& figures() const { return m_figures; }
    void setProbes(const monitor::ProbeSelection& probes);
    void allowLocalAudit() { m_profile.localAudit = true; }

    /// Time since the latest good snapshot; zero before the first one was asked for.
    milliseconds dataAge() const;
    bool isOld() const; ///< paused, failed or silent: what is shown may be over by now

Q_SIGNALS:
    void snapshotChanged(); ///< figures and history are up to date
    void healthChanged();
    void demoFailed(const QString& reason);
    /// Scenarios that were killed had left something there; it is gone now.
    void remainsRemoved(int runs);

private:
    class Demo;
    void watch(const Options& options);
    void takeSnapshot();
    void removeRemains();

    db::ServerProfile m_profile;
    std::optional<db::Server> m_server;
    std::unique_ptr<monitor::ServerMonitor> m_monitor;
    std::unique_ptr<admin::ServerAdminClient> m_admin;
    std::shared_ptr<Demo> m_demo;
    monitor::History m_history;
    monitor::Figures m_figures;
    bool m_wasReached = false;
};

/// "Live", "Connecting", "Paused" … and the level that goes with it.
QString healthWord(monitor::Health health);
AgeLevel healthLevel(monitor::Health health);

} // namespace lockscope::ui
