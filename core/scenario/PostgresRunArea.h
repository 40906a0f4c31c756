// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/RunArea.h"

namespace lockscope::scenario {

class PostgresRunArea final : public RunArea {
public:
    PostgresRunArea(const QString& id, const db::ServerUrl& server);
    ~PostgresRunArea() override;

    void cancelStatements() override;
    Result<void> remember() override;
    Result<void> restore() override;
    Result<void> remove() override;
    static Result<int> removeRemains(const db::ServerUrl& server, const db::PasswordProvider& passwords);

private:
    Result<void> begin(const Variant& variant) override;

    std::unique_ptr<locks::LockStrategy> m_strategy;
    locks::Grant m_alive;
    bool m_isRemoved = false;
    bool m_hasLockTable = false;
    QByteArray m_restoring; ///< a script; empty before remember()
};

} // namespace lockscope::scenario
