// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/QueueReader.h"

#include "core/base/EnumTable.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"
#include "core/locks/EngineLockBackends.h"

#include <array>

namespace lockscope::locks {

using namespace Qt::StringLiterals;

namespace {

using L = QLatin1StringView;

/// The words that differ between the engines.
struct SqlWords {
    std::array<L, enumeratorCount<QueueTable::Clock>> now; ///< by clock
    L column; ///< the expression for a column of the row: %1 the column, %2 our name for it
    L declaration; ///< of a column of the result, %1; empty: none is declared
    bool inMicroseconds; ///< after how long a row is handed out again; else in milliseconds
};

const SqlWords& wordsOf(const db::Dialect& dialect)
{
    static constexpr PerEngine<SqlWords> words{
        .postgres = {{L("statement_timestamp()"), L("(statement_timestamp() AT TIME ZONE 'UTC')"),
                         L("statement_timestamp()::timestamp")},
            L(", q.%1::text AS %2"), L(), true},
        .sqlServer = {{L("SYSDATETIMEOFFSET()"), L("SYSUTCDATETIME()"), L("SYSDATETIME()")},
            L(", CAST(INSERTED.%1 AS nvarchar(MAX))"), L(", %1 nvarchar(MAX)"), false},
        .sqlite = {}}; // has no work queues
    return words[dialect.engine()];
}

/// The places of the statements queue/*.
class QueueStatements {
public:
    QueueStatements(const db::Connection& connection, const QueueTable& table)
        : m_dialect(connection.dialect())
        , m_table(table)
    {
    }

    db::Statement take() const
    {
        const SqlWords& words = wordsOf(m_dialect);
        QString declared;
        QString columns;
        QString names;
        for (qsizetype i = 0; i < m_table.columns.size(); ++i) {
            const QString name = u"c%1"_s.arg(i);
            const QString column = m_dialect.quoted(m_table.columns[i]);
            names += u", "_s + name;
            declared += QString(words.declaration).replace(L("%1"), name);
            columns += QString(words.column).replace(L("%2"), name).replace(L("%1"), column);
        }
        const QString order = m_table.orderColumn.isEmpty() ? m_table.keyColumn : m_table.orderColumn;
        const std::pair<L, QString> place(L("order"), m_dialect.quoted(order));
        const std::pair<L, QString> now(L("now"), words.now[std::size_t(m_table.clock)]);
        if (words.declaration.isEmpty())
            return filled("queue/take",
                {table(), key(), stamp(), place, now, {L("columns"), columns}, {L("names"), names}});
        return filled("queue/take",
            {table(), key(), stamp(), place, now, {L("columns"), columns}, {L("names"), names},
                {L("declared"), declared}});
    }
    db::Statement done() const
    {
        if (m_table.doneTable.isEmpty())
            return filled("queue/delete", {table(), key(), stamp()});
        return filled("queue/move",
            {table(), key(), stamp(),
                {L("archive"), m_dialect.quoted(m_table.doneSchema, m_table.doneTable)}});
    }
    db::Statement giveBack() const { return filled("queue/give_back", {table(), key(), stamp()}); }

private:
    std::pair<L, QString> table() const
    {
        return {L("table"), m_dialect.quoted(m_table.schema, m_table.table)};
    }
    std::pair<L, QString> key() const { return {L("key"), m_dialect.quoted(m_table.keyColumn)}; }
    std::pair<L, QString> stamp() const { return {L("stamp"), m_dialect.quoted(m_table.stampColumn)}; }
    db::Statement filled(const char* file, std::initializer_list<std::pair<L, QString>> parts) const
    {
        return db::Statement::filled(db::schemaPath(m_dialect, file).constData(), parts);
    }

    const db::Dialect& m_dialect;
    const QueueTable& m_table;
};

} // namespace

Result<std::unique_ptr<QueueReader>> QueueReader::create(db::Connection& connection, QueueTable table)
{
    if (!connection.dialect().can(db::Capability::WorkQueues))
        return failure(ErrorKind::Unsupported,
            u"%1 can't serve a table as a work queue."_s.arg(engineName(connection.engine())),
            connection.dialect().reasonAgainst(db::Capability::WorkQueues));
    LOCKSCOPE_TRY(testLockHint(connection, Hint::ReadPast));
    return std::unique_ptr<QueueReader>(new QueueReader(connection, std::move(table)));
}

Result<std::unique_ptr<QueueReader>> QueueReader::open(const db::Server& server, QueueTable table)
{
    LOCKSCOPE_TRY_GET(auto connection, server.connect(db::Purpose::Lock));
    auto reader = create(*connection, std::move(table));
    if (reader)
        (*reader)->m_own = std::move(connection);
    return reader;
}

QueueReader::QueueReader(db::Connection& connection, QueueTable table)
    : m_connection(connection)
    , m_table(std::move(table))
    , m_take(QueueStatements(connection, m_table).take())
    , m_done(QueueStatements(connection, m_table).done())
    , m_giveBack(QueueStatements(connection, m_table).giveBack())
{
}

Result<std::vector<QueueRow>> QueueReader::take(int atMost)
{
    if (atMost <= 0)
        return failure(ErrorKind::BadInput, u"A packet has at least one row."_s);
    std::vector<QueueRow> rows;
    const auto unit = wordsOf(m_connection.dialect()).inMicroseconds
        ? qint64(microseconds(m_table.redeliverAfter).count())
        : qint64(m_table.redeliverAfter.count());
    const auto result = m_connection.execute(m_take, {qint64(atMost), unit}, [&](const db::Row& row) {
        QueueRow& taken = rows.emplace_back(QueueRow{row.text(0), row.text(1), {}});
        for (int i = 0; i < m_table.columns.size(); ++i)
            taken.values << row.text(2 + i);
    });
    return ifDone(result, std::move(rows));
}

Result<int> QueueReader::settle(const db::Statement& statement, std::span<const QueueRow> rows)
{
    if (rows.empty())
        return 0;
    std::vector<db::BatchItem> items;
    for (const QueueRow& row : rows)
        items.push_back({.statement = &statement, .params = {row.key, row.stamp}});
    int settled = 0;
    for (const Result<qint64>& result : m_connection.executeBatch(items)) {
        LOCKSCOPE_TRY_GET(const qint64 changed, result);
        settled += static_cast<int>(changed);
    }
    return settled;
}

} // namespace lockscope::locks
