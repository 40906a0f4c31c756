// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/report/Cells.h"
#include "tests/support/DataRows.h"
#include "tests/support/TestProgram.h"
#include "ui/kit/models/ColumnInfo.h"
#include "ui/kit/models/TableExport.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QStandardItemModel>
#include <QTest>

namespace tst_TableExport {

using namespace lockscope::ui;
using namespace Qt::StringLiterals;

class tst_TableExport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cells_data()
    {
        lockscope::test::addColumns<QString, QString>("cell", "safe");
        const auto harmless = [](const char* text) { lockscope::test::row(text, text, text); };
        for (const char* text : {"", "nightly", "a=b", "41 s", "≥ 41 s", "–", "12", "-12", "+3.5", "-1,234.5",
                 "-12 %", "O'Brien", "(hidden)"})
            harmless(text);
        const auto formula = [](const char* name, const QString& text) {
            lockscope::test::row(name, text, u'\'' + text);
        };
        formula("a call", u"=HYPERLINK(\"http://evil\",\"x\")"_s);
        formula("plus", u"+cmd|' /C calc'!A0"_s);
        formula("minus", u"-2+3+cmd|' /C calc'!A0"_s);
        formula("a function of old", u"@SUM(1+1)"_s);
        formula("behind a tab", u"\t=1+1"_s);
        formula("behind a return", u"\r=1+1"_s);
        formula("behind a line break", u"\n=1+1"_s);
        formula("behind a blank", u" =1+1"_s);
        formula("in full width", u"＝1+1"_s);
        formula("no number", u"-"_s);
        formula("a number and more", u"-1-cmd"_s);
        formula("two lines", u"-1\n=1+1"_s);
    }

    void cells()
    {
        QFETCH(const QString, cell);
        QFETCH(const QString, safe);
        QCOMPARE(lockscope::report::spreadsheetSafe(cell), safe);
    }

    void bothWaysOutAreSafe()
    {
        QStandardItemModel model(1, 2);
        model.setHorizontalHeaderLabels({u"=Name"_s, u"Count"_s});
        model.setItem(0, 0, new QStandardItem(u"=1+1,\"x\""_s));
        model.setItem(0, 1, new QStandardItem(u"-7"_s));
        const QModelIndexList rows = allRows(model);
        QCOMPARE(rowsAsCsv(model, rows, {0, 1}), u"'=Name,Count\r\n\"'=1+1,\"\"x\"\"\",-7\r\n"_s);
        QCOMPARE(rowsAsText(rows, {0, 1}), u"'=1+1,\"x\"\t-7\n"_s);
    }

    void timesAndAgesAreForPrograms_data()
    {
        lockscope::test::addColumns<QString, bool, QString>("shown", "age", "machine");
        const auto row = [](const char* shown, bool age, const char* machine) {
            QTest::addRow("%s%s", shown, age ? ", an age" : "")
                << QString::fromUtf8(shown) << age << QString::fromUtf8(machine);
        };
        row("2026-11-21 03:12:07 UTC", false, "2026-11-21T03:12:07Z");
        row("41 s", true, "41");
        row("≥ 12 min 05 s", true, "725");
        row("1 h 02 min", true, "3720");
        row("3 d 04 h", true, "273600");
        row("–", true, "");
        row("41 s", false, "41 s"); // a name may look like that
        row("expired", true, "expired");
    }
    void timesAndAgesAreForPrograms()
    {
        QFETCH(const QString, shown);
        QFETCH(const bool, age);
        QTEST(machineText(shown, age), "machine");
    }

    void agesOfCsvSayWhichAreBounds()
    {
        QStandardItemModel model(2, 2);
        model.setHorizontalHeaderLabels({u"Session"_s, u"Waits"_s});
        model.horizontalHeaderItem(1)->setData(true, ageColumnRole);
        model.setItem(0, 0, new QStandardItem(u"63"_s));
        model.setItem(0, 1, new QStandardItem(u"41 s"_s));
        model.setItem(1, 0, new QStandardItem(u"70"_s));
        model.setItem(1, 1, new QStandardItem(u"≥ 1 min 00 s"_s));
        QCOMPARE(rowsAsCsv(model, allRows(model), {0, 1}),
            u"Session,Waits [s],Waits is at least\r\n63,41,false\r\n70,60,true\r\n"_s);
        QCOMPARE(rowsAsCsv(model, {model.index(0, 0)}, {0, 1}), u"Session,Waits [s]\r\n63,41\r\n"_s);
    }

    void markdownIsATableOfPlainText()
    {
        QStandardItemModel model(1, 2);
        model.setHorizontalHeaderLabels({u"Name"_s, u"Count"_s});
        model.setItem(0, 0, new QStandardItem(u"a|b\n<img src=x> [x](http://evil) *b*"_s));
        model.setItem(0, 1, new QStandardItem(u"7 &lt; 8"_s));
        QCOMPARE(rowsAsMarkdown(model, allRows(model), {0, 1}),
            u"| Name | Count |\n| --- | --- |\n"
            "| a\\|b \\<img src=x\\> \\[x\\](http://evil) \\*b\\* | 7 \\&lt; 8 |\n"_s);
    }

    /// What the server took as a name stays a name: run by a real engine.
    void insertPutsInWhatIsShown()
    {
        QStandardItemModel model(2, 3);
        model.setHorizontalHeaderLabels({u"Name"_s, u"Blocked \"by\""_s, u"Waits"_s});
        model.horizontalHeaderItem(2)->setData(true, ageColumnRole);
        const QString evil = u"x'); DROP TABLE locks; --"_s;
        model.setItem(0, 0, new QStandardItem(evil));
        model.setItem(0, 1, new QStandardItem(u"51"_s));
        model.setItem(0, 2, new QStandardItem(u"≥ 1 min 00 s"_s));
        model.setItem(1, 0, new QStandardItem(u"007"_s));
        model.setItem(1, 1, new QStandardItem(QString()));
        model.setItem(1, 2, new QStandardItem(u"–"_s));
        const QString insert = rowsAsInsert(model, allRows(model), {0, 1, 2}, u"locks"_s);
        {
            QSqlDatabase database = QSqlDatabase::addDatabase(u"QSQLITE"_s, u"insert"_s);
            database.setDatabaseName(u":memory:"_s);
            QVERIFY(database.open());
            QSqlQuery query(database);
            QVERIFY(query.exec(
                u"CREATE TABLE locks (\"Name\" text, \"Blocked \"\"by\"\"\" integer, \"Waits [s]\" integer, \"Waits is at least\" text)"_s));
            QVERIFY2(query.exec(insert), qPrintable(insert + query.lastError().text()));
            QVERIFY(query.exec(u"SELECT * FROM locks ORDER BY rowid"_s));
            QVERIFY(query.next());
            QCOMPARE(query.value(0).toString(), evil);
            QCOMPARE(query.value(1).toInt(), 51);
            QCOMPARE(query.value(2).toInt(), 60);
            QCOMPARE(query.value(3).toString(), u"true"_s);
            QVERIFY(query.next());
            QCOMPARE(query.value(0).toString(), u"007"_s);
            QVERIFY(query.value(1).isNull() && query.value(2).isNull());
            QVERIFY(!query.next());
        }
        QSqlDatabase::removeDatabase(u"insert"_s);
    }

    void aColumnOfAnInsertHasOneType()
    {
        QStandardItemModel model(3, 2);
        model.setHorizontalHeaderLabels({u"Name"_s, u"Session"_s});
        model.setItem(0, 0, new QStandardItem(u"42"_s));
        model.setItem(1, 0, new QStandardItem(u"it's"_s + QChar(0)));
        model.setItem(0, 1, new QStandardItem(u"51"_s));
        model.setItem(1, 1, new QStandardItem(QString()));
        QCOMPARE(rowsAsInsert(model, {model.index(0, 0), model.index(1, 0)}, {0, 1}, u"locks"_s),
            u"INSERT INTO \"locks\" (\"Name\", \"Session\") VALUES\n"
            "    ('42', 51),\n    ('it''s', NULL);\n"_s);
    }

    void aLongInsertIsSeveral()
    {
        QStandardItemModel model(1'001, 1);
        model.setHorizontalHeaderLabels({u"Session"_s});
        for (int row = 0; row < model.rowCount(); ++row)
            model.setItem(row, 0, new QStandardItem(QString::number(row)));
        const QString text = rowsAsInsert(model, allRows(model), {0}, u"sessions"_s);
        QCOMPARE(text.count(u"INSERT"_s), 2);
        QCOMPARE(text.count(u";\n"_s), 2);
        QVERIFY2(text.endsWith(u"VALUES\n    (1000);\n"_s), qPrintable(text.right(60)));
    }

    void aChildOfATreeIsIndentedAndSafe()
    {
        QStandardItemModel model(1, 1);
        auto* parent = new QStandardItem(u"top"_s);
        parent->appendRow(new QStandardItem(u"@child"_s));
        model.setItem(0, 0, parent);
        QCOMPARE(rowsAsText(allRows(model), {0}), u"top\n  '@child\n"_s);
    }
};

LOCKSCOPE_TEST(tst_TableExport)

} // namespace tst_TableExport
#include "tst_TableExport.moc"
