// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/credentials/Secrets.h"
#include "core/locks/LockStrategy.h"
#include "tests/support/tds/Odbc.h"

#include <memory>

namespace lockscope::test {

/// A database of SQL Server for one test: a new one on the server that LOCKSCOPE_TEST_SQLSERVER names
/// (sqlserver://user@host/database?…, the password in LOCKSCOPE_TEST_SQLSERVER_PASSWORD or
/// LOCKSCOPE_PASSWORD), with the schema; else the test double.
///
/// The databases of a real server are called lockscope_test_<machine>_<process>_<number>. They go with the
/// rig; what crashed programs of this machine left goes when the next rig is made. Who may not create
/// databases gets the URL's one, one test after the other, if Lockscope is not installed in it: its schema
/// goes with the rig, too.
class SqlServerRig {
public:
    /// There is a server to run against; not the double.
    static bool isReal();
    /// The rigs from now on are reached with this driver. Why the test can't be run with it; empty = it can.
    /// A real server's URL names the driver, so it is run against with one row alone.
    static QString use(tds::OdbcDriver driver);

    SqlServerRig();
    ~SqlServerRig();
    Q_DISABLE_COPY_MOVE(SqlServerRig)

    const db::ServerUrl& url() const { return m_url; }
    db::PasswordProvider passwords() const;
    /// Opens or ends the program with the reason.
    std::unique_ptr<db::Connection> connect(const db::ConnectOptions& options = {}) const;

    // These run a statement by the name of its file in tests/support/sqlserver/, which the double understands
    // as well:
    qint64 number(const char* file, std::initializer_list<db::Param> parameters) const;
    void endSession(qint64 id) const;
    /// Without it, nobody can know which lock a session waits for.
    bool hasLockView() const;
    /// Its procedures can't wait: AcquireLock answers 2, "call again".
    bool isBabelfish() const;

    /// Returns what the server lacks for locks of this kind to be tested; empty = nothing.
    static QString reasonAgainst(locks::LockKind kind);

private:
    struct Double;

    void makeDatabase();
    void borrowDatabase();

    const std::unique_ptr<Double> m_double; ///< null on a real server
    db::ServerUrl m_url;
    std::unique_ptr<db::Connection> m_owner; ///< at the database that the environment names
    QString m_made; ///< the database of our own
    mutable std::unique_ptr<db::Connection> m_witness;
};

} // namespace lockscope::test
