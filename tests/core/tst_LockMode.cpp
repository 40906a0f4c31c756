// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/LockMode.h"
#include "tests/support/TestProgram.h"

namespace tst_LockMode {

using namespace lockscope;

static LockMode ss(QStringView text)
{
    return LockMode::fromText(Engine::SqlServer, text);
}

static LockMode pg(QStringView text)
{
    return LockMode::fromText(Engine::Postgres, text);
}

static QSet<QString> namesOf(const QList<LockMode>& modes)
{
    QSet<QString> names;
    for (const LockMode& mode : modes)
        names << mode.name();
    return names;
}

class tst_LockMode : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyModeOfTheDocumentationIsThere()
    {
        const QSet<QString> documented{u"NL"_s, u"Sch-S"_s, u"Sch-M"_s, u"S"_s, u"U"_s, u"X"_s, u"IS"_s,
            u"IU"_s, u"IX"_s, u"SIU"_s, u"SIX"_s, u"UIX"_s, u"BU"_s, u"RangeS-S"_s, u"RangeS-U"_s,
            u"RangeI-N"_s, u"RangeI-S"_s, u"RangeI-U"_s, u"RangeI-X"_s, u"RangeX-S"_s, u"RangeX-U"_s,
            u"RangeX-X"_s};
        const auto all = LockMode::all(Engine::SqlServer);
        QCOMPARE(all.size(), size_t(22));
        QCOMPARE(namesOf(QList<LockMode>(all.begin(), all.end())), documented);
        QCOMPARE(LockMode::all(Engine::Postgres).size(), size_t(8));
        QCOMPARE(LockMode::all(Engine::Sqlite).size(), size_t(1));
    }

    void everyModeExplainsItself()
    {
        for (const Engine engine : {Engine::SqlServer, Engine::Postgres, Engine::Sqlite}) {
            QSet<QString> titles;
            QSet<QString> meanings;
            for (const LockMode& mode : LockMode::all(engine)) {
                titles << mode.title();
                meanings << mode.meaning();
                QVERIFY2(mode.meaning().endsWith(u'.'), qPrintable(mode.name()));
            }
            QCOMPARE(size_t(titles.size()), LockMode::all(engine).size());
            QCOMPARE(size_t(meanings.size()), LockMode::all(engine).size());
        }
    }

    void compatibilityIsSymmetric_data()
    {
        test::addRows<Engine>("engine",
            {{"SQL Server", Engine::SqlServer}, {"PostgreSQL", Engine::Postgres},
                {"SQLite", Engine::Sqlite}});
    }
    void compatibilityIsSymmetric()
    {
        QFETCH(Engine, engine);
        for (const LockMode& held : LockMode::all(engine)) {
            for (const LockMode& requested : LockMode::all(engine))
                QVERIFY2(held.compatibleWith(requested) == requested.compatibleWith(held),
                    qPrintable(held.name() + u" / "_s + requested.name()));
        }
    }

    void sqlServerConflictsAreTheDocumentedOnes_data()
    {
        test::addColumns<QString, QString>("mode", "conflicts");
        test::row("NL", "NL", QString());
        test::row("Sch-S", "Sch-S", "Sch-M");
        test::row("Sch-M", "Sch-M", "Sch-S Sch-M S U X IS IU IX SIU SIX UIX BU");
        test::row("IS", "IS", "Sch-M X BU");
        test::row("IX", "IX", "Sch-M S U X SIU SIX UIX BU");
        test::row("S", "S", "Sch-M X IX SIX UIX BU RangeI-X RangeX-X");
        test::row("U", "U", "Sch-M U X IU IX SIU SIX UIX BU RangeS-U RangeI-U RangeI-X RangeX-U RangeX-X");
        test::row("X", "X",
            "Sch-M S U X IS IU IX SIU SIX UIX BU RangeS-S RangeS-U RangeI-S RangeI-U RangeI-X RangeX-S RangeX-U RangeX-X");
        test::row("BU", "BU", "Sch-M S U X IS IU IX SIU SIX UIX");
        test::row("RangeS-S", "RangeS-S", "X RangeI-N RangeI-S RangeI-U RangeI-X RangeX-S RangeX-U RangeX-X");
        test::row("RangeI-N", "RangeI-N", "RangeS-S RangeS-U RangeX-S RangeX-U RangeX-X");
        test::row("RangeX-X", "RangeX-X",
            "S U X RangeS-S RangeS-U RangeI-N RangeI-S RangeI-U RangeI-X RangeX-S RangeX-U RangeX-X");
    }
    void sqlServerConflictsAreTheDocumentedOnes()
    {
        FETCH(QString, mode, QString, conflicts);
        const QStringList expected = conflicts.split(u' ', Qt::SkipEmptyParts);
        QCOMPARE(namesOf(ss(mode).conflicts()), QSet<QString>(expected.begin(), expected.end()));
    }

    void keyRangeModesAreTheSumOfTheirParts()
    {
        // The documentation: the part before the hyphen guards the gap, the other one the key. Gaps: I goes
        // with I, S with S, X with nothing. Keys: as the plain modes; N with all.
        const auto gapsAgree = [](QChar a, QChar b) { return a == b && a != u'X'; };
        const auto keysAgree = [](QChar a, QChar b) {
            return a == u'N' || b == u'N' || ss(QStringView(&a, 1)).compatibleWith(ss(QStringView(&b, 1)));
        };
        int pairs = 0;
        for (const LockMode& a : LockMode::all(Engine::SqlServer)) {
            for (const LockMode& b : LockMode::all(Engine::SqlServer)) {
                const QString left = a.name();
                const QString right = b.name();
                if (!left.startsWith(u"Range"_s) || !right.startsWith(u"Range"_s))
                    continue;
                const bool expected =
                    gapsAgree(left.at(5), right.at(5)) && keysAgree(left.back(), right.back());
                QVERIFY2(a.compatibleWith(b) == expected, qPrintable(left + u" / "_s + right));
                ++pairs;
            }
        }
        QCOMPARE(pairs, 81);
    }

    void postgresConflictsAreTheDocumentedOnes_data()
    {
        test::addColumns<QString, QString>("mode", "conflicts");
        test::row("ACCESS SHARE", "AccessShareLock", "AccessExclusive");
        test::row("ROW SHARE", "RowShareLock", "Exclusive AccessExclusive");
        test::row("ROW EXCLUSIVE", "RowExclusiveLock", "Share ShareRowExclusive Exclusive AccessExclusive");
        test::row("SHARE UPDATE EXCLUSIVE", "ShareUpdateExclusiveLock",
            "ShareUpdateExclusive Share ShareRowExclusive Exclusive AccessExclusive");
        test::row("SHARE", "ShareLock",
            "RowExclusive ShareUpdateExclusive ShareRowExclusive Exclusive AccessExclusive");
        test::row("SHARE ROW EXCLUSIVE", "ShareRowExclusiveLock",
            "RowExclusive ShareUpdateExclusive Share ShareRowExclusive Exclusive AccessExclusive");
        test::row("EXCLUSIVE", "ExclusiveLock",
            "RowShare RowExclusive ShareUpdateExclusive Share ShareRowExclusive Exclusive AccessExclusive");
        test::row("ACCESS EXCLUSIVE", "AccessExclusiveLock",
            "AccessShare RowShare RowExclusive ShareUpdateExclusive Share ShareRowExclusive Exclusive AccessExclusive");
    }
    void postgresConflictsAreTheDocumentedOnes()
    {
        FETCH(QString, mode, QString, conflicts);
        QSet<QString> expected;
        for (const QString& name : conflicts.split(u' '))
            expected << name + u"Lock"_s;
        QCOMPARE(namesOf(pg(mode).conflicts()), expected);
    }

    void spellings_data()
    {
        test::addColumns<Engine, QString, QString>("engine", "text", "name");
        const auto row = [](Engine engine, const char* text, const char* name) {
            QTest::addRow("%s", text) << engine << QString::fromUtf8(text) << QString::fromUtf8(name);
        };
        row(Engine::SqlServer, "Sch-M", "Sch-M");
        row(Engine::SqlServer, "SCH-S", "Sch-S");
        row(Engine::SqlServer, "sch_m", "Sch-M");
        row(Engine::SqlServer, "RS-S", "RangeS-S");
        row(Engine::SqlServer, "RI-N", "RangeI-N");
        row(Engine::SqlServer, "RX-X", "RangeX-X");
        row(Engine::SqlServer, "RangeS_U", "RangeS-U");
        row(Engine::SqlServer, "RangeIn-Null", "RangeI-N");
        row(Engine::SqlServer, "NULL", "NL");
        row(Engine::SqlServer, "six", "SIX");
        row(Engine::Postgres, "accessexclusivelock", "AccessExclusiveLock");
        row(Engine::Postgres, "ACCESS EXCLUSIVE", "AccessExclusiveLock");
        row(Engine::Postgres, "ShareUpdateExclusiveLock", "ShareUpdateExclusiveLock");
        row(Engine::Sqlite, "Exclusive", "Exclusive");
    }
    void spellings()
    {
        FETCH(Engine, engine, QString, text, QString, name);
        const LockMode mode = LockMode::fromText(engine, text);
        QVERIFY(mode.isKnown());
        QCOMPARE(mode.name(), name);
        QCOMPARE(mode, LockMode::fromText(engine, name));
    }

    void unknownModesKeepTheirTextAndClaimNothing()
    {
        const LockMode odd = ss(u"RangeQ-Z");
        QVERIFY(!odd.isKnown());
        QCOMPARE(odd.name(), u"RangeQ-Z"_s);
        QVERIFY(odd.compatibleWith(ss(u"X")));
        QVERIFY(ss(u"X").compatibleWith(odd));
        QVERIFY(odd.conflicts().isEmpty());
        QVERIFY(odd != ss(u"RangeQ-Y"));
        QVERIFY(!LockMode().isKnown());
        QVERIFY(!LockMode::shared(Engine::Sqlite).isKnown());
    }

    void enginesDoNotMix()
    {
        QVERIFY(ss(u"X").compatibleWith(pg(u"ExclusiveLock")));
        QVERIFY(!LockMode::exclusive(Engine::Postgres).compatibleWith(LockMode::exclusive(Engine::Postgres)));
        QVERIFY(!LockMode::exclusive(Engine::Sqlite).compatibleWith(LockMode::exclusive(Engine::Sqlite)));
        QVERIFY(LockMode::shared(Engine::SqlServer).compatibleWith(LockMode::shared(Engine::SqlServer)));
        QVERIFY(!LockMode::shared(Engine::Postgres).compatibleWith(LockMode::exclusive(Engine::Postgres)));
    }

    void strengthOrdersForDisplay()
    {
        QVERIFY(ss(u"IS").strength() < ss(u"S").strength());
        QVERIFY(ss(u"S").strength() < ss(u"U").strength());
        QVERIFY(ss(u"U").strength() < ss(u"X").strength());
        QVERIFY(ss(u"X").strength() < ss(u"Sch-M").strength());
        QVERIFY(ss(u"Sch-M").strength() < ss(u"whatever").strength());
    }
};

LOCKSCOPE_TEST(tst_LockMode)

} // namespace tst_LockMode
#include "tst_LockMode.moc"
