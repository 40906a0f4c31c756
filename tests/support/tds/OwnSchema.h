// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Catalogue.h"
#include "tests/support/tds/Tsql.h"

#include <list>

namespace lockscope::test::tds::tsql {

/// A DECLARE or a parameter: "@Name nvarchar(255) = N'a'".
struct Declaration {
    QString name; ///< in upper case, with its @
    QString typeText;
    Type type{};
    TokenSpan initial{};
};
/// Throws Refused for a type that is unknown.
Declaration declarationFrom(TokenSpan part);

/// A table as CREATE TABLE of T-SQL defines it, and the same for SQLite. Checks and foreign keys are left
/// out.
struct TableDefinition {
    View table;
    QStringList types; ///< of its columns, as sys.types names them
    QString sql;
};
/// `columns` is what stands in the brackets, `order` the collation of its texts.
TableDefinition tableFrom(const QString& name, TokenSpan columns, const QString& order);

/// A procedure, function or trigger.
struct Routine {
    std::vector<Declaration> parameters;
    TokenSpan body;
    bool isInstead = false; ///< a trigger in place of what it is for
};

/// Lockscope's schema as schema/sqlserver/install.sql makes it: its tables, and the text of what works on
/// them.
class OwnSchema {
public:
    static const OwnSchema& get();

    const std::vector<View>& tables() const { return m_tables; }
    const QStringList& definitions() const { return m_definitions; } ///< of the tables, for SQLite
    const Routine* find(const QString& name) const; ///< "lockscope.AcquireLock"; null: there is none
    const Routine* trigger(
        const QString& table, const QString& event) const; ///< "INSERT", "UPDATE", "DELETE"

private:
    OwnSchema();
    void read(TokenSpan batch);

    std::list<Tokens> m_batches;
    std::vector<View> m_tables;
    QStringList m_definitions;
    std::map<QString, Routine> m_routines;
    std::map<std::pair<QString, QString>, Routine> m_triggers;
};

} // namespace lockscope::test::tds::tsql
