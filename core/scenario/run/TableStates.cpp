// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/TableStates.h"

#include "core/db/Connection.h"
#include "core/db/Statement.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds statementLimit{250}; ///< with a table that somebody has locked
constexpr int maxCellLength = 60;

QString cellText(const db::Row& row, int column)
{
    if (row.isNull(column))
        return u"NULL"_s;
    const QString text = row.text(column).simplified();
    return text.size() > maxCellLength ? text.left(maxCellLength - 1) + u'…' : text;
}

} // namespace

TableReader::TableReader(const RunContext& context)
    : m_context(context)
{
}

TableReader::~TableReader() = default;

Result<void> TableReader::connect()
{
    auto connection = m_context.server.connect(
        {.purpose = db::Purpose::Workload, .programSuffix = u"tables"_s, .statementTimeout = statementLimit});
    if (!connection)
        return Failure(connection.error());
    m_connection = std::move(*connection);
    return {};
}

Result<std::vector<TableState>> TableReader::read(const std::stop_token& stop)
{
    if (!m_connection || !m_connection->isOpen()) {
        m_known.clear();
        if (auto connected = connect(); !connected)
            return Failure(connected.error());
    }
    QStringList names;
    std::map<QString, QStringList> columns;
    std::vector<db::Param> schema;
    if (!m_context.schema.isEmpty())
        schema.emplace_back(m_context.schema);
    const auto listed = m_connection->execute(
        db::schemaStatement(m_connection->dialect(), "scenario/columns"), schema,
        [&](const db::Row& row) {
            const QString table = row.text(0);
            if (!columns.contains(table))
                names << table;
            columns[table] << row.text(1);
        },
        stop);
    if (!listed)
        return Failure(listed.error());
    std::vector<TableState> tables;
    for (const QString& name : names)
        tables.push_back(readOne(name, columns[name], stop));
    return tables;
}

TableState TableReader::readOne(const QString& name, const QStringList& columns, const std::stop_token& stop)
{
    TableState state;
    state.name = name;
    state.columns = columns;
    const db::Dialect& dialect = m_connection->dialect();
    Known& known = m_known[name];
    if (!known.peek || known.columns != columns) {
        QStringList quoted;
        for (const QString& column : columns)
            quoted << dialect.quoted(column);
        known.columns = columns;
        known.peek = db::Statement::filled(db::schemaPath(dialect, "scenario/peek").constData(),
            {{"cells"_L1, quoted.join(u", "_s)},
                {"table"_L1,
                    m_context.schema.isEmpty() ? dialect.quoted(name)
                                               : dialect.quoted(m_context.schema, name)}});
    }
    const auto read = m_connection->execute(
        *known.peek, {qint64(rowsOfTableState + 1)},
        [&](const db::Row& row) {
            QStringList& cells = state.rows.emplace_back();
            for (int i = 0; i < columns.size(); ++i)
                cells << cellText(row, i);
        },
        stop);
    if (!read) {
        state.rows.clear();
        state.fault = read.error().kind == ErrorKind::Timeout || read.error().kind == ErrorKind::Cancelled
            ? u"locked: it can't be read now"_s
            : read.error().what;
    }
    state.hasMore = std::ssize(state.rows) > rowsOfTableState;
    if (state.hasMore)
        state.rows.resize(rowsOfTableState);
    return state;
}

} // namespace lockscope::scenario
