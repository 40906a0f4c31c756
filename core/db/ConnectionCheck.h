// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/Server.h"

#include <QString>

#include <functional>
#include <stop_token>
#include <vector>

namespace lockscope::db {

/// One thing that a check of a server found out.
struct CheckStep {
    enum class Outcome {
        Good,
        Note, ///< it works, but there is something to know
        Failed, ///< the way ends here
    };
    QString key; ///< for programs: "host", "rights"; several steps may have one key
    QString name; ///< "Host name"
    Outcome outcome = Outcome::Good;
    QString finding{}; ///< the finding, or the whole error
    QString remedy{}; ///< the statement or command that mends it: "GRANT …"; may be empty

    bool operator==(const CheckStep&) const = default;
};
using CheckSink = std::function<void(const CheckStep&)>;

// The checks of a server, by engine.

/// Connects to a SQL Server step by step – driver, host name, port, encryption, login – then reports what the
/// session found out about it: version, database, rights, views, schema. Ends with the first step that fails,
/// or soon after `stop`. Blocks for as long as the connect time-out. True if none failed.
bool checkSqlServer(const Server& server, const ConnectOptions& options, const CheckSink& tell,
    const std::stop_token& stop = {});
/// Connects to a PostgreSQL server and reports what the session finds out: version, login, encryption,
/// database, the settings that decide about locks, rights, schema. As checkSqlServer() otherwise; errors on
/// the way to the server are libpq's own.
bool checkPostgres(const Server& server, const ConnectOptions& options, const CheckSink& tell,
    const std::stop_token& stop = {});
/// Checks, as checkPostgres(), a file of SQLite: version, file, journal, schema.
bool checkSqlite(const Server& server, const ConnectOptions& options, const CheckSink& tell,
    const std::stop_token& stop = {});

// Steps of a check that are the same on engines whose driver says itself what is wrong on the way.

/// Checks which version of Lockscope's schema there is, whether it is to be trusted, and who owns it. Blocks
/// for a few round trips. Failed only if nothing can be found out.
CheckStep checkSchema(Connection& connection);
/// Reports the version, or why there is no connection. Returns false if there is no going on.
bool reportOpened(const Result<std::unique_ptr<Connection>>& connection, const CheckSink& tell,
    const std::stop_token& stop);
/// Reports the schema's owner and everybody's rights in it. Returns false if it can't be used.
bool reportSchema(Connection& connection, const CheckSink& tell, const std::stop_token& stop);
void reportUnread(const QString& key, const QString& name, const Error& error, const CheckSink& tell);

/// Checks whether the rights and roles of the objects that Lockscope has installed in a database of
/// PostgreSQL are those of the installation: a step for each difference, with the statement that mends it,
/// and one for logins that may do all the same. One step says so if there is no difference; none if there is
/// nothing of ours, or of another engine. Blocks for a few round trips.
std::vector<CheckStep> checkRights(Connection& connection);

} // namespace lockscope::db
