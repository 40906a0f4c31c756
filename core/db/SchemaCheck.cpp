// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaCheck.h"

#include "core/base/Sentences.h"
#include "core/db/SchemaFile.h"
#include "core/db/SchemaInstaller.h"
#include "core/db/SchemaTrust.h"

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

QString ownerOf(Connection& connection)
{
    QString owner;
    if (connection.engine() != Engine::Sqlite)
        connection.execute(schemaStatement(connection.dialect(), "check/schema_owner"), {},
            [&owner](const Row& row) { owner = row.text(0); });
    return owner;
}

} // namespace

CheckStep checkSchema(Connection& connection)
{
    CheckStep step{.key = u"schema"_s, .name = u"Schema lockscope"_s, .outcome = CheckStep::Outcome::Note};
    Result<int> version = installedSchemaVersion(connection);
    if (!version) {
        const Error& error = version.error();
        if (error.kind == ErrorKind::Permission || error.kind == ErrorKind::Unsupported) {
            step.finding = sentences({error.what, error.detail});
            step.remedy = error.hint;
        } else {
            step.outcome = CheckStep::Outcome::Failed;
            step.finding = error.toString();
        }
        return step;
    }
    if (*version == 0) {
        step.finding = u"Not installed: sessions and locks show, but there is no lock table."_s;
        step.remedy = u"lockctl install --server %1"_s.arg(connection.url().toString());
        return step;
    }
    const QString owner = ownerOf(connection);
    const QString found =
        u"version %1"_s.arg(*version) + (owner.isEmpty() ? QString() : u", owner %1"_s.arg(owner));
    if (const auto trusted = trustSchema(connection, SchemaUse::Calling); !trusted) {
        step.finding = sentences({found, trusted.error().what, trusted.error().detail});
        step.remedy = trusted.error().hint;
    } else {
        step.outcome = CheckStep::Outcome::Good;
        step.finding = found;
    }
    return step;
}

} // namespace lockscope::db
