// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/ScenarioFile.h"
#include "tests/support/Environment.h"
#include "tests/support/TestServer.h"

#include <memory>

class QProcess;

namespace lockscope::test {

/// Where a test runs scenarios: a fresh database, a file for lock tables, a folder for scenarios of the
/// user's own, in this program and in those that it starts; and a look at what runs left behind. One thread.
class ScenarioRig {
public:
    explicit ScenarioRig(TestServer& server = TestServer::shared());
    ~ScenarioRig();
    Q_DISABLE_COPY_MOVE(ScenarioRig)

    /// Those that come with the program.
    static const scenario::Library& shipped();
    static scenario::ScenarioPtr shipped(const QString& id);

    db::ServerUrl url(Engine engine = Engine::Postgres) const;
    db::PasswordProvider passwords() const { return m_server.passwords(); }
    /// In the user's folder.
    QString file(const QString& name) const { return m_folder.filePath(name); }

    /// Runs SQL in the database, as a superuser.
    void run(const QString& sql) const { m_server.run(url(), sql); }
    /// The answer's first number.
    qint64 number(const QString& sql) const;
    qint64 schemas() const; ///< that runs made
    qint64 sessions() const; ///< of runs
    /// What runs left behind in the database, "" if nothing; waits a while for their sessions.
    QString remains() const;

    /// `lockctl scenario` on the database, started.
    std::unique_ptr<QProcess> lockctl(const QStringList& arguments) const;

private:
    TestServer& m_server;
    QTemporaryDir m_folder;
    db::ServerUrl m_url;
    std::unique_ptr<db::Connection> m_witness;
    const Variable m_cache;
    const Variable m_scenarios;
};

} // namespace lockscope::test
