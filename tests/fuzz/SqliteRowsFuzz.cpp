// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/LockTableRows.h"
#include "core/db/sqlite/SqliteHandle.h"
#include "tests/fuzz/FrameworkRowFuzz.h"
#include "tests/fuzz/FuzzRow.h"
#include "tests/fuzz/FuzzTarget.h"

namespace lockscope::test {

namespace {

constexpr int columns = 10;

struct File {
    File()
    {
        if (sqlite3_open(":memory:", &sqlite) != SQLITE_OK
            || sqlite3_prepare_v2(
                   sqlite, "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10", -1, &statement, nullptr)
                != SQLITE_OK)
            qFatal("no SQLite");
    }
    ~File()
    {
        sqlite3_finalize(statement);
        sqlite3_close(sqlite);
    }
    Q_DISABLE_COPY_MOVE(File)

    sqlite3* sqlite = nullptr;
    sqlite3_stmt* statement = nullptr;
};

/// A field's first character is its type: i, r, t, b; else NULL.
void bind(sqlite3_stmt* statement, int position, const QByteArray& field)
{
    const QByteArray value = field.mid(1);
    const int size = static_cast<int>(value.size());
    switch (field.isEmpty() ? '\0' : field[0]) {
    case 'i':
        sqlite3_bind_int64(statement, position, value.toLongLong());
        break;
    case 'r':
        sqlite3_bind_double(statement, position, value.toDouble());
        break;
    case 't':
        sqlite3_bind_text(statement, position, value.constData(), size, SQLITE_TRANSIENT);
        break;
    case 'b':
        sqlite3_bind_blob(statement, position, value.constData(), size, SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_bind_null(statement, position);
    }
}

void checkField(const QByteArray& field, const db::Row& row, int column)
{
    const QByteArray value = field.mid(1);
    const char type = field.isEmpty() ? '\0' : field[0];
    if (type == 'i' && row.int64(column) != value.toLongLong())
        qFatal("another number: %s", value.constData());
    if (type == 't' && row.text(column).isNull())
        qFatal("a text became NULL");
    if (type == 't' && !value.contains('\0') && row.text(column) != QString::fromUtf8(value))
        qFatal("another text: %s", value.constData());
    (void)row.real(column);
    (void)row.boolean(column);
}

} // namespace

/// Feeds values of every type, as a SQLite file may hold them in any column, to all readers of its rows;
/// aborts if a number or text is not what the file has.
static void fuzzSqliteRows(const QByteArray& bytes)
{
    static const frameworks::RowLocks everyRow = everyColumn(Engine::Sqlite);
    static const File file;
    for (const QByteArrayList& fields : fuzzedRows(bytes)) {
        sqlite3_reset(file.statement);
        for (int column = 0; column < columns; ++column)
            bind(file.statement, column + 1, fields.value(column));
        if (sqlite3_step(file.statement) != SQLITE_ROW)
            continue; // a number that is none
        const db::SqliteRow row(file.statement);
        for (int column = 0; column < columns; ++column)
            checkField(fields.value(column), row, column);
        const LockTableEntry entry = db::entryFromRow(Engine::Sqlite, row);
        const LockTableWaiter waiter = db::waiterFromRow(Engine::Sqlite, row);
        (void)entry.isStale(ServerTime{1});
        (void)waiter.isExpired(ServerTime{1});
        (void)entry.acquiredAt.toIsoString();
        fuzzFrameworkRow(everyRow, row);
    }
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzSqliteRows)
