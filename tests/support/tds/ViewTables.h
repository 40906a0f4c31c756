// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Reply.h"
#include "tests/support/tds/Tsql.h"
#include "tests/support/tds/TsqlFunctions.h"

struct sqlite3;

namespace lockscope::test::tds {

/// Rows of one of the server's views, by some of its columns; the others are NULL, or zero and empty where
/// the catalogue says that they never are.
struct ViewRows {
    QString view; ///< "sys.dm_tran_locks"
    QStringList columns;
    std::vector<Values> rows;
    QString database = QStringLiteral("[orders]"); ///< whose catalogue view it is
};

namespace tsql {

/// A table of a user's of the server.
class UserTable {
public:
    /// "CREATE TABLE dbo.Locks (…)", and INSERTs.
    explicit UserTable(const QString& definition, QStringList inserts = {});

    QString schema = QStringLiteral("dbo");
    QString table;
    QString quotedName() const; ///< "[dbo].[Odd ]]Locks]"
    QStringList columns;
    QStringList types; ///< as sys.types names them
    QString name; ///< for SQLite
    QString sql; ///< that makes it there
    QStringList rows; ///< INSERTs
};

} // namespace tsql

/// Ends the program if there is a fault, of ViewTables::add().
void stopIfAny(const QStringList& faults);

/// The server's views as tables in memory, with the columns of the catalogue; statements of T-SQL are run on
/// them. One thread.
class ViewTables {
public:
    ViewTables();
    ~ViewTables();
    Q_DISABLE_COPY_MOVE(ViewTables)

    void clear();
    /// Returns what in the rows contradicts the catalogue; then nothing is added.
    QStringList add(const ViewRows& rows);
    void removeSession(int session); ///< from sys.dm_exec_sessions
    /// Makes the tables of Lockscope's schema, empty, as its installation would.
    void install();

    /// Makes a table of a user's, with the name that it has in brackets there: "[dbo].[Locks]".
    void make(const tsql::UserTable& table);

    using Variables = std::function<Parameter(const QString& name)>;
    /// Returns the rows of a statement of SQLite, with values of these types if they are given. Throws
    /// tsql::SqlError for statements that the server would refuse, too.
    std::vector<Values> query(
        const QString& sql, const std::vector<Column>& columns = {}, const Variables& variables = {});
    qint64 changes() const; ///< by the last statement
    /// Returns the variables @P1, @P2 …
    static Variables variablesOf(const std::vector<Parameter>& parameters);
    /// Sets them for all later statements.
    void setSurroundings(const tsql::Surroundings* surroundings) { m_surroundings = surroundings; }

    /// Sends the result of the statement, or the error that running it gives. Throws tsql::Refused if it
    /// can't be run as it is written, or names a column that its view doesn't have.
    void run(const tsql::Translation& statement, const std::vector<Parameter>& parameters,
        const tsql::Surroundings& surroundings, Reply& reply);

private:
    sqlite3* m_database = nullptr;
    const tsql::Surroundings* m_surroundings = nullptr;
};

} // namespace lockscope::test::tds
