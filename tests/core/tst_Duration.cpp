// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Duration.h"
#include "tests/support/TestProgram.h"

namespace tst_Duration {

using namespace lockscope;

class tst_Duration : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reads_data()
    {
        test::addColumns<QString, qint64>("text", "ms");
        test::row("seconds", "10s", qint64(10'000));
        test::row("minutes and seconds", "1m30s", qint64(90'000));
        test::row("milliseconds", "250ms", qint64(250));
        test::row("minutes are not milliseconds", "3m250ms", qint64(180'250));
        test::row("all units", "1d2h3m4s5ms", qint64(93'784'005));
        test::row("a fraction", "1.5h", qint64(5'400'000));
        test::row("a number alone", "90", qint64(90'000));
        test::row("zero", "0s", qint64(0));
        test::row("blanks around", " 2s ", qint64(2'000));
    }
    void reads()
    {
        FETCH(QString, text, qint64, ms);
        const auto duration = parseDuration(text);
        QVERIFY2(duration, "refused");
        QCOMPARE(qint64(duration->count()), ms);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("text");
        const char* texts[] = {"", " ", "s", "10x", "-5s", "10 s", "5s1m", "1s1s", "1m 30s", "1e3s",
            "999999999d", "٣s", "1.s", "ms"};
        for (const char* text : texts)
            QTest::addRow("'%s'", text) << QString::fromUtf8(text);
    }
    void refuses()
    {
        QFETCH(QString, text);
        const auto duration = parseDuration(text);
        VERIFY_FAILS(ErrorKind::BadInput, duration);
        QVERIFY(!duration.error().hint.isEmpty());
    }

    void writesWhatItReads()
    {
        for (const qint64 ms : {0LL, 1LL, 999LL, 1'000LL, 61'001LL, 90'000LL, 3'600'000LL, 93'784'005LL}) {
            const QString text = durationText(milliseconds(ms));
            QCOMPARE(qint64(parseDuration(text).value().count()), ms);
        }
        QCOMPARE(durationText(milliseconds(90'000)), u"1m30s"_s);
    }

    /// The same duration in each of the spellings.
    void tellsPeople_data()
    {
        QTest::addColumn<qint64>("ms");
        QTest::addColumn<QStringList>("texts"); // exact, in columns, in sentences, in figures
        const auto row = [](qint64 ms, const QStringList& texts) {
            QTest::addRow("%lld ms", ms) << ms << texts;
        };
        row(0, {u"0s"_s, u"0 s"_s, u"0 s"_s, u"0"_s});
        row(250, {u"250ms"_s, u"0.2 s"_s, u"0.2 s"_s, u"250 ms"_s});
        row(12'500, {u"12s500ms"_s, u"12 s"_s, u"12 s"_s, u"12.5 s"_s});
        row(360'000, {u"6m"_s, u"6 min 00 s"_s, u"6 min"_s, u"360 s"_s});
        row(725'000, {u"12m5s"_s, u"12 min 05 s"_s, u"12 min 05 s"_s, u"725 s"_s});
        row(3'723'000, {u"1h2m3s"_s, u"1 h 02 min"_s, u"1 h 02 min"_s, u"3723 s"_s});
        row(((3 * 24 + 4) * 60 + 5) * 60'000, {u"3d4h5m"_s, u"3 d 04 h"_s, u"3 d 04 h"_s, u"273900 s"_s});
    }
    void tellsPeople()
    {
        QFETCH(qint64, ms);
        const milliseconds time(ms);
        QTEST((QStringList{durationText(time), formatDuration(time), durationInWords(time),
                  shortDuration(ms * 1'000)}),
            "texts");
    }

    void lengthsInWords()
    {
        QCOMPARE(lengthInWords(1'500ms), u"1.5 s"_s);
        QCOMPARE(lengthInWords(42s), u"42 s"_s);
        QCOMPARE(lengthInWords(10min + 7s), u"10 min 07 s"_s);
        QCOMPARE(lengthInWords(15min), u"15 min"_s);
        QCOMPARE(lengthInWords(125min), u"2 h 05 min"_s);
    }
};

LOCKSCOPE_TEST(tst_Duration)

} // namespace tst_Duration
#include "tst_Duration.moc"
