// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/format/ScenarioFile.h"
#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"

namespace lockscope::test {

/// The place where a test runs scenarios: a fresh database, a file for lock tables, a folder for scenarios of
/// the user's own, in this program and in those that it starts. It also shows what runs left behind. One
/// thread.
class ScenarioRig {
public:
    explicit ScenarioRig(TestServer& server = TestServer::shared());
    ~ScenarioRig();
    Q_DISABLE_COPY_MOVE(ScenarioRig)

    /// Those that come with the program.
    static const scenario::Library& shipped();
    static scenario::ScenarioPtr shipped(const QString& id);
    /// One that a test makes up; ends the program if it is not well-formed.
    static scenario::ScenarioPtr made(const QByteArray& text);
    /// The text of one called "made", whose sessions do these steps. `more` are members of it, each with a
    /// comma behind it.
    static QByteArray textDoing(const QByteArray& steps, const QByteArray& more = {},
        const QByteArray& invariant = QByteArrayLiteral("SELECT 0"));
    static scenario::ScenarioPtr doing(const QByteArray& steps, const QByteArray& more = {})
    {
        return made(textDoing(steps, more));
    }
    /// All its sessions but one wait for ever for a lock that is never given back.
    static scenario::ScenarioPtr hanging();

    db::ServerUrl url(Engine engine = Engine::Postgres) const;
    db::PasswordProvider passwords() const { return m_server.passwords(); }
    db::Server server(Engine engine = Engine::Postgres) const { return m_server.at(url(engine)); }
    /// Returns the path of a file in the user's folder.
    QString file(const QString& name) const { return m_folder.filePath(name); }

    /// Runs SQL in the database, as a superuser.
    void run(const QString& sql) const { m_server.run(url(), sql); }
    /// The answer's first number.
    qint64 number(const QString& sql) const;
    qint64 schemas() const; ///< that runs made
    qint64 sessions() const; ///< of runs
    qint64 waiting() const; ///< sessions for a lock, in the whole server
    /// Returns what runs left behind in the database, "" if nothing; waits a while for their sessions.
    QString remains() const;

    /// `lockctl scenario` on the database, started.
    std::unique_ptr<QProcess> lockctl(const QStringList& arguments) const;
    template <class... Values>
    std::unique_ptr<QProcess> lockctl(const char* line, const Values&... values) const
    {
        return lockctl(Lockctl::words(line, values...));
    }

private:
    TestServer& m_server;
    QTemporaryDir m_folder;
    db::ServerUrl m_url;
    std::unique_ptr<db::Connection> m_witness;
    const Variable m_cache;
    const Variable m_scenarios;
};

} // namespace lockscope::test
