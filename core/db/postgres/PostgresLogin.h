// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"

#include <QMap>
#include <QString>

#include <libpq-fe.h>
#include <memory>

namespace lockscope::db {

/// One connect of libpq, driven step by step instead of by PQconnectdb: that takes no notice of its time-out
/// while a server goes on sending, prints notices to stderr, and reads without end.
///
/// Each address has the parameters' connect_timeout, as with libpq; a server that accepts and then does not
/// let us in within it, or sends too much, is passed over, and the next host of the parameters is tried.
class PostgresConnect {
public:
    struct Close {
        void operator()(PGconn* pg) const { PQfinish(pg); }
    };
    using Handle = std::unique_ptr<PGconn, Close>;
    using Parameters = QMap<QString, QString>; ///< libpq's, by name

    explicit PostgresConnect(Parameters parameters);

    /// Blocks. The handle, open or not; see isOpen() and text().
    Handle run(PGVerbosity verbosity = PQERRORS_DEFAULT);
    static bool isOpen(const Handle& handle) { return handle && PQstatus(handle.get()) == CONNECTION_OK; }
    /// Returns why it is not open, of each host; with the secrets that servers repeat.
    const QString& text() const { return m_text; }

private:
    enum class End { Open, Refused, Silent, TooMuch };

    Handle start(PGVerbosity verbosity) const;
    End drive(PGconn* pg);
    bool nextHost(const PGconn* pg);

    Parameters m_parameters;
    QString m_text;
};

/// Returns the value that libpq was given, or took from its environment or a service file; frees `options`.
QString sslModeOf(PQconninfoOption* options);
/// Returns a message of libpq, which may have several lines, in one: each line is a sentence there.
QString libpqText(const QString& lines);

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
