// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdmin.h"
#include "tests/support/Lockctl.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/support/TestProgram.h"
#include "tests/support/tds/AdminAnswers.h"
#include "tests/support/tds/MonitorAnswers.h"
#include "tests/support/tds/Odbc.h"

namespace tst_BadRows {

using namespace lockscope;
using namespace lockscope::test;

const QString endlessUtc = u"9999-12-31T23:59:59.999999Z"_s;

static SnapshotPtr snapshotOf(const db::ServerUrl& url, const db::PasswordProvider& passwords,
    const QList<db::AttachedTable>& attached = {})
{
    db::ServerProfile profile = profileOf(url);
    profile.attached = attached;
    return orDie(monitor::makeSnapshotSource({profile, passwords})->take());
}

template <class Row> static const Row* named(const std::vector<Row>& rows, const QString& name)
{
    const auto found = std::ranges::find_if(rows, [&name](const Row& row) { return row.name == name; });
    return found == rows.end() ? nullptr : &*found;
}

/// Returns the fault of the row of that name; "missing" if there is no such row.
template <class Row> static QString faultOf(const std::vector<Row>& rows, const QString& name)
{
    const Row* row = named(rows, name);
    return row ? row->badRow : u"missing"_s;
}

/// Takes constraints and triggers from an installation, so that its tables let in any row.
static void loosen(const db::ServerUrl& url)
{
    TestServer::shared().run(url, u"ALTER TABLE lockscope.lock_entry DROP CONSTRAINT lock_entry_numbered"_s);
    for (const QString& table : {u"lock_entry"_s, u"lock_waiter"_s})
        TestServer::shared().run(url,
            u"ALTER TABLE lockscope.%1 DISABLE TRIGGER USER, DROP CONSTRAINT %1_times, DROP CONSTRAINT %1_texts"_s
                .arg(table));
}

static db::ServerUrl looseDatabase()
{
    const auto url = TestServer::shared().freshDatabase();
    loosen(url);
    return url;
}

static db::AttachedTable attachedTable()
{
    db::AttachedTable table;
    table.schema = u"public"_s;
    table.table = u"locks"_s;
    return table;
}

/// Each row is shown, with any content, and so are the others.
class tst_BadRows : public QObject {
    Q_OBJECT

    /// A file whose tables have no constraints and let in anything.
    db::ServerUrl looseFile(const QString& sql)
    {
        const auto url = freshFile();
        const auto connection = openFile(url);
        orDie(db::installSchema(*connection));
        orDie(connection->executeScript(
            "CREATE TABLE loose AS SELECT * FROM lockscope_lock_entry; DROP TABLE lockscope_lock_entry;ALTER TABLE loose RENAME TO lockscope_lock_entry;CREATE TABLE loose AS SELECT * FROM lockscope_lock_waiter; DROP TABLE lockscope_lock_waiter;ALTER TABLE loose RENAME TO lockscope_lock_waiter"));
        orDie(connection->executeScript(sql.toUtf8()));
        return url;
    }

private Q_SLOTS:
    void postgresEntries_data()
    {
        addColumns<QString, QString, QString, QString>("acquired", "expires", "fault", "end");
        const QString then = u"2026-01-01"_s;
        row("never ends", then, "infinity", "expires_at is infinity", endlessUtc);
        row("ended before time began", then, "-infinity", "expires_at is -infinity",
            "0001-01-01T00:00:00.000000Z");
        row("the last moment that PostgreSQL knows", then, "294276-12-31 23:59:59.999999+00",
            "expires_at is 294276-12-31 23:59:59.999999+00", endlessUtc);
        row("the first", then, "4714-11-24 00:00:00+00 BC", "expires_at is 4714-11-24 00:00:00+00 BC",
            "0001-01-01T00:00:00.000000Z");
        row("acquired never", "infinity", "infinity", "acquired_at is infinity, expires_at is infinity",
            endlessUtc);
    }
    void postgresEntries()
    {
        FETCH(const QString, acquired, const QString, expires, const QString, fault, const QString, end);
        const auto url = looseDatabase();
        auto& server = TestServer::shared();
        server.run(url, u"SET timezone = 'UTC'; ALTER DATABASE %1 SET timezone = 'UTC'"_s.arg(url.database));
        server.run(url,
            u"INSERT INTO lockscope.lock_entry (name, token, acquired_at, expires_at) VALUES ('bad', 't', '%1', '%2'), ('good', 'u', now(), now() + interval '1 h')"_s
                .arg(acquired, expires));
        const SnapshotPtr snapshot = snapshotOf(url, server.passwords());
        QCOMPARE(snapshot->entries.size(), 2u);
        const LockTableEntry& bad = *named(snapshot->entries, u"bad"_s);
        QCOMPARE(bad.badRow, fault);
        QCOMPARE(bad.expiresAt->toIsoString(), end);
        QCOMPARE(bad.acquiredAt.isValid(), acquired != u"infinity"_s);
        QCOMPARE(faultOf(snapshot->entries, u"good"_s), QString());
        const Limitation* noted = limitation(*snapshot, Limitation::Kind::BadRows);
        QVERIFY(noted);
        QCOMPARE(noted->shown, 1);
        QCOMPARE(noted->total, 2);
        QVERIFY2(noted->what.contains(u"'bad'"_s) && noted->what.contains(fault), qPrintable(noted->what));
        QVERIFY(!snapshot->isIncomplete());
    }

    void postgresWaiters()
    {
        const auto url = looseDatabase();
        auto& server = TestServer::shared();
        server.run(url,
            u"INSERT INTO lockscope.lock_waiter (name, registered_at, expires_at) VALUES ('for ever', now(), 'infinity'), ('long ago', '-infinity', '0044-03-15 BC'), ('good', now(), now() + interval '10 s')"_s);
        const SnapshotPtr snapshot = snapshotOf(url, server.passwords());
        QCOMPARE(snapshot->entryWaiters.size(), 3u);
        QCOMPARE(faultOf(snapshot->entryWaiters, u"for ever"_s), u"expires_at is infinity"_s);
        QVERIFY(!named(snapshot->entryWaiters, u"for ever"_s)->isExpired(snapshot->takenAt));
        QVERIFY(faultOf(snapshot->entryWaiters, u"long ago"_s).startsWith(u"registered_at is -infinity"_s));
        QVERIFY(named(snapshot->entryWaiters, u"long ago"_s)->isExpired(snapshot->takenAt));
        QCOMPARE(faultOf(snapshot->entryWaiters, u"good"_s), QString());
    }

    void postgresTextsInNoEncoding()
    {
        auto& server = TestServer::shared();
        db::ServerUrl url = server.url();
        QVERIFY(runSql(*server.connect(),
            u"CREATE DATABASE any_bytes ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"_s));
        url.database = u"any_bytes"_s;
        QVERIFY(db::installSchema(*server.connect(url)));
        loosen(url);
        server.run(url,
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES (convert_from('\\x6772fc6e', 'SQL_ASCII'), 't', now()), (convert_from('\\x6772fd6e', 'SQL_ASCII'), 't', now()), ('good', 't', now()), ('back\\slash', 't', now());INSERT INTO lockscope.lock_waiter (name, expires_at, owner) VALUES "
            u"('good', now(), convert_from('\\xff', 'SQL_ASCII'))"_s);
        const SnapshotPtr snapshot = snapshotOf(url, server.passwords());
        QCOMPARE(snapshot->entries.size(), 4u);
        QCOMPARE(faultOf(snapshot->entries, u"good"_s), QString());
        QCOMPARE(faultOf(snapshot->entries, u"back\\slash"_s), QString());
        // Different bytes stay different names.
        QVERIFY(named(snapshot->entries, u"gr\uFFFDxFCn"_s));
        QVERIFY(named(snapshot->entries, u"gr\uFFFDxFDn"_s));
        QCOMPARE(snapshot->entryWaiters.size(), 1u);
        QCOMPARE(snapshot->entryWaiters[0].party.owner, u"\uFFFDxFF"_s);
        QVERIFY(!snapshot->isIncomplete());
    }

    void postgresAttached_data()
    {
        addColumns<QString, bool>("type", "utc");
        for (const char* type : {"timestamp", "timestamptz", "date"}) {
            QTest::addRow("%s, UTC", type) << QString::fromLatin1(type) << true;
            QTest::addRow("%s, local", type) << QString::fromLatin1(type) << false;
        }
    }
    void postgresAttached()
    {
        QFETCH(const QString, type);
        auto& server = TestServer::shared();
        const auto url = server.freshDatabase(TestServer::Schema::None);
        server.run(url, u"ALTER DATABASE %1 SET datestyle = 'German'"_s.arg(url.database));
        server.run(url, u"CREATE TABLE public.locks (\"Name\" text, \"SetTime\" %1)"_s.arg(type));
        server.run(url,
            u"SET datestyle = 'ISO'; INSERT INTO locks VALUES ('good', '2026-01-02'), ('endless', 'infinity'), ('old', '-infinity'), ('before', '0044-03-15 BC'), ('far', '12026-01-01'), (NULL, '2026-01-02'), ('none', NULL)"_s);
        db::AttachedTable table = attachedTable();
        table.utc = QTest::currentDataTag() && QByteArray(QTest::currentDataTag()).endsWith("UTC");
        const SnapshotPtr snapshot = snapshotOf(url, server.passwords(), {table});
        QCOMPARE(snapshot->entries.size(), 7u);
        QCOMPARE(faultOf(snapshot->entries, u"good"_s), QString());
        QVERIFY(named(snapshot->entries, u"good"_s)->acquiredAt.toIsoString().startsWith(u"2026-01-0"_s));
        QCOMPARE(faultOf(snapshot->entries, u"none"_s), QString());
        QCOMPARE(faultOf(snapshot->entries, u"endless"_s), u"the time is 'infinity'"_s);
        QCOMPARE(faultOf(snapshot->entries, u"old"_s), u"the time is '-infinity'"_s);
        QVERIFY(faultOf(snapshot->entries, u"before"_s).startsWith(u"the time is '"_s));
        QVERIFY(faultOf(snapshot->entries, u"far"_s).startsWith(u"the time is '"_s));
        QCOMPARE(faultOf(snapshot->entries, QString()), u"the name is NULL"_s);
    }

    void postgresAttachedWithWordsForTimes()
    {
        auto& server = TestServer::shared();
        const auto url = server.freshDatabase(
            TestServer::Schema::None, u"CREATE TABLE public.locks (\"Name\" text, \"SetTime\" text)"_s);
        server.run(url, u"INSERT INTO locks VALUES ('a', '2026-01-02'), ('b', '2026-02-30')"_s);
        db::AttachedTable table = attachedTable();
        table.utc = false;
        const SnapshotPtr snapshot = snapshotOf(url, server.passwords(), {table});
        QCOMPARE(snapshot->entries.size(), 2u);
        QCOMPARE(faultOf(snapshot->entries, u"b"_s), u"the time is '2026-02-30'"_s);
        // The times of the whole table are lost with it, and that is a failure.
        QVERIFY(snapshot->isIncomplete());
    }

    void purgeLeavesABadRowAlone()
    {
        const auto url = looseDatabase();
        auto& server = TestServer::shared();
        server.run(url,
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('for ever', 't', 'infinity'), ('stale', 'u', now() - interval '1 h')"_s);
        const db::ServerProfile profile = profileOf(url);
        const auto connection = server.connect(url);
        const auto stale = admin::ServerAdmin(*connection, profile).previewPurge();
        VERIFY_DONE(stale);
        QCOMPARE(stale->size(), 1);
        QCOMPARE(stale->first().name, u"stale"_s);
    }

    void lockctlShowsABadRow()
    {
        const auto url = looseDatabase();
        auto& server = TestServer::shared();
        server.run(url,
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('for ever', 't', 'infinity')"_s);
        const Lockctl lockctl(url.toString(), server.password());
        const auto list = lockctl("list");
        QCOMPARE(list.code, 0);
        QVERIFY2(list.out.contains(u"\nbad row "_s) && list.out.contains(u"expires_at is infinity"_s)
                && list.out.contains(u"for ever"_s),
            list.allOutput());
        const auto json = lockctl("list --json").json();
        QCOMPARE(json[u"entries"][0][u"bad_row"].toString(), u"expires_at is infinity"_s);
        QCOMPARE(lockctl("watch -n 1").code, 0);
    }

    void aProbeThatFailsIsNoEmptyList()
    {
        const auto url = looseDatabase();
        auto& server = TestServer::shared();
        server.run(
            url, u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('a', 't', now())"_s);
        // A table of another shape than ours: the statement that reads it fails.
        server.run(url, u"ALTER TABLE lockscope.lock_entry RENAME fencing TO fence"_s);
        const Lockctl lockctl(url.toString(), server.password());
        for (const QStringList& command : {QStringList{u"list"_s}, QStringList{u"tree"_s},
                 QStringList{u"watch"_s, u"-n"_s, u"3"_s, u"--interval"_s, u"100ms"_s}}) {
            const auto shown = lockctl(command);
            QCOMPARE(shown.code, 1);
            QVERIFY2(!shown.out.contains(u"No locks."_s), shown.allOutput());
            const qsizetype polls = command.front() == u"watch"_s ? 3 : 1;
            QVERIFY2(shown.out.count(u"fencing"_s) == polls, shown.allOutput());
            const auto json = lockctl(command + QStringList{u"--json"_s});
            QCOMPARE(json.code, 1);
            QVERIFY2(json.out.contains(u"fencing"_s), json.allOutput());
        }
    }

    void sqliteEntries()
    {
        const auto url = looseFile(
            u"INSERT INTO lockscope_lock_entry (name, token, fencing, acquired_at, expires_at, process_id) VALUES ('good', 't', 1, 1700000000000000, 9000000000000000, 7), ('words', 't', 'many', 'today', 'tomorrow', 'me'), ('real', 't', 1.5, 1.5, 1.5e300, 0.5), "
            u"('largest', 't', 9223372036854775807, 9223372036854775807, 9223372036854775807, 0), ('smallest', 't', -9223372036854775808, -9223372036854775808, -9223372036854775808, 0), ('bytes', X'00ff', X'01', X'02', X'03', X'04'), (X'676F6F64', 't', 1, 1, 1, 0), "
            u"(CAST(X'61FF' AS TEXT), 't', 1, 1, 1, 0), (CAST(X'61FE' AS TEXT), 't', 1, 1, 1, 0), (CAST(X'610062' AS TEXT), 't', 1, 1, 1, 0), (NULL, 't', 1, 1, 1, 0);UPDATE lockscope_lock_entry SET owner = CAST(X'FF' AS TEXT), host = X'00' WHERE name = 'real'"_s);
        const SnapshotPtr snapshot = snapshotOf(url, {});
        const auto fault = [&](const QString& name) { return faultOf(snapshot->entries, name); };
        QCOMPARE(snapshot->entries.size(), 11u);
        QCOMPARE(fault(u"good"_s), QString());
        QCOMPARE(fault(u"words"_s),
            u"fencing is 'many', acquired_at is 'today', expires_at is 'tomorrow', process_id is 'me'"_s);
        // SQLite compares so: a text is never reached.
        QVERIFY(!named(snapshot->entries, u"words"_s)->isStale(snapshot->takenAt));
        VERIFY_CONTAINS(fault(u"real"_s), u"expires_at is '1.5e+300'"_s);
        QCOMPARE(
            fault(u"largest"_s), u"acquired_at is 9223372036854775807, expires_at is 9223372036854775807"_s);
        QCOMPARE(named(snapshot->entries, u"largest"_s)->expiresAt->toIsoString(), endlessUtc);
        QVERIFY(named(snapshot->entries, u"smallest"_s)->isStale(snapshot->takenAt));
        VERIFY_STARTS(fault(u"bytes"_s), u"the token is blob instead of text"_s);
        QCOMPARE(fault(u"X'676F6F64'"_s), u"the name is blob instead of text"_s);
        QCOMPARE(fault(u"X'61FF'"_s), u"the name is not valid text"_s);
        QCOMPARE(fault(u"X'61FE'"_s), u"the name is not valid text"_s);
        QCOMPARE(fault(u"X'610062'"_s), u"the name is not valid text"_s);
        QVERIFY(fault(QString()).startsWith(u"the name is NULL"_s));
        const Limitation* noted = limitation(*snapshot, Limitation::Kind::BadRows);
        QVERIFY(noted);
        QCOMPARE(noted->shown, 10);
        const auto list = Lockctl(url.toString())("list");
        QCOMPARE(list.code, 0);
        QCOMPARE(list.out.count(u"\nbad row "_s), 10);
    }

    void aBadRowOfSqliteCanBeReleased()
    {
        const auto url = freshFile();
        const auto connection = openFile(url);
        QVERIFY(db::installSchema(*connection));
        // Any program may let its session ignore the checks.
        VERIFY_DONE(connection->executeScript(
            "PRAGMA ignore_check_constraints = ON;INSERT INTO lockscope_lock_entry (name, token, fencing, acquired_at, expires_at) VALUES ('good', 't', 1, 1, 2), (X'676F6F64', X'00FF', 1, 1, 2), (CAST(X'61FF' AS TEXT), 't', 1, 1, 9e999)"));
        const db::ServerProfile profile = profileOf(url);
        admin::ServerAdmin admin(*connection, profile);
        const SnapshotPtr snapshot = snapshotOf(url, {});
        for (const char* name : {"X'676F6F64'", "X'61FF'"}) {
            const LockTableEntry* bad = named(snapshot->entries, QString::fromLatin1(name));
            QVERIFY(bad);
            VERIFY_DONE(admin.releaseEntry(*bad, u"bad"_s));
        }
        const SnapshotPtr after = snapshotOf(url, {});
        QCOMPARE(after->entries.size(), 1u);
        QCOMPARE(after->entries[0].name, u"good"_s);
    }

    void sqliteWaiters()
    {
        const auto url = looseFile(
            u"INSERT INTO lockscope_lock_waiter (ticket, name, registered_at, expires_at, process_id) VALUES (1, 'good', 1700000000000000, 9000000000000000, 7), (2, 'bad', 'then', 'later', X'00'), (3, CAST(X'61FF' AS TEXT), 1, 9223372036854775807, 0)"_s);
        const SnapshotPtr snapshot = snapshotOf(url, {});
        QCOMPARE(snapshot->entryWaiters.size(), 3u);
        QCOMPARE(faultOf(snapshot->entryWaiters, u"good"_s), QString());
        QCOMPARE(faultOf(snapshot->entryWaiters, u"bad"_s),
            u"registered_at is 'then', expires_at is 'later', process_id is X'00'"_s);
        QVERIFY(faultOf(snapshot->entryWaiters, u"X'61FF'"_s).startsWith(u"the name is not valid text"_s));
    }

    void sqliteAttached()
    {
        const auto url = freshFile();
        QVERIFY(openFile(url)->executeScript(
            "CREATE TABLE locks (\"Name\", \"SetTime\");INSERT INTO locks VALUES ('good', '2026-01-02 03:04:05'), ('seconds', 1700000000), ('word', 'soon'), ('now', 'now'), ('number', 9223372036854775807), ('bytes', X'ff00'), "
            "('day', 2459000.5), ('no day', 1e300), (NULL, '2026-01-02'), ('none', NULL), (7, 1700000000)"));
        db::AttachedTable table = attachedTable();
        table.schema.clear();
        const SnapshotPtr snapshot = snapshotOf(url, {}, {table});
        QCOMPARE(snapshot->entries.size(), 11u);
        for (const char* name : {"good", "seconds", "day", "none", "7"})
            QCOMPARE(faultOf(snapshot->entries, QString::fromLatin1(name)), QString());
        for (const char* name : {"word", "now", "number", "bytes", "no day"})
            QVERIFY2(
                faultOf(snapshot->entries, QString::fromLatin1(name)).startsWith(u"the time is '"_s), name);
        QCOMPARE(faultOf(snapshot->entries, QString()), u"the name is NULL"_s);
    }

    void sqlServerEntries()
    {
        if (!tds::use(tds::OdbcDriver::FreeTds))
            QSKIP("The driver is not installed.");
        using tds::bigint;
        using tds::nvarchar;
        tds::TdsServer server;
        tds::AdminAnswers acts(server);
        tds::MonitorAnswers answers(server);
        tds::Picture picture;
        picture.schemaInstalled = true;
        answers.show(picture);
        const std::vector<tds::Column> columns{{u"name"_s, nvarchar(255)}, {u"token"_s, nvarchar(100)},
            {u"fencing"_s, bigint()}, {u"acquired"_s, bigint()}, {u"expires"_s, bigint()},
            {u"owner"_s, nvarchar(128)}, {u"host"_s, nvarchar(128)}, {u"program"_s, nvarchar(128)},
            {u"process_id"_s, bigint()}, {u"session_id"_s, bigint()}};
        server.answer("sqlserver/monitor/entries", [&](const tds::Request&, tds::Reply& reply) {
            const qint64 most = std::numeric_limits<qint64>::max();
            reply.table(columns,
                {{u"good"_s, u"t"_s, 1, picture.nowUs, picture.nowUs + 1, u""_s, u""_s, u""_s, 0, 0},
                    tds::Values(columns.size()),
                    {u"far"_s, u"t"_s, most, most, most, u""_s, u""_s, u""_s, most, most}});
        });
        const db::ServerProfile profile = profileOf(tds::urlOf(server));
        const auto taken =
            monitor::makeSnapshotSource({profile, db::fixedPassword(tds::passwordOf(server))})->take();
        QVERIFY(taken);
        const Snapshot& snapshot = **taken;
        QCOMPARE(snapshot.entries.size(), 3u);
        QCOMPARE(faultOf(snapshot.entries, u"good"_s), QString());
        QVERIFY(
            faultOf(snapshot.entries, QString())
                .startsWith(u"the name is NULL, the token is NULL, fencing is NULL, acquired_at is NULL"_s));
        QCOMPARE(faultOf(snapshot.entries, u"far"_s),
            u"acquired_at is 9223372036854775807, expires_at is 9223372036854775807"_s);
    }
};

LOCKSCOPE_TEST(tst_BadRows)

} // namespace tst_BadRows
#include "tst_BadRows.moc"
