// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Frees rows of frameworks' tables, in the transaction of the record.

#include "core/admin/ByHand.h"
#include "core/admin/ServerAdmin.h"
#include "core/base/Sentences.h"
#include "core/db/SchemaTrust.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"
#include "core/domain/Framework.h"
#include "core/domain/FrameworkText.h"

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
    const auto act = rowAct(dialect, entry);
    if (!act)
        return Failure(act.error());
    if (onlyStale) {
        ServerTime now;
        const auto asked = m_connection.execute(
            statement("monitor/clock"), {}, [&now](const db::Row& row) { now = row.time(0); });
        if (!asked)
            return Failure(asked.error());
        if (!isPurgeable(entry, m_connection.engine(), now))
            return Removed{};
    }
    const char* const lock = tableLocks[m_connection.engine()];
    if (lock) {
        const db::Statement locks =
            db::Statement::filled(db::schemaPath(dialect, lock).constData(), {{"table"_L1, act->table}});
        // The owner of the schema could give its name to another one meanwhile: then schemas are held, and
        // the table that the name means by then is locked and judged.
        for (Hold hold = Hold::Table;; hold = Hold::Schemas) {
            if (const auto locked = m_connection.execute(locks); !locked)
                return Failure(ofRow(entry, locked.error()));
            const auto checked = checkStrangers(entry, hold);
            if (!checked)
                return Failure(checked.error());
            if (*checked == Place::Held)
                break;
            if (const auto held = m_connection.execute(statement("frameworks_admin/hold_schemas")); !held)
                return Failure(ofRow(entry, held.error()));
        }
    }
    QStringList rows;
    const auto found = m_connection.execute(
        act->rows(dialect), act->asShown.params, [&rows](const db::Row& row) { rows << row.text(0); });
    if (!found)
        return Failure(ofRow(entry, found.error()));
    if (rows.size() != 1)
        return Removed{std::nullopt, rows.size() > 1};
    if (!lock)
        if (const auto checked = checkStrangers(entry, Hold::Schemas); !checked)
            return Failure(checked.error());
    const auto changed = m_connection.execute(act->act(dialect), act->asShown.params);
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
    const auto found = strangersAt(entry, hold);
    if (!found)
        return Failure(found.error());
    const QStringList& faults = found->faults;
    if (faults.isEmpty())
        return Place::Held;
    if (found->isPlace)
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
        const auto runs = firedByFreeing(m_connection, row);
        if (!runs)
            return Failure(runs.error());
        code.runs += *runs;
        if (!row.framework)
            continue; // all of our schema is judged before
        const auto strangers = strangersAt(row, Hold::Nothing);
        if (!strangers)
            return Failure(strangers.error());
        code.strangers += strangers->faults;
        code.isLeftAlone = code.isLeftAlone || !strangers->isPlace;
    }
    return code;
}

/// Returns the present state of a row that is not as it was shown.
Result<QString> ServerAdmin::rowNow(const LockTableEntry& entry)
{
    const db::Dialect& dialect = m_connection.dialect();
    const auto act = rowAct(dialect, entry);
    if (!act)
        return Failure(act.error());
    QList<QStringList> rows;
    const auto asked =
        m_connection.execute(act->rowNow(dialect), act->sameKey.params, [&](const db::Row& row) {
            QStringList values;
            for (qsizetype i = 0; i < act->values.size(); ++i)
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

} // namespace lockscope::admin
