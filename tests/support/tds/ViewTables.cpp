// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/tds/ViewTables.h"

#include "tests/support/tds/TsqlScript.h"
#include "tests/support/tds/TsqlTypes.h"

#include <sqlite3.h>

using namespace Qt::StringLiterals;

namespace lockscope::test::tds {

namespace {

using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Statement prepared(sqlite3* database, const QString& sql)
{
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, sql.toUtf8().constData(), -1, &statement, nullptr) != SQLITE_OK)
        throw tsql::Refused(QString::fromUtf8(sqlite3_errmsg(database)) + u" in: "_s + sql);
    return {statement, sqlite3_finalize};
}

void execute(sqlite3* database, const QString& sql)
{
    const Statement statement = prepared(database, sql);
    if (sqlite3_step(statement.get()) != SQLITE_DONE)
        throw tsql::Refused(QString::fromUtf8(sqlite3_errmsg(database)));
}

/// Returns the value of a column that is never NULL and was not set.
QString emptyValue(Type type)
{
    if (type.isText())
        return u"''"_s;
    if (type.isBinary())
        return u"x''"_s;
    if (type.kind == Type::DateTime || type.kind == Type::DateTime2)
        return u"'1900-01-01 00:00:00.000000'"_s;
    if (type.kind == Type::UniqueIdentifier)
        return u"'00000000-0000-0000-0000-000000000000'"_s;
    return u"0"_s;
}

QString definitionOf(const View& view)
{
    // Names of Lockscope's own tables compare binary, as install.sql makes them.
    const QString order = view.name.startsWith(u"lockscope.") ? u"tsql_units"_s : u"tsql_texts"_s;
    QStringList columns;
    for (const ViewColumn& column : view.columns) {
        if (column.type.kind == Type::Untyped || column.type.kind == Type::Decimal)
            continue; // a statement that names it can't be run
        QString text = u'"' + column.name + u'"';
        if (column.type.isText())
            text += u" COLLATE "_s + order;
        if (column.nullable == false)
            text += u" NOT NULL DEFAULT "_s + emptyValue(column.type);
        columns << text;
    }
    if (!tsql::isOfServer(view.name))
        columns << u"of_database"_s;
    return u"CREATE TABLE %1 (%2)"_s.arg(view.name, columns.join(u", "_s));
}

void bind(sqlite3_stmt* statement, int place, const Value& value, Type type)
{
    if (value.isNull()) {
        sqlite3_bind_null(statement, place);
    } else if (value.is<double>()) {
        sqlite3_bind_double(statement, place, value.toDouble());
    } else if (value.is<QByteArray>()) {
        const QByteArray bytes = value.toBytes();
        sqlite3_bind_blob(
            statement, place, bytes.constData(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
    } else if (value.is<bool>() || value.is<qint64>()) {
        sqlite3_bind_int64(statement, place, value.toInt64());
    } else {
        const QByteArray text =
            (value.is<QDateTime>() ? tsql::dateTimeText(value.toDateTime(), type) : value.toText()).toUtf8();
        sqlite3_bind_text(
            statement, place, text.constData(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
}

Value valueAt(sqlite3_stmt* statement, int column, Type type)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return static_cast<qint64>(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
        return sqlite3_column_double(statement, column);
    case SQLITE_BLOB:
        return QByteArray(static_cast<const char*>(sqlite3_column_blob(statement, column)),
            sqlite3_column_bytes(statement, column));
    case SQLITE_TEXT: {
        const QString text =
            QString::fromUtf8(reinterpret_cast<const char*>(sqlite3_column_text(statement, column)),
                sqlite3_column_bytes(statement, column));
        if (type.kind == Type::DateTime || type.kind == Type::DateTime2)
            return tsql::dateTimeFromText(text);
        return type.kind == Type::UniqueIdentifier ? Value(QUuid::fromString(text))
                                                   : Value(text.isNull() ? u""_s : text);
    }
    default:
        return {};
    }
}

} // namespace

void stopIfAny(const QStringList& faults)
{
    if (!faults.isEmpty())
        qFatal("The picture contradicts the catalogue: %s", qPrintable(faults.join(u"; "_s)));
}

ViewTables::ViewTables()
{
    if (sqlite3_open(":memory:", &m_database) != SQLITE_OK)
        qFatal("SQLite can't open a database in memory.");
    tsql::addFunctions(m_database, &m_surroundings);
    execute(m_database, u"ATTACH ':memory:' AS sys"_s);
    execute(m_database, u"ATTACH ':memory:' AS lockscope"_s);
    for (const auto& [name, view] : Catalogue::get().views())
        execute(m_database, definitionOf(view));
}

ViewTables::~ViewTables()
{
    sqlite3_close_v2(m_database);
}

void ViewTables::clear()
{
    for (const auto& [name, view] : Catalogue::get().views())
        execute(m_database, u"DELETE FROM "_s + name);
}

QStringList ViewTables::add(const ViewRows& rows)
{
    const View* view = Catalogue::get().view(rows.view);
    if (!view)
        return {u"the catalogue has no view "_s + rows.view};
    std::vector<const ViewColumn*> columns;
    QStringList faults;
    for (const QString& name : rows.columns) {
        columns.push_back(view->column(name));
        if (!columns.back())
            faults << u"%1 has no column %2"_s.arg(rows.view, name);
    }
    if (!faults.isEmpty())
        return faults;
    for (const Values& row : rows.rows) {
        for (size_t i = 0; i < columns.size(); ++i) {
            if (const QString fault = contradiction(*columns[i], i < row.size() ? row[i] : Value());
                !fault.isEmpty())
                faults << rows.view + u'.' + fault;
        }
    }
    if (!faults.isEmpty())
        return faults;
    QStringList names;
    for (const QString& name : rows.columns)
        names << u'"' + name + u'"';
    if (!tsql::isOfServer(rows.view))
        names << u"of_database"_s;
    const Statement insert = prepared(m_database,
        u"INSERT INTO %1 (%2) VALUES (%3)"_s.arg(
            rows.view, names.join(u", "_s), QStringList(names.size(), u"?"_s).join(u", "_s)));
    execute(m_database, u"BEGIN"_s);
    for (const Values& row : rows.rows) {
        for (size_t i = 0; i < columns.size(); ++i)
            bind(insert.get(), static_cast<int>(i) + 1, row[i], columns[i]->type);
        if (!tsql::isOfServer(rows.view))
            bind(insert.get(), static_cast<int>(columns.size()) + 1, rows.database, nvarchar());
        if (sqlite3_step(insert.get()) != SQLITE_DONE)
            faults << QString::fromUtf8(sqlite3_errmsg(m_database));
        sqlite3_reset(insert.get());
    }
    execute(m_database, u"COMMIT"_s);
    return faults;
}

void ViewTables::removeSession(int session)
{
    execute(m_database, u"DELETE FROM sys.dm_exec_sessions WHERE session_id = %1"_s.arg(session));
}

tsql::UserTable::UserTable(const QString& definition, QStringList inserts)
    : rows(std::move(inserts))
{
    const Tokens tokens = tokensOf(definition);
    const size_t open = findWord(tokens, 0, {u"("});
    table = tokens[open - 1].name();
    if (tokens[open - 2].is(u"."))
        schema = tokens[open - 3].name();
    name = nameInSqlite(u'[' + schema + u']') + u'.' + nameInSqlite(tokens[open - 1].text);
    const TableDefinition defined = tableFrom(
        name, TokenSpan(tokens).subspan(open + 1, afterBracket(tokens, open) - open - 2), u"tsql_texts"_s);
    for (const ViewColumn& column : defined.table.columns)
        columns << column.name;
    types = defined.types;
    sql = defined.sql;
}

QString tsql::UserTable::quotedName() const
{
    const auto quoted = [](QString text) { return u'[' + text.replace(u']', u"]]"_s) + u']'; };
    return quoted(schema) + u'.' + quoted(table);
}

void ViewTables::make(const tsql::UserTable& table)
{
    const QString schema = table.schema.toLower();
    if (query(u"SELECT 1 FROM pragma_database_list WHERE name = '%1'"_s.arg(schema)).empty())
        execute(m_database, u"ATTACH ':memory:' AS [%1]"_s.arg(schema));
    execute(m_database, u"DROP TABLE IF EXISTS "_s + table.name);
    execute(m_database, table.sql);
    for (const QString& row : table.rows)
        execute(m_database, tsql::translate(tsql::tokensOf(row), {}).statement);
}

void ViewTables::install()
{
    for (const View& table : tsql::OwnSchema::get().tables())
        execute(m_database, u"DROP TABLE IF EXISTS "_s + table.name);
    for (const QString& definition : tsql::OwnSchema::get().definitions())
        execute(m_database, definition);
    execute(m_database, u"INSERT INTO lockscope.fencing_epoch VALUES (1, 'double', 0)"_s);
}

std::vector<Values> ViewTables::query(
    const QString& sql, const std::vector<Column>& columns, const Variables& variables)
{
    const Statement statement = prepared(m_database, sql);
    for (int place = 1; place <= sqlite3_bind_parameter_count(statement.get()); ++place) {
        const Parameter variable =
            variables(QString::fromUtf8(sqlite3_bind_parameter_name(statement.get(), place)));
        bind(statement.get(), place, variable.value, variable.type);
    }
    if (!columns.empty() && static_cast<size_t>(sqlite3_column_count(statement.get())) != columns.size())
        throw tsql::Refused(u"the double misreads the columns of "_s + sql);
    std::vector<Values> rows;
    int state = SQLITE_ROW;
    while ((state = sqlite3_step(statement.get())) == SQLITE_ROW) {
        Values values;
        for (int i = 0; i < sqlite3_column_count(statement.get()); ++i)
            values.push_back(valueAt(
                statement.get(), i, columns.empty() ? Type() : columns.at(static_cast<size_t>(i)).type));
        rows.push_back(std::move(values));
    }
    if (state == SQLITE_DONE)
        return rows;
    const QString text = QString::fromUtf8(sqlite3_errmsg(m_database));
    const int number = text.section(u' ', 0, 0).toInt();
    if (state == SQLITE_CONSTRAINT && text.startsWith(u"UNIQUE"))
        throw tsql::SqlError{{2627, u"Violation of PRIMARY KEY constraint. "_s + text, 14}};
    if (state == SQLITE_CONSTRAINT && number == 0)
        throw tsql::SqlError{{515, u"Cannot insert the value NULL. "_s + text}};
    if (number == 0)
        throw tsql::Refused(text + u" in: "_s + sql);
    throw tsql::SqlError{{number, text.section(u' ', 1)}};
}

qint64 ViewTables::changes() const
{
    return sqlite3_changes64(m_database);
}

ViewTables::Variables ViewTables::variablesOf(const std::vector<Parameter>& parameters)
{
    return [&parameters](const QString& name) {
        const size_t number = name.mid(2).toULong(); // @P1 is the first
        if (!name.startsWith(u"@P", Qt::CaseInsensitive) || number == 0 || number > parameters.size())
            throw tsql::Refused(u"no value for "_s + name);
        return parameters[number - 1];
    };
}

void ViewTables::run(const tsql::Translation& translation, const std::vector<Parameter>& parameters,
    const tsql::Surroundings& surroundings, Reply& reply)
{
    setSurroundings(&surroundings);
    const Variables variables = variablesOf(parameters);
    const std::vector<Column> columns = tsql::resultColumns(translation);
    try {
        const bool isSelected = translation.condition.isEmpty()
            || query(u"SELECT "_s + translation.condition, {}, variables).at(0).at(0).toBool();
        if (!isSelected)
            return reply.done();
        reply.table(columns, query(translation.statement, columns, variables));
    } catch (const tsql::SqlError& error) {
        reply.message(error.message);
    }
}

} // namespace lockscope::test::tds
