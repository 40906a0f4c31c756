// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlite/SqliteHandle.h"

namespace lockscope::db {

QString SqliteRow::text(int column) const
{
    if (isNull(column))
        return {};
    const auto* start = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
    const int size = sqlite3_column_bytes(m_statement, column);
    return size == 0 || !start ? QStringLiteral("") : QString::fromUtf8(start, size);
}

QByteArray SqliteRow::bytes(int column) const
{
    const auto* start = static_cast<const char*>(sqlite3_column_blob(m_statement, column));
    return {start, sqlite3_column_bytes(m_statement, column)};
}

qint64 SqliteRow::size() const
{
    qint64 sum = 0;
    for (int column = 0; column < sqlite3_column_count(m_statement); ++column) {
        const int type = sqlite3_column_type(m_statement, column);
        sum +=
            8 + (type == SQLITE_TEXT || type == SQLITE_BLOB ? sqlite3_column_bytes(m_statement, column) : 0);
    }
    return sum;
}

SqliteHandle::SqliteHandle(std::shared_ptr<sqlite3> handle)
    : m_handle(std::move(handle))
{
    if (m_handle)
        sqlite3_extended_result_codes(get(), 1);
}

int SqliteHandle::Binder::operator()(const QString& value) const
{
    const QByteArray utf8 = value.toUtf8();
    return sqlite3_bind_text64(statement, index, utf8.constData(), static_cast<sqlite3_uint64>(utf8.size()),
        SQLITE_TRANSIENT, SQLITE_UTF8);
}

int SqliteHandle::Binder::operator()(const QByteArray& value) const
{
    return sqlite3_bind_blob64(
        statement, index, value.constData(), static_cast<sqlite3_uint64>(value.size()), SQLITE_TRANSIENT);
}

sqlite3_stmt* SqliteHandle::prepared(const Statement& statement)
{
    auto& kept = m_prepared[statement.id()];
    if (kept)
        return kept.get();
    const QByteArray& sql = statement.sql();
    sqlite3_stmt* fresh = nullptr;
    sqlite3_prepare_v3(
        get(), sql.constData(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &fresh, nullptr);
    kept.reset(fresh);
    return fresh;
}

int SqliteHandle::step(sqlite3_stmt* prepared, const Sink& each)
{
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
        if (each && !each(SqliteRow(prepared))) {
            code = SQLITE_DONE;
            break;
        }
    }
    // The error's text stays: a reset repeats the error.
    sqlite3_reset(prepared);
    sqlite3_clear_bindings(prepared);
    return code;
}

} // namespace lockscope::db
