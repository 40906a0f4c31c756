// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/RunRights.h"

#include "core/db/Connection.h"
#include "core/db/Dialect.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

Result<RunRights> rightsToRun(const db::Server& server, const RunNeeds& needs)
{
    RunRights rights;
    rights.database = server.profile.url.database;
    if (!db::Dialect::of(server.engine()).can(db::Capability::LogIn))
        return rights; // a run has a file of its own
    const auto connection = server.connect(db::Purpose::Admin);
    if (!connection)
        return Failure(connection.error());
    const db::Dialect& dialect = (*connection)->dialect();
    QString user;
    bool mayCreate = false;
    bool isInstalled = false;
    bool mayLock = false;
    const auto read =
        (*connection)->execute(db::schemaStatement(dialect, "scenario/rights"), {}, [&](const db::Row& row) {
            user = row.text(0);
            rights.database = row.text(1);
            mayCreate = row.int64(2) != 0 && (!needs.procedures || row.int64(5) != 0);
            isInstalled = row.int64(3) != 0;
            mayLock = row.int64(4) != 0;
        });
    if (!read)
        return Failure(read.error());
    const QString quotedUser = dialect.quoted(user);
    static constexpr PerEngine<const char16_t*> grants{.postgres = u"GRANT CREATE ON DATABASE %2 TO %1;",
        .sqlServer = u"USE %2; GRANT CREATE SCHEMA, CREATE TABLE%3 TO %1;",
        .sqlite = u""};
    if (!mayCreate) {
        rights.missing = u"Your login may not create a schema in the database %1."_s.arg(rights.database);
        rights.remedy = QString::fromUtf16(grants[server.engine()])
                            .replace(u"%3"_s, needs.procedures ? u", CREATE PROCEDURE"_s : QString())
                            .arg(quotedUser, dialect.quoted(rights.database));
    } else if (needs.names && !isInstalled) {
        rights.missing = u"It takes names of the lock table, and this database has none."_s;
        rights.remedy = u"Install Lockscope's schema (page Lock table)."_s;
    } else if (needs.names && !mayLock) {
        rights.missing = u"It takes names of the lock table, which your login may not."_s;
        rights.remedy = dialect.grantOfRole(u"lockscope_operator"_s, quotedUser);
    }
    return rights;
}

} // namespace lockscope::scenario
