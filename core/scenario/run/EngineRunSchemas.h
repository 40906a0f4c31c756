// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/ServerRunSchema.h"

#include <QDir>
#include <QLockFile>

namespace lockscope::scenario {

// The place of a run on each engine; for RunSchema.

class PostgresRunSchema final : public ServerRunSchema {
public:
    PostgresRunSchema(const QString& id, const db::Server& server);

    void cancelStatements() override;
    Result<void> remember() override;
    Result<void> restore() override;
    static Result<int> removeRemains(const db::Server& server);

private:
    static Result<void> empty(db::Connection& connection, const QString& schema);

    bool m_hasLockTable = false;
    QByteArray m_restoring; ///< a script; empty before remember()
};

/// Sessions don't find the schema by themselves: statements name it as {schema}.
class SqlServerRunSchema final : public ServerRunSchema {
public:
    SqlServerRunSchema(const QString& id, const db::Server& server);

    static Result<int> removeRemains(const db::Server& server);

private:
    static Result<void> empty(db::Connection& connection, const QString& schema);
};

/// A file of its own in the user's cache: nothing happens to the file of the URL.
class SqliteRunSchema final : public RunSchema {
public:
    explicit SqliteRunSchema(const QString& id);
    ~SqliteRunSchema() override;

    Result<void> remove() override;
    static int removeRemains();
    static QDir folder();

private:
    Result<void> begin(const Variant& variant) override;

    QLockFile m_alive;
};

} // namespace lockscope::scenario
