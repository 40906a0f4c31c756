// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Programs in any language use the schema's functions and procedures: here psql and FreeTDS's tsql, which
// contend with the library.

#include "tests/support/LockRig.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"

namespace tst_OtherClients {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

constexpr LockVariant table{Engine::Postgres, LockKind::Table};
constexpr LockVariant application{Engine::Postgres, LockKind::Application, LockOwner::Session};
constexpr LockVariant key{Engine::Postgres, LockKind::LockedKey, LockOwner::Transaction};
constexpr LockVariant sqlServerTable{Engine::SqlServer, LockKind::Table};
constexpr LockVariant sqlServerApplication{Engine::SqlServer, LockKind::Application, LockOwner::Session};

/// A session of a database's own client: a program that reads statements and writes their results.
class OtherClient {
public:
    ~OtherClient()
    {
        m_process.closeWriteChannel();
        m_process.waitForFinished();
    }
    Q_DISABLE_COPY_MOVE(OtherClient)

    /// Runs a statement; its rows or its error, line by line.
    QString operator()(const QString& sql)
    {
        say(sql + m_thenSay);
        QStringList lines;
        for (;;) {
            while (!m_process.canReadLine())
                if (!m_process.waitForReadyRead(60'000))
                    qFatal("%s says nothing", qPrintable(m_process.program()));
            const QString line = QString::fromUtf8(m_process.readLine()).trimmed();
            if (line.endsWith(u"done"_s))
                return lines.join(u'\n');
            lines << line;
        }
    }

protected:
    void say(const QString& text) { m_process.write(text.toUtf8()); }

    /// `thenSay` ends a statement and makes the program write "done" after it.
    OtherClient(const QString& program, const QStringList& arguments,
        const std::pair<QString, QString>& variable, const QString& thenSay)
        : m_thenSay(thenSay)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(variable.first, variable.second);
        m_process.setProcessEnvironment(environment);
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.start(program, arguments);
        if (!m_process.waitForStarted())
            qFatal("%s can't be started", qPrintable(program));
    }

private:
    QProcess m_process;
    const QString m_thenSay;
};

static QString passwordOf(const LockRig& rig)
{
    return rig.passwords()(rig.url().toString()).value();
}

/// PostgreSQL's own.
class Psql : public OtherClient {
public:
    explicit Psql(const LockRig& rig)
        : OtherClient(u"psql"_s, {u"-XAtq"_s, u"-v"_s, u"VERBOSITY=verbose"_s, u"-d"_s, rig.url().toString()},
            {u"PGPASSWORD"_s, passwordOf(rig)}, u";\n\\echo done\n"_s)
    {
    }
};

/// FreeTDS's own, which goes past ODBC.
class Tsql : public OtherClient {
public:
    /// Empty if it can be used.
    static QString reasonAgainst()
    {
        if (QStandardPaths::findExecutable(u"tsql"_s).isEmpty())
            return u"tsql is not installed (package freetds-bin)"_s;
        return {};
    }

    // It writes its output when it ends, unless an option says otherwise. Without a terminal it reads the
    // password where it reads the statements: nobody sees it among the processes.
    explicit Tsql(const LockRig& rig)
        : OtherClient(u"setsid"_s,
            {u"stdbuf"_s, u"-oL"_s, u"tsql"_s, u"-o"_s, u"fhq"_s, u"-H"_s, rig.url().host, u"-p"_s,
                QString::number(rig.url().port), u"-U"_s, rig.url().user, u"-D"_s, rig.url().database,
                u"-a"_s, u"tsql"_s},
            {u"TDSVER"_s, u"7.4"_s}, u"\ngo\nPRINT 'done'\ngo\n"_s)
    {
        say(passwordOf(rig) + u'\n');
        (*this)(u"PRINT 'connected'"_s); // the prompt for the password goes before it
    }
};

const QString acquireSql =
    u"SELECT coalesce(fencing::text, 'held by ' || holder_program) FROM lockscope.acquire_lock('n', 'token of psql', 600000000, false, 9223372036854775807, 'ann', 'app01', 'psql', 4711)"_s;

class OtherClients : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lockTable()
    {
        const LockRig rig(table);
        Psql psql(rig);
        Contender library(rig);
        const qint64 first = psql(acquireSql).toLongLong();
        QVERIFY(first > 0);
        const LockReply denied = library.acquire(rig.requestFor(u"n"_s));
        QCOMPARE(denied.outcome, Outcome::Denied);
        QCOMPARE(denied.heldBy->program, u"psql"_s);
        auto waiting = library.ask(rig.requestFor(u"n"_s, milliseconds(-1)));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        QCOMPARE(psql(u"SELECT lockscope.release_lock('n', 'token of psql')"_s), u"t"_s);
        const LockReply granted = soon(std::move(waiting));
        QCOMPARE(granted.outcome, Outcome::GrantedAfterWait);
        QVERIFY(granted.fencing > first);
        QVERIFY(psql(acquireSql).startsWith(u"held by "_s));
        // A zombie's release touches nobody else's lock.
        QCOMPARE(psql(u"SELECT lockscope.release_lock('n', 'token of psql')"_s), u"f"_s);
        QVERIFY(library.release());
    }

    void lockTableInPlainSql()
    {
        const LockRig rig(table);
        Psql psql(rig);
        Contender library(rig);
        const QString insert =
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('n', 't', clock_timestamp() + interval '10 minutes') ON CONFLICT DO NOTHING RETURNING name"_s;
        QVERIFY(library.acquire(rig.requestFor(u"n"_s)).isGranted());
        QCOMPARE(psql(insert), QString());
        QVERIFY(library.release());
        QCOMPARE(psql(insert), u"n"_s);
        QCOMPARE(library.acquire(rig.requestFor(u"n"_s)).outcome, Outcome::Denied);
        QCOMPARE(psql(u"DELETE FROM lockscope.lock_entry WHERE name = 'n' AND token = 't' RETURNING name"_s),
            u"n"_s);
        QVERIFY(library.acquire(rig.requestFor(u"n"_s)).isGranted());
    }

    void applicationLock()
    {
        const LockRig rig(application);
        Psql psql(rig);
        Contender library(rig);
        QCOMPARE(psql(u"SELECT lockscope.acquire_app_lock('nightly')"_s), u"0"_s);
        QCOMPARE(library.acquire(rig.requestFor(u"nightly"_s)).outcome, Outcome::Denied);
        auto waiting = library.ask(rig.requestFor(u"nightly"_s, milliseconds(-1)));
        QTRY_COMPARE(rig.waiters(u"nightly"_s), 1);
        QCOMPARE(psql(u"SELECT lockscope.release_app_lock('nightly')"_s), u"t"_s);
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::GrantedAfterWait);
        for (const QString& wait : {u"0"_s, u"50"_s}) {
            const QString refused = psql(u"SELECT lockscope.acquire_app_lock('nightly', %1)"_s.arg(wait));
            VERIFY_CONTAINS(refused, u"55P03"_s);
            VERIFY_CONTAINS(refused, u"\"nightly\" was not obtained within %1 ms"_s.arg(wait));
        }
        QCOMPARE(psql(u"SHOW lock_timeout"_s), u"0"_s);
        QVERIFY(library.release());
        QCOMPARE(psql(u"SELECT lockscope.acquire_app_lock('nightly', 0)"_s), u"0"_s);
        QCOMPARE(psql(u"SELECT name FROM lockscope.app_lock_name"_s), u"nightly"_s);
    }

    void surrogateKey()
    {
        const LockRig rig(key);
        Psql psql(rig);
        Contender library(rig);
        psql(u"BEGIN"_s);
        psql(u"SELECT lockscope.lock_surrogate_key('n')"_s);
        QCOMPARE(library.acquire(rig.requestFor(u"n"_s)).outcome, Outcome::Denied);
        auto waiting = library.ask(rig.requestFor(u"n"_s, milliseconds(-1)));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        psql(u"COMMIT"_s);
        QVERIFY(soon(std::move(waiting)).isGranted());
    }

    /// Several servers receive the same file; one books it, once.
    void farmBooksOnce()
    {
        const LockRig rig(application);
        rig.run(u"CREATE TABLE booking (file text)"_s);
        std::vector<std::jthread> farm;
        for (int server = 0; server < 3; ++server)
            farm.emplace_back([&rig] {
                Psql psql(rig);
                for (int file = 0; file < 20; ++file) {
                    const QString name = u"'file %1'"_s.arg(file);
                    psql(u"SELECT lockscope.acquire_app_lock(%1)"_s.arg(name));
                    if (psql(u"SELECT count(*) FROM booking WHERE file = %1"_s.arg(name)) == u"0")
                        psql(u"INSERT INTO booking VALUES (%1)"_s.arg(name));
                    psql(u"SELECT lockscope.release_app_lock(%1)"_s.arg(name));
                }
            });
        farm.clear();
        QCOMPARE(rig.number(u"SELECT count(*) FROM booking"_s), 20);
        QCOMPARE(rig.number(u"SELECT count(DISTINCT file) FROM booking"_s), 20);
    }

    void purgeAndReports()
    {
        const LockRig rig(table);
        Psql psql(rig);
        Contender library(rig);
        QVERIFY(library.acquire(rig.requestFor(u"kept"_s)).isGranted());
        psql(
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('old', 't', now() - interval '1 s')"_s);
        QCOMPARE(psql(u"SELECT name FROM lockscope.stale"_s), u"old"_s);
        QCOMPARE(psql(u"SELECT name, is_stale, waiters FROM lockscope.holders ORDER BY name"_s),
            u"kept|f|0\nold|t|0"_s);
        Contender waiter(rig);
        auto waiting = waiter.ask(rig.requestFor(u"kept"_s, milliseconds(-1)));
        QTRY_COMPARE(psql(u"SELECT name, place FROM lockscope.waiters"_s), u"kept|1"_s);
        QCOMPARE(psql(u"SELECT lockscope.purge_stale()"_s), u"1"_s);
        QCOMPARE(psql(u"SELECT name FROM lockscope.holders"_s), u"kept"_s);
        QVERIFY(library.release());
        QVERIFY(soon(std::move(waiting)).isGranted());
    }

    void lockTableOfSqlServer()
    {
        SKIP_FOR(Tsql::reasonAgainst());
        const LockRig rig(sqlServerTable);
        Tsql tsql(rig);
        Contender library(rig);
        const QString take =
            u"EXEC lockscope.AcquireLock @Name = N'n', @Token = N'token of tsql', @LeaseUs = 600000000"_s;
        const QString release = u"EXEC lockscope.ReleaseLock @Name = N'n', @Token = N'token of tsql'"_s;
        const QString taken = tsql(take);
        VERIFY_ENDS(taken, u"\t0"_s);
        const qint64 first = taken.section(u'\t', 0, 0).toLongLong();
        QVERIFY2(first > 0, qPrintable(taken));
        const LockReply denied = library.acquire(rig.requestFor(u"n"_s));
        QCOMPARE(denied.outcome, Outcome::Denied);
        QCOMPARE(denied.heldBy->program, u"tsql"_s);
        auto waiting = library.ask(rig.requestFor(u"n"_s, milliseconds(-1)));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        QCOMPARE(tsql(release).left(1), u"1"_s);
        const LockReply granted = soon(std::move(waiting));
        QCOMPARE(granted.outcome, Outcome::GrantedAfterWait);
        QVERIFY(granted.fencing > first);
        // A server that can't wait says so, and the caller tries again.
        const QString afterWaiting = rig.procedureWaits() ? u"\t-1"_s : u"\t2"_s;
        for (const auto& [wait, answer] : {std::pair(u"0"_s, u"\t-1"_s), {u"50"_s, afterWaiting}}) {
            const QString refused = tsql(take + u", @WaitMs = "_s + wait);
            VERIFY_STARTS(refused, u"NULL"_s);
            VERIFY_ENDS(refused, answer);
        }
        // A zombie's release touches nobody else's lock.
        QCOMPARE(tsql(release).left(1), u"0"_s);
        QVERIFY(library.release());
    }

    void applicationLockOfSqlServer()
    {
        SKIP_FOR(Tsql::reasonAgainst());
        const LockRig rig(sqlServerApplication);
        Tsql tsql(rig);
        Contender library(rig);
        const QString take = u"EXEC lockscope.AcquireAppLock @Name = N'nightly'"_s;
        const QString release = u"EXEC lockscope.ReleaseAppLock N'nightly';"_s;
        QCOMPARE(tsql(take), QString());
        QCOMPARE(library.acquire(rig.requestFor(u"nightly"_s)).outcome, Outcome::Denied);
        auto waiting = library.ask(rig.requestFor(u"nightly"_s, milliseconds(-1)));
        QTRY_COMPARE(rig.waiters(u"nightly"_s), 1);
        QCOMPARE(tsql(release), QString());
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::GrantedAfterWait);
        const QString refused = tsql(take + u", @TimeoutMs = 50"_s);
        VERIFY_CONTAINS(refused, u"severity 15"_s);
        VERIFY_CONTAINS(refused, u"\"nightly\" was not obtained within 50 ms"_s);
        const QString notOurs = tsql(release);
        VERIFY_CONTAINS(notOurs, u"is not held by this session"_s);
        QVERIFY(library.release());
        QCOMPARE(tsql(take), QString());
    }

    /// The locks of a client end with it.
    void endedClientOfSqlServerFreesItsApplicationLock()
    {
        SKIP_FOR(Tsql::reasonAgainst());
        const LockRig rig(sqlServerApplication);
        Contender library(rig);
        std::future<LockReply> waiting;
        {
            Tsql tsql(rig);
            QCOMPARE(tsql(u"EXEC lockscope.AcquireAppLock N'nightly'"_s), QString());
            QCOMPARE(library.acquire(rig.requestFor(u"nightly"_s)).outcome, Outcome::Denied);
            waiting = library.ask(rig.requestFor(u"nightly"_s, milliseconds(-1)));
            QTRY_COMPARE(rig.waiters(u"nightly"_s), 1);
        }
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::GrantedAfterWait);
    }
};

LOCKSCOPE_TEST(OtherClients)

} // namespace tst_OtherClients
#include "tst_OtherClients.moc"
