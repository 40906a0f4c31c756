// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/run/ServerRunSchema.h"

namespace lockscope::scenario {

/// Sessions don't find the schema by themselves: statements name it as {schema}.
class SqlServerRunSchema final : public ServerRunSchema {
public:
    SqlServerRunSchema(const QString& id, const db::Server& server);

    static Result<int> removeRemains(const db::Server& server);

private:
    static Result<void> empty(db::Connection& connection, const QString& schema);
};

} // namespace lockscope::scenario
