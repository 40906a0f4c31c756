// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Records acts, and finds out the rights of the login.

#include "core/admin/ServerAdmin.h"
#include "core/base/Sentences.h"
#include "core/db/SchemaInstaller.h"
#include "core/domain/Engine.h"
#include "core/domain/Framework.h"

#include <utility>

namespace lockscope::admin {

using namespace Qt::StringLiterals;

namespace {

struct OwnTable {
    const char* schema;
    const char* table;
};

} // namespace

Result<ActRights> ServerAdmin::rights(const Session* session)
{
    // What is not to be trusted would act with our rights. Another version's audit can't be written, but that
    // must not keep an operator from ending a session: a local file may record it.
    const auto usable = db::usableSchema(m_connection, db::SchemaUse::Calling);
    if (!usable && usable.error().kind != ErrorKind::Unsupported)
        return Failure(usable.error());
    const db::Dialect& dialect = m_connection.dialect();
    ActRights rights;
    const auto tell = [&rights, isOurs = usable.has_value()](bool schema, bool table, bool mayRecord) {
        // Tables that a login may not touch it may not see either (SQL Server).
        rights.audit = !isOurs   ? ActRights::Audit::Missing
            : table && mayRecord ? ActRights::Audit::Open
            : table || schema    ? ActRights::Audit::Closed
                                 : ActRights::Audit::Missing;
    };
    if (!dialect.can(db::Capability::LogIn)) {
        const auto read = m_connection.execute(statement("admin/audit_table"), {}, [](const db::Row&) {});
        if (!read)
            return Failure(read.error());
        tell(false, *read > 0, true);
        rights.whyNoFile = whyNoFile(rights.audit);
        return rights;
    }
    using Read = std::function<void(const db::Row&)>;
    Acting acting;
    std::vector<db::Param> params;
    const Read readPostgres = [&](const db::Row& row) {
        acting.role = acting.member = row.text(0);
        tell(row.boolean(1) && row.boolean(2), row.boolean(2), row.boolean(3));
        if (!row.isNull(4))
            rights.mayAct = row.boolean(4);
        acting.ofSuperuser = row.boolean(5);
        acting.isSeen = row.boolean(6);
        rights.hasGone = session && session->id.value > 0 && !row.boolean(7);
    };
    const Read readSqlServer = [&](const db::Row& row) {
        acting.role = row.text(0);
        acting.member = row.text(1);
        tell(row.int64(2) != 0, row.int64(3) != 0, row.int64(4) != 0);
        if (!row.isNull(5))
            rights.mayAct = row.int64(5) != 0;
    };
    const PerEngine<Read> reads{.postgres = readPostgres, .sqlServer = readSqlServer, .sqlite = {}};
    if (m_connection.engine() == Engine::Postgres) {
        params.emplace_back(session ? session->id.value : qint64(0));
        params.emplace_back(session && session->started.isValid() ? session->started.us : qint64(0));
    }
    const auto read = m_connection.execute(statement("admin/rights"), params, reads[m_connection.engine()]);
    if (!read)
        return Failure(read.error());
    tellGrants(rights, acting);
    rights.whyNoFile = whyNoFile(rights.audit);
    return rights;
}

void ServerAdmin::tellGrants(ActRights& rights, const Acting& acting) const
{
    const db::Dialect& dialect = m_connection.dialect();
    if (rights.audit == ActRights::Audit::Closed)
        rights.grantToRecord = dialect.grantOfRole(u"lockscope_operator"_s, dialect.quoted(acting.member));
    if (rights.mayAct == false && acting.ofSuperuser)
        rights.whyNot = u"Only a superuser may act on a superuser's session."_s;
    else if (rights.mayAct == false)
        rights.grantToAct = grantToEnd().arg(dialect.quoted(acting.role));
    if (rights.mayAct && !acting.isSeen && rights.whyNot.isEmpty()) {
        const QString grant = u"GRANT pg_read_all_stats TO %1;"_s.arg(dialect.quoted(acting.role));
        rights.mayAct = false;
        rights.grantToAct = (grant + u' ' + rights.grantToAct).trimmed();
    }
}

Result<ActRights> ServerAdmin::rightsOnRows(const QList<LockTableEntry>& rows)
{
    Result<ActRights> rights = this->rights();
    QStringList seen;
    for (const LockTableEntry& row : rows) {
        if (!rights)
            break;
        if (seen.contains(row.table))
            continue;
        seen << row.table;
        if (row.framework && !row.source)
            continue; // the act says so
        const auto added = addTableRights(*rights, row);
        if (!added)
            return Failure(added.error());
    }
    if (!rights)
        return rights;
    auto fired = codeFiredBy(rows);
    if (!fired)
        return Failure(fired.error());
    rights->fired = std::move(*fired);
    return rights;
}

/// Returns whether rows of its table may be freed: of one that may not, none of all is.
Result<void> ServerAdmin::addTableRights(ActRights& rights, const LockTableEntry& row)
{
    const bool isOurs = !row.framework;
    const bool isUpdate =
        row.framework && row.framework->lockDefinition && !row.framework->lockDefinition->row.update.empty();
    const QString right = isUpdate ? u"UPDATE"_s : u"DELETE"_s;
    const db::Dialect& dialect = m_connection.dialect();
    const PerEngine<OwnTable> own{.postgres = {"lockscope", "lock_entry"},
        .sqlServer = {"lockscope", "lock_entry"},
        .sqlite = {"", "lockscope_lock_entry"}};
    const OwnTable& ours = own[m_connection.engine()];
    const QString place = isOurs       ? QLatin1String(ours.schema)
        : row.source->schema.isEmpty() ? dialect.defaultSchema()
                                       : row.source->schema;
    const QString name = isOurs ? QLatin1String(ours.table) : row.source->table;
    const QString full = dialect.quoted(place, name);
    QString role;
    bool mayFree = false;
    bool canBeFreed = true; // by anybody
    const auto read = m_connection.execute(
        statement("admin/table_rights"), {place, name, full, right}, [&](const db::Row& rightsRow) {
            role = rightsRow.text(0);
            mayFree = rightsRow.int64(1) != 0;
            canBeFreed = rightsRow.int64(2) != 0;
        });
    if (!read)
        return Failure(read.error());
    if (*read == 0 || rights.mayAct == false)
        return {}; // there is no such table: the act says so
    rights.mayAct = mayFree && canBeFreed;
    if (!canBeFreed)
        rights.whyNot =
            u"Nobody can %1 rows of %2: it is a view that does not allow it."_s.arg(right.toLower(), full);
    else if (!mayFree && isOurs)
        rights.grantToAct = dialect.grantOfRole(u"lockscope_operator"_s, dialect.quoted(role));
    else if (!mayFree)
        rights.grantToAct = u"GRANT SELECT, %1 ON %2 TO %3;"_s.arg(right, full, dialect.quoted(role));
    return {};
}

QString ServerAdmin::whyNoFile(ActRights::Audit audit) const
{
    if (audit != ActRights::Audit::Missing)
        return {};
    const auto usable = m_localAudit.value_or(LocalAudit()).check();
    return usable ? QString() : sentences({usable.error().what, usable.error().detail, usable.error().hint});
}

QString ServerAdmin::grantToAudit() const
{
    return m_connection.dialect().grantOfRole(u"lockscope_operator"_s, u"your user"_s);
}

QString ServerAdmin::grantToEnd() const
{
    return u"GRANT "_s + m_connection.dialect().rightToEndSessions() + u" TO %1;"_s;
}

/// Returns the login as the server knows it; without logins the account that runs this program.
QString ServerAdmin::ownRole() const
{
    if (!m_connection.dialect().can(db::Capability::LogIn))
        return m_self.owner;
    QString role;
    (void)m_connection.execute(
        statement("admin/role"), {}, [&role](const db::Row& row) { role = row.text(0); });
    return role;
}

/// Finds out whether there is an audit; only writing shows whether we may write to it. One that this login
/// can't see does not count as missing.
Result<ActRights::Audit> ServerAdmin::auditHere()
{
    return rights().map([](const ActRights& found) {
        return found.audit == ActRights::Audit::Missing ? ActRights::Audit::Missing : ActRights::Audit::Open;
    });
}

/// The one rule: what can't be recorded is not done.
Result<Done> ServerAdmin::onRecord(
    AuditedAct act, const std::function<Result<Done>(const AuditedAct&)>& perform)
{
    m_isSent = false;
    const auto audit = auditHere();
    if (!audit)
        return Failure(audit.error());
    if (*audit != ActRights::Audit::Missing)
        return perform(act);
    if (!m_localAudit)
        return failure(ErrorKind::MissingObject,
            u"Can't %1: what is done here must be recorded, and this database has no audit table."_s.arg(
                actName(act.act)),
            u"Run: lockctl install; or allow a record in a file on this computer (Settings; --local-audit of lockctl)."_s);
    act.isLocal = true;
    return onLocalRecord(act, perform);
}

Result<AuditRecord> ServerAdmin::localRecord(const AuditedAct& act)
{
    AuditRecord record;
    const auto asked = m_connection.execute(
        statement("monitor/clock"), {}, [&record](const db::Row& row) { record.at = row.time(0); });
    if (!asked)
        return Failure(asked.error());
    record.who = ownRole();
    record.from = QStringList{m_self.owner, m_self.host, m_self.program}.join(u", "_s);
    record.act = actName(act.act);
    record.target = act.target;
    record.reason = act.reason.trimmed();
    record.before = act.shown;
    record.outcome = begun();
    record.server = m_profile.display();
    return record;
}

Result<Done> ServerAdmin::onLocalRecord(
    const AuditedAct& act, const std::function<Result<Done>(const AuditedAct&)>& perform)
{
    auto record = localRecord(act);
    if (!record)
        return Failure(record.error());
    const auto id = m_localAudit->begin(*record);
    if (!id) {
        Error error = id.error();
        error.detail = sentences({error.what, error.detail});
        error.what = u"Can't %1: it could not be recorded, so it was not done."_s.arg(actName(act.act));
        return Failure(std::move(error));
    }
    m_ending.reset();
    Result<Done> done = perform(act);
    const auto ending = std::exchange(m_ending, std::nullopt);
    record->id = *id;
    if (ending && ending->before)
        record->before = *ending->before;
    // Without an answer from the server only what it said before is known.
    const bool isEnding = ending
        && (done || done.error().kind == ErrorKind::Changed || done.error().kind == ErrorKind::BadInput);
    record->outcome = isEnding ? ending->outcome : done ? u"done"_s : outcomeOf(done.error());
    const auto kept = m_localAudit->end(*record);
    if (!done)
        return done;
    done->message = sentences({done->message,
        kept ? u"Recorded in %1, as this database has no audit table."_s.arg(m_localAudit->path())
             : u"%1 says only that the act was begun: %2"_s.arg(
                 m_localAudit->path(), kept.error().toString())});
    return done;
}

} // namespace lockscope::admin
