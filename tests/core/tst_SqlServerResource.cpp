// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/LockMode.h"
#include "core/monitor/sqlserver/SqlServerResource.h"
#include "tests/support/TestProgram.h"

namespace tst_SqlServerResource {

using namespace lockscope;
using namespace lockscope::monitor;

class tst_SqlServerResource : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void appLockTexts_data()
    {
        test::addColumns<QString, quint32, QString, QString>("text", "principal", "name", "hash");
        const auto row = [](const char* title, const QString& text, quint32 principal, const QString& name,
                             const QString& hash) { test::row(title, text, principal, name, hash); };
        row("as documented", u"0:[fo]:(ea53e177)"_s, 0, u"fo"_s, u"ea53e177"_s);
        row("another principal", u"5:[nightly]:(0A1B2C3D)"_s, 5, u"nightly"_s, u"0a1b2c3d"_s);
        row("brackets in the name", u"0:[a]b]:(c)]:(ea53e177)"_s, 0, u"a]b]:(c)"_s, u"ea53e177"_s);
        row("a name like an end", u"0:[x]:(ea53e177)]:(00000000)"_s, 0, u"x]:(ea53e177)"_s, u"00000000"_s);
        row("colons in the name", u"0:[orders/1:2:3]:(ea53e177)"_s, 0, u"orders/1:2:3"_s, u"ea53e177"_s);
        row("blanks at its ends", u"0:[ a ]:(ea53e177)"_s, 0, u" a "_s, u"ea53e177"_s);
        row("no name", u"0:[]:(ea53e177)"_s, 0, QString(u""_s), u"ea53e177"_s);
        row("emoji", u"0:[lock \U0001F512]:(ea53e177)"_s, 0, u"lock \U0001F512"_s, u"ea53e177"_s);
        row("no hash", u"0:[fo]"_s, 0, u"fo"_s, QString());
        row("a hash that is none", u"0:[fo]:(zz)"_s, 0, u"fo]:(zz)"_s, QString());
    }

    void appLockTexts()
    {
        QFETCH(QString, text);
        const auto lock = parseAppLockText(text);
        QVERIFY(lock);
        QTEST(lock->principal, "principal");
        QTEST(lock->name, "name");
        QTEST(lock->hash, "hash");
    }

    void whatIsNoAppLockIsNone()
    {
        for (const QString& text : {QString(), u":"_s, u"0"_s, u"0:"_s, u"x:[a]:(ea53e177)"_s, u"-1:[a]"_s,
                 u"[a]"_s, u"99999999999:[a]"_s, u"0:a:(ea53e177)"_s})
            QVERIFY2(!parseAppLockText(text), qPrintable(text));
    }

    void aCutNameMatchesWhatItMayHaveBeen()
    {
        const QString whole = u"a name of more than 32 characters, indeed"_s;
        AppLockText cut{0, whole.left(32), u"ea53e177"_s};
        QVERIFY(cut.mayBeCut());
        QVERIFY(cut.matches(whole));
        QVERIFY(!cut.matches(whole.left(31)));
        const AppLockText shorter{0, u"fo"_s, {}};
        QVERIFY(shorter.matches(u"fo"));
        QVERIFY(!shorter.matches(u"for"));
        const QString emoji = QString(31, u'x') + u"\U0001F512 and more"_s;
        cut.name = emoji.left(32); // half of the lock
        QVERIFY(cut.matches(emoji));
        cut.name = emoji.left(31) + QChar(QChar::ReplacementCharacter);
        QVERIFY(cut.matches(emoji));
    }

    void oneResourceOneKey()
    {
        const ResourceColumns key{.type = u"KEY"_s,
            .subtype = {},
            .database = 5,
            .entity = 72057594038910976,
            .description = u"(8194443284a0)"_s};
        QCOMPARE(resourceKey(key), resourceKey(key));
        const auto differs = [&key](auto change) {
            ResourceColumns other = key;
            change(other);
            return !(resourceKey(other) == resourceKey(key));
        };
        QVERIFY(differs([](ResourceColumns& t) { t.type = u"RID"_s; }));
        QVERIFY(differs([](ResourceColumns& t) { t.subtype = u"BULK"_s; }));
        QVERIFY(differs([](ResourceColumns& t) { t.database = 6; }));
        QVERIFY(differs([](ResourceColumns& t) { ++t.entity; }));
        QVERIFY(differs([](ResourceColumns& t) { t.description = u"(8194443284a1)"_s; }));
        QVERIFY(differs([](ResourceColumns& t) { t.partition = 3; }));
    }

    void partitionsOfATableAreResourcesOfTheirOwn()
    {
        const ResourceColumns first{
            .type = u"OBJECT"_s, .subtype = {}, .database = 5, .entity = 1977058079, .description = {}};
        ResourceColumns second = first;
        second.partition = 1;
        QVERIFY(!(resourceKey(first) == resourceKey(second)));
    }

    void anUnknownTypeKeepsItsText()
    {
        const ResourceKey key = resourceKey({u"OIB"_s, u"BUILD"_s, 5, 7, u"something new"_s, 0});
        QCOMPARE(key.kind, ResourceKind::Unknown);
        QCOMPARE(key.text, u"OIB BUILD something new"_s);
        QCOMPARE(resourceKey({}).kind, ResourceKind::Unknown);
    }

    /// The table comes first, and each name can be taken apart again.
    void namesOfPartsComeApart_data()
    {
        test::addColumns<ResourceKind, QString, QString, QString>("kind", "name", "table", "part");
        const QString orders = u"public.orders"_s;
        test::row("table", ResourceKind::Relation, orders, orders, QString());
        test::row("row", ResourceKind::Row, "public.orders row (0,7)", orders, "row (0,7)");
        test::row("page", ResourceKind::Page, "public.orders page 12", orders, "page 12");
        test::row("key", ResourceKind::Row, "dbo.orders.PK_orders key (8194443284a0)", "dbo.orders.PK_orders",
            "key (8194443284a0)");
        test::row("heap", ResourceKind::Row, "dbo.heap row 1:109:12", "dbo.heap", "row 1:109:12");
        test::row("rows summed up", ResourceKind::Row, "dbo.heap rows", "dbo.heap", "rows");
        test::row("keys summed up", ResourceKind::Row, "dbo.orders keys", "dbo.orders", "keys");
        test::row("a table called like a part", ResourceKind::Row, "public.\"a row (1,1)\" row (0,7)",
            "public.\"a row (1,1)\"", "row (0,7)");
        test::row("elsewhere", ResourceKind::Row, "database shop: table 16384 row (0,1)",
            "database shop: table 16384", "row (0,1)");
        test::row("an unknown part", ResourceKind::Row, "something", QString(), QString());
        test::row("transaction", ResourceKind::TransactionId,
            "dbo.orders key (81) and 2 more (transaction 1:2)", "dbo.orders", "key (81)");
        test::row("PostgreSQL's transaction", ResourceKind::TransactionId, "transaction 742 (session 51)",
            QString(), QString());
        test::row("application lock", ResourceKind::ApplicationLock, "app lock 'a row (0,7)'", QString(),
            QString());
    }

    void namesOfPartsComeApart()
    {
        FETCH(ResourceKind, kind, QString, name, QString, table);
        const TablePart known = TablePart::of(kind, name);
        QCOMPARE(known.table, table);
        QTEST(known.part, "part");
        if (!table.isEmpty() && kind != ResourceKind::TransactionId)
            QCOMPARE(known.name(), name);
    }

    void partsForDisplay_data()
    {
        test::addColumns<QString, QString, QString>("type", "description", "shown");
        test::row("key", "KEY", "(8194443284a0)", "key (8194443284a0)");
        test::row("keys summed up", "KEY", QString(), "keys");
        test::row("row", "RID", "1:109:12", "row 1:109:12");
        test::row("first row of all", "RID", "0:0:0", "rows");
        test::row("rows summed up", "RID", QString(), "rows");
        test::row("page", "PAGE", "3:4294967295", "page 3:4294967295");
        test::row("pages summed up", "PAGE", QString(), "pages");
        test::row("extent", "EXTENT", "1:8", "extent 1:8");
        test::row("table", "OBJECT", QString(), QString());
    }

    void partsForDisplay()
    {
        FETCH(QString, type, QString, description);
        QTEST(partText(resourceKey({type, {}, 5, 1, description, 0})), "shown");
    }

    void waitingTasksMeanTheLockedThing_data()
    {
        test::addColumns<QString, QString, QString, qint64, QString>(
            "waiting", "type", "subtype", "entity", "description");
        test::row("object",
            "objectlock lockPartition=0 objid=1977058079 subresource=FULL dbid=5 id=lock1f2 mode=IX associatedObjectId=1977058079",
            "OBJECT", QString(), qint64(1977058079), QString());
        test::row("compile",
            "objectlock lockPartition=0 objid=1977058079 subresource=COMPILE dbid=5 id=lock1f2 mode=X associatedObjectId=1977058079",
            "OBJECT", "COMPILE", qint64(1977058079), QString());
        test::row("page",
            "pagelock fileid=1 pageid=109 dbid=5 id=lock1f2 mode=X associatedObjectId=72057594038910976",
            "PAGE", QString(), qint64(72057594038910976), "1:109");
        test::row("database", "databaselock subresource=FULL dbid=5 id=lock1f2 mode=S", "DATABASE", QString(),
            qint64(0), QString());
        test::row("temporary table",
            "objectlock lockPartition=0 objid=-1257868236 subresource=FULL dbid=5 id=lock1 mode=Sch-M",
            "OBJECT", QString(), qint64(-1257868236), QString());
        test::row("metadata",
            "metadatalock subresource=STATS classid=object_id = 19962, stats_id = 2 dbid=5 id=lock15d5b71100 mode=Sch-S",
            "METADATA", "STATS", qint64(0), "object_id = 19962, stats_id = 2");
        test::row("capitals", "PAGELOCK FILEID=1 PAGEID=109 DBID=5 associatedObjectId=7", "PAGE", QString(),
            qint64(7), "1:109");
    }

    void waitingTasksMeanTheLockedThing()
    {
        FETCH(QString, waiting, QString, type, QString, subtype, qint64, entity, QString, description);
        QCOMPARE(parseWaitingTask(waiting).key, resourceKey({type, subtype, 5, entity, description, 0}));
    }

    void aKeyWaitTellsItsTableButNotItsHash()
    {
        const WaitTarget thing = parseWaitingTask(
            u"keylock hobtid=72057594038910976 dbid=5 id=lock8f mode=RangeS-U associatedObjectId=72057594038910976");
        QCOMPARE(thing.key.kind, ResourceKind::Row);
        QVERIFY(!thing.exact);
        QCOMPARE(thing.lockId, u"lock8f"_s);
        QVERIFY(!parseWaitResource(u"KEY: 5:72057594038910976").exact);
        QVERIFY(parseWaitResource(u"KEY: 5:72057594038910976 (8194443284a0)").exact);
        QVERIFY(!parseWaitingTask(u"ridlock fileid=1 pageid=109 dbid=5 id=lock8 mode=S").exact);
        QCOMPARE(thing.key.entity, quint64(72057594038910976));
        QCOMPARE(thing.mode, u"RangeS-U"_s);
    }

    void anAppLockWaitTellsItsHash_data()
    {
        test::addColumns<QString, QString>("waiting", "hash");
        test::row("plain", "applicationlock hash=ea53e177 databasePrincipalId=0 dbid=5 id=lock8 mode=X",
            "ea53e177");
        test::row("with the name", "applicationlock hash=nightly run(ea53e177) databasePrincipalId=0 dbid=5",
            "ea53e177");
        test::row("grown together", "applicationlock hash=nightlyea53e177 databasePrincipalId=0 dbid=5",
            "ea53e177");
        test::row("no hash", "applicationlock hash=ad databasePrincipalId=0 dbid=5", QString());
        test::row("nothing", "applicationlock", QString());
    }

    void anAppLockWaitTellsItsHash()
    {
        QFETCH(QString, waiting);
        const WaitTarget thing = parseWaitingTask(waiting);
        QCOMPARE(thing.key.kind, ResourceKind::ApplicationLock);
        QTEST(thing.appLockHash, "hash");
    }

    void whatAnAppLocksNameHoldsIsNotRead()
    {
        const WaitTarget thing = parseWaitingTask(
            u"applicationlock hash=a dbid=9 mode=S databasePrincipalId=7 b(ea53e177) databasePrincipalId=0 dbid=5 id=lock8 mode=X");
        QCOMPARE(thing.key.database, 5U);
        QCOMPARE(thing.mode, u"X"_s);
        QCOMPARE(thing.appLockHash, u"ea53e177"_s);
        QCOMPARE(thing.key, resourceKey({u"APPLICATION"_s, {}, 5, 0, u"0:[]:(ea53e177)"_s, 0}));
    }

    void anOptimisedWaitIsForTheTransaction()
    {
        const WaitTarget thing = parseWaitingTask(
            u"xactlock xdesIdLow=996 xdesIdHigh=0 dbid=7 id=lockc8 mode=X UnderlyingResource keylock hobtid=72057594047627264 dbid=8");
        QCOMPARE(thing.key.kind, ResourceKind::TransactionId);
        QCOMPARE(thing.key.database, 7U);
        // The owner's row, a waiter's row, its task and its request name it in four ways.
        const QString key = u" KEY: 7:72057594047627264 (8194443284a0)"_s;
        const auto columnsOf = [](qint64 entity, const QString& description) {
            return ResourceColumns{.type = u"XACT"_s,
                .subtype = {},
                .database = 7,
                .entity = entity,
                .description = description};
        };
        const ResourceColumns owner = columnsOf(0, u"7:996:0"_s);
        const ResourceColumns waiter = columnsOf(72057594047627264, owner.description + key);
        const WaitTarget request = parseWaitResource(u"XACT: 7:996:0"_s + key);
        QCOMPARE(thing.key, resourceKey(owner));
        QCOMPARE(thing.key, resourceKey(waiter));
        QCOMPARE(thing.key, request.key);
        QVERIFY(!(thing.key == resourceKey(columnsOf(0, u"7:996:1"_s))));
        const ResourceKey row = resourceKey({u"KEY"_s, {}, 7, 72057594047627264, u"(8194443284a0)"_s, 0});
        QCOMPARE(underlyingKey(waiter), std::optional(row));
        QCOMPARE(request.underlying, std::optional(row));
        QCOMPARE(underlyingKey(owner), std::nullopt);
        QCOMPARE(underlyingKey({u"XACT"_s, {}, 7, 42, u"7:996:0 RID: 7:1:109:2"_s, 0}),
            std::optional(resourceKey({u"RID"_s, {}, 7, 42, u"1:109:2"_s, 0})));
    }

    void whatIsNoLockKeepsItsText()
    {
        const QString text = u"exchangeEvent id=Pipe8f WaitType=e_waitPipeGetRow nodeId=2"_s;
        QCOMPARE(parseWaitingTask(text).key.kind, ResourceKind::Unknown);
        QCOMPARE(parseWaitingTask(text).key.text, text);
        QCOMPARE(parseWaitResource(u"2:1:103"_s).key.text, u"2:1:103"_s);
        QCOMPARE(parseWaitResource({}).key.kind, ResourceKind::Unknown);
    }

    void waitResources_data()
    {
        test::addColumns<QString, QString, QString, qint64, QString>(
            "text", "type", "subtype", "entity", "description");
        test::row("key", "KEY: 5:72057594038910976 (8194443284a0)", "KEY", QString(),
            qint64(72057594038910976), "(8194443284a0)");
        test::row("row", "RID: 5:1:109:12", "RID", QString(), qint64(0), "1:109:12");
        test::row("page", "PAGE: 5:1:109 ", "PAGE", QString(), qint64(0), "1:109");
        test::row("object", "OBJECT: 5:1977058079:0 ", "OBJECT", QString(), qint64(1977058079), QString());
        test::row("compile", "OBJECT: 5:1977058079:0 [COMPILE]", "OBJECT", "COMPILE", qint64(1977058079),
            QString());
        test::row("application", "APPLICATION: 5:0:[fo]:(ea53e177)", "APPLICATION", QString(), qint64(0),
            "0:[fo]:(ea53e177)");
        test::row("database", "DATABASE: 5", "DATABASE", QString(), qint64(0), QString());
        test::row("database with a zero", "DATABASE: 5:0 ", "DATABASE", QString(), qint64(0), QString());
        test::row("part of a database", "DATABASE: 5:0 [BULKOP_BACKUP_LOG]", "DATABASE", "BULKOP_BACKUP_LOG",
            qint64(0), QString());
        test::row("temporary table", "OBJECT: 5:-1257868236:0 ", "OBJECT", QString(), qint64(-1257868236),
            QString());
        test::row("heap or B-tree", "HOBT: 5:72057594045792256 [BULK_OPERATION]", "HOBT", "BULK_OPERATION",
            qint64(72057594045792256), QString());
        test::row("allocation unit", "ALLOCATION_UNIT: 5:72057594043432960", "ALLOCATION_UNIT", QString(),
            qint64(72057594043432960), QString());
        test::row("file", "FILE: 5:1", "FILE", QString(), qint64(0), "1");
        test::row("metadata",
            "METADATA: database_id = 5 STATS(object_id = 19962, stats_id = 2), lockPartitionId = 0",
            "METADATA", "STATS", qint64(0), "object_id = 19962, stats_id = 2");
    }

    void waitResources()
    {
        FETCH(QString, text, QString, type, QString, subtype, qint64, entity, QString, description);
        QCOMPARE(parseWaitResource(text).key, resourceKey({type, subtype, 5, entity, description, 0}));
    }

    void everyLockWaitNamesAModeOfTheServer()
    {
        for (const char* type :
            {"LCK_M_BU", "LCK_M_IS", "LCK_M_IU", "LCK_M_IX", "LCK_M_RIn_NL", "LCK_M_RIn_S", "LCK_M_RIn_U",
                "LCK_M_RIn_X", "LCK_M_RS_S", "LCK_M_RS_U", "LCK_M_RX_S", "LCK_M_RX_U", "LCK_M_RX_X",
                "LCK_M_S", "LCK_M_SCH_M", "LCK_M_SCH_S", "LCK_M_SIU", "LCK_M_SIX", "LCK_M_U", "LCK_M_UIX",
                "LCK_M_X", "LCK_M_X_LOW_PRIORITY", "LCK_M_SCH_M_ABORT_BLOCKERS", "LCK_M_S_XACT_READ",
                "LCK_M_S_XACT_MODIFY", "LCK_M_RIn_NL_LOW_PRIORITY"}) {
            const QString mode = modeOfWaitType(QString::fromLatin1(type));
            QVERIFY2(LockMode::fromText(Engine::SqlServer, mode).isKnown(), type);
        }
        QCOMPARE(modeOfWaitType(u"ASYNC_NETWORK_IO"), QString());
    }
};

LOCKSCOPE_TEST(tst_SqlServerResource)

} // namespace tst_SqlServerResource
#include "tst_SqlServerResource.moc"
