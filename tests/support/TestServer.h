// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/sandbox/Sandbox.h"
#include "tests/support/Files.h"
#include "tests/support/OrDie.h"

#include <atomic>
#include <optional>

namespace lockscope::test {

/// SQL that a test makes up. The product's own SQL is in schema/.
db::Statement sqlStatement(const QString& sql);

/// Puts a cluster as initdb leaves it into an empty directory for a sandbox: much faster than initdb.
void copyClusterTo(const QString& directory);

/// A new directory that a server can be put into. Only that server's supervisor removes it.
QString emptyServerDirectory();

/// A private PostgreSQL server for one test program: started on first use, gone with the program, however
/// that ends. A failure to start ends the program: no test could go on. Any thread.
class TestServer {
public:
    enum class Schema { Install, None };

    static TestServer& shared();
    /// Most tests use the shared one. A crowd needs a larger server, which answers each poll more slowly.
    explicit TestServer(sandbox::Sandbox::Capacity capacity = {});
    /// Returns the capacity of a server that standbys can follow (see Standby.h); it listens on a port of
    /// 127.0.0.1, too.
    static sandbox::Sandbox::Capacity replicating();
    ~TestServer();
    Q_DISABLE_COPY_MOVE(TestServer)

    /// Database "lockscope" with the schema, as superuser "lockscope". Tests share it: prefer freshDatabase.
    db::ServerUrl url() const;
    QString password() const;
    /// The server's first process, for tests that stop it for a while.
    qint64 processId() const;
    /// Returns the passwords, also of every role made by asRole.
    db::PasswordProvider passwords() const;
    db::Server at(const db::ServerUrl& url) const { return db::Server::at(url, passwords()); }

    /// Returns the server's log so far.
    QString log() const;
    /// Encrypts connections over TCP from now on, to clients that ask for it; for a replicating() server.
    /// Returns false if the server was built without that.
    [[nodiscard]] bool encrypt();

    /// Makes a new database that no other test uses, and runs `sql` in it.
    db::ServerUrl freshDatabase(Schema schema = Schema::Install, const QString& sql = {});
    db::ServerUrl freshDatabase(const QString& sql) { return freshDatabase(Schema::Install, sql); }
    /// Removes the schema and the roles that its first installation made. Later databases have no schema,
    /// either, unless it is installed again.
    void removeSchema();
    /// Opens or ends the program with the reason. For SQL of a test's own: it finds names in `public`, too.
    std::unique_ptr<db::Connection> connect(
        const db::ServerUrl& url, const db::ConnectOptions& options = {}) const;
    std::unique_ptr<db::Connection> connect() const { return connect(url()); }
    /// Runs SQL in `url`'s database as superuser. Several statements are one transaction.
    void run(const db::ServerUrl& url, const QString& sql) const;
    /// The same server and database as a new login role without any right but those that `sql` gives:
    /// "{role}" in it stands for the role's name, e.g. "GRANT pg_read_all_stats TO {role}". May be empty.
    db::ServerUrl asRole(const db::ServerUrl& url, const QString& sql = {});
    /// The same over TCP, for a replicating() server: for lists of hosts.
    db::ServerUrl overTcp(db::ServerUrl url) const;

protected:
    /// Starts what is in `directory`, which then belongs to the server.
    TestServer(const QString& directory, sandbox::Sandbox::Capacity capacity);
    QString filePath(const QString& name) const { return m_directory + QLatin1Char('/') + name; }

private:
    friend class Standby;
    const QString m_directory; ///< the supervisor removes it, once the server is down
    std::unique_ptr<sandbox::Sandbox> m_sandbox;
    std::atomic<int> m_names = 0;
};

/// Runs SQL that a test makes up, as Connection::execute does.
Result<qint64> runSql(db::Connection& connection, const QString& sql,
    std::initializer_list<db::Param> params = {}, const db::RowSink& sink = {}, std::stop_token stop = {});
/// The first column of the last row, as text; or what went wrong.
QString ask(db::Connection& connection, const QString& sql, std::initializer_list<db::Param> params = {});

/// Returns the options with which the monitor connects.
db::ConnectOptions monitorOptions(
    milliseconds statementTimeout, milliseconds connectTimeout = milliseconds(5'000));

/// An SQLite file as a server.
inline db::ServerUrl fileUrl(const QString& path)
{
    db::ServerUrl url;
    url.engine = Engine::Sqlite;
    url.database = path;
    return url;
}

/// Returns the address of a file that is not there yet.
inline db::ServerUrl freshFile()
{
    return fileUrl(freshPath(QStringLiteral("locks.db")));
}

/// Opens it, and makes it if it is not there; ends the program if it can't.
inline std::unique_ptr<db::Connection> openFile(const db::ServerUrl& url, db::ConnectOptions options = {})
{
    options.createFile = true;
    return orDie(db::Server::at(url, db::fixedPassword({})).connect(options));
}

/// A server's profile with nothing but its address, and perhaps a name.
inline db::ServerProfile profileOf(const db::ServerUrl& url, const QString& name = {})
{
    db::ServerProfile profile;
    profile.name = name;
    profile.url = url;
    return profile;
}

inline db::ServerProfile profileOf(const char* url, const QString& name = {})
{
    return profileOf(db::ServerUrl::parse(QLatin1String(url)).value(), name);
}

/// A server of the name that SnapshotBuilder gives; nobody listens there.
inline db::ServerProfile shopProfile()
{
    return profileOf("postgresql://ann@db1/shop", QStringLiteral("shop@db1"));
}

} // namespace lockscope::test
