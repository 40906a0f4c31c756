// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/LockBiography.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/TestProgram.h"

namespace tst_LockBiography {

using namespace lockscope;
using namespace lockscope::record;
using namespace lockscope::test;

constexpr auto at = &SnapshotBuilder::at;

/// "held 51 billing −5…9", "waited 63 report 4…9": seconds since the beginning.
static QStringList shown(const Biography& biography)
{
    QStringList lines;
    for (const HistoryLine& line : biography.lines) {
        const auto second = [](ServerTime time) { return QString::number((time - at(0)) / 1s); };
        const QString what = std::holds_alternative<RecordedLock>(biography.subject)
            ? line.recordedParty().title()
            : line.lock;
        lines << u"%1 %2 %3…%4"_s.arg(
            line.waited ? u"waited"_s : u"held"_s, what, second(line.from), second(line.to));
    }
    return lines;
}

static Biography storyOfOrders(RecordedPolls& recording, int from, int to)
{
    const RecordedLock orders = test::lockNamed(recording.reader(), u"public.orders"_s);
    return test::orDie(biography(recording.reader(), orders, at(from), at(to)));
}

class tst_LockBiography : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whoHadALock()
    {
        RecordedMinute recording;
        const Biography history = storyOfOrders(recording, 0, 59);
        QCOMPARE(history.title, u"public.orders"_s);
        COMPARE_TEXTS(shown(history), "held 51 billing -5…9", "waited 63 report 4…9", "waited 70 web 6…14",
            "held 63 report 10…14", "held 70 web 15…20");
        QVERIFY(!history.isCut);
        QCOMPARE(history.coverage.polls, 60);
        COMPARE_TEXTS(shown(storyOfOrders(recording, 12, 14)), "waited 70 web 6…14", "held 63 report 10…14");
        QCOMPARE(lockNamesMeant(recording.reader(), u"no.such"_s).error().kind, ErrorKind::MissingObject);
    }

    void aNameIsFoundByAPartOfIt()
    {
        RecordedMinute recording;
        const auto meant = [&](const QString& written) {
            return lockNamesMeant(recording.reader(), written).value_or(QStringList());
        };
        COMPARE_TEXTS(meant(u"public.orders"_s), "public.orders");
        COMPARE_TEXTS(meant(u"%ORD%"_s), "public.orders");
        QVERIFY2(meant(u"public.%"_s).size() > 1, qPrintable(meant(u"public.%"_s).join(u' ')));
        for (const QString& written : {u"order"_s, u"shop.orders"_s, u"ordesr"_s, u"%orders_%"_s, u"\\"_s}) {
            const auto unseen = lockNamesMeant(recording.reader(), written);
            QVERIFY2(!unseen && unseen.error().kind == ErrorKind::MissingObject, qPrintable(written));
            if (written.contains(u"ord"_s))
                QVERIFY2(
                    unseen.error().hint.contains(u"public.orders"_s), qPrintable(unseen.error().toString()));
        }
    }

    void handOversAreReported()
    {
        RecordedMinute recording;
        const Biography history = storyOfOrders(recording, 0, 59);
        QCOMPARE(history.handOvers.size(), 2);
        const HandOver& first = history.handOvers[0];
        QCOMPARE(first.at, at(10));
        QVERIFY(first.from && first.wait);
        QCOMPARE(history.lines[*first.from].party.program, u"billing"_s);
        QCOMPARE(history.lines[first.to].party.program, u"report"_s);
        QCOMPARE(history.lines[*first.wait].from, at(4));
        QVERIFY(history.lines[*first.wait].waited);
        const HandOver& second = history.handOvers[1];
        QCOMPARE(second.at, at(15));
        QVERIFY(second.from && second.wait);
        QCOMPARE(history.lines[*second.from].party.program, u"report"_s);
        QCOMPARE(history.lines[second.to].party.program, u"web"_s);
        QCOMPARE(history.lines[*second.wait].from, at(6));
        // A cancelled request returns nothing.
        const auto items = test::lockNamed(recording.reader(), u"public.items"_s);
        QVERIFY(biography(recording.reader(), items, at(0), at(59))->handOvers.isEmpty());
    }

    void aGapIsNoHandOver()
    {
        RecordedPolls recording;
        const auto hold = [](SnapshotBuilder& s, int second) {
            const int session = second < 60 ? 51 : 52;
            s.session(session, "billing");
            s.holds(session, "public.orders", "AccessExclusiveLock", second % 60);
        };
        recording.addPolls(0, 5, hold);
        recording.end();
        recording.addPolls(60, 65, hold);
        const Biography history = storyOfOrders(recording, 0, 64);
        QCOMPARE(history.lines.size(), 2);
        QVERIFY(!history.lines[0].gone);
        QVERIFY(!history.lines[0].goesOn);
        QVERIFY(history.lines[1].goesOn);
        QVERIFY(history.handOvers.isEmpty()); // nobody knows
        QCOMPARE(history.coverage.gaps, (QList<Coverage::Gap>{{at(4), at(60), Coverage::Reason::Stopped}}));
    }

    void whatASessionDid()
    {
        RecordedMinute recording;
        const auto session = theSession(recording.reader(), SessionId{51}, at(59));
        QVERIFY(session);
        const auto history = test::orDie(biography(recording.reader(), *session, at(0), at(59)));
        QCOMPARE(history.title, u"51 billing"_s);
        COMPARE_TEXTS(shown(history), "held public.orders -5…9", "held public.items 25…32");
        const auto other = theSession(recording.reader(), SessionId{63}, at(59));
        COMPARE_TEXTS(shown(*biography(recording.reader(), *other, at(0), at(59))),
            "waited public.orders 4…9", "held public.orders 10…14");
        QCOMPARE(
            theSession(recording.reader(), SessionId{4'711}, at(59)).error().kind, ErrorKind::MissingObject);
    }

    void aNumberThatCameAgainIsAnotherSession()
    {
        RecordedPolls recording;
        for (int i = 0; i < 20; ++i) {
            SnapshotBuilder s(i);
            s.session(51, i < 10 ? "billing" : "report");
            s.holds(51, i < 10 ? "public.orders" : "public.items", "AccessShareLock", i % 10);
            if (i >= 10)
                s.made().sessions[0].started = s.made().requests[0].sessionStarted = at(9);
            recording.append(s.take(), i);
        }
        const auto earlier = theSession(recording.reader(), SessionId{51}, at(5));
        const auto later = theSession(recording.reader(), SessionId{51}, at(15));
        QVERIFY(earlier && later);
        QCOMPARE(later->started, at(9));
        COMPARE_TEXTS(
            shown(*biography(recording.reader(), *earlier, at(0), at(19))), "held public.orders 0…9");
        COMPARE_TEXTS(
            shown(*biography(recording.reader(), *later, at(0), at(19))), "held public.items 10…19");
    }

    /// SQL Server gives the start of a session in its local time, which may be hours ahead of the polls.
    void aBeginningInLocalTimeHidesNothing()
    {
        RecordedPolls recording;
        const ServerTime began = at(2 * 3'600);
        for (int i = 0; i < 10; ++i) {
            SnapshotBuilder s(i);
            s.session(51, "billing");
            s.holds(51, "public.orders", "AccessShareLock", i);
            s.made().sessions[0].started = s.made().requests[0].sessionStarted = began;
            recording.append(s.take(), i);
        }
        COMPARE_TEXTS(
            shown(*biography(recording.reader(), RecordedSession{SessionId{51}, began}, at(0), at(9))),
            "held public.orders 0…9");
    }

    /// A table that was renamed is the same one; one of the same name in another database is not.
    void aLockIsKnownByItsIdentity()
    {
        RecordedPolls recording;
        RecordedLock lock;
        for (int i = 0; i < 10; ++i) {
            SnapshotBuilder s(i);
            s.sessions({{51, "billing"}, {52, "report"}});
            s.holds(51, "public.orders", "AccessShareLock", i);
            s.holds(52, "elsewhere", "AccessShareLock", i);
            Snapshot snapshot = *s.take();
            snapshot.resources[0].key = {ResourceKind::Relation, 5, 4'711, 0, {}};
            snapshot.resources[0].name = i < 5 ? u"public.orders"_s : u"public.orders_old"_s;
            snapshot.resources[1].key = {ResourceKind::Relation, 6, 4'711, 0, {}};
            snapshot.resources[1].name = u"public.orders"_s;
            snapshot.resources[1].database = u"archive"_s;
            snapshot.index();
            lock = recordedLock(snapshot.resources[0]);
            recording.append(std::make_shared<const Snapshot>(std::move(snapshot)), i);
        }
        recording.end();
        recording.addPoll(10, [](SnapshotBuilder& s) { s.session(51, "billing"); });
        const auto history = test::orDie(biography(recording.reader(), lock, at(0), at(10)));
        QCOMPARE(history.lines.size(), 1);
        QCOMPARE(history.lines.front().party.program, u"billing"_s);
        QCOMPARE(recording.reader().locksNamed(u"public.orders"_s)->size(), 2);
    }

    void aNameThatSeveralHaveIsToldApart()
    {
        RecordedPolls recording;
        recording.addPoll(0, [](SnapshotBuilder& s) {
            s.session(51, "billing");
            s.holds(51, "nightly", "ExclusiveLock", 1, false, ResourceKind::ApplicationLock);
            s.entry("nightly", "ann");
        });
        const auto locks = test::orDie(recording.reader().locksNamed(u"nightly"_s));
        QCOMPARE(QSet<QString>({locks.value(0).kind, locks.value(1).kind}),
            (QSet<QString>{u"application lock"_s, u"lock-table name"_s}));
        QCOMPARE(locks.size(), 2);
    }

    void namesOfALockTable()
    {
        RecordedPolls recording;
        recording.addPolls(0, 6, [](SnapshotBuilder& s, int i) {
            s.entry("hourly", "cid").lease(600, 20 + i);
            if (i < 3)
                s.entry("nightly", "ann").lease(600, 20 + i).queue("bob", 1 + i);
            else
                s.entry("nightly", "bob").lease(600, i - 3);
        });
        const auto history = biography(recording.reader(),
            recordedLock(LockTableKey{u"lockscope.lock_entry"_s, u"nightly"_s}), at(0), at(5));
        QVERIFY(history);
        QCOMPARE(history->lines.size(), 3);
        QVERIFY(std::ranges::all_of(
            history->lines, [](const HistoryLine& line) { return line.lock == u"nightly"_s; }));
        QCOMPARE(history->handOvers.size(), 1);
        QVERIFY(history->handOvers[0].from && history->handOvers[0].wait);
        QCOMPARE(history->lines[*history->handOvers[0].from].party.owner, u"ann"_s);
        QCOMPARE(history->lines[history->handOvers[0].to].party.owner, u"bob"_s);
        QVERIFY(history->lines[*history->handOvers[0].wait].waited);
    }

    void tooMuchIsCutAndSaid()
    {
        RecordedPolls recording;
        constexpr int polls = 30;
        constexpr int holders = 200; // at each poll others
        recording.addPolls(0, polls, [](SnapshotBuilder& s, int i) {
            for (int k = 0; k < holders; ++k) {
                const int session = 1'000 + i * holders + k;
                s.session(session, "web");
                s.holds(session, "public.orders", "AccessShareLock", 0);
            }
        });
        const Biography history = storyOfOrders(recording, 0, polls);
        QVERIFY(history.isCut);
        QCOMPARE(history.lines.size(), Biography::maxLines);
        QCOMPARE(history.to, at(25)); // 5,000 are the first 25 polls
    }

    void linesSayWhatIsExact()
    {
        RecordedMinute recording;
        const Biography history = storyOfOrders(recording, 0, 59);
        QCOMPARE(describe(history.lines[0], history.subject),
            u"51 billing held it, AccessExclusiveLock, from 03:12:02 or earlier, until 03:12:16 or later; gone at 03:12:17 (seen at 10 of 10 polls, ≥ 14 s)"_s);
        QCOMPARE(describe(history.lines[1], history.subject),
            u"63 report waited for it, AccessExclusiveLock, from 03:12:11, until 03:12:16 or later; gone at 03:12:17 (seen at 6 of 6 polls, ≥ 5 s)"_s);
    }
};

LOCKSCOPE_TEST(tst_LockBiography)

} // namespace tst_LockBiography
#include "tst_LockBiography.moc"
