// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/RunArea.h"

namespace lockscope::scenario {

/// A schema of the run's own. Sessions don't find it by themselves: statements name it as {schema}.
class SqlServerRunArea final : public RunArea {
public:
    SqlServerRunArea(const QString& id, const db::ServerUrl& server);
    ~SqlServerRunArea() override;

    Result<void> remove() override;
    static Result<int> removeRemains(const db::ServerUrl& server, const db::PasswordProvider& passwords);

private:
    Result<void> begin(const Variant& variant) override;

    std::unique_ptr<locks::LockStrategy> m_strategy;
    locks::Grant m_alive;
    bool m_isRemoved = false;
};

} // namespace lockscope::scenario
