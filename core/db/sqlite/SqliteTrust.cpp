// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaTrust.h"

#include "core/db/SchemaInstaller.h"
#include "core/db/Statement.h"
#include "core/db/sqlite/SqliteHandle.h"

#include <QHash>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

struct SchemaObject {
    QString type; ///< "table", "index", "trigger", "view"
    QString table; ///< in small letters
    QString sql; ///< as SQLite keeps it

    bool operator==(const SchemaObject&) const = default;
};
using SchemaObjects = QHash<QString, SchemaObject>; ///< by name, in small letters

void insertObject(SchemaObjects& objects, const Row& row)
{
    objects.insert(row.text(1).toLower(), {row.text(0), row.text(2).toLower(), row.text(3)});
}

/// SQLite keeps statements in its own form: so the installation runs once, in memory.
SchemaObjects installedObjects(const Dialect& dialect)
{
    sqlite3* opened = nullptr;
    sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    SqliteHandle handle({opened, [](sqlite3* one) { sqlite3_close(one); }});
    SchemaObjects objects;
    if (opened && handle.runScript(schemaStatement(dialect, "install.sql").sql()) == SQLITE_OK)
        handle.run(schemaStatement(dialect, "schema/objects"), std::span<const Param>(),
            [&objects](const SqliteRow& row) {
                insertObject(objects, row);
                return true;
            });
    return objects;
}

} // namespace

Result<void> findSqliteFaults(Connection& connection)
{
    static const SchemaObjects installed = installedObjects(connection.dialect());
    connection.schemaFaults() = {};
    SchemaObjects found;
    auto asked = connection.execute(schemaStatement(connection.dialect(), "schema/objects"), {},
        [&found](const Row& row) { insertObject(found, row); });
    QStringList versions;
    const bool isInstalled = found.contains(u"lockscope_schema_version"_s);
    if (asked && isInstalled)
        asked = connection.execute(schemaStatement(connection.dialect(), "schema/version"), {},
            [&versions](const Row& row) { versions << row.text(0); });
    if (!asked)
        return Failure(asked.error());
    // Another version is made in another way, and refused as such.
    if (isInstalled && versions != QStringList{QString::number(schemaVersion)})
        return {};
    connection.schemaFaults().known = isInstalled;
    QStringList& faults = connection.schemaFaults().calling;
    for (auto each = found.cbegin(); each != found.cend(); ++each) {
        const auto known = installed.constFind(each.key());
        if (known != installed.cend() && *known != *each)
            faults << u"the %1 %2 is not as the installation makes it"_s.arg(each->type, each.key());
    }
    faults.sort();
    return {};
}

} // namespace lockscope::db
