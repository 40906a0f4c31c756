// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Keys of frameworks, compared with those that their own programs and a real PostgreSQL compute.

#include "core/frameworks/KeyFormula.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_KeyFormula {

using namespace lockscope;
using namespace lockscope::frameworks;
using namespace lockscope::test;

using Hash = KeyFormula::Hash;

static KeyFormula formula(Hash hash, const QString& text)
{
    KeyFormula made;
    made.hash = hash;
    made.text = text;
    return made;
}

/// The key that fromAscii7() reads the name from.
static std::optional<quint64> toAscii7(QStringView name)
{
    if (name.size() > 9)
        return std::nullopt;
    quint64 key = 0;
    for (const QChar c : name) {
        if (c.unicode() > 0x7F)
            return std::nullopt;
        key = key << 7 | c.unicode();
    }
    const int rest = 64 - int(name.size()) * 7;
    // One zero, then ones: 2^(rest - 1) - 1. Without a character these are all of the 64 bits.
    const quint64 end = (quint64(1) << (rest - 1)) - 1;
    return (rest == 64 ? 0 : key << rest) | end;
}

class tst_KeyFormula : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void knownNumbers()
    {
        QCOMPARE(javaHash(u"public"), -977423767);
        QCOMPARE(javaHash(u"DATABASECHANGELOGLOCK"), -755096828);
        QCOMPARE(javaHash(u"\U0001F512"), 0xD83D * 31 + 0xDD12); // by UTF-16 units
        QCOMPARE(crc32Ieee("goose"), 4097083626U);
        QCOMPARE(crc32Ieee("123456789"), 0xCBF43926U);
        QCOMPARE(fnv1("atlas_migrate_execute"), 2686470616U);
        QCOMPARE(fnv1("atlas_lint_public"), 1304589634U);
    }

    void frameworksFormulas()
    {
        KeyFormula flyway = formula(Hash::Java, u"\"{schema}\".\"{table}\""_s);
        flyway.add = 77431708279161;
        QCOMPARE(computeKey(flyway, {{}, u"public"_s, u"flyway_schema_history"_s, {}}), 77433833903597);
        KeyFormula rails = formula(Hash::Crc32, u"{database}"_s);
        rails.multiply = 2053462845;
        QCOMPARE(computeKey(rails, {u"app_production"_s, {}, {}, {}}), 4615154450383096620);
        KeyFormula migrate =
            formula(Hash::Crc32, u"{schema}"_s + QChar(0) + u"{table}"_s + QChar(0) + u"/{database}"_s);
        migrate.multiply = 1486364155;
        migrate.bits = 32;
        migrate.isSigned = false;
        QCOMPARE(computeKey(migrate, {u"mydb"_s, u"public"_s, u"schema_migrations"_s, {}}), 616192132);
        KeyFormula distributed = formula(Hash::Sha1, u"{name}"_s);
        distributed.littleEndian = true;
        QCOMPARE(computeKey(distributed, {{}, {}, {}, u"my-lock-name"_s}), -7594812988026757391);
        KeyFormula mediawiki = formula(Hash::Sha1, u"{name}"_s);
        mediawiki.shiftRight = 4;
        QCOMPARE(computeKey(mediawiki, {{}, {}, {}, u"x"_s}), 80900798226277016);
        QVERIFY(!computeKey(formula(Hash::Any, {}), {}));
    }

    void aNameIsNotFilledInTwice()
    {
        QCOMPARE(filledIn(u"{schema}.{table}{x}"_s, {u"db"_s, u"{table}"_s, u"t"_s, {}}), u"{table}.t{x}"_s);
    }

    void tableIdsGoBothWays()
    {
        KeyFormula repack = formula(Hash::TableId, {});
        repack.add = -2147483648;
        repack.bits = 32;
        for (const quint32 id : {16'400U, 1U, 3'000'000'000U}) {
            KeyNames names;
            names.tableId = id;
            const auto key = computeKey(repack, names);
            QVERIFY(key);
            QCOMPARE(tableIdOf(repack, *key), id);
        }
    }

    void ascii7GoesBothWays()
    {
        QCOMPARE(toAscii7(u"MyLock"), quint64(2615568124) << 32 | 2061500415);
        for (const QString& name :
            {u"a"_s, u"MyLock"_s, u"12345678"_s, u"123456789"_s, u"a b~"_s, u"zzzzzzzzz"_s}) {
            const auto key = toAscii7(name);
            QVERIFY(key);
            QCOMPARE(fromAscii7(*key), name);
        }
        QVERIFY(!toAscii7(u"1234567890") && !toAscii7(u"ü"));
        // Pairs of other programs: small numbers, all ones, one name and zero.
        for (const quint64 other : {quint64(1) << 32 | 2, ~quint64(0), quint64(0), quint64(491703837) << 32})
            QVERIFY(!fromAscii7(other));
    }

    void hashtextIsTheServers()
    {
        const auto connection = TestServer::shared().connect();
        QStringList texts;
        for (int length = 0; length <= 40; ++length) {
            texts << QString(length, u'a');
            QString mixed;
            for (int i = 0; i < length; ++i)
                mixed += QChar(char16_t(u'!' + (i * 37 + length * 11) % 90));
            texts << mixed;
        }
        texts << u"pg_partman run_maintenance"_s << u"Grüße, 你好 \U0001F512"_s << QString(1'000, u'é');
        for (const QString& text : texts) {
            QCOMPARE(QString::number(pgHashText(text.toUtf8())),
                ask(*connection, u"SELECT hashtext($1::text)::text"_s, {text}));
        }
    }
};

LOCKSCOPE_TEST(tst_KeyFormula)

} // namespace tst_KeyFormula
#include "tst_KeyFormula.moc"
