// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/Deed.h"
#include "core/admin/StateBefore.h"

#include <QDeadlineTimer>
#include <QThread>

namespace lockscope::admin {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds longestGoodbye{1'000};
constexpr unsigned long goodbyeCheckMs = 20;

QString targetText(const Session& session)
{
    QStringList who;
    for (const QString& part : {session.user, session.program, session.host}) {
        if (!part.isEmpty())
            who << part;
    }
    return who.isEmpty() ? u"session %1"_s.arg(session.id.value)
                         : u"session %1 (%2)"_s.arg(session.id.value).arg(who.join(u", "));
}

Error error(ErrorKind kind, QString what, QString hint)
{
    return failure(kind, std::move(what), std::move(hint)).value();
}

} // namespace

/// Why a session is none that may be touched from here.
std::optional<Error> Admin::untouchable(const Session& session) const
{
    const QString name = u"Session %1 is left alone: "_s.arg(session.id.value);
    if (session.id.value < 0)
        return error(ErrorKind::BadInput,
            u"Transaction %1 is prepared: there is no session to act on."_s.arg(-session.id.value),
            u"Finish it with COMMIT PREPARED or ROLLBACK PREPARED."_s);
    if (session.own || session.id == m_connection.sessionId())
        return error(ErrorKind::BadInput, name + u"it is one of Lockscope's own."_s, {});
    if (session.system)
        return error(ErrorKind::BadInput, name + u"it belongs to the server itself."_s, {});
    if (!session.started.isValid())
        return error(ErrorKind::Permission,
            name + u"its start can't be seen, so it can't be told from a later session with the same id."_s,
            u"GRANT pg_read_all_stats TO your role;"_s);
    return std::nullopt;
}

Result<Done> Admin::cancelSession(const Session& shown, const QString& reason)
{
    const Deed deed{Act::CancelSession, targetText(shown), reason, stateAsJson(shown)};
    const qint64 statementStart = shown.statementStarted ? shown.statementStarted->us : 0;
    auto done = actOnSession(deed, shown, {statementStart});
    if (done)
        done->message = u"The statement of session %1 was cancelled."_s.arg(shown.id.value);
    return done;
}

Result<Done> Admin::endSession(const Session& shown, const QString& reason)
{
    const Deed deed{Act::EndSession, targetText(shown), reason, stateAsJson(shown)};
    auto done = actOnSession(deed, shown, {});
    if (!done)
        return done;
    const auto gone = isGoneSoon(shown);
    if (!gone)
        return Failure(gone.error());
    done->message = *gone ? u"Session %1 was ended."_s.arg(shown.id.value)
                          : u"Session %1 was told to end; it is still rolling back."_s.arg(shown.id.value);
    return done;
}

Result<Done> Admin::actOnSession(const Deed& deed, const Session& shown, std::vector<db::Param> more)
{
    if (!m_connection.dialect().can(db::Capability::EndSession))
        return failure(ErrorKind::Unsupported, u"Can't %1 here."_s.arg(actName(deed.act)),
            m_connection.dialect().reasonAgainst(db::Capability::EndSession));
    if (const auto allowed = checkAllowed(deed); !allowed)
        return Failure(allowed.error());
    if (auto why = untouchable(shown))
        return refused(deed, std::move(*why));
    if (const auto recorded = requireAudit(deed); !recorded)
        return Failure(recorded.error());

    Done done;
    QString outcome;
    std::vector<db::Param> params{shown.id.value, shown.started, m_self.owner,
        m_self.host + u", "_s + m_self.program, actName(deed.act), deed.target, deed.reason.trimmed(),
        deed.shown};
    params.insert(params.end(), more.begin(), more.end());
    const char* file = deed.act == Act::EndSession ? "admin/end_session.sql" : "admin/cancel_session.sql";
    const auto acted = m_connection.execute(statement(file), params, [&](const db::Row& row) {
        done.auditId = row.int64(0);
        outcome = row.text(1);
    });
    if (!acted)
        return refused(deed, withSignalGrant(acted.error()));
    if (outcome != u"done")
        return failure(ErrorKind::Changed,
            u"Session %1 was left alone: %2."_s.arg(shown.id.value).arg(outcome),
            u"Look at the list again."_s);
    return done;
}

Error Admin::withSignalGrant(Error error)
{
    error.what = u"Can't act on that session."_s;
    if (error.kind != ErrorKind::Permission)
        return error;
    if (error.detail.contains(u"superuser"_s, Qt::CaseInsensitive)) {
        error.hint = u"Only a superuser may act on a superuser's session."_s;
        return error;
    }
    QString role;
    (void)m_connection.execute(
        statement("admin/role.sql"), {}, [&role](const db::Row& row) { role = row.text(0); });
    const QString quoted = m_connection.dialect().quoted(role);
    error.hint = error.detail.contains(u"audit_log"_s) || error.detail.contains(u"schema lockscope"_s)
        ? u"GRANT USAGE ON SCHEMA lockscope TO %1; GRANT SELECT, INSERT ON lockscope.audit_log TO %1;"_s.arg(
            quoted)
        : u"GRANT pg_signal_backend TO %1;"_s.arg(quoted);
    return error;
}

/// Waits a moment for the session to be gone: it may have much to roll back.
Result<bool> Admin::isGoneSoon(const Session& session)
{
    const QDeadlineTimer deadline(longestGoodbye);
    for (;;) {
        const auto alive = m_connection.execute(
            statement("admin/session_lives.sql"), {session.id.value, session.started}, [](const db::Row&) {});
        if (!alive)
            return Failure(alive.error());
        if (*alive == 0 || deadline.hasExpired())
            return *alive == 0;
        QThread::msleep(goodbyeCheckMs);
    }
}

} // namespace lockscope::admin
