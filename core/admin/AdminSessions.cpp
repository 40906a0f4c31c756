// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/LocalAudit.h"
#include "core/admin/ServerAdmin.h"
#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/Diagnosis.h"
#include "core/domain/Engine.h"

#include <QDeadlineTimer>
#include <QRegularExpression>
#include <QThread>
#include <QUuid>

#include <algorithm>

namespace lockscope::admin {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds maxGoodbye{1'000};
constexpr unsigned long goodbyeCheckMs = 20;

QString targetText(const Session& session)
{
    QStringList who;
    for (const QString& part : {session.user, session.program, session.host})
        if (!part.isEmpty())
            who << part;
    return who.isEmpty() ? u"session %1"_s.arg(session.id.value)
                         : u"session %1 (%2)"_s.arg(session.id.value).arg(who.join(u", "));
}

/// "… Estimated rollback completion: 80%. Estimated time left: 10 seconds.", in whatever language: the
/// percentage, and the first number after it.
void readReport(const QString& report, RollbackProgress& progress)
{
    static const QRegularExpression numbers(u"(\\d{1,3})\\s*%(?:\\D+(\\d{1,9}))?"_s);
    const auto match = numbers.match(report);
    if (!match.hasMatch())
        return;
    progress.rollingBack = true;
    progress.percent = std::min(match.captured(1).toInt(), 100);
    if (match.hasCaptured(2))
        progress.left = std::chrono::seconds(match.captured(2).toLongLong());
}

/// Returns why a blocker without a session is none that may be ended; nothing if it may.
std::optional<Error> refuseUnitOfWork(const Session& shown)
{
    if (!QUuid(shown.unitOfWork).isNull()) // all zeros: no distributed transaction
        return std::nullopt;
    return Error{.kind = ErrorKind::BadInput,
        .what = u"Blocker %1 is no session: there is nothing to end."_s.arg(shown.id.value),
        .hint = u"Its unit of work must be known: see request_owner_guid in sys.dm_tran_locks."_s};
}

std::optional<Error> refusePrepared(const Session& shown)
{
    return Error{.kind = ErrorKind::BadInput,
        .what = u"Transaction %1 is prepared: there is no session to act on."_s.arg(-shown.id.value),
        .hint = u"Finish it with COMMIT PREPARED or ROLLBACK PREPARED."_s};
}

/// The way in which an engine lets others end a session.
struct EndingSessions {
    std::optional<Error> (*refuseWithoutSession)(const Session& shown) = refusePrepared; ///< ids below 0
    /// The act records itself: SQL Server can't end a session inside of a transaction.
    bool recordsItself = false;
    /// The engine reports how far a session that is being ended has got. It is never asked to end again then:
    /// that would only hurry it in vain.
    bool reportsProgress = false;
};
constexpr PerEngine<EndingSessions> endingSessions{
    .postgres = {}, .sqlServer = {refuseUnitOfWork, true, true}, .sqlite = {}};

} // namespace

QString RollbackProgress::toString() const
{
    if (gone)
        return u"what it had not committed is undone"_s;
    if (!rollingBack)
        return u"still there, although its end was requested"_s;
    QString text = u"rolling back"_s;
    if (percent)
        text += u", %1 % done"_s.arg(*percent);
    if (left && left->count() > 0)
        text += u", about %1 left"_s.arg(durationInWords(*left));
    return text;
}

/// Returns why a session is none that may be touched from here.
std::optional<Error> ServerAdmin::untouchable(const Session& session) const
{
    const QString name = u"Session %1 is left alone: "_s.arg(session.id.value);
    if (session.id.value < 0)
        return endingSessions[m_connection.engine()].refuseWithoutSession(session);
    if (session.own || session.id == m_connection.sessionId())
        return Error{.kind = ErrorKind::BadInput,
            .what = name + u"it is one of Lockscope's own."_s,
            .hint = u"Close the program that it belongs to."_s};
    if (session.system)
        return Error{.kind = ErrorKind::BadInput,
            .what = name + u"it belongs to the server itself."_s,
            .hint = u"It ends by itself, or with the server."_s};
    if (!session.started.isValid())
        return Error{.kind = ErrorKind::Permission,
            .what = name
                + u"its start can't be seen, so it can't be told from a later session with the same id."_s,
            .hint = u"GRANT pg_read_all_stats TO your role;"_s};
    return std::nullopt;
}

Result<Done> ServerAdmin::cancelSession(const Session& shown, const QString& reason)
{
    const AuditedAct act{.act = Act::CancelSession,
        .target = targetText(shown),
        .reason = reason,
        .shown = stateAsJson(shown)};
    if (!m_connection.dialect().can(db::Capability::CancelStatement))
        return failure(ErrorKind::Unsupported, u"Can't %1 here."_s.arg(actName(act.act)),
            m_connection.dialect().reasonAgainst(db::Capability::CancelStatement));
    const qint64 statementStart = shown.statementStarted ? shown.statementStarted->us : 0;
    auto done = actOnSession(act, shown, {statementStart});
    if (done)
        done->message =
            sentences({u"The statement of session %1 was cancelled."_s.arg(shown.id.value), done->message});
    return done;
}

Result<Done> ServerAdmin::cancelSessions(const QList<Session>& shown, const QString& reason)
{
    Done all;
    all.count = 0;
    QStringList leftAlone;
    std::optional<Error> first;
    for (const Session& session : shown) {
        const auto done = cancelSession(session, reason);
        if (done) {
            ++all.count;
            all.auditId = done->auditId;
            continue;
        }
        if (!first)
            first = done.error();
        leftAlone << u"session %1: %2"_s.arg(
            QString::number(session.id.value), withoutStop(done.error().what));
        if (done.error().kind == ErrorKind::Connection)
            break; // the others would fail alike
    }
    if (all.count == 0 && first)
        return Failure(std::move(*first));
    all.message =
        u"%1 of %2 statements were cancelled, each with an audit record of its own."_s.arg(all.count).arg(
            shown.size());
    if (!leftAlone.isEmpty())
        all.message = sentences({all.message, u"Left alone: "_s + leftAlone.join(u"; "_s)});
    return all;
}

Result<Done> ServerAdmin::endSession(const Session& shown, const QString& reason)
{
    const AuditedAct act{
        .act = Act::EndSession, .target = targetText(shown), .reason = reason, .shown = stateAsJson(shown)};
    LOCKSCOPE_TRY_GET(Done done, actOnSession(act, shown, {}));
    if (!shown.unitOfWork.isEmpty()) {
        done.message = sentences(
            {u"The transaction of unit of work %1 was ended."_s.arg(shown.unitOfWork), done.message});
        return done;
    }
    // It was done and is on record: a failure of this check takes nothing of that back.
    const auto gone = isGoneSoon(shown);
    const QString where = done.message; // of the record
    done.lingers = !gone.value_or(false);
    done.rollingBack = done.lingers && rollbackTakesTime[m_connection.engine()];
    if (!gone)
        done.message = sentences({u"The end of session %1 was requested."_s.arg(shown.id.value),
            u"It can't be seen at present whether it is gone: "_s + gone.error().toString()});
    else if (*gone)
        done.message = u"Session %1 was ended."_s.arg(shown.id.value);
    else
        done.message = done.rollingBack
            ? u"The end of session %1 was requested; it is still rolling back."_s.arg(shown.id.value)
            : u"The end of session %1 was requested; it is still there."_s.arg(shown.id.value);
    done.message = sentences({done.message, where});
    return done;
}

Result<Done> ServerAdmin::actOnSession(
    const AuditedAct& act, const Session& shown, std::vector<db::Param> more)
{
    if (!m_connection.dialect().can(db::Capability::EndSession))
        return failure(ErrorKind::Unsupported, u"Can't %1 here."_s.arg(actName(act.act)),
            m_connection.dialect().reasonAgainst(db::Capability::EndSession));
    LOCKSCOPE_TRY(checkAllowed(act));
    return onRecord(
        act, [&](const AuditedAct& recorded) { return runOnSession(recorded, shown, std::move(more)); });
}

Result<Done> ServerAdmin::runOnSession(
    const AuditedAct& act, const Session& shown, std::vector<db::Param> more)
{
    if (auto why = untouchable(shown))
        return refused(act, std::move(*why));
    if (!shown.unitOfWork.isEmpty())
        return endUnitOfWork(act, shown);
    if (const auto checked = checkNotRollingBack(shown); !checked)
        return refused(act, checked.error());

    const QString name = u"Session %1"_s.arg(shown.id.value);
    const char* file = act.act == Act::EndSession ? "admin/end_session" : "admin/cancel_session";
    std::vector<db::Param> params{shown.id.value, shown.started};
    if (!endingSessions[m_connection.engine()].recordsItself) {
        params.insert(params.end(), more.begin(), more.end());
        return recordAndAct(act, name, file, params);
    }
    return runOnServer(act, name, file, std::move(params), more);
}

/// Records the act, runs a file that compares and acts and answers with the outcome and what was there, and
/// records that. Each on its own: a requested end stays requested, and so does the record of it.
Result<Done> ServerAdmin::recordAndAct(
    const AuditedAct& act, const QString& name, const char* file, const std::vector<db::Param>& params)
{
    LOCKSCOPE_TRY_GET(const auto id, record(act, act.shown, begun()));
    QString outcome;
    std::optional<QString> before;
    m_isSent = true;
    const auto acted = m_connection.execute(statement(file), params, [&](const db::Row& row) {
        outcome = row.text(0);
        if (!row.isNull(1))
            before = row.text(1);
    });
    if (!acted) {
        (void)recordOutcome(act, id, before, outcomeOf(acted.error()));
        return Failure(withSignalGrant(acted.error()));
    }
    if (const auto kept = recordOutcome(act, id, before, outcome); !kept) {
        Error error = kept.error();
        error.what =
            u"The request reached the server (%1), but the audit says only that it was begun."_s.arg(outcome);
        return Failure(std::move(error));
    }
    return doneOrChanged(name, outcome, id);
}

Result<Done> ServerAdmin::doneOrChanged(const QString& name, const QString& outcome, qint64 auditId) const
{
    if (outcome == u"done")
        return Done{.auditId = auditId, .count = 1};
    const bool refusedThere = outcome.startsWith(u"refused");
    return failure(refusedThere ? ErrorKind::BadInput : ErrorKind::Changed,
        u"%1 was left alone: %2."_s.arg(name, outcome),
        refusedThere ? u"Choose a session of a client."_s : u"Look at the list again."_s);
}

Result<Done> ServerAdmin::endUnitOfWork(const AuditedAct& act, const Session& shown)
{
    return runOnServer(
        act, u"Unit of work %1"_s.arg(shown.unitOfWork), "admin/end_unit_of_work", {shown.unitOfWork}, {});
}

/// Runs a file that compares, acts and records, and answers with the audit's id and the outcome. Its
/// parameters are `params`, what is to be recorded, and `more`.
Result<Done> ServerAdmin::runOnServer(const AuditedAct& act, const QString& name, const char* file,
    std::vector<db::Param> params, const std::vector<db::Param>& more)
{
    for (const QString& text :
        {m_self.owner, ownProgram(), actName(act.act), act.target, act.reason.trimmed(), act.shown})
        params.emplace_back(text);
    params.emplace_back(qint64(act.isLocal ? 0 : 1));
    params.insert(params.end(), more.begin(), more.end());
    qint64 auditId = 0;
    Ending ending;
    m_isSent = true;
    const auto acted = m_connection.execute(statement(file), params, [&](const db::Row& row) {
        auditId = row.int64(0);
        ending.outcome = row.text(1);
        if (!row.isNull(2))
            ending.before = row.text(2);
    });
    if (!acted)
        return refused(act, withSignalGrant(acted.error()));
    const QString outcome = ending.outcome;
    if (act.isLocal)
        m_ending = std::move(ending);
    return doneOrChanged(name, outcome, auditId);
}

Result<void> ServerAdmin::checkNotRollingBack(const Session& shown)
{
    if (!endingSessions[m_connection.engine()].reportsProgress)
        return {};
    const Result<RollbackProgress> progress = rollbackProgress(shown);
    if (!progress || !progress->rollingBack)
        return {}; // what can't be found out is no reason to refuse
    return failure(ErrorKind::BadInput,
        u"Session %1 is left alone: it is %2."_s.arg(shown.id.value).arg(progress->toString()),
        u"Wait. Ending it again does not make it faster."_s);
}

Error ServerAdmin::withSignalGrant(Error error) const
{
    if (isUndecided(error))
        return undecided(std::move(error));
    error.what = u"Can't act on that session."_s;
    if (error.kind != ErrorKind::Permission)
        return error;
    if (error.detail.contains(u"superuser"_s, Qt::CaseInsensitive)) {
        error.hint = u"Only a superuser may act on a superuser's session."_s;
        return error;
    }
    const bool auditClosed = error.detail.contains(u"audit_"_s) // PostgreSQL's function
        || error.detail.contains(u"schema lockscope"_s) || error.detail.contains(u"schema 'lockscope'"_s);
    error.hint = auditClosed ? grantToAudit() : grantToEnd().arg(m_connection.dialect().quoted(ownRole()));
    return error;
}

Result<RollbackProgress> ServerAdmin::rollbackProgress(const Session& shown)
{
    RollbackProgress progress;
    if (!endingSessions[m_connection.engine()].reportsProgress) {
        LOCKSCOPE_TRY_GET(progress.gone, isGoneNow(shown));
        return progress; // what it has changed is undone at once
    }
    LOCKSCOPE_TRY_GET(const auto seen,
        m_connection.execute(statement("admin/session_progress"), {shown.id.value, shown.started},
            [&progress](const db::Row& row) {
                const QString command = row.text(2);
                progress.rollingBack = command == u"KILLED/ROLLBACK" || command.startsWith(u"ROLLBACK");
                if (!progress.rollingBack)
                    return;
                progress.percent = static_cast<int>(row.real(0));
                progress.left = milliseconds(row.int64(1));
            }));
    if (seen == 0) {
        progress.gone = true;
        return progress;
    }
    // The server's own report. That nothing is rolled back (6120) is an error there, but none here; without
    // the right to ask, the views' figures remain.
    const auto reported = m_connection.execute(statement("admin/rollback_status"), {shown.id.value});
    if (reported)
        readReport(m_connection.messages().join(u' '), progress);
    else if (reported.error().kind == ErrorKind::Connection)
        return Failure(reported.error());
    return progress;
}

Result<bool> ServerAdmin::isGoneNow(const Session& session)
{
    const auto alive = m_connection.execute(
        statement("admin/session_lives"), {session.id.value, session.started}, [](const db::Row&) {});
    return alive.map([](qint64 count) { return count == 0; });
}

/// Waits a short time for the session to be gone: it may have much to roll back.
Result<bool> ServerAdmin::isGoneSoon(const Session& session)
{
    const QDeadlineTimer deadline(maxGoodbye);
    for (;;) {
        const auto isGone = isGoneNow(session);
        if (!isGone || *isGone || deadline.hasExpired())
            return isGone;
        QThread::msleep(goodbyeCheckMs);
    }
}

} // namespace lockscope::admin
