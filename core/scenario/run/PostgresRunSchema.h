// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/ServerRunSchema.h"

namespace lockscope::scenario {

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

} // namespace lockscope::scenario
