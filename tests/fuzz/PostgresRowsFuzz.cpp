// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/ShownText.h"
#include "core/db/LockTableRows.h"
#include "core/db/postgres/PostgresRow.h"
#include "core/monitor/postgres/PostgresRows.h"
#include "tests/fuzz/FrameworkRowFuzz.h"
#include "tests/fuzz/FuzzRow.h"
#include "tests/fuzz/FuzzTarget.h"

#include <algorithm>
#include <memory>

namespace lockscope::test {

namespace {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

/// Returns a result as libpq gets it from the server.
Result resultOf(const QList<QByteArrayList>& rows)
{
    Result result(PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK), &PQclear);
    qsizetype columns = 1;
    for (const QByteArrayList& row : rows)
        columns = std::max(columns, row.size());
    columns = std::min<qsizetype>(columns, 40);
    std::vector<PGresAttDesc> descriptions(static_cast<std::size_t>(columns));
    char name[] = "column";
    for (PGresAttDesc& description : descriptions)
        description.name = name;
    PQsetResultAttrs(result.get(), static_cast<int>(columns), descriptions.data());
    for (int row = 0; row < rows.size(); ++row) {
        for (int column = 0; column < columns; ++column) {
            QByteArray field = rows[row].value(column, "\\N");
            PQsetvalue(result.get(), row, column, isFuzzedNull(field) ? nullptr : field.data(),
                isFuzzedNull(field) ? -1 : static_cast<int>(field.size()));
        }
    }
    return result;
}

void checkFields(const QByteArrayList& fields, const db::Row& row)
{
    for (int column = 0; column < std::min<qsizetype>(fields.size(), 40); ++column) {
        const QByteArray& field = fields[column];
        if (row.isNull(column) != isFuzzedNull(field))
            qFatal("a value became NULL, or NULL a value");
        if (row.isNull(column) != row.text(column).isNull())
            qFatal("a text became NULL, or NULL a text");
        const std::string_view bytes(field.constData(), static_cast<size_t>(field.size()));
        if (!isFuzzedNull(field) && row.text(column) != textFromUtf8(bytes))
            qFatal("another text: %s", field.constData());
        bool isNumber = false;
        const qint64 number = field.toLongLong(&isNumber);
        if (isNumber && !field.isEmpty() && field == QByteArray::number(number)
            && row.int64(column) != number)
            qFatal("another number: %s", field.constData());
        (void)row.real(column);
        (void)row.boolean(column);
    }
}

} // namespace

/// Feeds rows of text, as PostgreSQL sends them, to all readers of its rows; aborts if a lock has no
/// resource, or if a text or number is not what was sent.
static void fuzzPostgresRows(const QByteArray& bytes)
{
    static const frameworks::RowLocks everyRow = everyColumn(Engine::Postgres);
    const auto rows = fuzzedRows(bytes);
    const Result result = resultOf(rows);
    db::RepeatedTexts repeated;
    monitor::PostgresLockRows locks;
    for (int i = 0; i < rows.size(); ++i) {
        const db::PostgresRow row(result.get(), i, repeated);
        checkFields(rows[i], row);
        locks.add(row);
        const auto session = monitor::PostgresSession::fromRow(row, true, SessionId{7}).session;
        if (session.id != SessionId{row.int64(0)})
            qFatal("another session");
        const LockTableEntry entry = db::entryFromRow(Engine::Postgres, row);
        const LockTableWaiter waiter = db::waiterFromRow(Engine::Postgres, row);
        if (entry.name != row.text(0) || waiter.name != row.text(0))
            qFatal("another name");
        (void)entry.isStale(ServerTime{1});
        (void)waiter.isExpired(ServerTime{1});
        (void)entry.acquiredAt.toIsoString();
        fuzzFrameworkRow(everyRow, row);
    }
    locks.attributePrepared();
    if (locks.locks().size() != static_cast<std::size_t>(rows.size()))
        qFatal("a lock was lost");
    for (const auto& lock : locks.locks())
        if (lock.resource >= locks.resources().size())
            qFatal("a lock without a resource");
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzPostgresRows)
