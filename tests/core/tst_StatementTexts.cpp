// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/sqlserver/SqlServerSessions.h"
#include "tests/support/TestProgram.h"

namespace tst_StatementTexts {

using namespace lockscope::monitor;
using namespace Qt::StringLiterals;

class tst_StatementTexts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theRunningPartOfABatch_data()
    {
        lockscope::test::addColumns<qint64, qint64, QString>("start", "end", "statement");
        const auto row = [](const char* name, qint64 start, qint64 end, const char* statement) {
            lockscope::test::row(name, start, end, statement);
        };
        row("the whole", 0, -1, "SELECT 1; SELECT 2;");
        row("the first", 0, 16, "SELECT 1;");
        row("the second", 20, -1, "SELECT 2;");
        row("beyond the text", 1'000, 2'000, "");
        row("end before start", 20, 0, "");
        row("negative start", -8, 16, "SELECT 1;");
        row("end far away", 20, Q_INT64_C(9'000'000'000'000'000'000), "SELECT 2;");
    }

    void theRunningPartOfABatch()
    {
        FETCH(qint64, start, qint64, end);
        QTEST(StatementTexts::statementIn(u"SELECT 1; SELECT 2;"_s, start, end), "statement");
    }

    void aLongTextIsKnownByItsPieces_data()
    {
        lockscope::test::addColumns<qint64, QString>("start", "piece");
        lockscope::test::row("before the beginning", qint64(-1), "0xAA");
        lockscope::test::row("at the beginning", qint64(0), "0xAA");
        lockscope::test::row("in the first piece", qint64(2 * 16'383), "0xAA");
        lockscope::test::row("beyond it", qint64(2 * 16'384), "0xAA@16384");
        lockscope::test::row("far beyond it", qint64(2 * 100'000), "0xAA@98304");
    }
    void aLongTextIsKnownByItsPieces()
    {
        FETCH(qint64, start, QString, piece);
        QCOMPARE(StatementTexts::pieceOf(u"0xAA"_s, start), piece);
        const auto parts = StatementTexts::partsOf(piece);
        QCOMPARE(parts.handle, u"0xAA"_s);
        QVERIFY(parts.first <= std::max<qint64>(start, 0) / 2 && start / 2 < parts.first + 16'384);
        QCOMPARE(StatementTexts::pieceOf(QString(), start), QString());
    }

    void aTextIsFetchedOnce()
    {
        StatementTexts texts;
        QVERIFY(!texts.find(u"0200AA"_s));
        QVERIFY(!texts.find(u"0200AA"_s));
        QVERIFY(!texts.find({}));
        QCOMPARE(texts.toFetch(10), std::vector<QString>{u"0200AA"_s});
        texts.set(u"0200AA"_s, u"SELECT 1"_s);
        texts.endPoll();
        QCOMPARE(*texts.find(u"0200AA"_s), u"SELECT 1"_s);
        QVERIFY(texts.toFetch(10).empty());
    }

    void whatTheServerHasForgottenIsAskedForSeldom()
    {
        StatementTexts texts;
        int asked = 0;
        for (int poll = 0; poll < 60; ++poll) {
            (void)texts.find(u"0200AA"_s);
            asked += static_cast<int>(texts.toFetch(10).size());
            texts.endPoll();
        }
        QCOMPARE(asked, 2);
    }

    void moreThanAskedForAtOnceComesLater()
    {
        StatementTexts texts;
        std::vector<QString> fetched;
        for (int poll = 0; poll < 3; ++poll) {
            for (const QString& handle : {u"A"_s, u"B"_s, u"C"_s})
                (void)texts.find(handle);
            for (const QString& handle : texts.toFetch(2)) {
                fetched.push_back(handle);
                texts.set(handle, handle);
            }
            texts.endPoll();
        }
        QCOMPARE(fetched, std::vector<QString>({u"A"_s, u"B"_s, u"C"_s}));
    }

    void thoseLongUnusedAreForgotten()
    {
        StatementTexts texts;
        for (int poll = 0; poll < 3; ++poll) {
            for (int i = 0; i < 1'500; ++i)
                texts.set(u"%1-%2"_s.arg(poll).arg(i), u"text"_s);
            texts.endPoll();
        }
        QVERIFY(!texts.find(u"0-0"_s));
        QVERIFY(texts.find(u"2-0"_s));
    }
};

LOCKSCOPE_TEST(tst_StatementTexts)

} // namespace tst_StatementTexts
#include "tst_StatementTexts.moc"
