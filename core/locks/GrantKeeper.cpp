// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/locks/GrantKeeper.h"

#include "core/db/Backoff.h"
#include "core/db/Connection.h"
#include "core/db/SchemaFile.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

namespace lockscope::locks {

using Steady = WatchedGrant::Steady;
using GrantPtr = std::shared_ptr<WatchedGrant>;

namespace {

constexpr milliseconds checkEvery{1'000};
constexpr milliseconds statementTimeout{5'000};
constexpr milliseconds shortestPause{20};

QString toJson(const QJsonArray& array)
{
    return QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact));
}

Steady::time_point renewalDue(const WatchedGrant& grant)
{
    return Steady::time_point(Steady::duration(grant.leaseEnd)) - grant.lease + grant.lease / 3;
}

} // namespace

bool WatchedGrant::isLeaseOver() const
{
    return kind == LockKind::Table && Steady::now().time_since_epoch().count() >= leaseEnd;
}

void WatchedGrant::noteRenewal(Steady::time_point sent, ServerTime expiresAt)
{
    leaseEnd = (sent + lease).time_since_epoch().count();
    expiresAtUs = expiresAt.us;
}

/// Between the keeper's thread and everybody else.
struct GrantKeeper::Shared {
    const db::ServerUrl url;
    const db::PasswordProvider passwords;

    std::mutex mutex;
    std::condition_variable_any changed;
    std::vector<GrantPtr> grants; ///< guarded by mutex
    GrantPtr telling; ///< guarded by mutex: whose handler runs right now
    std::thread::id tellingThread; ///< guarded by mutex
    bool hurry = false; ///< guarded by mutex: a lease is too short for the usual pause

    Shared(db::ServerUrl serverUrl, db::PasswordProvider provider)
        : url(std::move(serverUrl))
        , passwords(std::move(provider))
    {
    }

    void tellLost(const GrantPtr& grant, LossReason reason)
    {
        {
            const std::lock_guard lock(mutex);
            if (std::erase(grants, grant) == 0)
                return;
            grant->isLost = true;
            telling = grant;
            tellingThread = std::this_thread::get_id();
        }
        if (grant->lost)
            grant->lost(reason);
        const std::lock_guard lock(mutex);
        telling.reset();
        changed.notify_all();
    }
};

namespace {

/// The keeper's thread: everything here is its own but `m_shared`.
class Rounds {
public:
    explicit Rounds(GrantKeeper::Shared& shared, std::stop_token stop)
        : m_shared(shared)
        , m_stop(std::move(stop))
    {
    }

    void run()
    {
        while (waitForGrants()) {
            pauseFor(timeToNextRound());
            if (m_stop.stop_requested())
                return;
            tellRunOutLeases();
            if (connect() && !(renewLeases() && checkRows() && checkSessions()))
                m_connection.reset();
        }
    }

private:
    enum class Holder { Row, Session };
    std::vector<GrantPtr> grants(Holder holder)
    {
        const std::lock_guard lock(m_shared.mutex);
        std::vector<GrantPtr> found;
        std::copy_if(m_shared.grants.begin(), m_shared.grants.end(), std::back_inserter(found),
            [isRow = holder == Holder::Row](
                const GrantPtr& grant) { return (grant->kind == LockKind::Table) == isRow; });
        return found;
    }

    bool waitForGrants()
    {
        std::unique_lock lock(m_shared.mutex);
        return m_shared.changed.wait(lock, m_stop, [this] { return !m_shared.grants.empty(); });
    }

    void pauseFor(Steady::duration pause)
    {
        std::unique_lock lock(m_shared.mutex);
        m_shared.changed.wait_for(lock, m_stop, pause, [this] { return m_shared.hurry; });
        m_shared.hurry = false;
    }

    Steady::duration timeToNextRound()
    {
        const auto now = Steady::now();
        Steady::duration pause = checkEvery;
        for (const GrantPtr& grant : grants(Holder::Row))
            pause = std::min(pause, renewalDue(*grant) - now);
        return std::max<Steady::duration>(pause, shortestPause);
    }

    void tellRunOutLeases()
    {
        for (const GrantPtr& grant : grants(Holder::Row))
            if (grant->isLeaseOver())
                m_shared.tellLost(grant, LossReason::LeaseExpired);
    }

    bool connect()
    {
        if (m_connection && m_connection->isOpen())
            return true;
        m_connection.reset();
        if (Steady::now() < m_nextAttempt)
            return false;
        db::ConnectOptions options;
        options.programSuffix = QStringLiteral("keeper");
        options.statementTimeout = statementTimeout;
        auto opened = db::Connection::open(m_shared.url, m_shared.passwords, options);
        if (!opened) {
            m_nextAttempt = Steady::now() + m_backoff.next();
            return false;
        }
        m_backoff.reset();
        m_connection = std::move(*opened);
        return true;
    }

    /// False if the connection failed.
    bool renewLeases()
    {
        const auto now = Steady::now();
        std::vector<GrantPtr> due = grants(Holder::Row);
        std::erase_if(due, [now](const GrantPtr& grant) { return renewalDue(*grant) > now; });
        if (due.empty())
            return true;

        std::vector<qint64> ends(due.size(), 0);
        std::vector<db::BatchItem> items;
        const db::Statement& renew = db::schemaStatement(m_connection->dialect(), "locks/renew.sql");
        for (std::size_t i = 0; i < due.size(); ++i)
            items.push_back(
                {&renew, {due[i]->name, due[i]->token, qint64(microseconds(due[i]->lease).count())},
                    [&end = ends[i]](const db::Row& row) { end = row.int64(0); }});
        const auto results = m_connection->executeBatch(items, m_stop);
        for (std::size_t i = 0; i < due.size(); ++i) {
            if (!results[i])
                return false;
            if (ends[i] == 0)
                m_shared.tellLost(due[i], LossReason::RowGone);
            else
                due[i]->noteRenewal(now, {ends[i]});
        }
        return true;
    }

    bool checkRows()
    {
        if (m_connection->engine() == Engine::SqlServer)
            return checkEach(grants(Holder::Row), LossReason::RowGone, "locks/held_entry.sql",
                [](const WatchedGrant& grant) {
                    return std::vector<db::Param>{grant.name, grant.token};
                });
        QJsonArray asked;
        const std::vector<GrantPtr> watched = grants(Holder::Row);
        for (std::size_t i = 0; i < watched.size(); ++i)
            asked.append(QJsonObject{{QStringLiteral("id"), qint64(i)},
                {QStringLiteral("name"), watched[i]->name}, {QStringLiteral("token"), watched[i]->token}});
        return check(watched, asked, LossReason::RowGone,
            db::schemaStatement(m_connection->dialect(), "locks/held_entries.sql"));
    }

    bool checkSessions()
    {
        if (m_connection->engine() == Engine::SqlServer) {
            std::vector<GrantPtr> marked = grants(Holder::Session);
            std::erase_if(marked, [](const GrantPtr& grant) { return grant->mark.isEmpty(); });
            return checkEach(marked, LossReason::ConnectionGone, "locks/mark_lives.sql",
                [](const WatchedGrant& grant) { return std::vector<db::Param>{grant.mark}; });
        }
        QJsonArray asked;
        const std::vector<GrantPtr> watched = grants(Holder::Session);
        for (std::size_t i = 0; i < watched.size(); ++i)
            asked.append(QJsonObject{{QStringLiteral("id"), qint64(i)},
                {QStringLiteral("pid"), watched[i]->session.value},
                {QStringLiteral("started"), watched[i]->sessionStarted.us}});
        if (watched.empty())
            return true;
        return check(watched, asked, LossReason::ConnectionGone,
            db::Statement::get("postgres/locks/live_sessions.sql"));
    }

    /// One question for each grant, all in one batch; no row means that it is lost.
    template <class Params>
    bool checkEach(
        const std::vector<GrantPtr>& watched, LossReason reason, const char* file, const Params& paramsOf)
    {
        if (watched.empty())
            return true;
        std::vector<qint64> rows(watched.size(), 0);
        std::vector<db::BatchItem> items;
        const db::Statement& statement = db::schemaStatement(m_connection->dialect(), file);
        for (std::size_t i = 0; i < watched.size(); ++i)
            items.push_back(
                {&statement, paramsOf(*watched[i]), [&count = rows[i]](const db::Row&) { ++count; }});
        const auto results = m_connection->executeBatch(items, m_stop);
        for (std::size_t i = 0; i < watched.size(); ++i) {
            if (!results[i])
                return false;
            if (rows[i] == 0)
                m_shared.tellLost(watched[i], reason);
        }
        return true;
    }

    bool check(const std::vector<GrantPtr>& watched, const QJsonArray& asked, LossReason reason,
        const db::Statement& statement)
    {
        if (watched.empty())
            return true;
        std::set<qint64> present;
        const auto result = m_connection->execute(
            statement, {toJson(asked)}, [&present](const db::Row& row) { present.insert(row.int64(0)); },
            m_stop);
        if (!result)
            return false;
        for (std::size_t i = 0; i < watched.size(); ++i)
            if (!present.contains(qint64(i)))
                m_shared.tellLost(watched[i], reason);
        return true;
    }

    GrantKeeper::Shared& m_shared;
    const std::stop_token m_stop;
    std::unique_ptr<db::Connection> m_connection;
    db::Backoff m_backoff;
    Steady::time_point m_nextAttempt{};
};

} // namespace

std::shared_ptr<GrantKeeper> GrantKeeper::create(const db::ServerUrl& url, db::PasswordProvider passwords)
{
    return std::shared_ptr<GrantKeeper>(new GrantKeeper(std::make_shared<Shared>(url, std::move(passwords))));
}

GrantKeeper::GrantKeeper(std::shared_ptr<Shared> shared)
    : m_shared(std::move(shared))
    , m_thread([state = m_shared](std::stop_token stop) { Rounds(*state, std::move(stop)).run(); })
{
}

GrantKeeper::~GrantKeeper()
{
    std::unique_lock lock(m_shared->mutex);
    m_shared->grants.clear();
    m_shared->changed.wait(
        lock, [this] { return !m_shared->telling || m_shared->tellingThread == std::this_thread::get_id(); });
}

void GrantKeeper::watch(std::shared_ptr<WatchedGrant> grant)
{
    const std::lock_guard lock(m_shared->mutex);
    const bool isShort = grant->kind == LockKind::Table && grant->lease / 3 < checkEvery;
    // A keeper that is already on its rounds finds new grants by itself: a busy lock must not wake it each
    // time.
    const bool idle = m_shared->grants.empty();
    m_shared->grants.push_back(std::move(grant));
    m_shared->hurry = m_shared->hurry || isShort;
    if (idle || isShort)
        m_shared->changed.notify_all();
}

void GrantKeeper::forget(const std::shared_ptr<WatchedGrant>& grant)
{
    std::unique_lock lock(m_shared->mutex);
    std::erase(m_shared->grants, grant);
    m_shared->changed.wait(lock,
        [&] { return m_shared->telling != grant || m_shared->tellingThread == std::this_thread::get_id(); });
}

} // namespace lockscope::locks
