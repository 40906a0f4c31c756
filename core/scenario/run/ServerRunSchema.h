// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/RunSchema.h"

namespace lockscope::scenario {

/// A schema of the run's own on a server, with a mark by which the remains of a crash are found.
class ServerRunSchema : public RunSchema {
public:
    ~ServerRunSchema() override;

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

} // namespace lockscope::scenario
