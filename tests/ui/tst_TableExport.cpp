// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TestProgram.h"
#include "ui/models/TableExport.h"

#include <QStandardItemModel>
#include <QTest>

using namespace lockscope::ui;
using namespace Qt::StringLiterals;

class tst_TableExport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cells_data()
    {
        QTest::addColumn<QString>("cell");
        QTest::addColumn<QString>("safe");
        const auto harmless = [](const char* text) {
            QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(text);
        };
        for (const char* text : {"", "nightly", "a=b", "0:41", "≥ 0:41", "–", "12", "-12", "+3.5", "-1,234.5",
                 "-12 %", "O'Brien", "(hidden)"})
            harmless(text);
        const auto formula = [](const char* name, const QString& text) {
            QTest::newRow(name) << text << u'\'' + text;
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
        QCOMPARE(spreadsheetSafe(cell), safe);
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
#include "tst_TableExport.moc"
