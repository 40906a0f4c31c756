// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/RoleActs.h"

#include <QTest>

namespace lockscope::test {

using namespace Qt::StringLiterals;

static void addColumns()
{
    QTest::addColumn<QString>("role");
    QTest::addColumn<QString>("sql");
}

static void addRow(const QString& role, const char* what, const QString& sql)
{
    QTest::addRow("%s: %s", qPrintable(role), what) << role << sql;
}

void addAllowed(const RoleActs& acts)
{
    addColumns();
    for (const QString& role : schemaRoles.mid(1)) {
        addRow(role, "see the holders", u"SELECT * FROM lockscope.holders"_s);
        addRow(role, "see the waiters", u"SELECT * FROM lockscope.waiters"_s);
        addRow(role, "see what is stale", u"SELECT * FROM lockscope.stale"_s);
        addRow(role, "see the audit", u"SELECT * FROM lockscope.audit"_s);
        addRow(role, "see the entries", u"SELECT name, fencing, expires_at FROM lockscope.lock_entry"_s);
        if (role == u"reader")
            continue;
        addRow(role, "acquire", acts.acquire);
        addRow(role, "renew", acts.renew);
        addRow(role, "release", acts.release);
        addRow(role, "leave the queue", acts.leaveQueue);
        addRow(role, "free by hand", u"DELETE FROM lockscope.lock_entry WHERE name = 'n'"_s);
        addRow(role, "purge", acts.purge);
        addRow(role, "write the audit", acts.writeAudit);
        addRow(role, "application lock", acts.takeAppLock);
        addRow(role, "surrogate key", acts.takeKey);
        if (role == u"operator")
            continue;
        addRow(role, "make a surrogate table", acts.makeTable);
        addRow(role, "clear the audit out", u"DELETE FROM lockscope.audit_log"_s);
    }
}

void addForbidden(const RoleActs& acts)
{
    addColumns();
    for (const QString& role : schemaRoles) {
        addRow(role, "forge the audit", u"UPDATE lockscope.audit_log SET who = 'bob'"_s);
        addRow(role, "make tables", u"CREATE TABLE lockscope.mine (a int)"_s);
        addRow(role, "drop tables", u"DROP TABLE lockscope.lock_entry"_s);
        addRow(role, "forge the version", u"UPDATE lockscope.schema_version SET version = 99"_s);
        addRow(role, "empty the lock table", acts.emptyTable);
        if (role == u"admin")
            continue;
        addRow(role, "clear the audit out", u"DELETE FROM lockscope.audit_log"_s);
        addRow(role, "make a surrogate table", acts.makeTable);
        if (role == u"operator")
            continue;
        addRow(role, "acquire", acts.acquire);
        addRow(role, "insert an entry", acts.insertEntry);
        addRow(role, "release", acts.release);
        addRow(role, "free by hand", u"DELETE FROM lockscope.lock_entry"_s);
        addRow(role, "purge", acts.purge);
        addRow(role, "write the audit", acts.writeAudit);
        addRow(role, "surrogate key", acts.takeKey);
        if (role == u"none")
            addRow(role, "look", u"SELECT * FROM lockscope.holders"_s);
    }
}

} // namespace lockscope::test
