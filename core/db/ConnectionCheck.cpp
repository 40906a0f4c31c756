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
        tell({u"server"_s, u"Server"_s, StepOutcome::Good, (*connection)->serverVersion(), {}});
        return true;
    }
    const Error& error = connection.error();
    const bool login = error.kind == ErrorKind::Login;
    tell({login ? u"login"_s : u"server"_s, login ? u"Login"_s : u"Server"_s, StepOutcome::Failed,
        error.toString(), {}});
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
    tell({key, name, StepOutcome::Note,
        u"could not be read: "_s + (error.detail.isEmpty() ? error.what : error.detail), {}});
}

} // namespace lockscope::db
