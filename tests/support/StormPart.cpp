// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/StormPart.h"

#include "tests/support/Files.h"
#include "tests/support/OtherProcess.h"
#include "tests/support/PlainSql.h"

#include <QFile>

#include <random>
#include <thread>

namespace lockscope::test {

using namespace Qt::StringLiterals;
using namespace locks;

qint64 microsecondsNow()
{
    return std::chrono::duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

namespace {

constexpr milliseconds lease{1'500};
constexpr milliseconds maxWait{2'000};

/// The common part of all clients: names, chance, the file of their notes.
class Client {
public:
    Client(const Part& part)
        : m_part(part)
        , m_random(part.arguments[3].toUInt())
        , m_file(part.arguments[2])
    {
        if (!m_file.open(QIODevice::WriteOnly | QIODevice::Append | QIODevice::Unbuffered))
            qFatal("can't write %s", qPrintable(m_file.fileName()));
    }
    virtual ~Client() = default;
    Q_DISABLE_COPY_MOVE(Client)

    /// Connects, takes turns, and connects again when it was cut off, as long as the storm lasts.
    void play()
    {
        while (!isOver()) {
            if (!connect()) {
                pause(20);
                continue;
            }
            while (!isOver() && takeTurn(pickName()))
                pause(chance(4) ? pick(3) : 0);
        }
    }

protected:
    virtual bool connect() = 0;
    /// False if the connection is no good any more.
    virtual bool takeTurn(const QString& name) = 0;

    const db::ServerUrl& url() const { return m_part.url; }
    bool isFile() const { return url().engine == Engine::Sqlite; }
    static QString password() { return qEnvironmentVariable("LOCKSCOPE_PASSWORD"); }
    const QString& fileName() const { return m_part.arguments[2]; }
    int pick(int count) { return std::uniform_int_distribution(0, count - 1)(m_random); }
    bool chance(int oneIn) { return pick(oneIn) == 0; }
    QByteArray newToken() { return QByteArray::number(m_random(), 16) + QByteArray::number(m_random(), 16); }
    /// Work, or another program's turn: the load, not a wait for anything.
    static void pause(int ms) { std::this_thread::sleep_for(milliseconds(ms)); }

    void write(const QByteArray& line) { m_file.write(line + '\n'); }
    void writeGrant(const QByteArray& name, const QByteArray& fencing, const QByteArray& expires)
    {
        write("G " + name + ' ' + fencing + ' ' + QByteArray::number(microsecondsNow()) + ' ' + expires);
    }
    void writeEnd(const QByteArray& name, const QByteArray& fencing)
    {
        write("E " + name + ' ' + fencing + ' ' + QByteArray::number(microsecondsNow()));
    }

private:
    bool isOver() const { return QFile::exists(QFileInfo(fileName()).path() + u"/stop"_s); }
    QString pickName() { return u"prize%1"_s.arg(pick(m_part.arguments[1].toInt())); }

    const Part m_part;
    std::mt19937 m_random;
    QFile m_file;
};

class LibraryClient final : public Client {
public:
    using Client::Client;

private:
    bool connect() override
    {
        m_strategy.reset();
        m_connection.reset();
        auto opened = db::Server::at(url(), db::fixedPassword(password())).connect();
        if (!opened)
            return false;
        m_connection = std::move(*opened);
        auto made = LockStrategy::create(LockKind::Table, *m_connection);
        if (!made)
            return false;
        m_strategy = std::move(*made);
        return true;
    }

    bool takeTurn(const QString& name) override
    {
        auto result = m_strategy->acquire({.name = name,
            .wait = chance(4) ? milliseconds(0) : milliseconds(pick(maxWait.count())),
            .lease = lease});
        if (!result)
            return false;
        if (!isGranted(result->outcome))
            return true;
        Grant& grant = result->grant;
        const QByteArray fencing = QByteArray::number(grant.fencing());
        writeGrant(name.toUtf8(), fencing, QByteArray::number(grant.expiresAt()->us));
        pause(chance(3) ? pick(4) : 0);
        if (chance(8)) {
            if (const auto end = grant.renew())
                write("R " + name.toUtf8() + ' ' + fencing + ' ' + QByteArray::number(end->us));
        }
        writeEnd(name.toUtf8(), fencing);
        const auto released = grant.release();
        const bool isUsable = released || released.error().kind == ErrorKind::Changed;
        if (!isUsable)
            grant.abandon();
        return isUsable;
    }

    std::unique_ptr<db::Connection> m_connection;
    std::unique_ptr<LockStrategy> m_strategy;
};

/// Each turn is a program: lockctl run NAME -- a script that writes the lines.
class LockctlClient final : public Client {
public:
    using Client::Client;

private:
    bool connect() override { return true; }

    bool takeTurn(const QString& name) override
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"LOCKSCOPE_SERVER"_s, url().toString());
        environment.insert(u"STORM_FILE"_s, fileName());
        QProcess lockctl;
        lockctl.setProcessEnvironment(environment);
        lockctl.setStandardErrorFile(QProcess::nullDevice());
        lockctl.start(programPath("lockctl"),
            {u"run"_s, u"--stale-after"_s, u"2s"_s, u"--wait"_s, u"3s"_s, name, u"--"_s, u"sh"_s, u"-c"_s,
                u"n=\"$LOCKSCOPE_LOCK $LOCKSCOPE_FENCING\"; echo \"G $n $(date +%s%6N) 0\" >>\"$STORM_FILE\"; echo \"E $n $(date +%s%6N)\" >>\"$STORM_FILE\""_s});
        if (!lockctl.waitForFinished(60'000))
            qFatal("lockctl does not end");
        return true;
    }
};

/// A client that connects by itself and uses only SQL.
class SqlClient : public Client {
public:
    using Client::Client;

protected:
    bool connect() override
    {
        m_sql.reset();
        m_sql = PlainSql::open(url(), password());
        return m_sql != nullptr;
    }
    PlainSql& sql() { return *m_sql; }

private:
    std::unique_ptr<PlainSql> m_sql;
};

/// The schema's functions, as a program in another language calls them.
class FunctionClient final : public SqlClient {
public:
    using SqlClient::SqlClient;

private:
    bool takeTurn(const QString& name) override
    {
        const QByteArray requested = name.toUtf8();
        const QByteArray token = newToken();
        const bool waits = chance(2);
        QByteArray ticket = "9223372036854775807";
        const auto start = std::chrono::steady_clock::now();
        for (;;) {
            const auto answer = sql().run(
                "SELECT fencing, expires_us, ticket FROM lockscope.acquire_lock($1, $2, 1500000, $3, $4, 'storm', 'here', 'functions', 1)",
                {requested, token, waits ? "true" : "false", ticket});
            if (!answer)
                return sql().isOpen();
            const QByteArrayList& row = answer->front();
            if (!row[0].isEmpty())
                return hold(requested, token, row[0], row[1]);
            if (!waits)
                return true;
            ticket = row[2];
            if (std::chrono::steady_clock::now() - start > maxWait / 2)
                return sql().run("SELECT lockscope.leave_queue($1, $2)", {requested, token}).has_value();
            pause(5);
        }
    }

    bool hold(
        const QByteArray& name, const QByteArray& token, const QByteArray& fencing, const QByteArray& expires)
    {
        writeGrant(name, fencing, expires);
        pause(chance(3) ? pick(4) : 0);
        writeEnd(name, fencing);
        return sql().run("SELECT lockscope.release_lock($1, $2)", {name, token}).has_value();
    }
};

/// The SQL of a program without our library.
struct Texts {
    const char* begin;
    const char* insert;
    const char* read;
    const char* purge;
    const char* release;
};
constexpr Texts postgresTexts{.begin = "BEGIN",
    .insert =
        "INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ($1, $2, clock_timestamp() + interval '1500 ms')",
    .read =
        "SELECT fencing, (extract(epoch FROM expires_at) * 1000000)::bigint FROM lockscope.lock_entry WHERE name = $1 AND token = $2",
    .purge = "DELETE FROM lockscope.lock_entry WHERE name = $1 AND expires_at <= clock_timestamp()",
    .release = "DELETE FROM lockscope.lock_entry WHERE name = $1 AND token = $2"};
constexpr Texts sqliteTexts{.begin = "BEGIN IMMEDIATE",
    .insert =
        "INSERT INTO lockscope_lock_entry (name, token, expires_at) VALUES ($1, $2, CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) + 1500000)",
    .read = "SELECT fencing, expires_at FROM lockscope_lock_entry WHERE name = $1 AND token = $2",
    .purge =
        "DELETE FROM lockscope_lock_entry WHERE name = $1 AND expires_at <= CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)",
    .release = "DELETE FROM lockscope_lock_entry WHERE name = $1 AND token = $2"};

/// INSERT and DELETE, beside the functions.
class PlainClient final : public SqlClient {
public:
    using SqlClient::SqlClient;

private:
    bool takeTurn(const QString& name) override
    {
        const QByteArray requested = name.toUtf8();
        const QByteArray token = newToken();
        const Texts& texts = isFile() ? sqliteTexts : postgresTexts;
        if (!sql().run(texts.begin))
            return false;
        std::optional<PlainSql::Rows> taken;
        if (sql().run(texts.insert, {requested, token}))
            taken = sql().run(texts.read, {requested, token});
        if (!taken || taken->empty()) {
            if (!sql().run("ROLLBACK"))
                return false;
            pause(1 + pick(3));
            // Somebody crashed.
            return sql().run(texts.purge, {requested}).has_value() || sql().isOpen();
        }
        if (chance(4))
            waitForAWaiter();
        if (chance(8))
            return sql().run("ROLLBACK").has_value();
        if (!sql().run("COMMIT"))
            return false;
        const QByteArray fencing = taken->front()[0];
        writeGrant(requested, fencing, taken->front()[1]);
        pause(chance(3) ? pick(4) : 0);
        writeEnd(requested, fencing);
        return sql().run(texts.release, {requested, token}).has_value();
    }

    /// So that numbers are drawn while this row is not visible yet.
    void waitForAWaiter()
    {
        if (isFile()) {
            pause(pick(20));
            return;
        }
        for (int tries = 0; tries < 20; ++tries) {
            const auto waiters = sql().run(
                "SELECT 1 FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple', 'advisory') AND pg_backend_pid() = ANY(pg_blocking_pids(pid)) LIMIT 1");
            if (!waiters)
                return;
            if (!waiters->empty()) {
                write("O");
                return;
            }
            pause(1);
        }
    }
};

template <class Kind> int run(const Part& part)
{
    Kind(part).play();
    return 0;
}

} // namespace

std::optional<int> playStormPart(const QStringList& arguments)
{
    const auto part = Part::fromCommandLine(arguments);
    if (!part || part->role != u"storm"_s)
        return std::nullopt;
    Part mine = *part;
    if (mine.arguments.size() > 4)
        mine.url = db::ServerUrl::parse(mine.arguments[4]).value();
    switch (static_cast<StormWay>(mine.arguments[0].toInt())) {
    case StormWay::Library:
        return run<LibraryClient>(mine);
    case StormWay::Lockctl:
        return run<LockctlClient>(mine);
    case StormWay::Functions:
        return run<FunctionClient>(mine);
    case StormWay::PlainSql:
        break;
    }
    return run<PlainClient>(mine);
}

} // namespace lockscope::test
