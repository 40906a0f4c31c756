// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/db/LiveConnection.h"

#include <atomic>
#include <memory>
#include <optional>

namespace lockscope::record {

/// The connections to one history have this in common. Any thread.
class HistoryAccess {
public:
    /// Counts the connections that were opened: behind each the history may be in an earlier state.
    quint64 openings() const { return m_openings; }
    /// Lets a login that was refused be tried once more.
    void forgive();

private:
    friend class HistoryLink;
    std::optional<Error> refusal() const;

    std::atomic<quint64> m_openings = 0;
    Mutex m_opening; ///< one at a time: of several logins that are refused an account may be locked
    mutable Mutex m_mutex;
    std::optional<Error> m_refusal LOCKSCOPE_GUARDED_BY(m_mutex); ///< of a login
};

/// A connection to a history, for the senders of several recordings, one after another. It is opened when it
/// is needed. One thread.
class HistoryLink {
public:
    HistoryLink(db::Server server, std::shared_ptr<HistoryAccess> access);

    /// Opens unless it is open, and checks the history then. A login that was refused to one of the links is
    /// not tried again by any until HistoryAccess::forgive().
    Result<void> ensureOpen();
    /// To call with each failure of a statement. The next try opens another connection if this one is lost or
    /// the server takes no changes, which it does after a failover.
    void noteFailure(const Error& error);
    /// Returns why the history can't be used by anybody; nothing: it can, as far as is known.
    const std::optional<Error>& failure() const { return m_failure; }
    quint64 uses() const { return m_uses; } ///< counts the calls of ensureOpen()
    quint64 openings() const { return m_access->openings(); }

    db::Connection& operator*() const { return *m_connection; }
    db::Connection* operator->() const { return m_connection.operator->(); }

private:
    Result<void> open();

    db::LiveConnection m_connection;
    const std::shared_ptr<HistoryAccess> m_access;
    std::optional<Error> m_failure;
    quint64 m_uses = 0;
};

} // namespace lockscope::record
