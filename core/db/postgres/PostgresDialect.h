// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Sentences.h"
#include "core/db/Dialect.h"

namespace lockscope::db {

/// Returns an array as PostgreSQL writes it, "{1,2,3}", of texts that need no quotes: numbers, digests.
inline QString arrayLiteral(const QStringList& texts)
{
    return QLatin1Char('{') + texts.join(QLatin1Char(',')) + QLatin1Char('}');
}
template <class Numbers> QString arrayLiteral(const Numbers& numbers)
{
    return arrayLiteral(textOfEach(numbers, [](auto number) { return QString::number(number); }));
}

class PostgresDialect final : public Dialect {
public:
    /// The link between us and the server.
    enum class Link {
        Session, ///< nothing, or a pooler that gives us a server session of our own
        Pool, ///< a pooler that may give each transaction to another session of the server
    };
    explicit PostgresDialect(Link link = Link::Session, QString defaultSchema = QStringLiteral("public"))
        : m_link(link)
        , m_defaultSchema(std::move(defaultSchema))
    {
    }

    Engine engine() const override { return Engine::Postgres; }
    QString reasonAgainst(Capability capability) const override;
    QString parameterMarker(qsizetype number) const override;
    QString grantOfRole(const QString& role, const QString& member) const override;
    QString rightToEndSessions() const override { return QStringLiteral("pg_signal_backend"); }
    /// Never what the server's search_path says: others may have put something there.
    QString defaultSchema() const override { return m_defaultSchema; }
    /// Returns whether mapError recognises libpq's text; it does not in other languages than English.
    bool knowsText(const QString& text) const;

private:
    /// `code` is a SQLSTATE; empty if the server was not reached, then the text of libpq decides.
    /// Source of the codes: PostgreSQL documentation, appendix "Error Codes".
    Decision decide(const QString& code, const QString& text) const override;

    Link m_link;
    QString m_defaultSchema;
};

} // namespace lockscope::db
