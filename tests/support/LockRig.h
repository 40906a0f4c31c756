// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/db/Server.h"
#include "core/locks/LockStrategy.h"
#include "tests/support/tds/Odbc.h"

#include <QTemporaryDir>

#include <deque>
#include <functional>
#include <future>
#include <thread>

namespace lockscope::test {

/// One engine × strategy that must keep the contract.
struct LockVariant {
    Engine engine = Engine::Postgres;
    locks::LockKind kind = locks::LockKind::Table;
    LockOwner owner = LockOwner::Session;
    tds::OdbcDriver driver = tds::OdbcDriver::FreeTds; ///< to SQL Server

    bool isTable() const { return kind == locks::LockKind::Table; }
    bool isSurrogate() const
    {
        return kind == locks::LockKind::LockedTable || kind == locks::LockKind::LockedKey;
    }
};

class SqlServerRig;

/// A database of its own for one test, with the schema.
class LockRig {
public:
    explicit LockRig(LockVariant variant);
    ~LockRig();
    Q_DISABLE_COPY_MOVE(LockRig)

    const LockVariant& variant() const { return m_variant; }
    const db::ServerUrl& url() const { return m_url; }
    db::PasswordProvider passwords() const;
    db::Server server() const { return db::Server::at(m_url, passwords()); }
    std::unique_ptr<db::Connection> connect() const { return connect(m_url); }
    std::unique_ptr<db::Connection> connect(const db::ServerUrl& byThisWay) const;

    /// A request for `name` as this variant makes it. The lock is prepared, if it can be.
    locks::AcquireRequest requestFor(const QString& name, milliseconds wait = milliseconds(0)) const;
    /// Returns the reason to skip the test: what this machine, or the server under test, lacks; empty if
    /// nothing. Chooses the driver of later rigs.
    static QString reasonAgainst(LockVariant variant);

    /// First column of the first row, or of no row 0.
    qint64 number(const QString& sql) const;
    void run(const QString& sql) const;
    /// Returns the number of sessions that wait for `name` right now, as an operator would see it; if nobody
    /// can see it, those that asked and have no answer yet after a while.
    qint64 waiters(const QString& name) const;
    /// A program that requests a lock calls these before and after.
    void noteAsking(const void* who, bool isAsking) const;
    /// Cuts a session off, as an administrator would.
    void endSession(qint64 id) const;
    QString entryTable() const;
    QString waiterTable() const;
    /// Locked tables are called as the lock: shorter than other names. SQL Server compares such names without
    /// the spaces at their end.
    bool canName(const QString& name) const;
    /// False if our side waits by trying again and again: there is no order, and nobody sees a ring.
    bool serverWaits() const;
    /// AcquireLock waits itself; else its caller has to call again.
    bool procedureWaits() const;
    /// A refusal says who holds the lock.
    bool tellsHolder() const { return m_variant.engine != Engine::SqlServer || m_variant.isTable(); }

private:
    QString waitersSql() const;

    const LockVariant m_variant;
    QTemporaryDir m_directory;
    const std::unique_ptr<SqlServerRig> m_sqlServer; ///< of SQL Server only
    db::ServerUrl m_url;
    std::unique_ptr<db::Connection> m_witness;
    mutable Mutex m_mutex;
    mutable std::map<const void*, std::chrono::steady_clock::time_point> m_askingSince LOCKSCOPE_GUARDED_BY(
        m_mutex);
};

/// Adds the column "variant" and a row for each of PostgreSQL and SQLite.
void addVariants();
/// Returns a rig of the test's row, whose column is "variant".
LockRig fetchedRig();

/// The outcome of an acquire.
struct LockReply {
    std::optional<Error> error;
    locks::Outcome outcome = locks::Outcome::Denied;
    std::optional<LockOwnerInfo> heldBy;
    qint64 fencing = 0;
    QString token;

    bool isGranted() const { return !error && locks::isGranted(outcome); }
};

/// A program that takes locks: a thread and a connection of its own. Its calls are made from the test's
/// thread.
class Contender {
public:
    explicit Contender(const LockRig& rig, std::shared_ptr<locks::LeaseKeeper> keeper = {})
        : Contender(rig, std::move(keeper), rig.url())
    {
    }
    Contender(const LockRig& rig, std::shared_ptr<locks::LeaseKeeper> keeper, db::ServerUrl byThisWay);
    ~Contender();
    Q_DISABLE_COPY_MOVE(Contender)

    /// Opens a transaction first if the variant's locks belong to one.
    std::future<LockReply> ask(locks::AcquireRequest request, locks::LossHandler lost = {});
    LockReply acquire(locks::AcquireRequest request, locks::LossHandler lost = {});
    /// Releases the newest grant, by commit if it belongs to a transaction.
    Result<void> release();
    void cancel(); ///< cancels its present wait
    QString valueOf(const QString& expression); ///< of SQL, in its session

    /// Runs `act` on the contender's thread and waits for it.
    void within(const std::function<void(Contender&)>& act);
    // For use inside of within() only:
    std::unique_ptr<db::Connection> connection;
    std::unique_ptr<locks::LockStrategy> strategy;
    std::vector<locks::Grant> grants;

private:
    void enqueue(std::function<void()> task);
    void serve();
    LockReply answer(
        const locks::AcquireRequest& request, const std::stop_token& stop, locks::LossHandler lost);

    const LockRig& m_rig;
    std::shared_ptr<locks::LeaseKeeper> m_keeper;
    const db::ServerUrl m_url;
    Mutex m_mutex;
    ConditionVariable m_changed;
    std::deque<std::function<void()>> m_tasks LOCKSCOPE_GUARDED_BY(
        m_mutex); ///< an empty function ends the thread
    std::stop_source m_stop;
    std::thread m_thread;
};

/// The value of a future that must come soon; ends the program if it does not.
template <class T> T soon(std::future<T> future)
{
    if (future.wait_for(std::chrono::seconds(60)) != std::future_status::ready)
        qFatal("an answer that was expected did not come");
    return future.get();
}

} // namespace lockscope::test

Q_DECLARE_METATYPE(lockscope::test::LockVariant)
