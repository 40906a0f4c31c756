// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Duration.h"
#include "core/base/ServerTime.h"
#include "core/domain/Resource.h"
#include "core/domain/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_ServerTime {

using namespace lockscope;
using std::chrono::milliseconds;

class tst_ServerTime : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isoString()
    {
        QCOMPARE(ServerTime{1'795'230'727'123'456}.toIsoString(), u"2026-11-21T03:12:07.123456Z"_s);
        QCOMPARE(ServerTime{951'782'400'000'001}.toIsoString(), u"2000-02-29T00:00:00.000001Z"_s);
        QCOMPARE(ServerTime{-1}.toIsoString(), u"1969-12-31T23:59:59.999999Z"_s);
        QCOMPARE(ServerTime{}.toIsoString(), QString());
        QCOMPARE(clockText(ServerTime{1'795'230'727'123'456}), u"03:12:07"_s);
        QCOMPARE(clockText(ServerTime{}), QString());
        QCOMPARE(dateTimeText(ServerTime{1'795'230'727'123'456}), u"2026-11-21 03:12:07 UTC"_s);
        QCOMPARE(dateTimeText(ServerTime{}), u"–"_s);
        const auto read = [](const QString& text) { return ServerTime::fromIsoString(text).us; };
        QCOMPARE(read(u"2026-11-21T03:12:07.123456Z"_s), 1'795'230'727'123'456);
        QCOMPARE(read(u"2026-11-21T03:12:07.1Z"_s), 1'795'230'727'100'000);
        QCOMPARE(read(u"2026-11-21T04:12:07+01:00"_s), 1'795'230'727'000'000);
        for (const QString& none :
            {QString(), u"yesterday"_s, u"2026-11-21T03:12:07"_s}) // the last has no zone
            QVERIFY(!ServerTime::fromIsoString(none).isValid());
    }

    void durations_data()
    {
        test::addColumns<qint64, QString>("ms", "text");
        test::row("nothing", qint64(0), "0 s");
        test::row("not yet a second", qint64(999), "0.9 s");
        test::row("seconds", qint64(41'000), "41 s");
        test::row("minutes", qint64(725'000), "12 min 05 s");
        test::row("just below an hour", qint64(3'599'999), "59 min 59 s");
        test::row("hours", qint64(3'723'000), "1 h 02 min");
        test::row("days", qint64(((3 * 24 + 4) * 60 + 5) * 60'000), "3 d 04 h");
        test::row("crossed clocks", qint64(-5), "0 s");
    }
    void durations()
    {
        QFETCH(qint64, ms);
        QTEST(formatDuration(milliseconds(ms)), "text");
    }

    void agesThatAreOnlyBoundsSaySo()
    {
        QCOMPARE((Age{milliseconds(41'000), true}).toString(), u"41 s"_s);
        QCOMPARE((Age{milliseconds(725'000), false}).toString(), u"≥ 12 min 05 s"_s);
    }

    void everyKindAndStateHasItsOwnName()
    {
        QSet<QString> kinds;
        for (int kind = 0; kind <= int(ResourceKind::SafeSnapshot); ++kind)
            kinds << resourceKindName(static_cast<ResourceKind>(kind));
        QCOMPARE(kinds.size(), int(ResourceKind::SafeSnapshot) + 1);
        QSet<QString> states;
        for (int state = 0; state <= int(SessionState::Hidden); ++state)
            states << sessionStateName(static_cast<SessionState>(state));
        QCOMPARE(states.size(), int(SessionState::Hidden) + 1);
        QVERIFY(!kinds.contains(QString()) && !states.contains(QString()));
    }
};

LOCKSCOPE_TEST(tst_ServerTime)

} // namespace tst_ServerTime
#include "tst_ServerTime.moc"
