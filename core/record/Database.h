// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QByteArray>
#include <QString>

#include <functional>
#include <initializer_list>
#include <memory>
#include <unordered_map>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace lockscope::db {
class Statement;
}

namespace lockscope::record {

using Value = std::variant<std::monostate, qint64, QString, QByteArray>;

/// One connection to a recording's file. One thread.
class Database {
public:
    enum class Mode {
        Write, ///< makes the file, mode 0600, if it is not there; refuses what others may write to, and links
        Read, ///< never writes, also not what a crash has left to be done
    };
    static Result<std::unique_ptr<Database>> open(const QString& path, Mode mode);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    class Row {
    public:
        qint64 number(int column) const;
        QString text(int column) const;
        QByteArray bytes(int column) const;
        bool isNull(int column) const;

    private:
        friend class Database;
        explicit Row(sqlite3_stmt* statement)
            : m_statement(statement)
        {
        }
        sqlite3_stmt* m_statement;
    };

    /// `name` of schema/recording/recording.sql. `each` may be empty; false from it ends the reading.
    using Sink = std::function<bool(const Row&)>;
    Result<void> run(const char* name, std::initializer_list<Value> values = {}, const Sink& each = {});
    /// A whole script of schema/recording, or one statement in words of this file's code: BEGIN, COMMIT.
    Result<void> script(const QByteArray& sql);
    qint64 lastId() const;
    /// The file is not at its place any more, or another one is: what is written would be lost.
    bool hasMoved() const;
    /// The file and what SQLite has made beside it: nobody else can write there. Permission if not.
    Result<void> checkOwnFiles() const;

private:
    explicit Database(sqlite3* handle, QString path);
    static Result<std::unique_ptr<Database>> connect(const QString& real, const QByteArray& name, Mode mode);
    Failure failed(int code) const;

    sqlite3* m_handle;
    QString m_path;
    std::unordered_map<const db::Statement*, sqlite3_stmt*> m_prepared;
};

} // namespace lockscope::record
