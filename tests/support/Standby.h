// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/TestServer.h"

namespace lockscope::test {

/// A hot standby: a copy of a primary, made by pg_basebackup, that follows it by streaming. The databases,
/// roles and the password are the primary's. Once promoted, it is a server as any other.
///
///     TestServer primary(TestServer::replicating());
///     Standby standby(primary, Standby::Commit::Synchronous);
///     const auto url = primary.freshDatabase();
///     const auto there = standby.sameDatabase(url);
class Standby : public TestServer {
public:
    enum class Commit {
        Asynchronous, ///< commits of the primary may get lost with it
        Synchronous, ///< the primary's commits wait until they are written here
    };

    /// The primary must be a replicating() one. Returns when it follows.
    Standby(TestServer& primary, Commit commit);
    ~Standby();

    /// Returns the URL of a database of the primary's on this standby.
    db::ServerUrl sameDatabase(const db::ServerUrl& ofPrimary) const;
    /// Returns when all that the primary has committed by now is visible here.
    void catchUp() const;
    /// Makes it a primary; returns when it takes writes. The former primary is not touched: kill or stop it
    /// first if nobody shall write there any more.
    void promote();

private:
    TestServer& m_primary;
};

} // namespace lockscope::test
