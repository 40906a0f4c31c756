// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/RunSchema.h"

#include "core/db/Connection.h"
#include "core/db/Dialect.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"
#include "core/scenario/run/EngineRunSchemas.h"

#include <QRandomGenerator>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

QString newId()
{
    return u"run_%1"_s.arg(QRandomGenerator::system()->generate64(), 16, 16, QChar(u'0'));
}

/// Takes also "3.00": a sum may have decimals.
std::optional<qint64> wholeNumber(const QString& text)
{
    bool isNumber = false;
    const qint64 whole = text.toLongLong(&isNumber);
    if (isNumber)
        return whole;
    const double number = text.toDouble(&isNumber);
    if (!isNumber || std::abs(number) > 1e15 || number != std::floor(number))
        return std::nullopt;
    return qint64(number);
}

template <class Visit> void eachAcquire(const Variant& variant, Visit visit)
{
    eachStep(variant, [&visit](const Step& step) {
        if (const auto* acquire = std::get_if<AcquireStep>(&step.act))
            visit(*acquire);
    });
}

} // namespace

QStringList lockedTables(const Variant& variant)
{
    QStringList names;
    eachAcquire(variant, [&names](const AcquireStep& step) {
        if (step.kind == locks::LockKind::LockedTable && !names.contains(step.name.text()))
            names << step.name.filled({});
    });
    return names;
}

bool usesLocks(const Variant& variant, locks::LockKind kind)
{
    bool uses = false;
    eachAcquire(variant, [&](const AcquireStep& step) { uses = uses || step.kind == kind; });
    return uses;
}

bool makesProcedures(const ScriptByEngine& script)
{
    static const QRegularExpression makes(
        u"\\bCREATE\\s+(?:OR\\s+ALTER\\s+)?PROC(?:EDURE)?\\b"_s, QRegularExpression::CaseInsensitiveOption);
    const auto statements = script.find(Engine::SqlServer);
    return statements != script.end() && std::ranges::any_of(statements->second, [](const SqlTemplate& sql) {
        return sql.text().contains(makes);
    });
}

RunSchema::RunSchema(QString id, db::Server server, QString schema)
    : m_id(std::move(id))
    , m_server(std::move(server))
    , m_schema(std::move(schema))
{
}

Result<std::unique_ptr<RunSchema>> RunSchema::create(const db::Server& server, const Scenario& scenario,
    const Variant& variant, const Values& values, const QHash<QString, QString>& identifiers,
    const std::stop_token& stop)
{
    using Make = std::unique_ptr<RunSchema> (*)(const db::Server&);
    static constexpr PerEngine<Make> make{.postgres = [](const db::Server& at) -> std::unique_ptr<RunSchema> {
                                              return std::make_unique<PostgresRunSchema>(newId(), at);
                                          },
        .sqlServer = [](const db::Server& at) -> std::unique_ptr<RunSchema> {
            return std::make_unique<SqlServerRunSchema>(newId(), at);
        },
        .sqlite = [](const db::Server&) -> std::unique_ptr<RunSchema> {
            return std::make_unique<SqliteRunSchema>(newId());
        }};
    std::unique_ptr<RunSchema> area = make[server.engine()](server);
    area->m_identifiers = identifiers;
    LOCKSCOPE_TRY(area->connect());
    LOCKSCOPE_TRY(area->begin(variant));
    LOCKSCOPE_TRY(area->setUp(scenario, variant, values, stop));
    return area;
}

Result<int> RunSchema::removeRemains(const db::Server& server)
{
    const int files = removeRemainingFiles();
    static constexpr PerEngine<Result<int> (*)(const db::Server&)> remove{
        .postgres = PostgresRunSchema::removeRemains,
        .sqlServer = SqlServerRunSchema::removeRemains,
        .sqlite = [](const db::Server&) -> Result<int> { return 0; }};
    LOCKSCOPE_TRY_GET(const auto schemas, remove[server.engine()](server));
    return schemas + files;
}

int RunSchema::removeRemainingFiles()
{
    return SqliteRunSchema::removeRemains();
}

QString RunSchema::sessionName(int session, const QString& role) const
{
    return u"%1/%2 %3"_s.arg(m_id).arg(session).arg(role);
}

QString RunSchema::identifier(const QString& name) const
{
    const db::Dialect& dialect = m_connection->dialect();
    if (name == u"schema")
        return m_schema.isEmpty() ? dialect.quoted(u"main"_s) : dialect.quoted(m_schema);
    return dialect.quoted(m_identifiers.value(name));
}

Result<void> RunSchema::connect()
{
    LOCKSCOPE_TRY_GET(m_connection,
        m_server.connect({.purpose = db::Purpose::Workload,
            .programSuffix = m_id,
            .createFile = true})); // of SQLite's: the run's own
    return {};
}

Result<void> RunSchema::setUp(
    const Scenario& scenario, const Variant& variant, const Values& values, const std::stop_token& stop)
{
    m_values = values;
    LOCKSCOPE_TRY(runScript(scenario.setup, u"set-up of "_s + scenario.id, stop));
    LOCKSCOPE_TRY(runScript(variant.setup, u"set-up of "_s + scenario.id + u'/' + variant.id, stop));
    m_teardown = scenario.teardown;
    return {};
}

Result<void> RunSchema::runScript(
    const ScriptByEngine& script, const QString& title, const std::stop_token& stop)
{
    const auto statements = script.find(m_server.engine());
    if (statements == script.end())
        return {};
    for (const SqlTemplate& statement : statements->second) {
        const auto filled = statement.filled(
            m_server.engine(), title, [this](const QString& name) { return identifier(name); });
        LOCKSCOPE_TRY(m_connection->execute(filled.statement, paramsOf(filled, m_values), {}, stop));
    }
    return {};
}

Result<void> RunSchema::remember()
{
    return failure(ErrorKind::Unsupported,
        u"On %1 the tables of a run can't be filled again."_s.arg(engineName(m_server.engine())));
}

Result<std::optional<InvariantCount>> RunSchema::violations(const Invariant& invariant)
{
    if (invariant.sql.empty())
        return std::optional<InvariantCount>();
    const auto filled = invariant.sql.at(m_server.engine())
                            .filled(m_server.engine(), u"invariant"_s,
                                [this](const QString& name) { return identifier(name); });
    const int columns = invariant.countsAll() ? 2 : 1;
    QStringList answers;
    LOCKSCOPE_TRY(m_connection->execute(
        filled.statement, paramsOf(filled, m_values), [&answers, columns](const db::Row& row) {
            for (int i = 0; i < columns && answers.size() <= columns; ++i)
                answers << (row.isNull(i) ? u"NULL"_s : row.text(i));
        }));
    std::vector<qint64> numbers;
    for (const QString& answer : std::as_const(answers))
        if (const std::optional<qint64> number = wholeNumber(answer))
            numbers.push_back(*number);
    if (answers.size() != columns || std::ssize(numbers) != columns)
        return failure(ErrorKind::BadInput,
            answers.isEmpty() ? u"The invariant of the scenario gave no row."_s
                : answers.size() > columns
                ? u"The invariant of the scenario gave several rows."_s
                : u"The invariant of the scenario gave \"%1\", which is no number."_s.arg(
                    answers.join(u", "_s)),
            u"Let its SQL give one row with the number of violations, such as SELECT count(*) FROM …"_s);
    return InvariantCount{numbers.front(), columns == 2 ? numbers.back() : 0};
}

Result<RunRights> rightsToRun(const db::Server& server, const RunNeeds& needs)
{
    RunRights rights;
    rights.database = server.profile.url.database;
    if (!db::Dialect::of(server.engine()).can(db::Capability::LogIn))
        return rights; // a run has a file of its own
    LOCKSCOPE_TRY_GET(const auto connection, server.connect(db::Purpose::Admin));
    const db::Dialect& dialect = connection->dialect();
    QString user;
    bool mayCreate = false;
    bool isInstalled = false;
    bool mayLock = false;
    LOCKSCOPE_TRY(
        connection->execute(db::schemaStatement(dialect, "scenario/rights"), {}, [&](const db::Row& row) {
            user = row.text(0);
            rights.database = row.text(1);
            mayCreate = row.int64(2) != 0 && (!needs.procedures || row.int64(5) != 0);
            isInstalled = row.int64(3) != 0;
            mayLock = row.int64(4) != 0;
        }));
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
