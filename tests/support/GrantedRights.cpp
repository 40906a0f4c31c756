// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/GrantedRights.h"

#include "tests/support/Files.h"
#include "tests/support/OrDie.h"
#include "tests/support/TestServer.h"

#include <QRegularExpression>

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

QStringList column(db::Connection& connection, const QString& sql)
{
    QStringList found;
    orDie(connection.execute(sqlStatement(sql), {}, [&found](const db::Row& row) { found << row.text(0); }));
    return found;
}

/// "SELECT, UPDATE (a, b)": "SELECT", "UPDATE (a)", "UPDATE (b)".
QStringList privilegesOf(const QString& cell)
{
    static const QRegularExpression one(u"([A-Z]+)(?: \\(([^)]*)\\))?"_s);
    QStringList privileges;
    for (auto match = one.globalMatch(cell); match.hasNext();) {
        const auto each = match.next();
        if (each.captured(2).isEmpty())
            privileges << each.captured(1);
        else
            for (const QString& name : each.captured(2).remove(u'`').split(u", "_s))
                privileges << u"%1 (%2)"_s.arg(each.captured(1), name);
    }
    return privileges;
}

QStringList cellsOf(const QString& line)
{
    QStringList cells = line.split(u'|').mid(1);
    for (QString& cell : cells)
        cell = cell.trimmed();
    return cells;
}

/// "`a`, `b`", "the schema", or "surrogate tables".
QStringList objectsOf(db::Connection& connection, const QString& schema, const QString& cell)
{
    if (cell == u"the schema itself")
        return {schema};
    if (cell == u"surrogate tables")
        return column(connection,
            u"SELECT relname FROM pg_class WHERE relnamespace = '%1'::regnamespace AND relname LIKE 'surrogate:%' AND relkind = 'r'"_s
                .arg(schema));
    static const QRegularExpression quoted(u"`([^`(]+)(?:\\(\\))?`"_s);
    QStringList objects;
    for (auto match = quoted.globalMatch(cell); match.hasNext();)
        objects << match.next().captured(1);
    return objects;
}

} // namespace

QStringList rightsIn(db::Connection& connection, const QString& schema)
{
    return column(connection, uR"(
        WITH here AS (SELECT * FROM pg_namespace WHERE nspname = '%1'),
        things (name, attribute, owner, acl) AS (
            SELECT nspname::text, NULL, nspowner, coalesce(nspacl, acldefault('n', nspowner)) FROM here
            UNION ALL
            SELECT relname, NULL, relowner,
                coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner))
            FROM pg_class, here WHERE relnamespace = here.oid AND relkind NOT IN ('i', 'I', 'c', 't')
            UNION ALL
            SELECT relname, attname, relowner, attacl
            FROM pg_attribute, pg_class AS c, here WHERE attrelid = c.oid AND relnamespace = here.oid AND attacl IS NOT NULL
            UNION ALL
            SELECT proname, NULL, proowner, coalesce(proacl, acldefault('f', proowner))
            FROM pg_proc, here WHERE pronamespace = here.oid
            UNION ALL
            SELECT 'type ' || typname, NULL, typowner, coalesce(typacl, acldefault('T', typowner))
            FROM pg_type, here WHERE typnamespace = here.oid AND typcategory <> 'A'
        )
        SELECT DISTINCT name || '|' || coalesce(rolname, 'PUBLIC') || '|' || privilege_type
            || coalesce(' (' || attribute || ')', '') || CASE WHEN is_grantable THEN '*' ELSE '' END
        FROM things CROSS JOIN LATERAL aclexplode(acl) LEFT JOIN pg_roles AS r ON r.oid = grantee
        WHERE grantee <> owner
        ORDER BY 1)"_s.arg(schema));
}

QStringList rightsOfTheManual(db::Connection& connection, const QString& schema)
{
    const QStringList lines =
        QString::fromUtf8(readFile(sourcePath(u"resources/help/security.md"_s))).split(u'\n');
    const QString heading = u"| in `%1` |"_s.arg(schema);
    qsizetype line = 0;
    while (line < lines.size() && !lines[line].startsWith(heading))
        ++line;
    if (line == lines.size())
        qFatal("no table on the rights in the schema %s", qPrintable(schema));
    const QStringList roles = cellsOf(lines[line]);
    QStringList rights;
    for (line += 2; lines.value(line).startsWith(u'|'); ++line) {
        const QStringList cells = cellsOf(lines[line]);
        for (const QString& object : objectsOf(connection, schema, cells[0])) {
            for (qsizetype role = 1; role < roles.size(); ++role) {
                const QString name =
                    roles[role] == u"everybody" ? u"PUBLIC"_s : QString(roles[role]).remove(u'`');
                for (const QString& privilege : name.isEmpty() ? QStringList() : privilegesOf(cells[role]))
                    rights << u"%1|%2|%3"_s.arg(object, name, privilege);
            }
        }
    }
    return rights;
}

} // namespace lockscope::test
