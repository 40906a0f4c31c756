// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotJson.h"
#include "tests/support/GraphText.h"
#include "tests/support/TestProgram.h"

namespace tst_SnapshotJson {

using namespace lockscope;

class tst_SnapshotJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void locksTellWhoBlocksThem()
    {
        Snapshot snapshot = test::waitingFromText(u"orders: 51 Exclusive, 64/63 ?Share@990"_s);
        const QJsonObject json = toJson(snapshot);
        QCOMPARE(json[u"format"].toInt(), snapshotJsonFormat);
        QCOMPARE(json[u"engine"].toString(), u"postgres"_s);
        const QJsonArray locks = json[u"locks"].toArray();
        QCOMPARE(locks.size(), 2);
        QCOMPARE(locks[0][u"state"].toString(), u"granted"_s);
        QCOMPARE(locks[0][u"mode"].toString(), u"ExclusiveLock"_s);
        QCOMPARE(locks[0][u"blocked_by"].toArray(), QJsonArray());
        QCOMPARE(locks[1][u"session"].toInteger(), 64);
        QCOMPARE(locks[1][u"granted"].toBool(), false);
        QCOMPARE(locks[1][u"resource"].toString(), u"orders"_s);
        QCOMPARE(locks[1][u"blocked_by"].toArray(), QJsonArray{51});
        QCOMPARE(locks[1][u"age_ms"].toInteger(), 10'000);
        QCOMPARE(json[u"waits"][0][u"waiter"].toInteger(), 63);
        QCOMPARE(json[u"sessions"].toArray().size(), 2);
    }

    void bigNumbersSurvive()
    {
        Snapshot snapshot = test::snapshotFromText(u"a: 51 Exclusive"_s);
        snapshot.resources[0].key.part = ~quint64(0);
        const QByteArray text = QJsonDocument(toJson(snapshot)).toJson();
        const auto key = QJsonDocument::fromJson(text).object()[u"locks"][0][u"key"];
        QCOMPARE(key[u"part"].toString(), u"18446744073709551615"_s);
    }

    void lockTableEntriesTellTheirState()
    {
        LockTableEntry entry;
        entry.name = u"nightly \"run\" 🌙"_s;
        entry.token = u"t"_s;
        entry.fencing = 7;
        entry.expiresAt = ServerTime{5'000'000};
        entry.party.owner = u"ann"_s;
        const QJsonObject fresh = toJson(entry, {4'999'999});
        QCOMPARE(fresh[u"name"].toString(), entry.name);
        QCOMPARE(fresh[u"stale"].toBool(true), false);
        QCOMPARE(fresh[u"expires_at"].toString(), u"1970-01-01T00:00:05.000000Z"_s);
        QCOMPARE(fresh[u"holder"][u"owner"].toString(), u"ann"_s);
        QCOMPARE(toJson(entry, {5'000'000})[u"stale"].toBool(), true);
    }

    void whatIsUnknownIsNull()
    {
        const QJsonObject json = toJson(test::snapshotFromText(u"a: 51 Exclusive"_s));
        QVERIFY(json[u"locks"][0][u"since"].isNull());
        QVERIFY(json[u"locks"][0][u"age_ms"].isNull());
        QVERIFY(json[u"sessions"][0][u"leader"].isNull());
        QVERIFY(json[u"sessions"][0][u"log_bytes"].isNull());
        QVERIFY(json[u"sessions"][0][u"work_of_statement"][u"cpu_ms"].isNull());
    }

    void sessionsTellTheirWork()
    {
        Session session;
        session.workSinceLogin = {milliseconds(1'500), 30'000, 120, std::nullopt};
        session.memoryGrant = 8'192;
        session.logUsed = 0;
        session.openTransactions = 2;
        session.isolation = u"snapshot"_s;
        session.address = u"10.0.0.1"_s;
        session.inputBuffer = u"EXECUTE dbo.Pay"_s;
        session.snapshotAge = 12;
        const QJsonObject json = toJson(session);
        const QJsonObject work{{u"cpu_ms"_s, 1'500}, {u"logical_reads"_s, 30'000}, {u"reads"_s, 120},
            {u"writes"_s, QJsonValue()}};
        QCOMPARE(json[u"work_since_login"].toObject(), work);
        QCOMPARE(json[u"memory_grant_bytes"].toInteger(), 8'192);
        QCOMPARE(json[u"log_bytes"].toInteger(-1), 0);
        QCOMPARE(json[u"open_transactions"].toInteger(), 2);
        QCOMPARE(json[u"isolation"].toString(), session.isolation);
        QCOMPARE(json[u"address"].toString(), session.address);
        QCOMPARE(json[u"input_buffer"].toString(), session.inputBuffer);
        QCOMPARE(json[u"snapshot_age"].toInteger(), 12);
        QVERIFY(json[u"transaction_id"].isNull());
    }

    void locksOfFrameworksTellWhose()
    {
        const auto match = std::make_shared<const FrameworkMatch>(FrameworkMatch{.framework = u"liquibase"_s,
            .lock = u"changelog"_s,
            .frameworkName = u"Liquibase"_s,
            .name = u"changelog lock"_s,
            .evidence = u"a row of app.locks"_s,
            .certain = false});
        const QJsonObject whose{{u"id"_s, u"liquibase"_s}, {u"lock"_s, u"changelog"_s},
            {u"framework"_s, u"Liquibase"_s}, {u"name"_s, u"changelog lock"_s}, {u"certain"_s, false},
            {u"evidence"_s, u"a row of app.locks"_s}};
        Snapshot snapshot = test::snapshotFromText(u"key: 51 Exclusive; orders: 51 Share"_s);
        snapshot.resources[0].framework = match;
        LockTableEntry entry;
        entry.framework = match;
        entry.holderText = u"build-7 (10.0.0.7)"_s;
        entry.stored = {u"1"_s, u"true"_s, QString()};
        entry.heartbeat = ServerTime{5'000'000};
        entry.holderLife = {HolderLife::Verdict::Gone, {u"Its session ended."_s}, u"Another one."_s};
        snapshot.entries = {entry, LockTableEntry()};
        snapshot.unreadTables = {
            {match, u"app"_s, u"locks"_s, u"mallory"_s, u"It has row security."_s, false}, {}};
        const QJsonObject json = toJson(snapshot);
        QCOMPARE(json[u"locks"][0][u"framework"].toObject(), whose);
        QVERIFY(json[u"locks"][1][u"framework"].isNull());

        const QJsonObject row = json[u"entries"][0].toObject();
        QCOMPARE(row[u"framework"].toObject(), whose);
        QCOMPARE(row[u"holder_text"].toString(), entry.holderText);
        QCOMPARE(row[u"stored"].toArray(), (QJsonArray{u"1"_s, u"true"_s, QJsonValue()}));
        QCOMPARE(row[u"heartbeat"].toString(), ServerTime{5'000'000}.toIsoString());
        QCOMPARE(row[u"holder_life"].toObject(),
            (QJsonObject{{u"verdict"_s, u"gone"_s}, {u"evidence"_s, QJsonArray{u"Its session ended."_s}},
                {u"overturned_by"_s, u"Another one."_s}}));
        const QJsonObject ours = json[u"entries"][1].toObject();
        QVERIFY(ours[u"framework"].isNull());
        for (const QString& key : {u"holder_text"_s, u"stored"_s, u"heartbeat"_s, u"holder_life"_s})
            QVERIFY2(!ours.contains(key), qPrintable(key));

        QCOMPARE(json[u"unread_tables"][0].toObject(),
            (QJsonObject{{u"framework"_s, whose}, {u"schema"_s, u"app"_s}, {u"table"_s, u"locks"_s},
                {u"owner"_s, u"mallory"_s}, {u"reason"_s, u"It has row security."_s},
                {u"can_be_approved"_s, false}}));
        QVERIFY(json[u"unread_tables"][1][u"can_be_approved"].toBool());
    }

    void isWrittenPieceByPieceAsItIsInOne()
    {
        Snapshot snapshot = test::waitingFromText(
            u"orders: 51 Exclusive, 64/63 ?Share@990; näme \"🔒\": 52 Share, 53 ?Exclusive"_s);
        LockTableEntry entry;
        entry.name = u"nightly"_s;
        snapshot.entries = {entry, entry};
        snapshot.limitations.push_back({Limitation::Kind::BadRows, u"2 rows"_s, {}, 1, 3});
        for (const Snapshot& each : {snapshot, Snapshot()}) {
            QByteArray text;
            qsizetype longest = 0;
            writeJson(each, [&](const QByteArray& piece) {
                text += piece;
                longest = std::max(longest, piece.size());
            });
            QCOMPARE(text, QJsonDocument(toJson(each)).toJson(QJsonDocument::Compact));
            QVERIFY(longest < 1'500); // a row
        }
    }
};

LOCKSCOPE_TEST(tst_SnapshotJson)

} // namespace tst_SnapshotJson
#include "tst_SnapshotJson.moc"
