// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Dialect.h"
#include "core/db/sqlserver/SqlServerFacts.h"

#include <optional>

namespace lockscope::db {

/// SQL Server, and other servers that speak TDS. What a dialect made without facts can do is what SQL Server
/// can; a connection's own dialect knows which views its server has.
class SqlServerDialect final : public Dialect {
public:
    SqlServerDialect() = default;
    explicit SqlServerDialect(SqlServerFacts facts)
        : m_facts(std::move(facts))
    {
    }
    Engine engine() const override { return Engine::SqlServer; }
    QString reasonAgainst(Capability capability) const override;
    using Dialect::quoted;
    /// [or]]ders]
    QString quoted(const QString& identifier) const override;
    QString parameterMarker(qsizetype number) const override;
    QString grantOfRole(const QString& role, const QString& member) const override;
    QString rightToEndSessions() const override;

private:
    /// `code` is the server's error number; for errors of the driver a SQLSTATE or FreeTDS's own number
    /// (20000 … 20999); of several separated by ';' (as QODBC gives them) the one that says most decides.
    /// Source of the numbers: SQL Server documentation, "Database Engine events and errors"; ODBC's appendix
    /// A; FreeTDS's documentation.
    Decision decide(const QString& code, const QString& text) const override;
    bool lacksView(const QString& name) const { return m_facts && !m_facts->hasView(name); }

    std::optional<SqlServerFacts> m_facts;
};

} // namespace lockscope::db
