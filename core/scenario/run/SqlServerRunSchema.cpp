// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/EngineRunSchemas.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

SqlServerRunSchema::SqlServerRunSchema(const QString& id, const db::Server& server)
    : ServerRunSchema(id, server, empty)
{
}

/// The sessions of a program that is gone are gone, too: SQL Server ends them itself.
Result<void> SqlServerRunSchema::empty(db::Connection& connection, const QString& schema)
{
    struct Object {
        QString name;
        QString type;
    };
    std::vector<Object> objects;
    const auto listed = connection.execute(
        db::Statement::get("sqlserver/scenario/objects"), {schema}, [&objects](const db::Row& row) {
            objects.push_back({row.text(0), row.text(1)});
        });
    if (!listed)
        return Failure(listed.error());
    for (const Object& object : objects) {
        const char* const path = object.type == u"P" ? "sqlserver/scenario/drop_procedure"
            : object.type == u"SO"                   ? "sqlserver/scenario/drop_sequence"
                                                     : "sqlserver/scenario/drop_table";
        const auto drop =
            db::Statement::filled(path, {{"object"_L1, connection.dialect().quoted(schema, object.name)}});
        if (auto dropped = run(connection, drop); !dropped)
            return dropped;
    }
    return {};
}

Result<int> SqlServerRunSchema::removeRemains(const db::Server& server)
{
    return removeRemainsBy(empty, server);
}

} // namespace lockscope::scenario
