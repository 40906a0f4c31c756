// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// A table is judged minutes before it is read, and read again and again. Anybody may replace or alter it in
// between: none of his code runs with the rights of the monitor.
#include "core/frameworks/TableReads.h"
#include "core/frameworks/TableSearch.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <stop_token>

namespace tst_ReadingTables {

using namespace lockscope;
using namespace lockscope::test;

constexpr auto server = &TestServer::shared;

const QString columns =
    u"(id int PRIMARY KEY, locked boolean NOT NULL, lockgranted timestamp, lockedby varchar(255))"_s;

/// Liquibase's, in a schema of an administrator's, with a lock that is held.
static QString lockTable(const QString& table, const QString& host = u"build-7"_s)
{
    return u"CREATE TABLE %1 %2; INSERT INTO %1 VALUES (1, true, now(), '%3 (10.0.0.5)');"_s.arg(
        table, columns, host);
}

/// A database with code that a superuser is to run by the will of its author: it counts its runs by a
/// sequence, which no ROLLBACK takes back.
class Trap {
public:
    explicit Trap(const QString& sql = {})
        : url(server().freshDatabase(TestServer::Schema::None))
    {
        server().run(url,
            u"CREATE SCHEMA app; CREATE SCHEMA planted; GRANT USAGE ON SCHEMA planted, app TO PUBLIC;"_s);
        mallory = server().asRole(url, u"GRANT CREATE ON SCHEMA planted, app TO {role}"_s);
        as(mallory,
            // A poll is read-only: the trap shows by an advisory lock, which the session keeps.
            u"CREATE FUNCTION planted.spring() RETURNS int LANGUAGE plpgsql VOLATILE AS $$ BEGIN IF current_setting('application_name') LIKE 'lockscope monitor%' THEN PERFORM pg_advisory_lock(666); END IF; RETURN 1; END $$;"
            "CREATE FUNCTION planted.trap(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM planted.spring(); RETURN $1; END $$;CREATE FUNCTION planted.trap(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM planted.spring(); RETURN $1; END $$;"_s);
        if (!sql.isEmpty())
            server().run(url, sql);
    }

    void as(const db::ServerUrl& who, const QString& sql) const
    {
        const auto connection = orDie(server().at(who).connect());
        orDie(connection->executeScript(QString(sql).replace(u"{mallory}"_s, mallory.user).toUtf8()));
    }
    void run(const QString& sql) const
    {
        server().run(url, QString(sql).replace(u"{mallory}"_s, mallory.user));
    }
    /// Returns whether it has run in a session that still exists, or in one that may have ended: the pollers
    /// live on.
    bool sprang() const
    {
        bool held = false;
        orDie(runSql(*orDie(server().at(url).connect()),
            u"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 666 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"_s,
            {}, [&held](const db::Row& row) { held = row.int64(0) > 0; }));
        return held;
    }
    db::ServerProfile profile() const { return profileOf(url); }
    std::unique_ptr<monitor::SnapshotSource> source() const
    {
        return monitor::makeSnapshotSource({profile(), server().passwords()});
    }

    db::ServerUrl url;
    db::ServerUrl mallory;
};

static QStringList holders(const Snapshot& snapshot)
{
    QStringList hosts;
    for (const LockTableEntry& entry : snapshot.entries)
        hosts << entry.party.host;
    hosts.sort();
    return hosts;
}

static QString limitations(const Snapshot& snapshot)
{
    QStringList all;
    for (const Limitation& limitation : snapshot.limitations)
        all << limitation.what + u' ' + limitation.remedy;
    for (const UnreadTable& table : snapshot.unreadTables)
        all << u"not read: "_s + table.reason;
    return all.join(u" | "_s);
}

class tst_ReadingTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatTakesThePlaceOfAJudgedTableIsNotRun_data()
    {
        QTest::addColumn<QString>("swap");
        QTest::addColumn<QStringList>("after"); // whose locks are seen once it is judged again
        const QString away = u"ALTER TABLE app.databasechangeloglock RENAME TO was;"_s;
        row("a view",
            away
                + u"CREATE VIEW app.databasechangeloglock AS SELECT planted.trap(id) AS id, locked, lockgranted, lockedby FROM app.was; ALTER VIEW app.databasechangeloglock OWNER TO {mallory}"_s,
            QStringList{u"build-7"_s}); // of the former one
        row("another's table with an index on a function",
            away
                + u"CREATE TABLE app.databasechangeloglock %1; CREATE INDEX ON app.databasechangeloglock ((planted.trap(1)), id); ALTER TABLE app.databasechangeloglock OWNER TO {mallory}"_s
                      .arg(columns),
            QStringList{u"build-7"_s});
        row("another table of ours", away + lockTable(u"app.databasechangeloglock"_s, u"other"_s),
            QStringList{u"build-7"_s, u"other"_s});
        row("another owner, policies",
            "ALTER TABLE app.databasechangeloglock OWNER TO {mallory}; CREATE POLICY p ON app.databasechangeloglock USING (planted.trap(id) = 1); ALTER TABLE app.databasechangeloglock ENABLE ROW LEVEL SECURITY",
            QStringList());
        row("a new index",
            "CREATE INDEX ON app.databasechangeloglock ((planted.trap(1)), id); ALTER TABLE app.databasechangeloglock OWNER TO {mallory}",
            QStringList());
        row("another schema of the name",
            "ALTER SCHEMA app RENAME TO former; CREATE SCHEMA app AUTHORIZATION {mallory}; CREATE VIEW app.databasechangeloglock AS SELECT planted.trap(id) AS id, locked, lockgranted, lockedby FROM former.databasechangeloglock; ALTER VIEW app.databasechangeloglock OWNER TO {mallory}",
            QStringList{u"build-7"_s}); // that of the former one
        row("a type with a cast",
            u"CREATE TYPE planted.host AS ENUM ('build-7 (10.0.0.5)'); ALTER TABLE app.databasechangeloglock ALTER lockedby TYPE planted.host USING lockedby::text::planted.host; CREATE FUNCTION planted.cast(planted.host) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN planted.trap('x'); END $$; "
            "CREATE CAST (planted.host AS text) WITH FUNCTION planted.cast(planted.host); ALTER TYPE planted.host OWNER TO {mallory}"_s,
            QStringList());
        row("a child",
            "DELETE FROM app.databasechangeloglock; CREATE TABLE app.child () INHERITS (app.databasechangeloglock); CREATE INDEX ON app.child ((planted.trap(1)), id); ALTER TABLE app.child OWNER TO {mallory}",
            QStringList());
        row("nothing at all", "DROP TABLE app.databasechangeloglock", QStringList());
    }
    void whatTakesThePlaceOfAJudgedTableIsNotRun()
    {
        FETCH(const QString, swap, const QStringList, after);
        const Trap trap(lockTable(u"app.databasechangeloglock"_s)
            + lockTable(u"public.databasechangeloglock"_s, u"ours"_s));
        const auto source = trap.source();
        COMPARE_TEXTS(holders(*orDie(source->take())), "build-7", "ours");
        trap.run(swap);
        const SnapshotPtr swapped = orDie(source->take());
        QVERIFY2(!trap.sprang(), "it ran with the rights of a superuser");
        QVERIFY2(
            !holders(*swapped).contains(u"build-7"_s), "a row of what was not judged is shown as current");
        QVERIFY2(
            holders(*swapped).contains(u"ours"_s), qPrintable(limitations(*swapped))); // it costs only itself
        VERIFY_CONTAINS(limitations(*swapped), u"judged again"_s);
        QVERIFY(swapped->isIncomplete());
        for (int poll = 0; poll < 2; ++poll) {
            const SnapshotPtr next = orDie(source->take());
            QStringList all = after + QStringList{u"ours"_s};
            all.sort();
            QCOMPARE(holders(*next), all);
            VERIFY_LACKS(limitations(*next), u"judged again"_s);
        }
        QVERIFY(!trap.sprang());
    }

    void theTrapWorks()
    {
        const Trap trap(lockTable(u"app.databasechangeloglock"_s)
            + u"CREATE INDEX ON app.databasechangeloglock ((planted.trap(1)), id)"_s);
        const auto superuser = orDie(server().at(trap.url).connect(db::Purpose::Monitor));
        orDie(runSql(*superuser, u"SELECT id FROM app.databasechangeloglock WHERE id = 1"_s));
        QVERIFY(trap.sprang());
    }

    void aStrangersApprovedTableIsCopied_data()
    {
        addColumns<QString, bool>("with", "isRead");
        row("nothing more", QString(), true);
        row("an index", "CREATE INDEX ON app.databasechangeloglock ((planted.trap(1)), id)", true);
        row("statistics", "CREATE STATISTICS app.s ON (planted.trap(id)), id FROM app.databasechangeloglock",
            true);
        row("a policy",
            "CREATE POLICY p ON app.databasechangeloglock USING (planted.trap(id) = 1); ALTER TABLE app.databasechangeloglock ENABLE ROW LEVEL SECURITY",
            true); // which a superuser passes by
        row("a type with a cast",
            u"CREATE TYPE planted.host AS ENUM ('build-7 (10.0.0.5)'); ALTER TABLE app.databasechangeloglock ALTER lockedby TYPE planted.host USING 'build-7 (10.0.0.5)'; CREATE FUNCTION planted.cast(planted.host) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN planted.trap('x'); END $$; CREATE "
            "CAST (planted.host AS text) WITH FUNCTION planted.cast(planted.host)"_s,
            true);
        row("a view",
            "ALTER TABLE app.databasechangeloglock RENAME TO was; CREATE VIEW app.databasechangeloglock AS SELECT planted.trap(id) AS id, locked, lockgranted, lockedby FROM app.was",
            false);
        row("more rows than are copied",
            "INSERT INTO app.databasechangeloglock SELECT g, true, now(), 'x' FROM generate_series(2, 20000) AS g",
            false);
    }
    void aStrangersApprovedTableIsCopied()
    {
        FETCH(const QString, with, const bool, isRead);
        for (const bool afterThePoll : {false, true}) {
            const Trap trap;
            trap.as(trap.mallory, lockTable(u"app.databasechangeloglock"_s, u"build-7"_s));
            db::ServerProfile profile = trap.profile();
            profile.approvedTables = {{u"app"_s, u"databasechangeloglock"_s, trap.mallory.user}};
            const auto source = monitor::makeSnapshotSource({profile, server().passwords()});
            if (afterThePoll)
                COMPARE_TEXTS(holders(*orDie(source->take())), "build-7");
            if (!with.isEmpty())
                trap.as(trap.mallory, with);
            for (int poll = 0; poll < 2; ++poll) {
                const SnapshotPtr taken = orDie(source->take());
                QVERIFY2(!trap.sprang(), "it ran with the rights of a superuser");
                QVERIFY2(holders(*taken) == (isRead ? QStringList{u"build-7"_s} : QStringList()),
                    qPrintable(holders(*taken).join(u' ') + limitations(*taken)));
                if (!isRead)
                    QVERIFY(!taken->unreadTables.empty()
                        || limitations(*taken).contains(u"(Liquibase) can't be read"_s));
            }
        }
    }

    void aCopyIsReadAsTheTableIs()
    {
        // All ways of reading give the same result for any content of the columns.
        const QString rows =
            u"INSERT INTO app.databasechangeloglock VALUES (2, true, '2024-03-10 02:30', E'a\\tb\\\\c\\nd'), (3, false, NULL, NULL), (4, true, NULL, 'é \\N \"x\" {1}'), (5, true, 'infinity', '')"_s;
        const auto entriesOf = [&](const db::ServerUrl& url, const db::ServerProfile& profile) {
            std::vector<LockTableEntry> entries =
                orDie(monitor::makeSnapshotSource({profile, server().passwords()})->take())->entries;
            QStringList all;
            for (const LockTableEntry& entry : entries)
                all << QStringList{entry.name, entry.stored.mid(0, 2).join(u'/'), entry.stored.last(),
                    entry.holderText, entry.badRow}
                           .join(u'|');
            Q_UNUSED(url)
            return all;
        };
        const Trap trap;
        trap.as(trap.mallory, lockTable(u"app.databasechangeloglock"_s) + rows);
        db::ServerProfile profile = trap.profile();
        profile.approvedTables = {{u"app"_s, u"databasechangeloglock"_s, trap.mallory.user}};
        const QStringList copied = entriesOf(trap.url, profile);
        QCOMPARE(copied.size(), 4);
        trap.run(u"ALTER TABLE app.databasechangeloglock OWNER TO lockscope"_s);
        QCOMPARE(entriesOf(trap.url, trap.profile()), copied);
    }

    void manyTablesOfOneShapeAreOneStatement()
    {
        QString sql;
        for (int i = 0; i < 30; ++i)
            sql += u"CREATE SCHEMA tenant_%1;"_s.arg(i)
                + lockTable(
                    u"tenant_%1.databasechangeloglock"_s.arg(i), u"host-%1"_s.arg(i, 2, 10, QChar(u'0')));
        const Trap trap(sql);
        const auto connection = orDie(server().at(trap.url).connect());
        frameworks::TableSearch search(connection->dialect(), frameworks::catalogue(), trap.profile());
        for (const auto& result : connection->executeBatch(search.items()))
            orDie(result);
        std::vector<std::unique_ptr<frameworks::TableRead>> reads;
        std::vector<frameworks::TableRead*> asked;
        for (const auto& found : search.found())
            asked.push_back(
                reads.emplace_back(std::make_unique<frameworks::TableRead>(connection->dialect(), found))
                    .get());
        QCOMPARE(asked.size(), 30u);
        frameworks::TableReads all(*connection);
        std::vector<db::BatchItem> items;
        all.addTo(items, asked);
        QCOMPARE(items.size(), 6u); // begin, lock, compare, plan once, read, end
        const SnapshotPtr taken = orDie(trap.source()->take());
        QCOMPARE(taken->entries.size(), 30u);
        for (const LockTableEntry& entry : taken->entries)
            QCOMPARE(entry.table.section(u'.', 0, 0).section(u'_', 1).rightJustified(2, u'0'),
                entry.party.host.section(u'-', 1));
        // One that can't be read costs only itself.
        trap.run(
            u"ALTER TABLE tenant_7.databasechangeloglock ALTER lockgranted TYPE timestamp USING '294276-01-01'"_s);
        QCOMPARE(orDie(trap.source()->take())->entries.size(), 30u);
    }

    void aCeilingKeepsAPollShort()
    {
        const Trap trap(u"CREATE SCHEMA b; CREATE SCHEMA c;"_s + lockTable(u"app.databasechangeloglock"_s)
            + lockTable(u"b.databasechangeloglock"_s) + lockTable(u"c.databasechangeloglock"_s));
        db::ServerProfile profile = trap.profile();
        const auto take = [&](const QString& frameworks) {
            profile.url.options.insert(u"frameworks"_s, frameworks);
            return orDie(monitor::makeSnapshotSource({profile, server().passwords()})->take());
        };
        QCOMPARE(take(u"3"_s)->entries.size(), 3u);
        const SnapshotPtr two = take(u"2"_s);
        QCOMPARE(two->entries.size(), 2u);
        VERIFY_CONTAINS(limitations(*two), u"2 of the 3 tables"_s);
        QVERIFY(limitations(*two).contains(u"frameworks=3"_s));
        const SnapshotPtr none = take(u"off"_s);
        QVERIFY(none->entries.empty() && none->unreadTables.empty() && !none->frameworkRows);
        VERIFY_LACKS(limitations(*none), u"frameworks"_s);
    }

    void lockedTablesAreNotWaitedFor_data()
    {
        addRows<bool>("areCopied", {{"ours", false}, {"a stranger's, approved", true}});
    }
    void lockedTablesAreNotWaitedFor()
    {
        QFETCH(const bool, areCopied);
        QString sql;
        for (int i = 0; i < 12; ++i)
            sql += u"CREATE SCHEMA t%1;"_s.arg(i)
                + lockTable(u"t%1.databasechangeloglock"_s.arg(i), u"h%1"_s.arg(i));
        const Trap trap(sql);
        db::ServerProfile profile = trap.profile();
        for (int i = 0; areCopied && i < 12; ++i) {
            trap.run(u"ALTER TABLE t%1.databasechangeloglock OWNER TO {mallory}"_s.arg(i));
            profile.approvedTables.append({u"t%1"_s.arg(i), u"databasechangeloglock"_s, trap.mallory.user});
        }
        const auto source = monitor::makeSnapshotSource({profile, server().passwords()});
        QCOMPARE(orDie(source->take())->entries.size(), 12u);
        const auto other = orDie(server().at(trap.url).connect());
        orDie(other->begin());
        for (int i = 0; i < 10; ++i)
            orDie(runSql(*other, u"LOCK TABLE t%1.databasechangeloglock IN ACCESS EXCLUSIVE MODE"_s.arg(i)));
        for (int poll = 0; poll < 2; ++poll) {
            QElapsedTimer clock;
            clock.start();
            const SnapshotPtr taken = orDie(source->take());
            QVERIFY2(clock.elapsed() < 1'000, qPrintable(QString::number(clock.elapsed())));
            COMPARE_TEXTS(holders(*taken), "h10", "h11");
            VERIFY_CONTAINS(
                limitations(*taken), areCopied ? u"due to lock timeout"_s : u"has it locked exclusively"_s);
            QVERIFY(taken->isIncomplete());
        }
        orDie(other->rollback());
        TRY_COMPARE(orDie(source->take())->entries.size(), 12u);
    }

    void anEndOfThePollEndsWhatItAsksBesides_data()
    {
        QTest::addColumn<bool>("byReader");
        QTest::addColumn<QString>("catalogue"); // that only that question looks at
        row("whose code a table refers to", false, "pg_catalog.pg_ts_dict");
        row("a reader's rights", true, "pg_catalog.pg_shdepend");
    }
    void anEndOfThePollEndsWhatItAsksBesides()
    {
        FETCH(const bool, byReader, const QString, catalogue);
        const Trap trap(lockTable(u"app.databasechangeloglock"_s)
            + u"CREATE FUNCTION app.same(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1'; CREATE INDEX ON app.databasechangeloglock (app.same(id))"_s);
        db::ServerProfile profile = trap.profile();
        if (byReader)
            profile.url.options.insert(
                u"reader"_s, server().asRole(trap.url, u"GRANT pg_monitor TO {role}"_s).user);
        const auto other = orDie(server().at(trap.url).connect());
        const auto isAsked = [&] {
            qint64 asked = 0;
            orDie(runSql(*other,
                u"SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '%1'::regclass"_s.arg(
                    catalogue),
                {}, [&asked](const db::Row& row) { asked = row.int64(0); }));
            return asked > 0;
        };
        orDie(other->begin());
        orDie(runSql(*other, u"LOCK TABLE %1 IN ACCESS EXCLUSIVE MODE"_s.arg(catalogue)));
        const auto source = monitor::makeSnapshotSource({profile, server().passwords()});
        std::atomic<bool> hasEnded = false;
        std::jthread poll([&](const std::stop_token& stop) {
            std::ignore = source->take(stop);
            hasEnded = true;
        });
        const auto timeouts = [] {
            return server().log().count(u"canceling statement due to lock timeout"_s);
        };
        const auto before = timeouts();
        QTRY_VERIFY_WITH_TIMEOUT(isAsked(), 8'000);
        poll.request_stop();
        QTRY_VERIFY_WITH_TIMEOUT(hasEnded, 2'000);
        QCOMPARE(timeouts(), before); // it did not wait for the end of that
        orDie(other->rollback());
    }

    void manyTablesOfAStrangersAreOneNote()
    {
        const Trap trap;
        trap.run(
            u"DO $$ BEGIN FOR i IN 1..60 LOOP EXECUTE format('CREATE SCHEMA s%s', i); EXECUTE format('CREATE TABLE s%s.shedlock (name text, lock_until timestamp, locked_at timestamp, locked_by text)', i); EXECUTE format('ALTER TABLE s%s.shedlock OWNER TO {mallory}', i); END LOOP; END $$"_s);
        const SnapshotPtr taken = orDie(trap.source()->take());
        QVERIFY(taken->unreadTables.empty());
        QCOMPARE(
            limitations(*taken).count(u"60 tables that look like those of frameworks are not read"_s), 1);
        VERIFY_CONTAINS(limitations(*taken), trap.mallory.user);
    }

    void aReaderReadsWithRightsOfItsOwn()
    {
        const Trap trap;
        trap.as(trap.mallory,
            lockTable(u"app.was"_s)
                + u"CREATE VIEW app.databasechangeloglock AS SELECT planted.trap(id) AS id, locked, lockgranted, lockedby FROM app.was; GRANT SELECT ON app.databasechangeloglock TO PUBLIC"_s);
        const auto reader = server().asRole(trap.url, u"GRANT pg_monitor TO {role}"_s);
        db::ServerProfile profile = trap.profile();
        QVERIFY(orDie(monitor::makeSnapshotSource({profile, server().passwords()})->take())->entries.empty());
        profile.url.options.insert(u"reader"_s, reader.user);
        const auto source = monitor::makeSnapshotSource({profile, server().passwords()});
        const SnapshotPtr taken = orDie(source->take());
        QVERIFY2(holders(*taken) == QStringList{u"build-7"_s}, qPrintable(limitations(*taken)));
        // It ran, with the rights of nobody.
        QCOMPARE(
            ask(*orDie(server().at(trap.url).connect()),
                u"SELECT a.usename::text FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid WHERE l.locktype = 'advisory' AND l.objid = 666"_s),
            reader.user);
    }

    void aReaderWithRightsIsRefused_data()
    {
        addColumns<QString, QString>("sql", "reason");
        row("superuser", "ALTER ROLE {role} SUPERUSER", "superuser");
        row("member of one", "GRANT lockscope TO {role}", "superuser");
        row("writes anywhere", "GRANT pg_write_all_data TO {role}", "pg_write_all_data");
        row("reads anywhere", "GRANT pg_read_all_data TO {role}", "pg_read_all_data");
        row("writes to a table", "GRANT UPDATE ON app.databasechangeloglock TO {role}", "may write to");
        row("writes to a column", "GRANT UPDATE (id) ON app.databasechangeloglock TO {role}", "may write to");
        row("owner", "CREATE SCHEMA hers AUTHORIZATION {role}", "owner of objects");
        row("makes objects", "GRANT CREATE ON SCHEMA app TO {role}", "make objects");
        row("calls functions",
            "CREATE FUNCTION app.f() RETURNS int LANGUAGE sql AS 'SELECT 1'; REVOKE ALL ON FUNCTION app.f() FROM PUBLIC; GRANT EXECUTE ON FUNCTION app.f() TO {role}",
            "may call");
        row("calls functions of the system", "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {role}",
            "may call pg_read_file(text)");
        row("calls them by a role of monitors",
            "GRANT EXECUTE ON FUNCTION pg_read_binary_file(text) TO pg_stat_scan_tables",
            "may call pg_read_binary_file(text)");
        row("makes schemas",
            "DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO %I', current_database(), '{role}'); END $$",
            "make objects in the database");
        row("fills a tablespace", "GRANT CREATE ON TABLESPACE pg_default TO {role}",
            "make objects in the tablespace");
        row("goes to another server",
            "CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w; GRANT USAGE ON FOREIGN SERVER s TO {role}",
            "use the foreign server s");
        row("makes servers", "CREATE FOREIGN DATA WRAPPER w; GRANT USAGE ON FOREIGN DATA WRAPPER w TO {role}",
            "use the foreign-data wrapper w");
        row("large objects", "SELECT lo_create(4711); GRANT SELECT ON LARGE OBJECT 4711 TO {role}",
            "use the large object 4711");
        if (server().connect()->serverVersionNumber() >= 150'000)
            row("changes settings", "GRANT SET ON PARAMETER log_min_messages TO {role}",
                "change the setting log_min_messages");
    }
    void aReaderWithRightsIsRefused()
    {
        FETCH(const QString, sql, const QString, reason);
        const Trap trap(lockTable(u"app.databasechangeloglock"_s));
        const auto reader = server().asRole(trap.url, u"GRANT pg_monitor TO {role};"_s + sql);
        db::ServerProfile profile = trap.profile();
        profile.url.options.insert(u"reader"_s, reader.user);
        const SnapshotPtr taken = orDie(monitor::makeSnapshotSource({profile, server().passwords()})->take());
        QVERIFY(taken->entries.empty());
        VERIFY_CONTAINS(limitations(*taken), reason);
        QVERIFY(taken->isIncomplete());
        server().run(trap.url,
            u"REVOKE EXECUTE ON FUNCTION pg_catalog.pg_read_binary_file(text) FROM pg_stat_scan_tables"_s);
    }

    /// The role is judged again with each search for tables.
    void aReaderWithRightsOfLaterIsRefused()
    {
        const Trap trap(lockTable(u"app.databasechangeloglock"_s)
            + u"GRANT SELECT ON app.databasechangeloglock TO PUBLIC"_s);
        const auto reader = server().asRole(trap.url, u"GRANT pg_monitor TO {role}"_s);
        db::ServerProfile profile = trap.profile();
        profile.url.options.insert(u"reader"_s, reader.user);
        const auto source = monitor::makeSnapshotSource({profile, server().passwords()});
        const SnapshotPtr before = orDie(source->take());
        QVERIFY2(!before->entries.empty(), qPrintable(limitations(*before)));
        server().run(trap.url,
            u"GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text) TO \"%1\""_s.arg(reader.user));
        TRY_VERIFY(limitations(*orDie(source->take())).contains(u"may call pg_read_file"_s));
        QVERIFY(orDie(source->take())->entries.empty());
    }
};

LOCKSCOPE_TEST(tst_ReadingTables)

} // namespace tst_ReadingTables
#include "tst_ReadingTables.moc"
