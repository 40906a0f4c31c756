// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"
#include "core/scenario/run/Judge.h"

namespace lockscope::scenario {

/// The place of one run: a schema of its own (SQLite: a file of its own), which its sessions find first.
/// Lives as long as the run and is removed with it. An application lock of its owner's session (SQLite: a
/// locked file beside it) shows that the run lives; it ends with the program, however that ends. Bound to the
/// thread that made it.
class RunSchema {
public:
    /// Makes the area and runs the set-up of scenario and variant. Blocks. `server` is not `sandbox:`.
    static Result<std::unique_ptr<RunSchema>> create(const db::Server& server, const Scenario& scenario,
        const Variant& variant, const Values& values, const QHash<QString, QString>& identifiers,
        const std::stop_token& stop);
    virtual ~RunSchema() = default;
    Q_DISABLE_COPY_MOVE(RunSchema)

    /// Removes what runs have left whose program is gone, on the server and in files on this machine, and
    /// leaves those alone that live. Returns how many were removed. Those that can't be are tried again the
    /// next time. Blocks.
    static Result<int> removeRemains(const db::Server& server);
    static int removeRemainingFiles(); ///< those on this machine only

    const QString& id() const { return m_id; } ///< "run_3f9c…"
    /// Returns the server that sessions connect to.
    const db::Server& server() const { return m_server; }
    /// Returns the schema of the run's tables; empty for SQLite.
    const QString& schema() const { return m_schema; }
    /// Returns the prefix of the names of locks, which all runs of a database share.
    QString lockPrefix() const { return m_id + u'/'; }
    /// Returns the name of a session: "run_3f9c…/7 cashier".
    QString sessionName(int session, const QString& role) const;
    /// Quoted, for the places of statements.
    QString identifier(const QString& name) const;

    /// Returns the number of violations in the database; nothing if the invariant has no query. May be called
    /// while the run goes on. BadInput if the answer is no number.
    Result<std::optional<InvariantCount>> violations(const Invariant& invariant);
    /// Cancels what the run's sessions are doing, all at once, where the engine can; the sessions don't stop
    /// by that.
    virtual void cancelStatements() { }
    /// Keeps what the tables hold now, for restore(). Unsupported where that can't be done.
    virtual Result<void> remember();
    /// Gives the tables back what they held, and takes the locks out of the lock table that belong to the
    /// run.
    virtual Result<void> restore() { return remember(); }
    /// Teardown, and the end of all that the run has made. Once; the destructor does it otherwise.
    virtual Result<void> remove() = 0;

protected:
    RunSchema(QString id, db::Server server, QString schema);
    Result<void> connect();
    Result<void> setUp(
        const Scenario& scenario, const Variant& variant, const Values& values, const std::stop_token& stop);
    Result<void> runScript(const ScriptByEngine& script, const QString& title, const std::stop_token& stop);
    void tearDown() { std::ignore = runScript(m_teardown, QStringLiteral("teardown"), {}); }
    /// Prepares what the engine needs before the set-up.
    virtual Result<void> begin(const Variant& variant) = 0;

    const QString m_id;
    const db::Server m_server;
    const QString m_schema;
    QHash<QString, QString> m_identifiers; ///< by name, not quoted
    Values m_values;
    ScriptByEngine m_teardown;
    std::unique_ptr<db::Connection> m_connection;
};

/// Names of the tables that the variant takes as locks.
QStringList lockedTables(const Variant& variant);
bool usesLocks(const Variant& variant, locks::LockKind kind);
/// True if the script makes procedures. Only SQL Server asks for a right of its own for that.
bool makesProcedures(const ScriptByEngine& script);

/// The rights that a run needs on a server and that this login lacks there.
struct RunRights {
    QString database; ///< in which it would take place
    QString missing; ///< a sentence; empty: a run can begin
    QString remedy; ///< a statement for an administrator, or what to do; empty with `missing`

    bool operator==(const RunRights&) const = default;
};

/// The objects that a run uses besides tables of its own.
struct RunNeeds {
    bool names = false; ///< of the lock table
    bool procedures = false; ///< its set-up makes some

    bool operator==(const RunNeeds&) const = default;
};

/// Asks before anything is made; changes nothing. Blocks for a connection of its own and a round trip.
/// `server` is not `sandbox:`.
Result<RunRights> rightsToRun(const db::Server& server, const RunNeeds& needs);

} // namespace lockscope::scenario
