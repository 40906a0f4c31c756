// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdmin.h"

#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/db/SchemaInstaller.h"
#include "core/db/Statement.h"
#include "core/domain/Aftermath.h"
#include "core/domain/Engine.h"
#include "core/domain/Framework.h"

#include <utility>

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
    LOCKSCOPE_TRY(checkWritable());
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
    LOCKSCOPE_TRY(checkWritable());
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
    LOCKSCOPE_TRY(db::usableSchema(m_connection, db::SchemaUse::Reading));
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
        LOCKSCOPE_TRY_GET(
            const auto read, m_connection.execute(statement("admin/audit_table"), {}, [](const db::Row&) {}));
        tell(false, read > 0, true);
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
    LOCKSCOPE_TRY(m_connection.execute(statement("admin/rights"), params, reads[m_connection.engine()]));
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
    LOCKSCOPE_TRY_GET(ActRights rights, this->rights());
    QStringList seen;
    for (const LockTableEntry& row : rows) {
        if (seen.contains(row.table))
            continue;
        seen << row.table;
        if (row.framework && !row.source)
            continue; // the act says so
        LOCKSCOPE_TRY(addTableRights(rights, row));
    }
    LOCKSCOPE_TRY_GET(rights.fired, codeFiredBy(rows));
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
    LOCKSCOPE_TRY_GET(const auto read,
        m_connection.execute(
            statement("admin/table_rights"), {place, name, full, right}, [&](const db::Row& rightsRow) {
                role = rightsRow.text(0);
                mayFree = rightsRow.int64(1) != 0;
                canBeFreed = rightsRow.int64(2) != 0;
            }));
    if (read == 0 || rights.mayAct == false)
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
    LOCKSCOPE_TRY_GET(const auto audit, auditHere());
    if (audit != ActRights::Audit::Missing)
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
    LOCKSCOPE_TRY(m_connection.execute(
        statement("monitor/clock"), {}, [&record](const db::Row& row) { record.at = row.time(0); }));
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
    LOCKSCOPE_TRY_GET(auto record, localRecord(act));
    const auto id = m_localAudit->begin(record);
    if (!id) {
        Error error = id.error();
        error.detail = sentences({error.what, error.detail});
        error.what = u"Can't %1: it could not be recorded, so it was not done."_s.arg(actName(act.act));
        return Failure(std::move(error));
    }
    m_ending.reset();
    Result<Done> done = perform(act);
    const auto ending = std::exchange(m_ending, std::nullopt);
    record.id = *id;
    if (ending && ending->before)
        record.before = *ending->before;
    // Without an answer from the server only what it said before is known.
    const bool isEnding = ending
        && (done || done.error().kind == ErrorKind::Changed || done.error().kind == ErrorKind::BadInput);
    record.outcome = isEnding ? ending->outcome : done ? u"done"_s : outcomeOf(done.error());
    const auto kept = m_localAudit->end(record);
    if (!done)
        return done;
    done->message = sentences({done->message,
        kept ? u"Recorded in %1, as this database has no audit table."_s.arg(m_localAudit->path())
             : u"%1 says only that the act was begun: %2"_s.arg(
                 m_localAudit->path(), kept.error().toString())});
    return done;
}

} // namespace lockscope::admin
