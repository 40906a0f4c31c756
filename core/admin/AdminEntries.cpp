// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ByHand.h"
#include "core/admin/LocalAudit.h"
#include "core/admin/ServerAdmin.h"
#include "core/base/Sentences.h"
#include "core/db/Connection.h"
#include "core/db/LockTableRows.h"
#include "core/db/SchemaInstaller.h"
#include "core/db/SchemaTrust.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"
#include "core/domain/Framework.h"
#include "core/domain/FrameworkText.h"
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/TableReads.h"

namespace lockscope::admin {

using namespace Qt::StringLiterals;

namespace {

/// The locks that keep others from adding triggers while we search for some. Without one the row that we hold
/// does.
constexpr PerEngine<const char*> tableLocks{
    .postgres = "frameworks_admin/lock_table", .sqlServer = nullptr, .sqlite = nullptr};

/// The owner with whom the user has approved the table: NULL is any.
db::Param approvedOwner(const db::ServerProfile& profile, const LockTableEntry& entry)
{
    if (profile.attachedOf(entry))
        return {};
    for (const db::ApprovedTable& each : profile.approvedTables)
        if (each.schema == entry.source->schema && each.table == entry.source->table)
            return each.owner.isEmpty() ? db::Param() : db::Param(each.owner);
    return u""_s;
}

} // namespace

/// Frees exactly the row that was shown, or says why not: nothing to compare with it is there any more, or
/// several rows are alike.
Result<ServerAdmin::Removed> ServerAdmin::freeRow(const LockTableEntry& entry, bool onlyStale)
{
    const db::Dialect& dialect = m_connection.dialect();
    LOCKSCOPE_TRY_GET(const auto act, rowAct(dialect, entry));
    if (onlyStale) {
        ServerTime now;
        LOCKSCOPE_TRY(m_connection.execute(
            statement("monitor/clock"), {}, [&now](const db::Row& row) { now = row.time(0); }));
        if (!isPurgeable(entry, m_connection.engine(), now))
            return Removed{};
    }
    const char* const lock = tableLocks[m_connection.engine()];
    if (lock) {
        const db::Statement locks =
            db::Statement::filled(db::schemaPath(dialect, lock).constData(), {{"table"_L1, act.table}});
        // The owner of the schema could give its name to another one meanwhile: then schemas are held, and
        // the table that the name means by then is locked and judged.
        for (Hold hold = Hold::Table;; hold = Hold::Schemas) {
            if (const auto locked = m_connection.execute(locks); !locked)
                return Failure(ofRow(entry, locked.error()));
            LOCKSCOPE_TRY_GET(const auto checked, checkStrangers(entry, hold));
            if (checked == Place::Held)
                break;
            if (const auto held = m_connection.execute(statement("frameworks_admin/hold_schemas")); !held)
                return Failure(ofRow(entry, held.error()));
        }
    }
    QStringList rows;
    const auto found = m_connection.execute(
        act.rows(dialect), act.asShown.params, [&rows](const db::Row& row) { rows << row.text(0); });
    if (!found)
        return Failure(ofRow(entry, found.error()));
    if (rows.size() != 1)
        return Removed{std::nullopt, rows.size() > 1};
    if (!lock)
        LOCKSCOPE_TRY(checkStrangers(entry, Hold::Schemas));
    const auto changed = m_connection.execute(act.act(dialect), act.asShown.params);
    if (!changed)
        return Failure(ofRow(entry, changed.error()));
    if (*changed > 1)
        return failure(ErrorKind::BadInput,
            u"%1 was not freed: another row that is alike came just now."_s.arg(rowTitle(entry)),
            u"Look at the list again."_s);
    return *changed == 1 ? Removed{rows.first(), false} : Removed{};
}

/// Returns the owners of code that would run with our rights if a row of this table were freed.
Result<ServerAdmin::Strangers> ServerAdmin::strangersAt(const LockTableEntry& entry, Hold hold)
{
    static constexpr PerEngine<bool> hasMovableSchemas{.postgres = true, .sqlServer = false, .sqlite = false};
    const bool isMovable = hasMovableSchemas[m_connection.engine()];
    Strangers strangers;
    int ofPlace = 0;
    std::vector<db::Param> params{entry.source->schema, entry.source->table,
        m_connection.url().options.value(u"schema_owner"_s, u""_s), approvedOwner(m_profile, entry)};
    if (isMovable) {
        params.emplace_back(hold == Hold::Schemas);
        params.emplace_back(hold != Hold::Nothing);
    }
    const auto asked =
        m_connection.execute(db::statementOfTrust(m_connection.dialect(), "frameworks_admin/strangers", 3),
            params, [&](const db::Row& row) {
                strangers.faults << u"%1 (%2): %3"_s.arg(row.text(0), row.text(1), row.text(2));
                ofPlace += isMovable && row.boolean(3) ? 1 : 0;
            });
    if (!asked)
        return Failure(ofRow(entry, asked.error()));
    strangers.isPlace = strangers.faults.size() == ofPlace;
    return strangers;
}

/// Refuses if a stranger's code would run with our rights. Movable: only the owner of the schema blocks it,
/// and holding all schemas would do.
Result<ServerAdmin::Place> ServerAdmin::checkStrangers(const LockTableEntry& entry, Hold hold)
{
    LOCKSCOPE_TRY_GET(const auto found, strangersAt(entry, hold));
    const QStringList& faults = found.faults;
    if (faults.isEmpty())
        return Place::Held;
    if (found.isPlace)
        return Place::Movable;
    return Failure(Error{.kind = ErrorKind::Permission,
        .what = u"%1 was left alone: others' code could run with your rights."_s.arg(rowTitle(entry)),
        .detail = faultList(faults),
        .hint = u"Log in as the owner of the table, or free it with the framework's own command."_s});
}

Result<QStringList> firedByFreeing(db::Connection& connection, const LockTableEntry& entry)
{
    static constexpr PerEngine<const char*> statements{
        .postgres = "frameworks_admin/fires", .sqlServer = nullptr, .sqlite = nullptr};
    const char* const statement = statements[connection.engine()];
    const FrameworkLock* const lock = entry.framework ? entry.framework->lockDefinition : nullptr;
    const bool isOurs = !entry.framework;
    QStringList fired;
    if (!statement || !(isOurs || (lock && entry.source)))
        return fired;
    const QString act = isOurs || lock->row.update.empty() ? u"DELETE"_s : u"UPDATE"_s;
    const std::vector<db::Param> params = isOurs
        ? std::vector<db::Param>{u"lockscope"_s, u"lock_entry"_s, act, true}
        : std::vector<db::Param>{entry.source->schema, entry.source->table, act, false};
    const auto asked = connection.execute(
        db::statementOfTrust(connection.dialect(), statement, 0), params, [&fired](const db::Row& row) {
            const QString function = row.text(1);
            fired << row.text(0) + (function.isEmpty() ? QString() : u" (%1)"_s.arg(function));
        });
    return ifDone(asked, std::move(fired));
}

Result<FiredCode> ServerAdmin::codeFiredBy(const QList<LockTableEntry>& rows)
{
    FiredCode code;
    QStringList seen;
    for (const LockTableEntry& row : rows) {
        if (seen.contains(row.table))
            continue;
        seen << row.table;
        if (row.framework && !row.source)
            continue; // the act says so
        LOCKSCOPE_TRY_GET(const auto runs, firedByFreeing(m_connection, row));
        code.runs += runs;
        if (!row.framework)
            continue; // all of our schema is judged before
        LOCKSCOPE_TRY_GET(const auto strangers, strangersAt(row, Hold::Nothing));
        code.strangers += strangers.faults;
        code.isLeftAlone = code.isLeftAlone || !strangers.isPlace;
    }
    return code;
}

/// Returns the present state of a row that is not as it was shown.
Result<QString> ServerAdmin::rowNow(const LockTableEntry& entry)
{
    const db::Dialect& dialect = m_connection.dialect();
    LOCKSCOPE_TRY_GET(const auto act, rowAct(dialect, entry));
    QList<QStringList> rows;
    const auto asked = m_connection.execute(act.rowNow(dialect), act.sameKey.params, [&](const db::Row& row) {
        QStringList values;
        for (qsizetype i = 0; i < act.values.size(); ++i)
            values << row.text(static_cast<int>(i));
        rows << values;
    });
    if (!asked)
        return Failure(ofRow(entry, asked.error()));
    if (rows.isEmpty())
        return u"its row is gone"_s;
    const QString different = differences(entry, rows.first());
    if (rows.size() > 1)
        return u"there are several rows of this name now, and none is as it was shown"_s;
    return different.isEmpty() ? u"its row is as it was, but can't be changed"_s : different;
}

/// The server's refusal, for people.
Error ServerAdmin::ofRow(const LockTableEntry& entry, Error error) const
{
    if (db::Dialect::isLockTimeout(error)) {
        error.what = u"%1 was not freed: somebody is changing its table right now."_s.arg(rowTitle(entry));
        error.hint = u"Look at the list again."_s;
    } else if (error.kind == ErrorKind::Permission) {
        const bool isDeleted = entry.framework->lockDefinition->row.update.empty();
        error.what = u"%1 was not freed: your login may not."_s.arg(rowTitle(entry));
        error.hint = u"GRANT SELECT, %1 ON %2 TO your role, or free it as the owner of the table."_s.arg(
            isDeleted ? u"DELETE"_s : u"UPDATE"_s,
            m_connection.dialect().quoted(entry.source->schema, entry.source->table));
    }
    return error;
}

namespace {

/// Rolls back unless committed.
class Transaction {
public:
    explicit Transaction(db::Connection& connection)
        : m_connection(connection)
        , m_begun(connection.begin())
    {
    }
    ~Transaction()
    {
        if (m_connection.inTransaction())
            (void)m_connection.rollback();
    }
    Q_DISABLE_COPY_MOVE(Transaction)

    const Result<void>& begun() const { return m_begun; }
    Result<void> commit() { return m_connection.commit(); }

private:
    db::Connection& m_connection;
    Result<void> m_begun;
};

constexpr qsizetype namesInTarget = 20;

QString partyText(const QString& owner, const QString& host)
{
    if (host.isEmpty())
        return owner.isEmpty() ? u"somebody"_s : owner;
    return (owner.isEmpty() ? u"somebody"_s : owner) + u" on "_s + host;
}

QString targetText(const LockTableEntry& entry)
{
    if (entry.framework)
        return rowTitle(entry)
            + (entry.holderText.isEmpty() ? QString() : u", held by "_s + entry.holderText);
    return u"lock '%1' held by %2"_s.arg(entry.name, partyText(entry.party.owner, entry.party.host));
}

QString quotedNames(const QList<LockTableEntry>& entries)
{
    const auto quoted = [](const LockTableEntry& entry) { return u'\'' + entry.name + u'\''; };
    return nameList(textOfEach(entries, quoted), namesInTarget);
}

/// The locks that were to be purged.
struct Purge {
    QStringList deleted; // as JSON
    QList<LockTableEntry> changed;
    QList<LockTableEntry> alike; // several such rows, of which none was deleted
    QStringList refusals; // by us: the transaction goes on

    QString exceptions() const
    {
        QStringList all;
        if (!changed.isEmpty())
            all << u"changed meanwhile: "_s + quotedNames(changed);
        if (!alike.isEmpty())
            all << u"several rows that are alike: "_s + quotedNames(alike);
        all << textOfEach(refusals, withoutStop);
        return all.join(u"; ");
    }
    QString outcome(const QString& part) const
    {
        if (deleted.isEmpty() && alike.isEmpty() && refusals.isEmpty())
            return u"changed meanwhile: none of them is stale any more"_s;
        if (deleted.isEmpty())
            return u"refused: "_s + exceptions();
        return exceptions().isEmpty() ? u"done"_s : u"done: %1; %2"_s.arg(part, exceptions());
    }
};

} // namespace

/// The deleted row as JSON, or nothing if it was not there any more as it was shown; nor is anything deleted
/// where rows can't be told apart.
Result<ServerAdmin::Removed> ServerAdmin::deleteEntry(const LockTableEntry& entry, bool onlyStale)
{
    if (entry.framework)
        return freeRow(entry, onlyStale);
    LOCKSCOPE_TRY(db::usableSchema(m_connection, db::SchemaUse::Calling));
    Removed removed;
    const auto deleted =
        m_connection.execute(statement(onlyStale ? "admin/purge_entry" : "admin/release_entry"),
            {entry.name, entry.fencing}, [&removed](const db::Row& row) { removed.before = row.text(0); });
    return ifDone(deleted, std::move(removed));
}

Result<Done> ServerAdmin::releaseEntry(const LockTableEntry& shown, const QString& reason)
{
    const AuditedAct act{
        .act = Act::ReleaseEntry, .target = targetText(shown), .reason = reason, .shown = stateAsJson(shown)};
    LOCKSCOPE_TRY(checkAllowed(act));
    return onRecord(act, [&](const AuditedAct& recorded) -> Result<Done> {
        Result<Done> done = releaseInTransaction(recorded, shown);
        if (!done && done.error().kind != ErrorKind::Changed)
            return refused(recorded, done.error());
        return done;
    });
}

Result<Done> ServerAdmin::releaseInTransaction(const AuditedAct& act, const LockTableEntry& shown)
{
    Transaction transaction(m_connection);
    LOCKSCOPE_TRY(transaction.begun());
    LOCKSCOPE_TRY_GET(const auto id, record(act, act.shown, begun()));
    LOCKSCOPE_TRY_GET(const auto removed, deleteEntry(shown, false));
    if (removed.areAlike)
        return failure(ErrorKind::BadInput,
            u"Lock '%1' was not released: several rows of %2 are alike in all that is compared."_s.arg(
                shown.name, shown.table),
            u"Free the right one by hand, and give the table a unique index on its names."_s);
    Result<Done> done = Done{.auditId = id, .count = 1};
    if (removed.before) {
        LOCKSCOPE_TRY_GET(const auto next, nextInLine(shown));
        done->message = u"Lock '%1' released; %2"_s.arg(shown.name, next);
        LOCKSCOPE_TRY(recordOutcome(act, id, removed.before, u"done"_s));
    } else {
        done = releaseFailed(act, shown, id);
        if (!done && done.error().kind != ErrorKind::Changed)
            return done;
    }
    m_isSent = removed.before.has_value();
    LOCKSCOPE_TRY(transaction.commit());
    return done;
}

/// The row is not there as it was shown: says what is there now, and records the attempt.
Result<Done> ServerAdmin::releaseFailed(const AuditedAct& act, const LockTableEntry& shown, qint64 auditId)
{
    QString now = u"it was released by somebody else"_s;
    std::optional<QString> before;
    if (shown.framework) {
        LOCKSCOPE_TRY_GET(now, rowNow(shown));
    } else {
        LOCKSCOPE_TRY(
            m_connection.execute(statement("admin/entry_now"), {shown.name}, [&](const db::Row& row) {
                now = u"%1 holds it now"_s.arg(partyText(row.text(0), row.text(1)));
                before = row.text(2);
            }));
    }
    LOCKSCOPE_TRY(recordOutcome(act, auditId, before, u"changed meanwhile: "_s + now));
    return failure(ErrorKind::Changed, u"Lock '%1' was not released: %2."_s.arg(shown.name, now),
        u"Look at the list again."_s);
}

Result<QString> ServerAdmin::nextInLine(const LockTableEntry& entry)
{
    if (entry.framework)
        return u"programs that wait for it see that at their next try."_s;
    QString next;
    LOCKSCOPE_TRY(m_connection.execute(statement("admin/next_waiter"), {entry.name},
        [&next](const db::Row& row) { next = partyText(row.text(0), row.text(1)); }));
    return next.isEmpty() ? u"nobody waits for it."_s : next + u" gets it next."_s;
}

Result<QList<LockTableEntry>> ServerAdmin::previewPurge()
{
    LOCKSCOPE_TRY(db::usableSchema(m_connection, db::SchemaUse::Reading));
    QList<LockTableEntry> entries;
    ServerTime now;
    const Engine engine = m_connection.engine();
    std::vector<db::BatchItem> items{
        {&statement("monitor/entries"), {},
            [&](const db::Row& row) { entries.append(db::entryFromRow(engine, row)); }},
        {&statement("monitor/clock"), {}, [&](const db::Row& row) { now = row.time(0); }}};
    const auto results = m_connection.executeBatch(items);
    for (size_t i = 0; i < results.size(); ++i) {
        // A user who only attaches tables need not have ours.
        const bool optional = i == 0 && !m_profile.attached.isEmpty();
        if (!results[i] && !(optional && results[i].error().kind == ErrorKind::MissingObject)) {
            Error error = results[i].error();
            error.what = u"Can't find the stale locks."_s;
            return Failure(std::move(error));
        }
    }
    auto rows = frameworks::readLocks(m_connection, m_profile, frameworks::catalogue());
    if (!rows) {
        rows.error().what = u"Can't find the stale locks."_s;
        return Failure(rows.error());
    }
    entries += *rows;
    entries.removeIf([engine, now](const LockTableEntry& entry) { return !isPurgeable(entry, engine, now); });
    return entries;
}

Result<Done> ServerAdmin::purgeStale(const QList<LockTableEntry>& shown, const QString& reason)
{
    const AuditedAct act{.act = Act::PurgeStale,
        .target = (shown.size() == 1 ? u"stale lock "_s : u"%1 stale locks: "_s.arg(shown.size()))
            + quotedNames(shown),
        .reason = reason,
        .shown = stateAsJson(shown)};
    LOCKSCOPE_TRY(checkAllowed(act));
    if (shown.isEmpty())
        return failure(ErrorKind::BadInput, u"There is nothing to purge."_s, u"Look at the list again."_s);
    return onRecord(act, [&](const AuditedAct& recorded) -> Result<Done> {
        Result<Done> done = purgeInTransaction(recorded, shown);
        if (!done && done.error().kind != ErrorKind::Changed)
            return refused(recorded, done.error());
        return done;
    });
}

Result<Done> ServerAdmin::purgeInTransaction(const AuditedAct& act, const QList<LockTableEntry>& shown)
{
    Transaction transaction(m_connection);
    LOCKSCOPE_TRY(transaction.begun());
    LOCKSCOPE_TRY_GET(const auto id, record(act, act.shown, begun()));
    Purge purge;
    for (const LockTableEntry& entry : shown) {
        const auto removed = deleteEntry(entry, true);
        if (!removed && entry.framework && removed.error().nativeCode.isEmpty()
            && (removed.error().kind == ErrorKind::Permission
                || removed.error().kind == ErrorKind::BadInput)) {
            purge.refusals << sentences({removed.error().what, removed.error().detail});
            continue;
        }
        LOCKSCOPE_TRY(removed);
        if (removed->before)
            purge.deleted << *removed->before;
        else
            (removed->areAlike ? purge.alike : purge.changed) << entry;
    }
    Done done;
    done.auditId = id;
    done.count = static_cast<int>(purge.deleted.size());
    const QString part = u"%1 of %2"_s.arg(done.count).arg(shown.size());
    const QString exceptions = purge.exceptions();
    const auto seen = purge.deleted.isEmpty() ? std::nullopt : std::optional(jsonArray(purge.deleted));
    LOCKSCOPE_TRY(recordOutcome(act, id, seen, purge.outcome(part)));
    m_isSent = !purge.deleted.isEmpty();
    LOCKSCOPE_TRY(transaction.commit());
    if (purge.deleted.isEmpty() && !purge.refusals.isEmpty())
        return failure(ErrorKind::Permission, u"Nothing was purged; %1."_s.arg(exceptions),
            u"Free them with the framework's own command."_s);
    if (purge.deleted.isEmpty() && !purge.alike.isEmpty())
        return failure(ErrorKind::BadInput, u"Nothing was purged; %1."_s.arg(exceptions),
            u"Delete them by hand, and give the table a unique index on its names."_s);
    if (purge.deleted.isEmpty())
        return failure(ErrorKind::Changed, u"Nothing was purged: none of these locks is stale any more."_s,
            u"Look at the list again."_s);
    done.message = exceptions.isEmpty() ? counted(done.count, u"stale lock purged.", u"stale locks purged.")
                                        : u"%1 stale locks purged; %2."_s.arg(part, exceptions);
    return done;
}

} // namespace lockscope::admin
