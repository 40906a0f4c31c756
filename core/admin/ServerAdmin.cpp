// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdmin.h"

#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/db/SchemaInstaller.h"
#include "core/db/Statement.h"
#include "core/domain/Aftermath.h"

namespace lockscope::admin {

using namespace Qt::StringLiterals;

QString actName(Act act)
{
    static constexpr EnumTable<Act> names(
        {u"release lock", u"purge stale locks", u"cancel statement", u"end session"});
    return names[act].toString();
}

QString Done::toString(const QStringList& predicted) const
{
    return sentences({message, lingers ? QString() : aftermathAsSeen(predicted)});
}

ServerAdmin::ServerAdmin(db::Connection& connection, db::ServerProfile profile)
    : m_connection(connection)
    , m_profile(std::move(profile))
    , m_self(LockOwnerInfo::ofThisProcess())
{
}

const db::Statement& ServerAdmin::statement(const char* file) const
{
    return db::schemaStatement(m_connection.dialect(), file);
}

Result<void> ServerAdmin::checkWritable() const
{
    if (m_profile.readOnly)
        return failure(ErrorKind::ReadOnly, u"Nothing may be changed: this server is opened read-only."_s,
            u"Change the server's settings if you may act on it."_s);
    return {};
}

Result<void> ServerAdmin::checkAllowed(const AuditedAct& act) const
{
    if (auto writable = checkWritable(); !writable)
        return writable;
    if (act.reason.trimmed().isEmpty())
        return failure(ErrorKind::BadInput, u"Can't %1 without a reason."_s.arg(actName(act.act)),
            u"Say why: it is kept in the audit."_s);
    return {};
}

Result<qint64> ServerAdmin::record(const AuditedAct& act, const QString& before, const QString& outcome)
{
    if (act.isLocal)
        return 0; // onLocalRecord has done it
    qint64 id = 0;
    const auto written = m_connection.execute(statement("admin/audit_write"),
        {m_self.owner, ownProgram(), actName(act.act), act.target, act.reason.trimmed(), before, outcome},
        [&id](const db::Row& row) { id = row.int64(0); });
    if (!written) {
        Error error = written.error();
        error.what = u"Can't %1: it could not be recorded, so it was not done."_s.arg(actName(act.act));
        if (error.kind == ErrorKind::Permission)
            error.hint = grantToAudit();
        return Failure(std::move(error));
    }
    return id;
}

/// Said of an act before it was tried: what its row says if the program ended in the middle of it.
QString ServerAdmin::begun()
{
    return u"begun"_s;
}

/// Records the outcome in the transaction of `record`; `before` is what the server saw, if it did.
Result<void> ServerAdmin::recordOutcome(
    const AuditedAct& act, qint64 id, const std::optional<QString>& before, const QString& outcome)
{
    if (act.isLocal) {
        m_ending = Ending{before, outcome};
        return {};
    }
    const auto kept = m_connection.execute(
        statement("admin/audit_outcome"), {id, before ? db::Param(*before) : db::Param(), outcome});
    return ifDone(kept);
}

/// Records that an act was refused, as far as that is possible, and gives the error back.
Failure ServerAdmin::refused(const AuditedAct& act, Error error)
{
    if (error.server.isEmpty())
        error.server = m_profile.display();
    if (!act.isLocal && m_connection.isOpen())
        (void)record(act, act.shown, outcomeOf(error));
    return Failure(isUndecided(error) ? undecided(std::move(error)) : std::move(error));
}

/// Returns whether it is open if the act was done: it was sent, and no answer came.
bool ServerAdmin::isUndecided(const Error& error) const
{
    return m_isSent
        && (error.kind == ErrorKind::Connection || error.kind == ErrorKind::Timeout
            || error.kind == ErrorKind::Cancelled);
}

/// Returns the text that a failed act leaves on record.
QString ServerAdmin::outcomeOf(const Error& error) const
{
    return (isUndecided(error) ? u"unknown, whether it was done: "_s : u"refused: "_s) + error.reason();
}

/// The same for the person who acted; to call once.
Error ServerAdmin::undecided(Error error)
{
    const QString what =
        u"It is not known whether it was done: the server was asked, and its answer did not come."_s;
    if (error.what != what)
        error.detail = sentences({error.what, error.detail});
    error.what = what;
    error.hint = u"Look at the list again before you repeat it."_s;
    return error;
}

Result<db::InstallReport> ServerAdmin::installSchema(const QStringList& adoptedRoles)
{
    if (const auto allowed = checkWritable(); !allowed)
        return Failure(allowed.error());
    return db::installSchema(m_connection, adoptedRoles);
}

Result<QStringList> ServerAdmin::membersOf(const QString& role)
{
    QStringList members;
    if (m_connection.engine() != Engine::Postgres)
        return members;
    const auto read = m_connection.execute(db::Statement::get("postgres/rights/members"), {role},
        [&members](const db::Row& row) { members << row.text(0); });
    return ifDone(read, std::move(members));
}

Result<QList<AuditRecord>> ServerAdmin::audit(int limit)
{
    if (const auto usable = db::usableSchema(m_connection, db::SchemaUse::Reading); !usable)
        return Failure(usable.error());
    QList<AuditRecord> records;
    const auto read = m_connection.execute(
        statement("admin/audit_read"), {static_cast<qint64>(limit)}, [&records](const db::Row& row) {
            records.append({.id = row.int64(0),
                .at = row.time(1),
                .who = row.text(2),
                .from = row.text(3),
                .act = row.text(4),
                .target = row.text(5),
                .reason = row.text(6),
                .before = row.text(7),
                .outcome = row.text(8)});
        });
    if (!read) {
        Error error = read.error();
        error.what = u"Can't read the audit."_s;
        return Failure(std::move(error));
    }
    return records;
}

} // namespace lockscope::admin
