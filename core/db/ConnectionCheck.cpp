// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ConnectionCheck.h"

#include "core/db/SchemaCheck.h"
#include "core/db/SchemaRights.h"

namespace lockscope::db {

using namespace Qt::StringLiterals;

using StepOutcome = CheckStep::Outcome;

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
