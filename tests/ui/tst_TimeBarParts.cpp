// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The parts of a time bar: the range on view, the axis, recorded times and gaps, and how they are drawn.

#include "core/domain/Harm.h"
#include "tests/support/MadeTime.h"
#include "tests/support/TestProgram.h"
#include "ui/kit/theme/Theme.h"
#include "ui/shell/timetravel/TimeBarPainter.h"

#include <QtWidgets>

namespace tst_TimeBarParts {

using namespace lockscope;
using namespace lockscope::ui;
using record::Event;
using test::MadeTime;
using Why = UnseenRange::Why;

constexpr microseconds slowest = 10s;

/// The whole of it, in so many columns.
static TimeScale wholeOf(const MadeTime& time, int columns)
{
    const qint64 column = ((time.last() - time.first()).count() + columns) / columns;
    return {time.first().us, time.first().us + column * columns, columns};
}

static TimeBarRecord knownOf(const MadeTime& time, const TimeScale& scale)
{
    TimeBarRecord known;
    known.take(time.answer({scale.from}, {scale.to}, scale.width), false);
    return known;
}

static TimeBarScene sceneOf(const MadeTime& time, const TimeScale& scale)
{
    const TimeBarRecord known = knownOf(time, scale);
    TimeBarScene scene;
    scene.scale = scale;
    scene.from = known.from();
    scene.to = known.lastSeen();
    scene.pieces = piecesOf(known, scale, slowest);
    scene.unseen = known.unseen(time.first(), time.last(), slowest);
    scene.marks = marksOf(known.events(), scale);
    for (const TimeBarPiece& piece : scene.pieces) {
        scene.maxWaiting = std::max(scene.maxWaiting, piece.waiting);
        scene.longest = std::max(scene.longest, piece.longest);
    }
    return scene;
}

static const TimeBarPiece* pieceAt(const std::vector<TimeBarPiece>& pieces, int x)
{
    const auto found = std::ranges::find_if(
        pieces, [x](const TimeBarPiece& each) { return each.x <= x && x < each.x + each.width; });
    return found == pieces.end() ? nullptr : &*found;
}

struct DrawnBar {
    QImage image;
    TimeBarGeometry places;
};

static DrawnBar drawn(const TimeBarScene& scene, ThemeMode mode)
{
    const QFont font = QApplication::font();
    // Wide enough for the captions beside it.
    QSize size(scene.scale.width, TimeBarGeometry::height(font));
    while (TimeBarGeometry(size, font).plot.width() < scene.scale.width)
        size.rwidth() += 1;
    const TimeBarGeometry geometry(size, font);
    DrawnBar bar{QImage(size, QImage::Format_RGB32), geometry};
    QPainter painter(&bar.image);
    TimeBarPainter(theme::paletteOf(mode), font).paintScene(painter, geometry, scene);
    return bar;
}

static std::set<QRgb> colorsOf(const QImage& image, const QRect& area)
{
    std::set<QRgb> colors;
    for (int y = area.top(); y <= area.bottom(); ++y)
        for (int x = area.left(); x <= area.right(); ++x)
            colors.insert(image.pixel(x, y));
    return colors;
}

/// Returns the range on view of a recording of so many seconds.
static TimeBarRange rangeOf(const MadeTime& time, int seconds, int width = 1'000)
{
    TimeBarRange range;
    range.setWidth(width);
    range.setSpan(time.at(0), time.at(seconds), true);
    return range;
}

class tst_TimeBarParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void columnsStandForTheSameWhileTimeGoesOn()
    {
        const MadeTime time;
        TimeBarRange range = rangeOf(time, 7'200, 777);
        const qint64 column = range.perColumn();
        for (int second = 7'200; second < 7'300; ++second) {
            range.setSpan(time.at(0), time.at(second), true);
            QCOMPARE(range.perColumn(), column);
            QCOMPARE(range.scale().from % column, 0);
            QCOMPARE((range.scale().to - range.scale().from), column * 777);
            QVERIFY(range.isLastShown());
        }
        QVERIFY(range.at(0) > time.at(7'300 - 15 * 60 - 5));
    }

    void allThereIsGrowsWithoutBeingDividedAnew()
    {
        const MadeTime time;
        TimeBarRange range = rangeOf(time, 3'600);
        range.showLast({});
        int changes = 0;
        for (int second = 3'600; second < 7'200; ++second) {
            changes += range.setSpan(time.at(0), time.at(second), true);
            QVERIFY(range.isLastShown());
            QVERIFY(range.scale().from <= time.at(0).us);
        }
        QVERIFY2(changes > 5 && changes < 60, qPrintable(QString::number(changes)));
    }

    void zoomingKeepsWhatIsUnderThePointer()
    {
        const MadeTime time;
        TimeBarRange range = rangeOf(time, 86'400);
        range.showLast({});
        const ServerTime under = range.at(300);
        for (int notch = 0; notch < 12; ++notch) {
            QVERIFY(range.zoom(1.4, range.x(under)));
            QVERIFY2(std::abs(range.x(under) - 300) < 16, qPrintable(QString::number(range.x(under))));
        }
        // It zooms no closer than it makes sense.
        for (int notch = 0; notch < 50; ++notch)
            range.zoom(1.4, range.x(under));
        QVERIFY(range.scale().to - range.scale().from >= 10'000'000);
        QVERIFY(range.scale().to - range.scale().from < 10'100'000);
        QVERIFY(range.scale().from <= under.us && under.us <= range.scale().to);
    }

    void nothingOutsideOfTheRecordingIsShown()
    {
        const MadeTime time;
        TimeBarRange range = rangeOf(time, 3'600);
        range.show(time.at(-5'000), time.at(-4'000));
        QVERIFY(time.at(0).us - range.scale().from < range.perColumn());
        range.move(-24h);
        QVERIFY(time.at(0).us - range.scale().from < range.perColumn());
        range.move(24h);
        QVERIFY(range.isLastShown());
        range.show(time.at(-100'000), time.at(100'000));
        QVERIFY(time.at(0).us - range.scale().from < range.perColumn());
        QVERIFY(range.scale().to < time.at(3'600 * 11 / 10).us);
        QCOMPARE(range.at(-50), time.at(0));
        QCOMPARE(range.at(5'000), time.at(3'600));
    }

    void aRecordingThatHasJustBegunIsShown()
    {
        const MadeTime time;
        TimeBarRange range;
        QVERIFY(range.isEmpty());
        range.setWidth(1'000);
        range.setSpan(time.at(0), time.at(0), true);
        QVERIFY(!range.isEmpty());
        QVERIFY(range.isLastShown());
        QVERIFY(range.scale().to - range.scale().from >= 60'000'000);
        QVERIFY(range.x(time.at(0)) < 20);
    }

    void theWorstOfEachPixelIsDrawn()
    {
        MadeTime day = MadeTime::polled(0, 86'400, 10);
        day.wait(40'000, 40'010, 9); // one poll
        day.wait(50'000, 53'600, 2);
        const TimeScale scale = wholeOf(day, 600);
        const auto pieces = piecesOf(knownOf(day, scale), scale, slowest);
        const auto x = [&](int second) { return int(scale.xOf(day.at(second).us)); };
        QCOMPARE(pieceAt(pieces, x(40'000))->waiting, 9);
        QCOMPARE(pieceAt(pieces, x(40'000))->width, 1);
        QCOMPARE(pieceAt(pieces, x(39'700))->waiting, 0);
        QCOMPARE(pieceAt(pieces, x(40'300))->waiting, 0);
        QCOMPARE(pieceAt(pieces, x(52'000))->waiting, 2);
        // Nothing is left out, nothing twice.
        int next = 0;
        for (const TimeBarPiece& piece : pieces) {
            QCOMPARE(piece.x, next);
            next = piece.x + piece.width;
        }
        QVERIFY(next >= 599);
    }

    void aPollLastsUntilTheNextOne()
    {
        MadeTime minute = MadeTime::polled(0, 60, 5);
        minute.wait(20, 30, 3); // the polls at 20 and 25
        const TimeScale scale{minute.at(0).us, minute.at(60).us, 600};
        const auto pieces = piecesOf(knownOf(minute, scale), scale, slowest);
        QCOMPARE(pieceAt(pieces, 199)->waiting, 0);
        QCOMPARE(pieceAt(pieces, 200)->waiting, 3);
        QCOMPARE(pieceAt(pieces, 299)->waiting, 3);
        QCOMPARE(pieceAt(pieces, 300)->waiting, 0);
    }

    void whatNobodySawIsNoPiece()
    {
        MadeTime time = MadeTime::polled(0, 100);
        time.addPolls(200, 300, 1, 2);
        time.addPolls(300, 600, 30, 2); // too rarely
        time.wait(90, 100, 2);
        const TimeScale scale{time.at(0).us, time.at(600).us, 600};
        const auto pieces = piecesOf(knownOf(time, scale), scale, slowest);
        QVERIFY(pieceAt(pieces, 99));
        QVERIFY(!pieceAt(pieces, 150));
        QVERIFY(!pieceAt(pieces, 199));
        QVERIFY(pieceAt(pieces, 200));
        QVERIFY(pieceAt(pieces, 330));
        QVERIFY(!pieceAt(pieces, 345));
        const auto unseen = knownOf(time, scale).unseen(time.first(), time.last(), slowest);
        QCOMPARE(unseen.size(), 2);
        QCOMPARE(unseen[0],
            (UnseenRange{.from = time.at(99), .to = time.at(200), .why = Why::Nobody, .reason = {}}));
        QCOMPARE(unseen[1].why, Why::TooSlow);
        QCOMPARE(unseen[1].from, time.at(300));
        QCOMPARE(unseen[1].to, time.last());
        QCOMPARE(unseen[1].pause, 30s);
    }

    void slowPollsAreUnseenHoweverFarAway_data()
    {
        test::addRows<int>("columns",
            {{"each look is far from the next", 2'000}, {"some columns have one", 300},
                {"each column has several", 20}});
    }
    void slowPollsAreUnseenHoweverFarAway()
    {
        QFETCH(const int, columns);
        MadeTime time = MadeTime::polled(0, 3'600);
        time.addPolls(3'600, 7'200, 20);
        const TimeScale scale = wholeOf(time, columns);
        const auto unseen = knownOf(time, scale).unseen(time.first(), time.last(), slowest);
        QCOMPARE(unseen.size(), 1);
        QCOMPARE(unseen[0].why, Why::TooSlow);
        const microseconds column = microseconds((scale.to - scale.from) / columns);
        QVERIFY(std::chrono::abs(unseen[0].from - time.at(3'600)) <= column + 20s);
        QVERIFY(std::chrono::abs(unseen[0].to - time.last()) <= column + 20s);
        // Polls every second are enough.
        QVERIFY(knownOf(time, scale).unseen(time.first(), time.last(), 60s).isEmpty());
    }

    void whyNothingIsRecordedIsReported()
    {
        MadeTime time = MadeTime::polled(0, 100);
        time.addPolls(200, 300, 1, 2);
        time.addPolls(400, 500, 1, 3);
        TimeBarData data = time.answer(time.first(), time.last(), 500);
        data.gaps[0].reason = record::Coverage::Reason::NoAnswer;
        data.gaps[0].detail = u"The server can't be reached."_s;
        data.gaps[1].reason = record::Coverage::Reason::CutOff;
        TimeBarRecord known;
        known.take(data, false);
        const auto unseen = known.unseen(time.first(), time.last(), slowest);
        QCOMPARE(unseen.size(), 2);
        QCOMPARE(unseenText(unseen[0]),
            u"Not recorded from 12:01:39 to 12:03:20 (1 min 41 s): The server can't be reached."_s);
        QVERIFY(unseenText(unseen[1]).contains(u"cut off"_s));
        // Those that were dropped after a time leave their segment: that was not slow.
        MadeTime kept = MadeTime::polled(0, 60);
        kept.addPolls(7'200, 7'260);
        TimeBarData pruned = kept.answer(kept.first(), kept.last(), 500);
        pruned.gaps.append({kept.at(59), kept.at(7'200), record::Coverage::Reason::Pruned});
        TimeBarRecord left;
        left.take(pruned, false);
        const auto dropped = left.unseen(kept.first(), kept.last(), slowest);
        QVERIFY(!dropped.isEmpty());
        QCOMPARE(dropped[0].why, Why::Nobody);
        QCOMPARE(dropped[0].reason, u"pruned"_s);
        QVERIFY(left.isGapBetween(*left.at(kept.at(59)), *left.at(kept.at(7'200))));
        // A part that is read again later replaces its own times, and nothing else.
        TimeBarData part = kept.answer(kept.at(30), kept.at(100), 70);
        part.gaps = {{kept.at(59), kept.at(100), record::Coverage::Reason::Pruned}};
        left.take(part, true);
        QCOMPARE(left.unseen(kept.first(), kept.last(), slowest)[0], dropped[0]);
        // A gap that goes on beyond what is read keeps its own times, at both ends, and when more is read.
        TimeBarRecord inside;
        TimeBarData middle = kept.answer(kept.at(1'000), kept.at(2'000), 500);
        middle.gaps = {{kept.at(59), kept.at(7'200), record::Coverage::Reason::Pruned}};
        inside.take(middle, false);
        QCOMPARE(inside.unseen(kept.first(), kept.last(), slowest), QList{dropped[0]});
        TimeBarData later = kept.answer(kept.at(1'900), kept.at(3'000), 500);
        later.gaps = middle.gaps;
        inside.take(later, true);
        QCOMPARE(inside.unseen(kept.first(), kept.last(), slowest), QList{dropped[0]});
        // The text names another day.
        QVERIFY(unseenText(
            {kept.at(-86'400), kept.at(0), Why::Nobody, {},
                {}}).startsWith(u"Not recorded from Sat 21 Nov 12:00:00 to Sun 22 Nov 12:00:00"_s));
        // The newest poll is old: nothing is recorded since.
        QCOMPARE(knownOf(time, wholeOf(time, 500)).unseen(time.first(), time.last() + 5s, slowest).size(), 2);
        known.take(time.answer(time.first(), time.at(800), 500), false);
        QCOMPARE(known.unseen(time.first(), time.at(700), slowest).last().from, time.last());
    }

    void aPartTakesThePlaceOfThatPartOnly()
    {
        MadeTime time = MadeTime::polled(0, 600);
        time.happened(100, Event::Kind::Note, u"early"_s);
        time.happened(500, Event::Kind::Note, u"late"_s);
        TimeBarRecord known;
        known.take(time.answer(time.at(0), time.at(600), 600), false);
        time.wait(0, 600, 4);
        time.happened(510, Event::Kind::Note, u"new"_s);
        known.take(time.answer(time.at(400), time.at(600), 200), true);
        QCOMPARE(known.snapshots().size(), 600);
        QCOMPARE(known.at(time.at(399))->waiting, 0);
        QCOMPARE(known.at(time.at(400))->waiting, 4);
        QCOMPARE(known.events().size(), 3);
        known.forgetBefore(time.at(300));
        QCOMPARE(known.snapshots().size(), 300);
        QCOMPARE(known.events().size(), 2);
        QVERIFY(!known.at(time.at(299)));
    }

    void anIncidentEndsWhereNobodyWaits()
    {
        MadeTime time = MadeTime::polled(0, 600);
        time.wait(100, 130, 2);
        time.wait(590, 600, 2);
        const TimeBarRecord known = knownOf(time, wholeOf(time, 600));
        QCOMPARE(known.incidentAt(time.at(110)), std::pair(time.at(100), time.at(130)));
        QVERIFY(!known.incidentAt(time.at(99)));
        QVERIFY(!known.incidentAt(time.at(130)));
        // It goes on: seen until the last poll.
        QCOMPARE(known.incidentAt(time.at(595)), std::pair(time.at(590), time.at(599)));
    }

    void heightsAreInProportionToTheMaximum()
    {
        const AgeThresholds thresholds{10s, 60s};
        QCOMPARE(waitHeight(20min, 40min, thresholds), waitHeight(40min, 40min, thresholds) / 2);
        QVERIFY(waitHeight(40min, 40min, thresholds) < 0.9); // its line is below the upper edge
        QVERIFY(waitHeight(9s, 9s, thresholds) < 0.5); // what does not matter yet is not high
        QCOMPARE(waitHeight(0s, 40min, thresholds), 0.0);
        QVERIFY(waitHeight(5s, 5s, {0ms, 0ms}) <= 1); // whatever somebody sets
        QCOMPARE(waitersHeight(100, 300), waitersHeight(300, 300) / 3);
        QVERIFY(waitersHeight(1, 1) < 0.5);
        QCOMPARE(waitersHeight(0, 0), 0.0);
        QCOMPARE(maximumText(u"9"_s, AgeLevel::Normal), u"max 9"_s);
        QCOMPARE(maximumText(u"40 min"_s, AgeLevel::Red), u"■ max 40 min"_s);
        QCOMPARE(maximumText({}, AgeLevel::Normal), u"–"_s);
    }

    void manyWaitersAreRedHoweverShort_data() { addModes(); }
    /// 100 waiters are red, as on the overview, however short their waits are.
    void manyWaitersAreRedHoweverShort()
    {
        QFETCH(const ThemeMode, mode);
        MadeTime time = MadeTime::polled(0, 600);
        time.wait(100, 105, manyBlocked - 1);
        time.wait(300, 305, manyBlocked);
        const TimeScale scale = wholeOf(time, 600);
        TimeBarScene scene = sceneOf(time, scale);
        scene.thresholds = {10s, 60s};
        const DrawnBar bar = drawn(scene, mode);
        const QPalette palette = theme::paletteOf(mode);
        const QRgb red = theme::colors(palette).text(AgeLevel::Red, palette).rgb();
        const auto isRed = [&](const QRect& lane, int second) {
            const QRect column(lane.x() + int(scale.xOf(time.at(second).us)), lane.y(), 1, lane.height());
            return colorsOf(bar.image, column).contains(red);
        };
        QVERIFY(!isRed(bar.places.waiters, 102));
        QVERIFY(isRed(bar.places.waiters, 302));
        QVERIFY(!isRed(bar.places.waits, 302)); // its length is no trouble
    }

    /// Everybody waits all the time: the line of the maximum, and paler below it.
    void thatEverybodyWaitsIsNoBlockOfColour()
    {
        MadeTime time = MadeTime::polled(0, 600);
        time.wait(0, 600, 300);
        const TimeScale scale = wholeOf(time, 600);
        TimeBarScene scene = sceneOf(time, scale);
        scene.thresholds = {10s, 60s};
        const DrawnBar bar = drawn(scene, ThemeMode::Light);
        const auto at = [&](const QRect& lane, int second, double part) {
            return bar.image.pixelColor(lane.x() + int(scale.xOf(time.at(second).us)),
                lane.bottom() - int(part * (lane.height() - 1)));
        };
        if (const QString folder = qEnvironmentVariable("LOCKSCOPE_TEST_PICTURES"); !folder.isEmpty()) {
            bar.image.save(folder + u"/time-bar-full-light.png"_s);
            drawn(scene, ThemeMode::Dark).image.save(folder + u"/time-bar-full-dark.png"_s);
        }
        const QColor ground = theme::paletteOf(ThemeMode::Light).color(QPalette::Base);
        QCOMPARE(at(bar.places.waiters, 400, 1), ground); // there is space above
        QVERIFY(at(bar.places.waiters, 400, 0.3) != ground);
        QVERIFY(at(bar.places.waiters, 400, 0.3).lightnessF()
            > theme::colors(theme::paletteOf(ThemeMode::Light)).red.lightnessF() + 0.1);
        // The longest wait grows.
        QCOMPARE(at(bar.places.waits, 150, 0.6), ground);
        QVERIFY(at(bar.places.waits, 590, 0.6) != ground);
    }

    void marksThatAreTooCloseAreOne()
    {
        MadeTime time = MadeTime::polled(0, 600);
        time.happened(100, Event::Kind::Note, u"a"_s);
        time.happened(101, Event::Kind::Deadlock, u"b\n12:01:42 note: forged"_s); // no line of its own
        time.happened(102, Event::Kind::Failure, u"c"_s); // drawn as a gap, not as a mark
        time.happened(103, Event::Kind::Alert, u"d"_s);
        time.happened(400, Event::Kind::Act, u"e"_s);
        const TimeScale scale{time.at(0).us, time.at(600).us, 600};
        const auto marks = marksOf(time.events, scale);
        QCOMPARE(marks.size(), std::size_t(2));
        QCOMPARE(marks[0],
            (TimeBarMark{.x = 100, .kind = Event::Kind::Deadlock, .first = 0, .count = 4, .gravest = 1}));
        QCOMPARE(marks[1],
            (TimeBarMark{.x = 400, .kind = Event::Kind::Act, .first = 4, .count = 1, .gravest = 4}));
        QCOMPARE(markAt(marks, 404), &marks[1]);
        QVERIFY(!markAt(marks, 300));
        QVERIFY(!markAt({}, 0));
        QCOMPARE(eventsText(time.events, 0, 4),
            u"12:01:40 note: a\n12:01:41 deadlock: b 12:01:42 note: forged\n12:01:43 alert: d"_s);
    }

    void placesAreReportedInWords()
    {
        const MadeTime time = MadeTime::busyHour();
        const TimeBarRecord known = knownOf(time, {time.at(0).us, time.at(3'600).us, 3'600});
        const auto unseen = known.unseen(time.first(), time.last(), slowest);
        QCOMPARE(placeText(known, unseen, time.at(2'020)),
            u"12:33:40: 6 waiting, longest wait 31 s\nHeld up most: 51 billing\n20 sessions, 100 locks"_s);
        QVERIFY(placeText(known, unseen, time.at(1'000)).startsWith(u"Not recorded from 12:14:59"_s));
        QVERIFY(placeText(known, unseen, time.at(3'100)).contains(u"Polled only every 30 s"_s));
        QCOMPARE(positionText(known, unseen, {}), u"Live"_s);
        QCOMPARE(positionText(known, unseen, time.at(700)), u"Sun 22 Nov 12:11:40 UTC: nobody waited"_s);
        QCOMPARE(positionText(known, unseen, time.at(1'000)), u"Sun 22 Nov 12:16:40 UTC: not recorded"_s);
        // Several polls are shown as one.
        const TimeBarRecord far = knownOf(time, {time.at(0).us, time.at(3'600).us, 36});
        QVERIFY(placeText(far, {}, time.at(1'450))
                    .startsWith(u"12:23:20 to 12:24:59, the worst of 100 polls: 12 waiting"_s));
    }

    void aGapIsNeverDrawnAsNothing_data() { addModes(); }
    void aGapIsNeverDrawnAsNothing()
    {
        QFETCH(const ThemeMode, mode);
        MadeTime time = MadeTime::polled(0, 3'600);
        time.addPolls(4'200, 7'200, 1, 2);
        time.addPolls(7'204, 8'000, 1, 3); // four seconds: less than a pixel
        const TimeScale scale = wholeOf(time, 500);
        const DrawnBar bar = drawn(sceneOf(time, scale), mode);
        const QRect lane = bar.places.waits.united(bar.places.waiters).adjusted(0, 1, 0, -2);
        const auto at = [&](int second) { return lane.x() + int(scale.xOf(time.at(second).us)); };
        const auto calm = colorsOf(bar.image, QRect(at(1'000), lane.y(), 20, lane.height()));
        QCOMPARE(calm.size(), std::size_t(1)); // it is recorded, nobody waited
        const auto gap = colorsOf(bar.image, QRect(at(3'610), lane.y(), 20, lane.height()));
        QVERIFY(gap.size() >= 2);
        QVERIFY(gap != calm);
        const auto brief = colorsOf(bar.image, QRect(at(7'202) - 2, lane.y(), 4, lane.height()));
        QVERIFY(brief.size() >= 2);
    }

    void whatIsNotReadYetIsNotDrawnAsCalm_data() { addModes(); }
    void whatIsNotReadYetIsNotDrawnAsCalm()
    {
        QFETCH(const ThemeMode, mode);
        MadeTime time = MadeTime::polled(0, 3'600);
        TimeScale scale = wholeOf(time, 600);
        TimeBarScene scene = sceneOf(time, scale);
        // Zoomed out: what is known now is the middle only.
        const qint64 length = scale.to - scale.from;
        scene.scale = {scale.from - length, scale.to + length, 600};
        scene.pieces.clear();
        const DrawnBar bar = drawn(scene, mode);
        const auto at = [&](int x) {
            return bar.image.pixel(bar.places.plot.x() + x, bar.places.waiters.center().y());
        };
        QVERIFY(at(300) != at(100));
        QCOMPARE(at(100), at(500));
    }

    void oneWaiterAmongManyIsSeen_data() { addModes(); }
    void oneWaiterAmongManyIsSeen()
    {
        QFETCH(const ThemeMode, mode);
        MadeTime time = MadeTime::polled(0, 3'600);
        time.wait(600, 660, 1);
        time.wait(2'000, 2'100, 900);
        const TimeScale scale = wholeOf(time, 600);
        const DrawnBar bar = drawn(sceneOf(time, scale), mode);
        const auto height = [&](int second) {
            const int x = bar.places.plot.x() + int(scale.xOf(time.at(second).us));
            const QRgb calm = bar.image.pixel(bar.places.plot.x() + 5, bar.places.waiters.center().y());
            int pixels = 0;
            for (int y = bar.places.waiters.top(); y <= bar.places.waiters.bottom(); ++y)
                pixels += bar.image.pixel(x, y) != calm;
            return pixels;
        };
        QVERIFY(height(630) >= 3);
        QCOMPARE(height(2'050), int(std::lround(waitersHeight(900, 900) * bar.places.waiters.height())));
        QCOMPARE(height(1'200), 0);
    }

    /// One that is critical is thicker than a warning; a short one is seen, too.
    void incidentsAreLines()
    {
        const TimeScale scale{0, 100'000'000, 1'000};
        const QList<TimeBarIncident> incidents{
            {{10'000'000}, {20'000'000}, false, u"3 sessions wait for report."_s},
            {{15'000'000}, {15'000'001}, true, u"stock has not answered."_s}};
        QCOMPARE(incidentsText(incidents, scale, 50), QString());
        QVERIFY(incidentsText(incidents, scale, 120).endsWith(u"incident: 3 sessions wait for report."_s));
        QCOMPARE(incidentsText(incidents, scale, 151).count(u'\n'), 1);
        QImage image(1'000, 20, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        paintIncidents(painter, incidents, scale, image.rect(), theme::paletteOf(ThemeMode::Light));
        const auto thickness = [&image](int x) {
            int y = 0;
            while (image.pixelColor(x, y) != QColor(Qt::white))
                ++y;
            return y;
        };
        QCOMPARE(thickness(50), 0);
        QCOMPARE(thickness(120), 2);
        QCOMPARE(thickness(151), 4);
    }

    /// Without colours: as many different pictures as kinds.
    void shapesDifferWithoutColour()
    {
        QList<QImage> seen;
        for (const Event::Kind kind : {Event::Kind::Deadlock, Event::Kind::Alert, Event::Kind::Act,
                 Event::Kind::Note, Event::Kind::Mark}) {
            QImage image(15, 15, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            paintMark(painter, kind, false, QRectF(2, 2, 11, 11), theme::paletteOf(ThemeMode::Light));
            painter.end();
            const QImage shape = image.convertToFormat(QImage::Format_Mono, Qt::ThresholdDither);
            QVERIFY(!seen.contains(shape));
            seen.append(shape);
        }
    }

    void drawingIsFast()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("Sanitizers are slow.");
#endif
        MadeTime time = MadeTime::polled(0, 20'000);
        for (int second = 0; second < 20'000; second += 37)
            time.wait(second, second + 20, 1 + second % 60);
        for (int second = 0; second < 20'000; second += 100)
            time.happened(second, Event::Kind::Alert, u"a"_s);
        const TimeScale scale = wholeOf(time, 2'000);
        const TimeBarScene scene = sceneOf(time, scale);
        QVERIFY(scene.pieces.size() > 1'500);
        qint64 best = std::numeric_limits<qint64>::max();
        for (int round = 0; round < 30; ++round) {
            QElapsedTimer timer;
            timer.start();
            QVERIFY(!drawn(scene, ThemeMode::Dark).image.isNull());
            best = std::min(best, timer.nsecsElapsed());
        }
        qInfo("2,000 columns: %.2f ms", double(best) / 1e6);
        QVERIFY2(best < 4'000'000, qPrintable(QString::number(best)));
    }

private:
    static void addModes()
    {
        test::addRows<ThemeMode>("mode", {{"light", ThemeMode::Light}, {"dark", ThemeMode::Dark}});
    }
};

LOCKSCOPE_TEST(tst_TimeBarParts)

} // namespace tst_TimeBarParts
#include "tst_TimeBarParts.moc"
