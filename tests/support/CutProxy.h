// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerUrl.h"

#include <QTemporaryDir>
#include <QThread>

#include <functional>

namespace lockscope::test {

/// Stands between clients and a PostgreSQL server's socket, and may cut all connections or keep back whatever
/// they send, as a network does.
class CutProxy {
public:
    explicit CutProxy(const db::ServerUrl& server);
    ~CutProxy();
    Q_DISABLE_COPY_MOVE(CutProxy)

    /// The server as seen through the proxy.
    const db::ServerUrl& url() const { return m_url; }
    /// All connections end; new ones may be made.
    void cut();
    /// While stalled nothing passes, in neither direction; it comes late then.
    void stall(bool isStalled);

private:
    class Relay;
    void within(const std::function<void()>& act);

    QTemporaryDir m_directory;
    db::ServerUrl m_url;
    QThread m_thread;
    Relay* m_relay = nullptr; ///< of the thread
};

} // namespace lockscope::test
