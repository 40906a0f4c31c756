// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"

#include <QByteArray>

#include <functional>
#include <memory>
#include <span>
#include <sqlite3.h>
#include <unordered_map>

namespace lockscope::db {

/// The current row of a stepped statement. SQLite converts between its types as its documentation tells.
class SqliteRow final : public Row {
public:
    explicit SqliteRow(sqlite3_stmt* statement)
        : m_statement(statement)
    {
    }
    bool isNull(int column) const override { return sqlite3_column_type(m_statement, column) == SQLITE_NULL; }
    qint64 int64(int column) const override { return sqlite3_column_int64(m_statement, column); }
    double real(int column) const override { return sqlite3_column_double(m_statement, column); }
    bool boolean(int column) const override { return int64(column) != 0; }
    QString text(int column) const override;
    QByteArray bytes(int column) const;
    /// As AnswerLimits.h counts it: 8 a value, and its text.
    qint64 size() const;

private:
    sqlite3_stmt* m_statement;
};

/// A handle of SQLite's with its statements, which are prepared once. Answers are extended result codes, to
/// be explained by sqlite3_errmsg. One thread.
class SqliteHandle {
public:
    /// False ends the reading. It must not use the handle.
    using Sink = std::function<bool(const SqliteRow&)>;

    /// `handle` knows how to close itself. Null if it could not even be made.
    explicit SqliteHandle(std::shared_ptr<sqlite3> handle);
    sqlite3* get() const { return m_handle.get(); }
    /// SQLITE_DONE, also if `each`, which may be empty, has ended it; or why not. A value is one of Param, or
    /// of another variant of its types and QByteArray.
    template <class Value>
    int run(const Statement& statement, std::span<const Value> values, const Sink& each)
    {
        sqlite3_stmt* const prepared = this->prepared(statement);
        int code = prepared ? SQLITE_OK : sqlite3_extended_errcode(get());
        int index = 0;
        for (auto value = values.begin(); value != values.end() && code == SQLITE_OK; ++value)
            code = std::visit(Binder{prepared, ++index}, *value);
        return code == SQLITE_OK ? step(prepared, each) : code;
    }
    /// A script, without values: SQLITE_OK, or why not.
    int runScript(const QByteArray& sql)
    {
        return sqlite3_exec(get(), sql.constData(), nullptr, nullptr, nullptr);
    }
    bool isInTransaction() const { return sqlite3_get_autocommit(get()) == 0; }

private:
    struct Binder {
        sqlite3_stmt* statement;
        int index;

        int operator()(std::monostate) const { return sqlite3_bind_null(statement, index); }
        int operator()(bool value) const { return sqlite3_bind_int(statement, index, value ? 1 : 0); }
        int operator()(qint64 value) const { return sqlite3_bind_int64(statement, index, value); }
        int operator()(ServerTime value) const { return (*this)(value.us); }
        int operator()(double value) const { return sqlite3_bind_double(statement, index, value); }
        int operator()(const QString& value) const;
        int operator()(const QByteArray& value) const;
    };
    struct Finalizer {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    /// Null if it can't be prepared.
    sqlite3_stmt* prepared(const Statement& statement);
    static int step(sqlite3_stmt* prepared, const Sink& each);

    std::shared_ptr<sqlite3> m_handle;
    std::unordered_map<quint64, std::unique_ptr<sqlite3_stmt, Finalizer>> m_prepared; ///< by Statement::id
};

} // namespace lockscope::db
