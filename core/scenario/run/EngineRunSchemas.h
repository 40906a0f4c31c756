// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/RunSchema.h"

#include <QDir>
#include <QLockFile>

namespace lockscope::scenario {

/// A schema of the run's own on a server, with a mark by which the remains of a crash are found.
class ServerRunSchema : public RunSchema {
public:
    ~ServerRunSchema() override { std::ignore = ServerRunSchema::remove(); }

    Result<void> remove() override;

protected:
    /// The work to be done before this engine drops the schema.
    using Emptying = Result<void> (*)(db::Connection& connection, const QString& schema);

    ServerRunSchema(const QString& id, const db::Server& server, Emptying emptying);
    static Result<int> removeRemainsBy(Emptying emptying, const db::Server& server);

    static QString schemaOf(const QString& id);
    static QString idOf(const QString& schema);
    static Result<void> run(db::Connection& connection, const db::Statement& statement,
        std::initializer_list<db::Param> params = {});
    /// Removes the rows of runs in tables that are not their own: entries and waiters of the lock table.
    static void forgetLocks(db::Connection& connection, const QString& id);

private:
    Result<void> begin(const Variant& variant) override;
    Result<void> makeSchema();
    Result<void> makeSurrogates(const Variant& variant);
    static Result<void> drop(db::Connection& connection, const QString& schema, Emptying emptying);

    const Emptying m_emptying;
    std::unique_ptr<locks::LockStrategy> m_strategy;
    locks::Grant m_alive;
    bool m_isRemoved = false;
};

// The place of a run on each engine; for RunSchema.

class PostgresRunSchema final : public ServerRunSchema {
public:
    PostgresRunSchema(const QString& id, const db::Server& server);

    void cancelStatements() override;
    Result<void> remember() override;
    Result<void> restore() override;
    static Result<int> removeRemains(const db::Server& server) { return removeRemainsBy(empty, server); }

private:
    static Result<void> empty(db::Connection& connection, const QString& schema);

    bool m_hasLockTable = false;
    QByteArray m_restoring; ///< a script; empty before remember()
};

/// Sessions don't find the schema by themselves: statements name it as {schema}.
class SqlServerRunSchema final : public ServerRunSchema {
public:
    SqlServerRunSchema(const QString& id, const db::Server& server);

    static Result<int> removeRemains(const db::Server& server) { return removeRemainsBy(empty, server); }

private:
    static Result<void> empty(db::Connection& connection, const QString& schema);
};

/// A file of its own in the user's cache: nothing happens to the file of the URL.
class SqliteRunSchema final : public RunSchema {
public:
    explicit SqliteRunSchema(const QString& id);
    ~SqliteRunSchema() override { std::ignore = remove(); }

    Result<void> remove() override;
    static int removeRemains();
    static QDir folder();

private:
    Result<void> begin(const Variant& variant) override;

    QLockFile m_alive;
};

} // namespace lockscope::scenario
