// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Dialect.h"

namespace lockscope::db {

class PostgresDialect final : public Dialect {
public:
    Engine engine() const override { return Engine::Postgres; }
    bool can(Capability capability) const override;
    QString reasonAgainst(Capability capability) const override;
    using Dialect::quoted;
    QString quoted(const QString& identifier) const override;
    /// `code` is a SQLSTATE; empty if the server was not reached, then the text of libpq decides.
    /// Source of the codes: PostgreSQL documentation, appendix "Error Codes".
    Error mapError(const QString& code, const QString& text, const QString& whatFailed) const override;
    /// Whether mapError recognises libpq's text; it does not in other languages than English.
    bool knowsText(const QString& text) const;
    const char* schemaFolder() const override { return "postgres"; }
};

} // namespace lockscope::db
