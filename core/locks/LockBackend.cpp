// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/LockBackend.h"

#include "core/db/SchemaInstaller.h"
#include "core/db/Statement.h"
#include "core/domain/Engine.h"
#include "core/locks/EngineLockBackends.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <set>

namespace lockscope::locks {

using namespace Qt::StringLiterals;

namespace {

/// Asks again so soon whether somebody still decides about the name.
constexpr milliseconds whenBusy{50};

/// The columns of locks/acquire; those between Obstacle and Code are read by readObstacle.
enum AcquireColumn { Fencing, AcquiredAt, ExpiresAt, Ticket, Obstacle, Code = 10 };
/// The results of an attempt that waits inside of the server.
constexpr qint64 grantedAfterWaiting = 1;
constexpr qint64 deadlockVictim = -3;

Failure lockIsGone(const QString& name)
{
    return failure(ErrorKind::Changed, u"The lock \"%1\" is not ours any more."_s.arg(name),
        u"Its lease ran out and somebody else took it, or an operator released it. Nobody else's lock was touched. Stop what it protects, see who has it now, and take it again if you still need it."_s);
}

Failure unsupported(const db::Connection& connection, db::Capability capability)
{
    return failure(ErrorKind::Unsupported, u"%1 has no such locks."_s.arg(engineName(connection.engine())),
        connection.dialect().reasonAgainst(capability));
}

template <class Backend>
std::unique_ptr<LockBackend> makeBackend(db::Connection& connection, Surrogates surrogates)
{
    return std::make_unique<Backend>(connection, std::move(surrogates));
}

} // namespace

std::unique_ptr<LockBackend> LockBackend::create(db::Connection& connection, Surrogates surrogates)
{
    using Make = std::unique_ptr<LockBackend> (*)(db::Connection&, Surrogates);
    static constexpr PerEngine<Make> make{.postgres = makeBackend<PostgresLockBackend>,
        .sqlServer = makeBackend<SqlServerLockBackend>,
        .sqlite = makeBackend<SqliteLockBackend>};
    return make[connection.engine()](connection, std::move(surrogates));
}

LockBackend::LockBackend(db::Connection& connection, Surrogates surrogates)
    : m_connection(connection)
    , m_surrogates(std::move(surrogates))
{
}

const db::Statement& LockBackend::statement(const char* file) const
{
    return db::schemaStatement(m_connection.dialect(), file);
}

Result<void> LockBackend::usableSchema()
{
    return db::usableSchema(m_connection, db::SchemaUse::Calling);
}

// --- The lock table ----------------------------------------------------------------------------------------

void LockBackend::readObstacle(Answer& answer, const db::Row& row, int first)
{
    answer.obstacleLasts = microseconds(row.int64(first));
    if (row.isNull(first + 1))
        return;
    answer.heldBy = LockOwnerInfo{.owner = row.text(first + 1),
        .host = row.text(first + 2),
        .program = row.text(first + 3),
        .processId = row.int64(first + 4),
        .session = SessionId{row.int64(first + 5)}};
}

Result<LockBackend::Answer> LockBackend::attempt(const Attempt& attempt, const std::stop_token& stop)
{
    LOCKSCOPE_TRY(usableSchema());
    const AcquireRequest& request = attempt.request;
    const Waiting waiting = waitingOf(attempt);
    std::vector<db::Param> params{request.name, attempt.token, qint64(microseconds(request.lease).count()),
        waiting.wait, waiting.ticket, request.party.owner, request.party.host, request.party.program,
        request.party.processId};
    if (waiting.patience)
        params.push_back(*waiting.patience);
    Answer answer;
    const auto read = [&answer](const db::Row& row) {
        const qint64 code = row.int64(Code);
        answer.hadToWait = code == grantedAfterWaiting;
        answer.isVictim = code == deadlockVictim;
        if (!row.isNull(Fencing)) {
            answer.taken = Taken{row.int64(Fencing), row.time(AcquiredAt), row.time(ExpiresAt)};
            return;
        }
        if (!row.isNull(Ticket))
            answer.ticket = row.int64(Ticket);
        readObstacle(answer, row, Obstacle);
    };
    const auto result = m_connection.execute(statement("locks/acquire"), params, read, stop);
    if (result)
        return answer;
    if (!m_connection.dialect().isLockTimeout(result.error()))
        return Failure(result.error());
    // Somebody decides about the name just now, in a transaction that does not end.
    answer.ticket = attempt.ticket;
    answer.obstacleLasts = whenBusy;
    return answer;
}

Result<void> LockBackend::leave(const QString& name, const QString& token, qint64)
{
    LOCKSCOPE_TRY(usableSchema());
    const auto result = m_connection.execute(statement("locks/leave_queue"), {name, token});
    return ifDone(result);
}

Result<void> LockBackend::release(const QString& name, const QString& token, const std::stop_token& stop)
{
    LOCKSCOPE_TRY(usableSchema());
    // A row says whether it was ours, where a routine deletes it; else their number does.
    std::optional<bool> wasOurs;
    LOCKSCOPE_TRY_GET(const auto result,
        m_connection.execute(
            statement("locks/release"), {name, token},
            [&wasOurs](const db::Row& row) { wasOurs = row.boolean(0); }, stop));
    if (!wasOurs.value_or(result > 0))
        return lockIsGone(name);
    return {};
}

Result<std::optional<microseconds>> LockBackend::ageOfEntry(const QString& name)
{
    std::optional<microseconds> age;
    const auto result = m_connection.execute(statement("locks/entry_age"), {name},
        [&age](const db::Row& row) { age = microseconds(row.int64(0)); });
    return ifDone(result, age);
}

Result<ServerTime> LockBackend::renew(const QString& name, const QString& token, milliseconds lease)
{
    LOCKSCOPE_TRY(usableSchema());
    std::optional<ServerTime> end;
    LOCKSCOPE_TRY(
        m_connection.execute(statement("locks/renew"), {name, token, qint64(microseconds(lease).count())},
            [&end](const db::Row& row) { end = row.optionalTime(0); }));
    if (!end)
        return lockIsGone(name);
    return *end;
}

Result<std::vector<GrantPtr>> LockBackend::lostEntries(
    std::span<const GrantPtr> watched, const std::stop_token& stop)
{
    QJsonArray asked;
    for (const GrantPtr& grant : watched)
        asked.append(
            QJsonObject{{u"id"_s, asked.size()}, {u"name"_s, grant->name}, {u"token"_s, grant->token}});
    return lostOf(watched, asked, "locks/held_entries", stop);
}

Result<std::vector<GrantPtr>> LockBackend::lostOf(
    std::span<const GrantPtr> watched, const QJsonArray& asked, const char* file, const std::stop_token& stop)
{
    std::set<qint64> present;
    LOCKSCOPE_TRY(m_connection.execute(
        statement(file), {QString::fromUtf8(QJsonDocument(asked).toJson(QJsonDocument::Compact))},
        [&present](const db::Row& row) { present.insert(row.int64(0)); }, stop));
    std::vector<GrantPtr> lost;
    for (std::size_t i = 0; i < watched.size(); ++i)
        if (!present.contains(qint64(i)))
            lost.push_back(watched[i]);
    return lost;
}

// --- Locks that the server keeps ---------------------------------------------------------------------------

Result<Outcome> LockBackend::lockApplication(const AcquireRequest&, const std::stop_token&)
{
    return unsupported(m_connection, db::Capability::ApplicationLocks);
}

Result<bool> LockBackend::unlockApplication(const AcquireRequest&)
{
    return unsupported(m_connection, db::Capability::ApplicationLocks);
}

std::optional<Error> LockBackend::refuseSurrogate(LockKind, const QString&) const
{
    return unsupported(m_connection, db::Capability::SurrogateLocks).value();
}

Result<void> LockBackend::prepareSurrogate(LockKind, const QString&)
{
    return unsupported(m_connection, db::Capability::SurrogateLocks);
}

Result<LockBackend::Locked> LockBackend::lockSurrogate(
    LockKind, const QString&, milliseconds, const std::stop_token&)
{
    return unsupported(m_connection, db::Capability::SurrogateLocks);
}

Result<Outcome> LockBackend::endOfWait(const Error& error, const std::stop_token& stop) const
{
    if (!m_connection.isOpen())
        return Failure(error);
    if (error.kind == ErrorKind::Cancelled && stop.stop_requested())
        return Outcome::Cancelled;
    if (error.kind == ErrorKind::Deadlock)
        return Outcome::DeadlockVictim;
    if (db::Dialect::isLockTimeout(error))
        return Outcome::TimedOut;
    return Failure(error);
}

Result<LockBackend::Locked> LockBackend::asLocked(const Result<Outcome>& end)
{
    LOCKSCOPE_TRY_GET(const Outcome outcome, end);
    return Locked(outcome);
}

QString LockBackend::tableOf(const QString& name) const
{
    return m_connection.dialect().quoted(m_surrogates.schema, m_surrogates.tablePrefix + name);
}

std::optional<Error> LockBackend::refuseTableOf(
    const QString& name, qsizetype (*lengthOf)(const QString&), qsizetype longest, const char* unit) const
{
    const qsizetype left = longest - lengthOf(m_surrogates.tablePrefix);
    if (lengthOf(name) <= left)
        return std::nullopt;
    return Error{.kind = ErrorKind::BadInput,
        .what = u"The lock name \"%1\" is too long for the name of a table."_s.arg(name),
        .hint = u"%1 keeps %2 %3 of it. Use a surrogate key for long names."_s
                    .arg(engineName(m_connection.engine()))
                    .arg(left)
                    .arg(QLatin1String(unit))};
}

Result<void> LockBackend::prepareTable(const QString& name)
{
    bool exists = false;
    LOCKSCOPE_TRY(m_connection.execute(statement("surrogates/table_exists"), {tableOf(name)},
        [&exists](const db::Row& row) { exists = row.boolean(0); }));
    if (exists)
        return {};
    if (!m_surrogates.areOurs())
        return failure(ErrorKind::MissingObject, u"The surrogate table %1 is not there."_s.arg(tableOf(name)),
            u"Create it: any table that is used for nothing else will do."_s);
    LOCKSCOPE_TRY(db::trustEventTriggers(m_connection));
    return ifDone(m_connection.execute(statement("surrogates/table_add"), {name}));
}

db::Statement LockBackend::ofKeys(const char* path) const
{
    const db::Dialect& dialect = m_connection.dialect();
    return db::Statement::filled(path,
        {{"table"_L1, dialect.quoted(m_surrogates.schema, m_surrogates.keyTable)},
            {"key"_L1, dialect.quoted(m_surrogates.keyColumn)}});
}

qint64 LockBackend::inMilliseconds(milliseconds wait)
{
    return std::clamp<qint64>(wait.count(), -1, std::numeric_limits<qint32>::max());
}

} // namespace lockscope::locks
