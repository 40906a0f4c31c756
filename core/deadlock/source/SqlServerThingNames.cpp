// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/SqlServerThingNames.h"

#include "core/db/Dialect.h"
#include "core/db/Statement.h"
#include "core/deadlock/SqlServerReport.h"

#include <QHash>
#include <QSet>

#include <memory>
#include <utility>
#include <vector>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxNamedAtOnce = 50;

struct NumberOnServer {
    qint64 database = 0;
    qint64 number = 0; ///< of an object, or of a heap or B-tree
    bool isObject = false;

    bool operator==(const NumberOnServer&) const = default;
};
size_t qHash(const NumberOnServer& one, size_t seed)
{
    return qHashMulti(seed, one.database, one.number, one.isObject);
}

std::optional<NumberOnServer> numberOf(const LockedThing& thing)
{
    const auto number = [&thing](QStringView name) { return thing.attribute(name).toLongLong(); };
    if (!thing.table.isEmpty() || !thing.isLock)
        return std::nullopt;
    const qint64 database = number(u"dbid");
    const qint64 object = number(u"objid");
    const qint64 part = number(u"hobtid") != 0 ? number(u"hobtid") : number(u"associatedObjectId");
    if (database <= 0 || (object == 0 && part == 0))
        return std::nullopt;
    return NumberOnServer{database, object == 0 ? part : object, object != 0};
}

struct NameOnServer {
    QString table, index;
};

class ServerNames {
public:
    explicit ServerNames(SqlServerQuestions& questions)
        : m_questions(questions)
    {
    }

    void want(const DeadlockReport& report)
    {
        for (const LockedThing& thing : report.resources)
            if (const auto number = numberOf(thing); number && m_numbers.size() < maxNamedAtOnce)
                m_numbers.insert(*number);
        for (const Participant& one : report.participants)
            if (const auto step = agentStepOf(one); step && m_jobs.size() < maxNamedAtOnce)
                m_jobs.insert(step->job, {});
    }

    void ask(const db::Dialect& dialect)
    {
        QHash<qint64, QString> databases;
        std::vector<db::BatchItem> items;
        if (!m_numbers.isEmpty())
            items.push_back({.statement = &db::Statement::get("sqlserver/names/databases"),
                .sink = [&databases](const db::Row& row) { databases.insert(row.int64(0), row.text(1)); }});
        if (!m_jobs.isEmpty())
            items.push_back({.statement = &db::Statement::get("sqlserver/deadlocks/jobs"),
                .params = {m_jobs.keys().join(u' ')},
                .sink = [this](const db::Row& row) { m_jobs[row.text(0).toUpper()] = row.text(1); }});
        if (!items.empty())
            m_questions.ask(items);
        items.clear();
        std::vector<std::unique_ptr<db::Statement>> statements;
        for (const NumberOnServer& each : std::as_const(m_numbers)) {
            const QString database = databases.value(each.database);
            if (database.isEmpty())
                continue;
            statements.push_back(std::make_unique<db::Statement>(db::Statement::filled(
                each.isObject ? "sqlserver/deadlocks/object" : "sqlserver/deadlocks/partition",
                {{QLatin1StringView("database_name"), dialect.quoted(database)}})));
            items.push_back({.statement = statements.back().get(),
                .params = {each.number},
                .sink = [this, each](const db::Row& row) {
                    m_names.insert(each, {row.text(0), row.text(1)});
                }});
        }
        if (!items.empty())
            m_questions.ask(items);
    }

    void apply(DeadlockReport& report) const
    {
        for (LockedThing& thing : report.resources) {
            const auto number = numberOf(thing);
            const auto found = number ? m_names.constFind(*number) : m_names.cend();
            if (found == m_names.cend())
                continue;
            thing.table = found->table;
            thing.index = found->index;
            if (thing.kind == ResourceKind::Row && thing.part.isEmpty())
                thing.part = u"key"_s;
            giveName(thing);
        }
        for (Participant& one : report.participants)
            if (const auto step = agentStepOf(one))
                one.job = m_jobs.value(step->job);
    }

private:
    SqlServerQuestions& m_questions;
    QSet<NumberOnServer> m_numbers;
    QHash<QString, QString> m_jobs; ///< names by their ids
    QHash<NumberOnServer, NameOnServer> m_names;
};

} // namespace

void nameOnSqlServer(QList<ReportPtr>& reports, const db::SqlServerFacts& facts, const db::Dialect& dialect,
    SqlServerQuestions& questions)
{
    if (facts.isAzureDatabase())
        return;
    ServerNames names(questions);
    for (const ReportPtr& report : std::as_const(reports))
        names.want(*report);
    names.ask(dialect);
    for (ReportPtr& report : reports) {
        auto named = std::make_shared<DeadlockReport>(*report);
        names.apply(*named);
        if (named->resources != report->resources || named->participants != report->participants)
            report = std::move(named);
    }
}

} // namespace lockscope::deadlock
