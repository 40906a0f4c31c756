// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Dialect.h"

namespace lockscope::db {

class SqliteDialect final : public Dialect {
public:
    Engine engine() const override { return Engine::Sqlite; }
    bool can(Capability capability) const override;
    QString reasonAgainst(Capability capability) const override;
    using Dialect::quoted;
    QString quoted(const QString& identifier) const override;
    QString parameterMarker(qsizetype number) const override;
    QString grantOfRole(const QString& role, const QString& member) const override;
    /// `code` is an (extended) result code as a number. Source: sqlite.org/rescode.html.
    Error mapError(const QString& code, const QString& text, const QString& whatFailed) const override;
    const char* schemaFolder() const override { return "sqlite"; }
};

} // namespace lockscope::db
