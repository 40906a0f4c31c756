// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/RowLocks.h"

#include "core/db/Statement.h"
#include "core/db/postgres/PostgresConnection.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

/// The system's type as which a value is read back; whatever it is, it has a text.
QString typeAsCopied(const LockRowTable::Column& column)
{
    const bool isKnown =
        kindOf(Engine::Postgres, column.type) != ColumnKind::Other && column.type != "citext"_L1;
    return u"pg_catalog."_s + (isKnown ? column.type : u"text"_s);
}

/// One value in the text format of COPY; `\N` is NULL.
QJsonValue valueOf(const QByteArray& field)
{
    if (field == "\\N")
        return QJsonValue::Null;
    QByteArray value;
    value.reserve(field.size());
    for (qsizetype i = 0; i < field.size(); ++i) {
        if (field[i] != '\\' || i + 1 == field.size()) {
            value += field[i];
            continue;
        }
        const char escaped = field[++i];
        constexpr QByteArrayView signs = "bfnrtv";
        constexpr QByteArrayView meant = "\b\f\n\r\t\v";
        const qsizetype at = signs.indexOf(escaped);
        value += at < 0 ? escaped : meant[at];
    }
    return QString::fromUtf8(value);
}

QJsonObject rowOf(const QByteArray& line, const QStringList& names)
{
    QJsonObject row;
    const QList<QByteArray> fields = line.split('\t');
    for (qsizetype i = 0; i < names.size() && i < fields.size(); ++i)
        row.insert(names[i], valueOf(fields[i]));
    return row;
}

/// Limits how long the next table is waited for, where copying all of them began at `began`.
QByteArray patienceSince(std::chrono::steady_clock::time_point began)
{
    constexpr milliseconds patience{100};
    const auto passed = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began);
    const auto left = std::max(milliseconds(1), patience - passed).count();
    return db::Statement::filled(
        "postgres/frameworks/copy_patience", {{"patience"_L1, QString::number(left)}})
        .sql();
}

QString tooLarge()
{
    return u"It has more than %1 rows or 8 MB: a table of somebody who is not trusted is read as a whole. Read it by a role without rights of its own, named in the server's URL: ?reader=ROLE."_s
        .arg(maxRowsCopied);
}

} // namespace

CopiedTable::CopiedTable(const db::Dialect& dialect, const DatabaseTable& table, const QStringList& columns)
{
    QStringList quoted;
    QStringList withTypes;
    for (const LockRowTable::Column& column : table.names->columns) {
        if (!columns.contains(column.name, Qt::CaseInsensitive))
            continue;
        names << column.name;
        quoted << dialect.quoted(column.name);
        withTypes << quoted.last() + u' ' + typeAsCopied(column);
    }
    typed = withTypes.join(u", "_s);
    statement = db::Statement::filled("postgres/frameworks/copy",
        {{"table"_L1, dialect.quoted(table.names->schema, table.names->table)},
            {"copied"_L1, quoted.join(u", "_s)}})
                    .sql();
}

std::vector<Result<QString>> copyRows(db::Connection& connection, const std::vector<CopiedTable>& tables,
    std::chrono::steady_clock::time_point end, int& roundTrips, const std::stop_token& stop)
{
    const auto began = std::chrono::steady_clock::now();
    std::vector<Result<QString>> all;
    auto* const postgres = dynamic_cast<db::PostgresConnection*>(&connection);
    while (all.size() < tables.size()) {
        const size_t first = all.size();
        const db::Statement& settings = db::Statement::get("postgres/frameworks/copy_settings");
        if (first > 0 && std::chrono::steady_clock::now() > end) {
            const Error late{.kind = ErrorKind::Timeout,
                .what = settings.whatFailed(),
                .detail = u"what other tables had this poll wait for took its time"_s};
            all.resize(tables.size(), Failure(late));
            break;
        }
        QByteArray script = settings.sql();
        const QByteArray patience = patienceSince(began);
        for (size_t i = first; i < tables.size(); ++i)
            script += ";\n" + patience + ";\n" + tables[i].statement;
        std::vector<QJsonArray> rows(tables.size() - first);
        bool isTooLarge = false;
        const auto take = [&](int number, const QByteArray& line) {
            const auto at = static_cast<size_t>(number);
            if (at >= rows.size()) // the server sends more tables than were asked for
                return false;
            rows[at].append(rowOf(line, tables[first + at].names));
            isTooLarge = rows[at].size() > maxRowsCopied;
            return !isTooLarge;
        };
        ++roundTrips;
        const auto outcome = postgres
            ? postgres->copyOut(script, settings.whatFailed(), maxBytesCopied, take, stop)
            : db::PostgresConnection::CopyOutcome{
                0, false, Error{.kind = ErrorKind::Internal, .what = u"No COPY here."_s}};
        const auto finished = std::min(static_cast<size_t>(outcome.finished), rows.size());
        for (size_t i = 0; i < finished; ++i)
            all.emplace_back(QString::fromUtf8(QJsonDocument(rows[i]).toJson(QJsonDocument::Compact)));
        if (!outcome.error && all.size() == tables.size())
            break;
        Error error = outcome.error.value_or(Error{.kind = ErrorKind::Server,
            .what = settings.whatFailed(),
            .detail = u"The server sent no such table."_s});
        if (isTooLarge || outcome.isTooLong)
            error = Error{.kind = ErrorKind::Unsupported,
                .what = error.what,
                .server = error.server,
                .detail = tooLarge()};
        all.emplace_back(Failure(error));
        // A reading that took too long, or broke, would do so again.
        const bool goesOn = error.kind == ErrorKind::Server || error.kind == ErrorKind::MissingObject
            || error.kind == ErrorKind::Permission || error.kind == ErrorKind::Unsupported
            || db::Dialect::isLockTimeout(error);
        while (!goesOn && all.size() < tables.size())
            all.emplace_back(Failure(error));
    }
    return all;
}

} // namespace lockscope::frameworks
