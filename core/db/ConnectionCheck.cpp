// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ConnectionCheck.h"

#include "core/base/Sentences.h"
#include "core/db/SchemaInstaller.h"
#include "core/db/SchemaRights.h"
#include "core/db/SchemaTrust.h"
#include "core/db/Statement.h"

namespace lockscope::db {

using namespace Qt::StringLiterals;

using StepOutcome = CheckStep::Outcome;

namespace {

QString ownerOf(Connection& connection)
{
    QString owner;
    if (connection.dialect().can(Capability::LogIn))
        connection.execute(schemaStatement(connection.dialect(), "check/schema_owner"), {},
            [&owner](const Row& row) { owner = row.text(0); });
    return owner;
}

} // namespace

CheckStep checkSchema(Connection& connection)
{
    CheckStep step{.key = u"schema"_s, .name = u"Schema lockscope"_s, .outcome = StepOutcome::Note};
    Result<int> version = installedSchemaVersion(connection);
    if (!version) {
        const Error& error = version.error();
        if (error.kind == ErrorKind::Permission || error.kind == ErrorKind::Unsupported) {
            step.finding = sentences({error.what, error.detail});
            step.remedy = error.hint;
        } else {
            step.outcome = StepOutcome::Failed;
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
        step.outcome = StepOutcome::Good;
        step.finding = found;
    }
    return step;
}

bool reportOpened(
    const Result<std::unique_ptr<Connection>>& connection, const CheckSink& tell, const std::stop_token& stop)
{
    if (stop.stop_requested())
        return false;
    if (connection) {
        tell({.key = u"server"_s, .name = u"Server"_s, .finding = (*connection)->serverVersion()});
        return true;
    }
    const Error& error = connection.error();
    const bool login = error.kind == ErrorKind::Login;
    tell({.key = login ? u"login"_s : u"server"_s,
        .name = login ? u"Login"_s : u"Server"_s,
        .outcome = StepOutcome::Failed,
        .finding = error.toString()});
    return false;
}

bool reportSchema(Connection& connection, const CheckSink& tell, const std::stop_token& stop)
{
    if (stop.stop_requested())
        return false;
    const CheckStep schema = checkSchema(connection);
    tell(schema);
    for (const CheckStep& step : checkRights(connection))
        tell(step);
    return schema.outcome != StepOutcome::Failed && !stop.stop_requested();
}

void reportUnread(const QString& key, const QString& name, const Error& error, const CheckSink& tell)
{
    tell({.key = key,
        .name = name,
        .outcome = StepOutcome::Note,
        .finding = u"could not be read: "_s + error.reason()});
}

} // namespace lockscope::db
