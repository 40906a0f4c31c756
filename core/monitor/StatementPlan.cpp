// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/StatementPlan.h"

#include "core/db/Statement.h"
#include "core/db/sqlserver/SqlServerConnection.h"

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

/// A row of details/statement_plan: one for each request of the session, or one without a request.
struct PlanRow {
    bool runs = false;
    bool hasHandle = false;
    bool encrypted = false;
    QString plan;

    static PlanRow fromRow(const db::Row& row)
    {
        return {.runs = row.int64(0) != 0,
            .hasHandle = row.int64(1) != 0,
            .encrypted = row.int64(2) != 0,
            .plan = row.text(3)};
    }
};

QString whyNoPlan(const PlanRow& found)
{
    if (!found.runs)
        return u"It runs nothing at present."_s;
    if (found.encrypted)
        return u"Its code is encrypted."_s;
    if (!found.hasHandle)
        return u"Its statement has no plan, or the plan is still being made."_s;
    return u"The server does not keep the plan of this statement (any more)."_s;
}

/// Prefers, of several requests (MARS), the one that comes nearest to a plan.
bool knowsMore(const PlanRow& one, const PlanRow& other)
{
    return std::tuple(!one.plan.isEmpty(), one.hasHandle, one.runs)
        > std::tuple(!other.plan.isEmpty(), other.hasHandle, other.runs);
}

} // namespace

Result<QString> statementPlan(db::Connection& connection, const SessionKey& session, std::stop_token stop)
{
    const QString what = u"Can't read the plan of session %1."_s.arg(session.id.value);
    const db::Dialect& dialect = connection.dialect();
    if (const QString reason = dialect.reasonAgainst(db::Capability::StatementPlans); !reason.isEmpty())
        return failure(ErrorKind::Unsupported, what, reason);
    std::optional<PlanRow> best;
    std::vector<db::Param> which{session.id.value, std::monostate()};
    if (session.started.isValid())
        which[1] = session.started;
    const auto read = connection.execute(
        db::schemaStatement(dialect, "details/statement_plan"), which,
        [&best](const db::Row& row) {
            if (PlanRow found = PlanRow::fromRow(row); !best || knowsMore(found, *best))
                best = std::move(found);
        },
        std::move(stop));
    if (!read) {
        Error error = read.error();
        error.what = what;
        if (error.kind == ErrorKind::Permission) {
            const db::SqlServerFacts& facts = db::SqlServerConnection::factsOf(connection);
            error.hint = facts.grantOf(facts.viewStateRight());
        }
        return Failure(std::move(error));
    }
    if (!best) {
        const bool mayBeHidden = !db::SqlServerConnection::factsOf(connection).maySeeOthers();
        return failure(ErrorKind::Changed, what,
            mayBeHidden ? u"It is not there (any more), or you may not see it."_s
                        : u"It is not there (any more)."_s);
    }
    if (best->plan.isEmpty())
        return failure(ErrorKind::MissingObject, what, whyNoPlan(*best));
    return best->plan;
}

} // namespace lockscope::monitor
