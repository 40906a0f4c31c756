// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/TableColumns.h"

#include "core/db/Connection.h"

#include <QStringList>

#include <algorithm>

namespace lockscope::db {

Result<QList<TableColumns>> tablesWithColumns(Connection& connection, std::stop_token stop)
{
    QList<TableColumns> tables;
    const auto read = connection.execute(
        schemaStatement(connection.dialect(), "names/table_columns"), {},
        [&tables](const Row& row) {
            const QString schema = row.text(0);
            const QString table = row.text(1);
            if (tables.isEmpty() || tables.last().schema != schema || tables.last().table != table)
                tables.append({.schema = schema, .table = table});
            const QString column = row.text(2);
            tables.last().columns << column;
            if (row.int64(3) != 0)
                tables.last().names << column;
            if (row.int64(4) != 0)
                tables.last().times << column;
            if (row.int64(5) != 0)
                tables.last().zoned << column;
        },
        std::move(stop));
    if (!read)
        return Failure(read.error());
    tables.erase(std::remove_if(tables.begin(), tables.end(),
                     [](const TableColumns& one) { return one.names.isEmpty() || one.times.isEmpty(); }),
        tables.end());
    return tables;
}

} // namespace lockscope::db
