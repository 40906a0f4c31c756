// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Tables are judged once and read with each poll: one that somebody has altered since, or replaced, is not
// read before it was judged again. SQLite, and SQL Server by its double; for PostgreSQL it is
// tst_ReadingTables.

#include "core/db/SchemaInstaller.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/tds/AdminAnswers.h"
#include "tests/support/tds/MonitorAnswers.h"
#include "tests/support/tds/Odbc.h"

namespace tst_ChangedTables {

using namespace lockscope;
using namespace lockscope::test;

const QString isAnother = u"another table than a moment ago"_s;

static bool isReported(const Snapshot& snapshot, const QString& text)
{
    return std::ranges::any_of(snapshot.limitations,
        [&text](const Limitation& limitation) { return limitation.what.contains(text); });
}

static SnapshotPtr take(monitor::SnapshotSource& source)
{
    return orDie(source.take());
}

static QStringList namesIn(const Snapshot& snapshot)
{
    QStringList names = textsOf(snapshot.entries, &LockTableEntry::name);
    names.sort();
    return names;
}

/// A file, somebody who changes it, and a monitor that polls it.
struct File {
    File()
    {
        db::ServerProfile profile;
        profile.url = fileUrl(directory.filePath(u"locks.db"_s));
        other = openFile(profile.url);
        source = monitor::makeSnapshotSource({profile, {}});
    }
    void run(const QByteArray& sql) const { orDie(other->executeScript(sql)); }

    const QTemporaryDir directory;
    std::unique_ptr<db::Connection> other;
    std::unique_ptr<monitor::SnapshotSource> source;
};

const QByteArray twoFrameworks =
    "CREATE TABLE databasechangeloglock (id integer PRIMARY KEY, locked boolean, lockgranted text, lockedby text); INSERT INTO databasechangeloglock VALUES (1, 1, '2026-01-31 10:00:00', 'build-7 (10.0.0.5)');"
    "CREATE TABLE shedlock (name text PRIMARY KEY, lock_until integer, locked_at integer, locked_by text); INSERT INTO shedlock VALUES ('report', 32503680000000, 1769853600000, 'web-1');";

class tst_ChangedTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ofAFile_data()
    {
        addColumns<QByteArray, bool>("change", "isReadAgain");
        row("a view in its place",
            QByteArray("ALTER TABLE shedlock RENAME TO rows; CREATE VIEW shedlock AS SELECT * FROM rows;"),
            false);
        row("another table",
            QByteArray("ALTER TABLE shedlock RENAME TO rows; CREATE TABLE shedlock AS SELECT * FROM rows;"),
            true);
        row("one more column", QByteArray("ALTER TABLE shedlock ADD COLUMN more text;"), true);
        row("nothing there", QByteArray("DROP TABLE shedlock;"), false);
    }
    void ofAFile()
    {
        FETCH(const QByteArray, change, const bool, isReadAgain);
        const File file;
        file.run(twoFrameworks);
        const QStringList both{u"changelog lock"_s, u"report"_s};
        QCOMPARE(namesIn(*take(*file.source)), both);
        QCOMPARE(namesIn(*take(*file.source)), both);

        file.run(change);
        const SnapshotPtr changed = take(*file.source);
        COMPARE_TEXTS(namesIn(*changed), "changelog lock"); // the other one is read all the same
        QVERIFY(isReported(*changed, isAnother));
        const SnapshotPtr judged = take(*file.source);
        QCOMPARE(namesIn(*judged), isReadAgain ? both : QStringList{u"changelog lock"_s});
        QVERIFY(!isReported(*judged, isAnother));
    }

    void ownTableOfAFile()
    {
        const File file;
        QVERIFY(db::installSchema(*file.other));
        file.run(
            "INSERT INTO lockscope_lock_entry (name, token, fencing, acquired_at, expires_at, owner, host, program, process_id) VALUES ('nightly', 't', 1, 1, 9000000000000000, '', '', '', 0);");
        COMPARE_TEXTS(namesIn(*take(*file.source)), "nightly");
        COMPARE_TEXTS(namesIn(*take(*file.source)), "nightly");
        file.run(
            "ALTER TABLE lockscope_lock_entry RENAME TO rows; CREATE VIEW lockscope_lock_entry AS SELECT * FROM rows;");
        const SnapshotPtr changed = take(*file.source);
        QVERIFY(namesIn(*changed).isEmpty());
        QVERIFY(isReported(*changed, isAnother));
        const SnapshotPtr found = take(*file.source);
        QVERIFY(namesIn(*found).isEmpty());
        QVERIFY(!isReported(*found, isAnother));
    }

    void ofSqlServer_data()
    {
        addRows<bool>("isOwn", {{"a framework's table", false}, {"the lock table", true}});
    }
    void ofSqlServer()
    {
        if (!tds::use(tds::OdbcDriver::FreeTds))
            QSKIP("The driver is not installed.");
        QFETCH(const bool, isOwn);
        tds::TdsServer server;
        tds::AdminAnswers acts(server);
        tds::MonitorAnswers answers(server);
        tds::Picture picture;
        picture.schemaInstalled = true;
        picture.lockRows = {tds::LockRows(
            u"CREATE TABLE DATABASECHANGELOGLOCK (ID int, LOCKED bit, LOCKGRANTED datetime2, LOCKEDBY nvarchar(255))"_s,
            {u"INSERT INTO DATABASECHANGELOGLOCK VALUES (1, 1, '2027-01-15 08:48:20.000', 'build-7 (10.0.0.98)')"_s})};
        answers.show(picture);
        server.answer("sqlserver/monitor/entries", [&](const tds::Request&, tds::Reply& reply) {
            reply.table({{u"name"_s, tds::nvarchar(255)}, {u"token"_s, tds::nvarchar(100)},
                            {u"fencing"_s, tds::bigint()}, {u"acquired"_s, tds::bigint()},
                            {u"expires"_s, tds::bigint()}, {u"owner"_s, tds::nvarchar(128)},
                            {u"host"_s, tds::nvarchar(128)}, {u"program"_s, tds::nvarchar(128)},
                            {u"process_id"_s, tds::bigint()}, {u"session_id"_s, tds::bigint()}},
                {{u"nightly"_s, u"t"_s, 1, picture.nowUs, picture.nowUs + 1, u""_s, u""_s, u""_s, 0, 0}});
        });
        const db::ServerProfile profile = profileOf(tds::urlOf(server));
        const auto source =
            monitor::makeSnapshotSource({profile, db::fixedPassword(tds::passwordOf(server))});
        const QStringList both{u"changelog lock"_s, u"nightly"_s};
        QCOMPARE(namesIn(*take(*source)), both);

        if (isOwn)
            picture.schemaAge = 0;
        else
            ++picture.lockRows.front().changes;
        answers.show(picture);
        const SnapshotPtr changed = take(*source);
        QCOMPARE(namesIn(*changed), QStringList{both[isOwn ? 0 : 1]});
        QVERIFY(isReported(*changed, isAnother));
        QVERIFY2(waitUntil([&] { return namesIn(*take(*source)) == both; }), "it is judged again, and read");
    }
};

LOCKSCOPE_TEST(tst_ChangedTables)

} // namespace tst_ChangedTables
#include "tst_ChangedTables.moc"
