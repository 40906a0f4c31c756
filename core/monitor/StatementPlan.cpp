// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/StatementPlan.h"

#include "core/db/Statement.h"
#include "core/db/sqlserver/SqlServerConnection.h"

#include <QLocale>
#include <QRegularExpression>

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

/// The statement that reads it; null: there is none.
const char* probeOf(const QString& statement)
{
    static const QRegularExpression command(
        u"^\\s*(?:autovacuum: )?(VACUUM|ANALYZE|CREATE\\s+(?:UNIQUE\\s+)?INDEX|REINDEX|CLUSTER|COPY)\\b(.*)$"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    const auto match = command.match(statement);
    if (!match.hasMatch())
        return nullptr;
    const QString word = match.captured(1).section(u' ', 0, 0).toUpper();
    static const QRegularExpression full(
        u"^\\s*(?:\\([^)]*\\bFULL\\b|FULL\\b)"_s, QRegularExpression::CaseInsensitiveOption);
    if (word == u"VACUUM")
        return full.match(match.captured(2)).hasMatch() ? "postgres/details/progress_cluster"
                                                        : "postgres/details/progress_vacuum";
    if (word == u"ANALYZE")
        return "postgres/details/progress_analyze";
    if (word == u"CLUSTER")
        return "postgres/details/progress_cluster";
    return word == u"COPY" ? "postgres/details/progress_copy" : "postgres/details/progress_create_index";
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

bool reportsProgress(const Session& session)
{
    return session.id.value > 0 && probeOf(session.statement) != nullptr
        && (session.state == SessionState::Active || session.system);
}

Result<QString> commandProgress(db::Connection& connection, const Session& session, std::stop_token stop)
{
    const QString what = u"Can't show how far session %1 is."_s.arg(session.id.value);
    const char* const probe = probeOf(session.statement);
    if (!probe)
        return failure(
            ErrorKind::Unsupported, what, u"It runs no command whose progress the server shows."_s);
    QString text;
    const auto read = connection.execute(
        db::Statement::get(probe), {session.id.value, session.started},
        [&text](const db::Row& row) {
            const QLocale english(QLocale::English);
            const qint64 done = row.int64(1);
            const qint64 total = row.int64(2);
            text = row.text(0);
            if (total > 0)
                text += u", %1 % (%2 of %3 %4)"_s.arg(done * 100 / total)
                            .arg(english.toString(done), english.toString(total), row.text(3));
            else if (done > 0)
                text += u", %1 %2 so far"_s.arg(english.toString(done), row.text(3));
        },
        std::move(stop));
    if (!read) {
        Error error = read.error();
        error.what = what;
        if (error.kind == ErrorKind::MissingObject)
            error.hint = u"This version of the server does not show the progress of such commands."_s;
        return Failure(std::move(error));
    }
    if (text.isEmpty())
        return failure(ErrorKind::Changed, what,
            u"It is through or has not begun, or your role may not see it (pg_read_all_stats)."_s);
    return text;
}

} // namespace lockscope::monitor
