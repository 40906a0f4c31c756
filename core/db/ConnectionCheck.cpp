// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ConnectionCheck.h"

#include "core/base/Sentences.h"
#include "core/db/SchemaInstaller.h"
#include "core/db/SchemaTrust.h"
#include "core/db/Statement.h"

#include <algorithm>
#include <array>
#include <span>

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

constexpr std::size_t maxDifferences = 10;

struct Installation {
    const char* schema;
    const char* script;
    QLatin1StringView install;
};
constexpr std::array installations{
    Installation{"lockscope", "postgres/install.sql", "lockctl install --server %1"_L1},
    Installation{
        "lockscope_history", "recording/postgres/install.sql", "lockctl install --history --server %1"_L1},
};

/// Returns the quoted body of a function that the script creates.
QString bodyOf(const QByteArray& script, const QByteArray& function)
{
    const QByteArray quote = "$$\n";
    const qsizetype made = script.indexOf("FUNCTION " + function + '(');
    const qsizetype begin = script.indexOf(quote, made) + quote.size();
    Q_ASSERT(made >= 0 && begin > made);
    return QString::fromUtf8(script.mid(begin, script.indexOf("$$;", begin) - begin));
}

struct Difference {
    QString fault;
    QString mend;
    bool isExcess = false; ///< somebody may do more than the installation gives: a fault
};

Result<std::vector<Difference>> differences(
    Connection& connection, const Installation& installation, const char* function, const char* statement)
{
    const QString body =
        bodyOf(Statement::get(installation.script).sql(), QByteArray(installation.schema) + '.' + function);
    std::vector<Difference> found;
    const auto asked =
        connection.execute(Statement::filled(statement, {{"rights"_L1, body}}), {}, [&found](const Row& row) {
            found.push_back({row.text(0), row.text(1), row.text(1).startsWith(u"REVOKE"_s)});
        });
    return ifDone(asked, std::move(found));
}

bool isThere(Connection& connection, const Installation& installation)
{
    bool found = false;
    connection.execute(Statement::get("postgres/rights/is_there"), {QString::fromLatin1(installation.schema)},
        [&found](const Row& row) { found = row.boolean(0); });
    return found;
}

CheckStep step(CheckStep::Outcome outcome, const QString& finding, const QString& remedy = {})
{
    return {.key = u"grants"_s,
        .name = u"Rights in it"_s,
        .outcome = outcome,
        .finding = finding,
        .remedy = remedy};
}

CheckStep::Outcome outcomeOf(const Difference& difference)
{
    return difference.isExcess ? CheckStep::Outcome::Failed : CheckStep::Outcome::Note;
}

/// A step each, as far as somebody reads, and those that are faults first.
void tell(std::vector<Difference> found, const QString& mendsAll, std::vector<CheckStep>& steps)
{
    std::stable_partition(found.begin(), found.end(), std::mem_fn(&Difference::isExcess));
    const std::size_t shownCount = found.size() > maxDifferences + 1 ? maxDifferences : found.size();
    for (const Difference& each : std::span(found).first(shownCount))
        steps.push_back(
            step(outcomeOf(each), each.fault, each.mend.isEmpty() ? each.mend : each.mend + u';'));
    if (shownCount < found.size())
        steps.push_back(step(outcomeOf(found[shownCount]),
            u"and "_s + counted(qint64(found.size() - shownCount), u"more difference"), mendsAll));
}

void checkInstallation(
    Connection& connection, const Installation& installation, std::vector<CheckStep>& steps)
{
    const auto rights = differences(connection, installation, "wrong_rights", "postgres/rights/wrong_rights");
    const auto roles = differences(connection, installation, "wrong_roles", "postgres/rights/wrong_roles");
    if (!rights || !roles) {
        const Error& error = rights ? roles.error() : rights.error();
        steps.push_back(step(CheckStep::Outcome::Note, u"could not be read: "_s + error.reason()));
        return;
    }
    tell(*rights, QString(installation.install).arg(connection.url().toString()), steps);
    tell(*roles, {}, steps);
    if (rights->empty() && roles->empty())
        steps.push_back(step(CheckStep::Outcome::Good,
            u"those that the installation gives in the schema %1, and no others"_s.arg(
                QLatin1StringView(installation.schema))));
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

std::vector<CheckStep> checkRights(Connection& connection)
{
    std::vector<CheckStep> steps;
    if (connection.engine() != Engine::Postgres)
        return steps;
    for (const Installation& installation : installations)
        if (isThere(connection, installation))
            checkInstallation(connection, installation, steps);
    if (steps.empty())
        return steps;
    std::vector<Difference> powers;
    connection.execute(Statement::get("postgres/rights/powers"), {}, [&powers](const Row& row) {
        powers.push_back({row.text(1) == u"CREATEROLE"
                ? u"%1 may make roles, and so become a member of every role that is no superuser"_s.arg(
                    row.text(0))
                : u"%1 may change every table, the audit too (%2)"_s.arg(row.text(0), row.text(1)),
            row.text(2), false});
    });
    tell(powers, {}, steps);
    return steps;
}

bool checkSqlite(
    const Server& server, const ConnectOptions& options, const CheckSink& tell, const std::stop_token& stop)
{
    const auto connection = server.connect(options);
    if (!reportOpened(connection, tell, stop))
        return false;
    const auto asked =
        (*connection)
            ->execute(
                Statement::get("sqlite/session/journal_mode"), {},
                [&](const Row& row) {
                    tell({.key = u"database"_s,
                        .name = u"Database"_s,
                        .finding = u"%1, journal mode %2"_s.arg(server.profile.url.database, row.text(0))});
                },
                stop);
    if (!asked && !stop.stop_requested())
        reportUnread(u"database"_s, u"Database"_s, asked.error(), tell);
    return reportSchema(**connection, tell, stop);
}

} // namespace lockscope::db
