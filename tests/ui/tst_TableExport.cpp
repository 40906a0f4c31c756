// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/PlainFile.h"
#include "core/report/Writer.h"
#include "tests/support/TestProgram.h"
#include "ui/kit/models/TableExport.h"
#include "ui/kit/widgets/SaveDialog.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QtWidgets>

namespace tst_TableExport {

using namespace lockscope;
using namespace lockscope::ui;
using report::Form;
using report::Type;
using report::Value;
using Cells = std::vector<Value>;

/// A table of values without a model of its own.
class Rows : public QStandardItemModel, public ReportSource {
public:
    Rows(std::vector<ColumnInfo> columns, const std::vector<Cells>& rows)
        : QStandardItemModel(int(rows.size()), int(columns.size()))
        , m_columns(std::move(columns))
        , m_rows(rows)
    {
        for (int row = 0; row < rowCount(); ++row)
            for (int column = 0; column < columnCount(); ++column)
                setItem(row, column,
                    new QStandardItem(shownText(m_columns[size_t(column)].id, ownValue(index(row, column)))));
    }
    const std::vector<ColumnInfo>& columns() const override { return m_columns; }
    Value ownValue(const QModelIndex& cell) const override
    {
        return m_rows[size_t(cell.row())][size_t(cell.column())];
    }
    report::Section all() const
    {
        QList<int> columns;
        for (int column = 0; column < columnCount(); ++column)
            columns << column;
        return sectionOf(*this, allRows(*this), columns);
    }
    QString written(Form form) const { return rendered({.sections = {all()}}, form); }

private:
    std::vector<ColumnInfo> m_columns;
    std::vector<Cells> m_rows;
};

const ColumnInfo waits{.id = u"waits"_s, .title = u"Waits"_s, .age = true};

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
        FETCH(const QString, cell, const QString, safe);
        QCOMPARE(lockscope::report::spreadsheetSafe(cell), safe);
    }

    void bothWaysOutAreSafe()
    {
        const Rows model(
            {{u"=name"_s, u"=Name"_s}, {u"count"_s, u"Count"_s}}, {Cells{u"=1+1,\"x\""_s, u"-7"_s}});
        QCOMPARE(model.written(Form::Csv), u"'=name,count\r\n\"'=1+1,\"\"x\"\"\",-7\r\n"_s);
        QCOMPARE(rowsAsText(allRows(model), {0, 1}), u"'=1+1,\"x\"\t-7\n"_s);
    }

    void timesAndAgesAreForPrograms_data()
    {
        lockscope::test::addColumns<Type, Value, QString>("type", "value", "machine");
        const auto row = [](const char* name, Type type, const Value& value, const char* machine) {
            lockscope::test::row(name, type, value, QString::fromUtf8(machine));
        };
        row("time", Type::Time, ServerTime{1'795'230'727'250'000}, "2026-11-21T03:12:07.250000Z");
        row("seconds", Type::Length, Value(microseconds(41'250'000)), "41250");
        row("a bound", Type::Length, Value::atLeast(12min + 5s), "725000");
        row("hours", Type::Length, Value(microseconds(62min)), "3720000");
        row("days", Type::Length, Value(microseconds(76h)), "273600000");
        row("nothing", Type::Length, Value(), "");
        row("a name may look like that", Type::Text, u"41 s"_s, "41 s");
        row("a word", Type::Length, u"expired"_s, "expired");
    }
    void timesAndAgesAreForPrograms()
    {
        FETCH(const Type, type, const Value, value);
        QTEST(lockscope::report::programText({type, u"c"_s}, value), "machine");
    }

    void agesOfCsvSayWhichAreBounds()
    {
        const Rows model({{u"session"_s, u"Session"_s}, waits},
            {Cells{u"63"_s, Value(microseconds(41s))}, Cells{u"70"_s, Value::atLeast(1min)}});
        QCOMPARE(model.written(Form::Csv),
            u"session,waits_ms,waits_ms_exact\r\n63,41000,true\r\n70,60000,false\r\n"_s);
        QCOMPARE(rendered({.sections = {sectionOf(model, {model.index(0, 0)}, {0, 1})}}, Form::Csv),
            u"session,waits_ms\r\n63,41000\r\n"_s);
    }

    void markdownIsATableOfPlainText()
    {
        const Rows model({{u"name"_s, u"Name"_s}, {u"count"_s, u"Count"_s}},
            {Cells{u"a|b\n<img src=x> [x](http://evil) *b*"_s, u"7 &lt; 8"_s}});
        QCOMPARE(model.written(Form::Markdown),
            u"| Name | Count |\n| --- | --- |\n"
            "| a\\|b \\<img src=x\\> \\[x\\](http://evil) \\*b\\* | 7 \\&lt; 8 |\n\n"_s);
    }

    /// A name that the server accepted stays a name: run by a real engine.
    void insertPutsInWhatIsShown()
    {
        const QString evil = u"x'); DROP TABLE locks; --"_s;
        const Rows model({{u"name"_s, u"Name"_s}, {u"blocked \"by\""_s, u"Blocked by"_s}, waits},
            {Cells{evil, u"51"_s, Value::atLeast(1min)}, Cells{u"007"_s, QString(), Value()}});
        const QString insert = asInsert(model.all(), u"locks"_s);
        {
            QSqlDatabase database = QSqlDatabase::addDatabase(u"QSQLITE"_s, u"insert"_s);
            database.setDatabaseName(u":memory:"_s);
            QVERIFY(database.open());
            QSqlQuery query(database);
            QVERIFY(query.exec(
                u"CREATE TABLE locks (name text, \"blocked \"\"by\"\"\" integer, waits_ms integer, waits_ms_exact text)"_s));
            QVERIFY2(query.exec(insert), qPrintable(insert + query.lastError().text()));
            QVERIFY(query.exec(u"SELECT * FROM locks ORDER BY rowid"_s));
            QVERIFY(query.next());
            QCOMPARE(query.value(0).toString(), evil);
            QCOMPARE(query.value(1).toInt(), 51);
            QCOMPARE(query.value(2).toInt(), 60'000);
            QCOMPARE(query.value(3).toString(), u"false"_s);
            QVERIFY(query.next());
            QCOMPARE(query.value(0).toString(), u"007"_s);
            QVERIFY(query.value(1).isNull() && query.value(2).isNull());
            QVERIFY(!query.next());
        }
        QSqlDatabase::removeDatabase(u"insert"_s);
    }

    void aColumnOfAnInsertHasOneType()
    {
        const Rows model({{u"name"_s, u"Name"_s}, {u"session"_s, u"Session"_s}},
            {Cells{u"42"_s, u"51"_s}, Cells{u"it's"_s + QChar(0), QString()}});
        QCOMPARE(asInsert(model.all(), u"locks"_s),
            u"INSERT INTO \"locks\" (\"name\", \"session\") VALUES\n"
            "    ('42', 51),\n    ('it''s\\u0000', NULL);\n"_s);
    }

    void aLongInsertIsSeveral()
    {
        std::vector<Cells> rows;
        for (int row = 0; row < 1'001; ++row)
            rows.push_back({QString::number(row)});
        const QString text = asInsert(Rows({{u"session"_s, u"Session"_s}}, rows).all(), u"sessions"_s);
        QCOMPARE(text.count(u"INSERT"_s), 2);
        QCOMPARE(text.count(u";\n"_s), 2);
        QVERIFY2(text.endsWith(u"VALUES\n    (1000);\n"_s), qPrintable(text.right(60)));
    }

    void aFileThatTakesLongIsSaidToBeWritten()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"slow.txt"_s);
        const auto disk = std::make_shared<QSemaphore>();
        const auto freed = qScopeGuard([disk] { disk->release(); });
        QObject window;
        QStringList told;
        const auto content = [disk]() -> Result<QByteArray> {
            disk->acquire();
            return QByteArray("rows");
        };
        writeLater(window, path, content, u"done"_s, [&told](const QString& text) { told << text; });
        QTRY_COMPARE(told.size(), 1);
        QCOMPARE(told.first(), u"Writing %1…"_s.arg(path));
        QVERIFY(QThreadPool::globalInstance()->waitForDone(0)); // as the end of the program does
        disk->release();
        QTRY_COMPARE(told.size(), 2);
        QCOMPARE(told.last(), u"done"_s);
        QCOMPARE(fileContent(path), QByteArray("rows"));
        writeLater(window, folder.filePath(u"none/x"_s), QByteArray("rows"), u"done"_s,
            [&told](const QString& text) { told << text; });
        QTRY_COMPARE(told.size(), 3);
        VERIFY_CONTAINS(told.last(), u"is not written"_s);
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
