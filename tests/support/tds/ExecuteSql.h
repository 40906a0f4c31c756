// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Tokens.h"

/// The double's subset of T-SQL: sp_executesql, alone or several of them, each in its TRY … CATCH.
namespace lockscope::test::tds {

/// "@P1 bigint, @P2 decimal(10, 2) OUTPUT" → "@P1", "@P2".
QStringList declaredNames(const QString& declaration);

/// Gives the parameters that came without a name those of the declaration, in order.
void nameByDeclaration(std::vector<Parameter>& parameters, const QString& declaration);

/// A SELECT without FROM about how a statement ended: literals, @@ROWCOUNT, ROWCOUNT_BIG(), ERROR_NUMBER(),
/// ERROR_MESSAGE() and the like, XACT_STATE(), each perhaps in a CAST and with a name.
class EndReport {
public:
    struct End {
        qint64 rowCount = 0;
        int transactionState = 0;
        std::optional<ServerMessage> error = {};
    };
    /// Nullopt if the text is something else. An empty text reports nothing.
    static std::optional<EndReport> parse(const QString& select);

    bool isEmpty() const { return m_columns.empty(); }
    const std::vector<Column>& columns() const { return m_columns; }
    Values values(const End& end) const;

private:
    std::vector<Column> m_columns;
    QStringList m_expressions;
};

/// A statement inside of a batch.
struct InnerStatement {
    QString text;
    std::vector<Parameter> parameters = {};
    bool isCaught = false; ///< by BEGIN TRY … BEGIN CATCH
    bool isProcedure = false; ///< the text is its name
    EndReport done = {};
    EndReport failed = {};
};

/// The statements of a text that consists of "BEGIN TRY EXEC sys.sp_executesql N'…', N'…', @P1 = @outer … END
/// TRY BEGIN CATCH … END CATCH" and nothing else; any other text is one statement with the parameters as they
/// are.
std::vector<InnerStatement> innerStatements(const QString& text, std::vector<Parameter> parameters);

} // namespace lockscope::test::tds
