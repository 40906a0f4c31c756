// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Types.h"

#include <QJsonValue>

#include <map>

namespace lockscope::test::tds {

/// A column of a view of SQL Server, as its documentation has it.
struct ViewColumn {
    QString name;
    Type type = {}; ///< Untyped: documented without a type, or with one that the double can't send
    std::optional<bool> nullable = {}; ///< nullopt: not documented
};

/// A view, or a function that returns a table. A function's arguments are columns, too, named "argument1" …
struct View {
    QString name; ///< "sys.dm_tran_locks"
    std::vector<ViewColumn> columns;

    const ViewColumn* column(const QString& columnName) const; ///< null if it has none of that name
};

/// tests/support/sqlserver/dmv-columns.json: what SQL Server's views are made of.
class Catalogue {
public:
    static const Catalogue& get();

    const View* view(const QString& name) const; ///< null if the catalogue doesn't have it
    const std::map<QString, View>& views() const { return m_views; }

private:
    Catalogue();
    std::map<QString, View> m_views;
};

/// "nvarchar(60)", "sysname", "varbinary(max)" …; nullopt for what the double can't send.
std::optional<Type> typeFromText(const QString& text);

/// A value of a file of rows, for that column: "0x…" is bytes for a binary column, "2026-11-22 03:00:00" a
/// time for a datetime. A value that does not fit stays as it is, for contradiction() to find.
Value valueFromJson(const ViewColumn& column, const QJsonValue& json);

/// Why the value can't stand in the column; empty if it can.
QString contradiction(const ViewColumn& column, const Value& value);

} // namespace lockscope::test::tds
