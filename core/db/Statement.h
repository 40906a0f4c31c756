// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"
#include "core/db/Dialect.h"

#include <QByteArray>
#include <QString>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

namespace lockscope::db {

/// A bound value. ServerTime travels as microseconds since the epoch (bigint): no driver's date conversion is
/// involved.
using Param = std::variant<std::monostate, bool, qint64, double, QString, ServerTime>;

/// The schemas of the product's own that a statement may name.
enum class OwnSchema : quint8 { None, Locks, History };

/// One SQL text of schema/, loaded once and kept: its address identifies it, so that each connection prepares
/// it once. Comment lines at its top are for the reader and are stripped: the server's statistics shall not
/// carry them.
class Statement {
public:
    /// `path` below schema/: "postgres/locks/acquire" is the statement below "-- name: acquire" in
    /// postgres/locks.sql, "postgres/install.sql" a whole script. A name that is not there, and a file that
    /// is malformed (namedStatements), is a defect: qFatal. Any thread.
    static const Statement& get(const char* path);
    /// A statement whose identifiers are filled in: `{name}` placeholders are replaced by already quoted
    /// text, in which nothing is a placeholder.
    static Statement filled(
        const char* path, const std::vector<std::pair<QLatin1StringView, QString>>& parts);

    /// Makes a statement of a user, from a scenario file. `name` takes the place of the path.
    static Statement ofUser(const QString& name, const QByteArray& sql);
    /// The same, its results in the server's binary form where the engine has one (PostgreSQL): numbers and
    /// times are neither written nor parsed as text there. A column of a type that PostgresRow can't read so
    /// is an error of the statement.
    Statement withBinaryResults() const;
    bool binaryResults() const { return m_binaryResults; }

    const QByteArray& sql() const { return m_sql; }
    const QString& path() const { return m_path; }
    /// "The statement 'postgres/monitor/locks' failed.", made once because errors are not the usual case.
    const QString& whatFailed() const { return m_whatFailed; }
    /// Returns the schema of ours that it uses by its name, so that the schema must be the one that was
    /// judged (Connection::judged). A user's statement counts as one that uses none.
    OwnSchema ownSchema() const { return m_ownSchema; }
    bool isOfUser() const { return m_isOfUser; }
    quint64 id() const { return m_id; } ///< unique in the process: the key of prepared-statement caches

private:
    Statement(QString path, QByteArray sql);
    QString m_path;
    QByteArray m_sql;
    QString m_whatFailed;
    quint64 m_id;
    OwnSchema m_ownSchema = OwnSchema::None;
    bool m_isOfUser = false;
    bool m_binaryResults = false;
};

/// One row while it is being read; valid only inside the sink's call.
class Row {
public:
    virtual bool isNull(int column) const = 0;
    virtual qint64 int64(int column) const = 0; ///< 0 for NULL
    virtual double real(int column) const = 0;
    virtual bool boolean(int column) const = 0;
    virtual QString text(int column) const = 0; ///< null string for NULL
    /// The text as the driver has it, where that is UTF-8, or ASCII: valid inside the sink's call. Nothing:
    /// ask text().
    virtual std::optional<std::string_view> utf8(int) const { return std::nullopt; }
    /// The column is an epoch bigint in µs, or of binary results a timestamptz.
    ServerTime time(int column) const { return {int64(column)}; }
    std::optional<ServerTime> optionalTime(int column) const
    {
        return isNull(column) ? std::nullopt : std::optional(time(column));
    }

protected:
    ~Row() = default;
};
using RowSink = std::function<void(const Row&)>;

/// Returns the path of this engine's `name` below schema/: "postgres/locks/acquire" for "locks/acquire".
QByteArray schemaPath(const Dialect& dialect, const char* name);

/// The engine's statement of that name. One that is not there is a defect: qFatal.
const Statement& schemaStatement(const Dialect& dialect, const char* name);

/// SQL texts by name.
using NamedStatements = std::map<QByteArray, QByteArray>;

/// The statements of a topic file of schema/. Each begins with a line "-- name: acquire" and ends with a
/// semicolon, which is no part of it, just as the comment lines between its name and its text. It may be
/// several for the server (a batch of T-SQL). Before the first name only comments are allowed. Fails with the
/// fault of the file and its place, for people who edit it. Any thread.
tl::expected<NamedStatements, QString> namedStatements(const QByteArray& file);

/// Returns the text without the comment lines at the top and the space around.
QByteArray withoutHeading(const QByteArray& text);

} // namespace lockscope::db
