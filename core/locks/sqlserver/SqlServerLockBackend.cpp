// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/EngineLockBackends.h"

#include "core/base/EnumTable.h"
#include "core/base/Mutex.h"
#include "core/db/SchemaTrust.h"
#include "core/db/sqlserver/SqlServerConnection.h"

#include <QRandomGenerator>
#include <QUuid>

#include <algorithm>
#include <map>
#include <set>

namespace lockscope::locks {

using namespace Qt::StringLiterals;

namespace {

constexpr milliseconds pollEvery{100}; ///< for a waiter of the lock table that nothing wakes
constexpr milliseconds askAgainAfter{50}; ///< on Babelfish, for an application lock
/// Longer identifiers are cut silently (Microsoft's documentation, "Database Identifiers").
constexpr qsizetype maxSysname = 128;

/// The return codes of sp_getapplock, also returned by the statements of surrogates.
namespace appLockCode {
enum {
    GrantedAtOnce = 0,
    GrantedAfterWaiting = 1,
    TimedOut = -1,
    Cancelled = -2,
    DeadlockVictim = -3,
    Refused = -999
};
}

QString modeName(AcquireMode mode)
{
    static constexpr EnumTable<AcquireMode> names(
        {u"Exclusive", u"Shared", u"Update", u"IntentShared", u"IntentExclusive"});
    return names[mode].toString();
}

QString ownerName(LockOwner owner)
{
    return owner == LockOwner::Transaction ? u"Transaction"_s : u"Session"_s;
}

/// Returns nothing if the server refused it altogether.
std::optional<Outcome> outcomeOf(qint64 code, bool waits)
{
    switch (code) {
    case appLockCode::GrantedAtOnce:
        return Outcome::Granted;
    case appLockCode::GrantedAfterWaiting:
        return Outcome::GrantedAfterWait;
    case appLockCode::TimedOut:
        return waits ? Outcome::TimedOut : Outcome::Denied;
    case appLockCode::Cancelled:
        return Outcome::Cancelled;
    case appLockCode::DeadlockVictim:
        return Outcome::DeadlockVictim;
    default:
        return std::nullopt;
    }
}

} // namespace

// --- The lock table ----------------------------------------------------------------------------------------

LockBackend::Waiting SqlServerLockBackend::waitingOf(const Attempt& attempt) const
{
    return {qint64(attempt.patience.count()),
        attempt.ticket == newcomer ? db::Param(std::monostate()) : db::Param(attempt.ticket)};
}

Result<void> SqlServerLockBackend::waitForTurn(
    const QString&, qint64, milliseconds longest, const std::stop_token& stop)
{
    sleepFor(std::min(longest, pollEvery), stop);
    return {};
}

// --- Application locks -------------------------------------------------------------------------------------

Result<Outcome> SqlServerLockBackend::lockApplication(
    const AcquireRequest& request, const std::stop_token& stop)
{
    const bool waits = request.wait != milliseconds(0);
    const bool waitsByItself = !db::SqlServerConnection::factsOf(m_connection).isOtherEngine();
    qint64 code = appLockCode::Refused; // may have come before an error
    const auto result = waitsByItself ? askForApplication(request, inMilliseconds(request.wait), stop, code)
                                      : askAgainAndAgain(request, stop, code);

    // Babelfish keeps a lock of a transaction until its end: a grant that was faster than the cancel stays.
    const bool isForGood = !waitsByItself && request.owner == LockOwner::Transaction && code >= 0;
    if (waits && stop.stop_requested() && !isForGood) {
        if (!m_connection.isOpen())
            return Failure(result ? failure(ErrorKind::Connection, u"The connection is gone."_s)
                                  : Failure(result.error()));
        LOCKSCOPE_TRY(undoApplication(request, code >= 0));
        return Outcome::Cancelled;
    }
    if (!result)
        return endOfWait(result.error(), stop);
    if (const auto outcome = outcomeOf(code, waits))
        return *outcome;
    return failure(ErrorKind::Server,
        u"sp_getapplock refused the lock \"%1\" (code %2)."_s.arg(request.name).arg(code),
        u"Check that the principal \"%1\" exists and that this login is a member of it."_s.arg(
            request.principal));
}

/// Returns the server's answer as the code.
Result<qint64> SqlServerLockBackend::askForApplication(
    const AcquireRequest& request, qint64 timeout, const std::stop_token& stop, qint64& code)
{
    // One that must not wait is too short for a cancel: an answer is better.
    return m_connection.execute(
        db::Statement::get("sqlserver/app_locks/acquire"),
        {request.name, modeName(request.mode), ownerName(request.owner), timeout, request.principal},
        [&code](const db::Row& row) { code = row.int64(0); }, timeout == 0 ? std::stop_token() : stop);
}

/// Babelfish: a wait of the server's own could not be cancelled, and would not be visible as one.
Result<qint64> SqlServerLockBackend::askAgainAndAgain(
    const AcquireRequest& request, const std::stop_token& stop, qint64& code)
{
    const auto start = std::chrono::steady_clock::now();
    for (bool isFirst = true;; isFirst = false) {
        auto asked = askForApplication(request, 0, {}, code);
        if (code == appLockCode::GrantedAtOnce && !isFirst)
            code = appLockCode::GrantedAfterWaiting;
        const bool isOver =
            request.wait.count() >= 0 && std::chrono::steady_clock::now() - start >= request.wait;
        if (!asked || code != appLockCode::TimedOut || isOver || !sleepFor(askAgainAfter, stop))
            return asked;
    }
}

/// A wait that was interrupted just when it was granted may have left the lock behind. Locks that were held
/// before stay.
Result<void> SqlServerLockBackend::undoApplication(const AcquireRequest& request, bool isTaken)
{
    // The server may have ended the transaction with the cancel, and the lock with it.
    const bool isTransaction = request.owner == LockOwner::Transaction;
    const auto undone = m_connection.execute(
        db::Statement::get(isTaken ? "sqlserver/app_locks/release" : "sqlserver/app_locks/undo"),
        {request.name, ownerName(request.owner), request.principal});
    if (!undone && !(isTransaction && m_connection.isOpen()))
        return Failure(undone.error());
    return {};
}

Result<bool> SqlServerLockBackend::unlockApplication(const AcquireRequest& request)
{
    bool wasHeld = false;
    const auto result = m_connection.execute(db::Statement::get("sqlserver/app_locks/release"),
        {request.name, ownerName(LockOwner::Session), request.principal},
        [&wasHeld](const db::Row& row) { wasHeld = row.boolean(0); });
    return ifDone(result, wasHeld);
}

QString SqlServerLockBackend::sessionLivenessLock()
{
    if (m_mark)
        return *m_mark;
    const QString requested = u"lockscope session "_s + QUuid::createUuid().toString(QUuid::WithoutBraces);
    qint64 answer = -1;
    const auto marked = m_connection.execute(db::Statement::get("sqlserver/locks/mark"), {requested},
        [&answer](const db::Row& row) { answer = row.int64(0); });
    m_mark = marked && answer >= 0 ? requested : QString();
    return *m_mark;
}

// --- What the keeper asks ----------------------------------------------------------------------------------

Result<std::vector<GrantPtr>> SqlServerLockBackend::lostEntries(
    std::span<const GrantPtr> watched, const std::stop_token& stop)
{
    return lostOfEach(
        watched, "locks/held_entry",
        [](const WatchedGrant& grant) {
            return std::vector<db::Param>{grant.name, grant.token};
        },
        stop);
}

Result<std::vector<GrantPtr>> SqlServerLockBackend::lostSessions(
    std::span<const GrantPtr> watched, const std::stop_token& stop)
{
    std::vector<GrantPtr> marked(watched.begin(), watched.end());
    std::erase_if(marked, [](const GrantPtr& grant) { return grant->mark.isEmpty(); });
    return lostOfEach(
        marked, "locks/mark_lives",
        [](const WatchedGrant& grant) { return std::vector<db::Param>{grant.mark}; }, stop);
}

/// One question for each, all in one batch; no row means that it is lost.
Result<std::vector<GrantPtr>> SqlServerLockBackend::lostOfEach(std::span<const GrantPtr> watched,
    const char* file, std::vector<db::Param> (*paramsOf)(const WatchedGrant&), const std::stop_token& stop)
{
    std::vector<db::BatchItem> items;
    for (const GrantPtr& grant : watched)
        items.push_back({.statement = &statement(file), .params = paramsOf(*grant)});
    const auto rows = m_connection.executeBatch(items, stop);
    std::vector<GrantPtr> lost;
    for (std::size_t i = 0; i < watched.size(); ++i) {
        if (!rows[i])
            return Failure(rows[i].error());
        if (*rows[i] == 0)
            lost.push_back(watched[i]);
    }
    return lost;
}

// --- Surrogates --------------------------------------------------------------------------------------------

std::optional<Error> SqlServerLockBackend::refuseSurrogate(LockKind kind, const QString& name) const
{
    if (kind == LockKind::LockedTable)
        if (auto refused = refuseTableOf(
                name, [](const QString& text) { return text.size(); }, maxSysname, "characters"))
            return refused;
    if (!name.endsWith(u' '))
        return std::nullopt;
    return Error{.kind = ErrorKind::BadInput,
        .what = u"The lock name \"%1\" ends with a space."_s.arg(name),
        .hint =
            u"SQL Server compares names without spaces at their end: it would be the same lock as the name without."_s};
}

Result<void> SqlServerLockBackend::prepareSurrogate(LockKind kind, const QString& name)
{
    if (kind == LockKind::LockedTable)
        return prepareTable(name);
    return ifDone(m_connection.execute(ofKeys("sqlserver/surrogates/key_add"), {name}));
}

Result<LockBackend::Locked> SqlServerLockBackend::lockSurrogate(
    LockKind kind, const QString& name, milliseconds wait, const std::stop_token& stop)
{
    using L = QLatin1StringView;
    const bool waits = wait != milliseconds(0);
    // SET LOCK_TIMEOUT takes no parameter.
    const std::pair<L, QString> timeout(L("timeout"), QString::number(inMilliseconds(wait)));
    const db::Dialect& dialect = m_connection.dialect();
    const auto statement = kind == LockKind::LockedTable
        ? db::Statement::filled("sqlserver/surrogates/table_lock", {{L("table"), tableOf(name)}, timeout})
        : db::Statement::filled("sqlserver/surrogates/key_lock",
            {{L("table"), dialect.quoted(m_surrogates.schema, m_surrogates.keyTable)},
                {L("key"), dialect.quoted(m_surrogates.keyColumn)}, timeout});
    const QString savepoint = u"lockscope %1"_s.arg(++m_waits);
    std::vector<db::Param> params;
    if (kind == LockKind::LockedKey)
        params.emplace_back(name);
    params.emplace_back(waits);
    params.emplace_back(savepoint);
    qint64 code = appLockCode::TimedOut;
    const auto result = m_connection.execute(
        statement, std::span<const db::Param>(params), [&code](const db::Row& row) { code = row.int64(0); },
        waits ? stop : std::stop_token());
    if (waits && stop.stop_requested()) {
        // The server may have ended the transaction with the cancel, and the lock with it.
        if (m_connection.isOpen() && m_connection.inTransaction())
            (void)m_connection.execute(db::Statement::get("sqlserver/surrogates/undo"), {savepoint});
        return asLocked(
            endOfWait(Error{.kind = ErrorKind::Cancelled, .what = u"The wait was cancelled."_s}, stop));
    }
    if (!result)
        return asLocked(endOfWait(result.error(), stop));
    const Outcome outcome = outcomeOf(code, waits).value_or(Outcome::Denied);
    // The statement fails if it has locked no row.
    return isGranted(outcome) ? Locked(outcome, kind == LockKind::LockedTable ? tableOf(name) : name, {})
                              : Locked(outcome);
}

namespace {

using Kept = std::set<Hint>; ///< the hints that a server keeps

/// Two sessions and a table between them: the one that the schema keeps for it, in the database itself, whose
/// settings count; else a temporary one, which goes with the first session.
class HintTrial {
public:
    HintTrial(db::Connection& first, db::Connection& second)
        : m_first(first)
        , m_second(second)
    {
    }

    Result<Kept> run()
    {
        LOCKSCOPE_TRY(findTable());
        Kept kept;
        struct Step {
            Hint hint;
            const char* path;
            qint64 proof; ///< the second session's expected answer
        };
        for (const Step& step : {Step{Hint::UpdLock, "sqlserver/hints/updlock", -1},
                 Step{Hint::ReadPast, "sqlserver/hints/readpast", 2},
                 Step{Hint::TabLockX, "sqlserver/hints/tablockx", -1}}) {
            LOCKSCOPE_TRY_GET(const auto answer, meet(filled(step.path)));
            if (answer == step.proof)
                kept.insert(step.hint);
        }
        return kept;
    }

private:
    Result<void> findTable()
    {
        bool isOurs = false;
        if (db::trustSchema(m_first, db::SchemaUse::Calling)) {
            LOCKSCOPE_TRY(m_first.execute(db::Statement::get("sqlserver/hints/place"), {},
                [&isOurs](const db::Row& row) { isOurs = row.boolean(0); }));
        }
        if (isOurs) {
            m_table = u"lockscope.hint_proof"_s;
            return {};
        }
        m_table = u"[##lockscope proof %1]"_s.arg(QRandomGenerator::system()->generate64(), 0, 36);
        if (auto made = m_first.execute(filled("sqlserver/hints/table")); !made) {
            Error error = made.error();
            if (error.kind == ErrorKind::Unsupported)
                error.what = u"It can't be tried out here whether the server heeds locking hints."_s;
            return Failure(std::move(error));
        }
        return {};
    }

    db::Statement filled(const char* path) const
    {
        return db::Statement::filled(path, {{"table"_L1, m_table}});
    }

    /// The first session runs the statement in a transaction, the second one meets what it locked.
    Result<qint64> meet(const db::Statement& statement)
    {
        qint64 answer = 0;
        LOCKSCOPE_TRY(m_first.begin());
        const auto locked = m_first.execute(statement);
        const auto met = locked
            ? m_second.execute(statement, {}, [&answer](const db::Row& row) { answer = row.int64(0); })
            : locked;
        LOCKSCOPE_TRY(m_first.rollback());
        return ifDone(met, answer);
    }

    db::Connection& m_first;
    db::Connection& m_second;
    QString m_table;
};

Result<Kept> tryOut(const db::Connection& connection)
{
    LOCKSCOPE_TRY_GET(const auto first, db::SqlServerConnection::another(connection));
    LOCKSCOPE_TRY_GET(const auto second, db::SqlServerConnection::another(connection));
    return HintTrial(*first, *second).run();
}

QString nameOf(Hint hint)
{
    static constexpr EnumTable<Hint> names({u"UPDLOCK", u"READPAST", u"TABLOCKX"});
    return names[hint].toString();
}

} // namespace

Result<void> testLockHint(const db::Connection& connection, Hint hint)
{
    if (connection.engine() != Engine::SqlServer)
        return {};
    static Mutex mutex;
    static std::map<QString, Kept> servers LOCKSCOPE_GUARDED_BY(mutex);
    const MutexLock lock(mutex); // one trial is enough for all who ask at the same time
    const QString server = connection.url().toString();
    auto known = servers.find(server);
    if (known == servers.end()) {
        LOCKSCOPE_TRY_GET(auto kept, tryOut(connection));
        known = servers.emplace(server, std::move(kept)).first;
    }
    if (known->second.contains(hint))
        return {};
    Failure refused = failure(ErrorKind::Unsupported,
        u"This server takes the locking hint %1 and ignores it."_s.arg(nameOf(hint)),
        u"Use a lock-table lock or an application lock."_s);
    refused.value().server = connection.url().display();
    return refused;
}

} // namespace lockscope::locks
