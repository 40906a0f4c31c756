// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/postgres/PostgresConnect.h"

namespace lockscope::db {

/// Logs in to a server, or to a pooler in front of it. Connects by libpq itself: Qt's driver
/// would send statements of its own, resolved in whatever search_path the server has, before anybody could
/// set one, and would leave a setting of its own behind in a pooler's session.
///
/// Options of the URL that are ours and not libpq's:
///   pooler=session      a pooler stands between that gives us a session of our own (PgBouncer's
///                       pool_mode = session), so that settings and locks of the session may be used
///   pooler=transaction  one that does not: assumed of every pooler that is noticed
///   schema_owner=name   a role that the session trusts with its rights; see SchemaTrust.h
///   run_schema=name     where a workload's own SQL finds and makes its objects; ignored for other purposes
class PostgresLogin {
public:
    using Handle = PostgresConnect::Handle;
    enum class Pooler { Unknown, Session, Transaction };

    /// BadInput if an option of the URL can't be used.
    static Result<PostgresLogin> from(
        const ServerUrl& url, const QString& password, const ConnectOptions& options);

    /// Blocks up to the connect time-out of each host that the URL names.
    Result<Handle> connect() const;

    Pooler pooler() const { return m_pooler; }
    /// Set after the login: PgBouncer would leave one that comes with it to clients that have none.
    const QString& applicationName() const { return m_applicationName; }
    const QString& runSchema() const { return m_runSchema; }

private:
    explicit PostgresLogin(const ServerUrl& url)
        : m_url(url)
    {
    }
    Result<void> takeOptions(Purpose purpose, const QString& programSuffix);
    std::pair<QString, QString> encryptionsToTry() const;
    Error refusal(const QString& text) const;
    bool isAnswered() const;

    ServerUrl m_url; ///< its options are libpq's only
    QMap<QString, QString> m_parameters; ///< libpq's
    Pooler m_pooler = Pooler::Unknown;
    QString m_applicationName;
    QString m_runSchema;
};

} // namespace lockscope::db
