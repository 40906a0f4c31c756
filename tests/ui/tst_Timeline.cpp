// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The events of sessions become spans, spans become pixels, and the view goes through them by keys.

#include "core/scenario/format/ScenarioFile.h"
#include "tests/support/TestProgram.h"
#include "ui/kit/theme/Theme.h"
#include "ui/views/scenarios/RunText.h"
#include "ui/views/scenarios/Timeline.h"
#include "ui/views/scenarios/TimelinePainter.h"
#include "ui/views/scenarios/TimelinePanel.h"

#include <QSvgGenerator>
#include <QtWidgets>

namespace tst_Timeline {

using namespace lockscope;
using namespace lockscope::ui;
using scenario::EventKind;

struct Said {
    qint64 us;
    EventKind kind;
    QString subject{};
    qint64 value = 0;
};

static scenario::SessionReport session(int number, const std::vector<Said>& events)
{
    scenario::SessionReport report;
    report.number = number;
    report.role = u"clerk"_s;
    report.log.subjects = {QString()};
    for (const Said& each : events) {
        if (!report.log.subjects.contains(each.subject))
            report.log.subjects << each.subject;
        report.log.events.push_back({each.us, each.kind,
            static_cast<quint32>(report.log.subjects.indexOf(each.subject)), each.value});
    }
    return report;
}

static scenario::ScenarioPtr anyScenario()
{
    static const scenario::ScenarioPtr read = scenario::readScenario(R"json({"id": "s", "title": "The queue",
        "story": "s", "engines": ["postgres"], "setup": [],
        "invariant": {"sql": "SELECT 0", "meaning": "m", "violation": "v"},
        "rules": {"processed_once": true}, "variants": [{"id": "u", "title": "t", "strategy": "s", "unsafe": true, "meaning": "m", "roles": [
        {"name": "clerk", "steps": [
            {"sql": "SELECT id FROM job FOR UPDATE", "label": "lock the job", "takes_lock": true},
            {"acquire": {"kind": "app", "name": "till"}}]}]}]})json",
        u"f"_s)
                                                  .value();
    return read;
}

static Timeline timelineFrom(std::vector<scenario::SessionReport> sessions, qint64 endUs = 1'000)
{
    scenario::RunReport report;
    report.scenario = anyScenario();
    report.variant = u"u"_s;
    report.runId = u"run_1"_s;
    report.duration = milliseconds(endUs / 1'000);
    report.sessions = std::move(sessions);
    return timelineOf(report);
}

/// "0-100 waiting, 100-300 holding": spans as one reads them.
static QString textOf(const TimelineLane& lane)
{
    QStringList parts;
    for (const LaneSpan& span : lane.spans) {
        const char* const words[] = {"away", "working", "holding", "waiting", "dead"};
        parts << u"%1-%2 %3"_s.arg(span.from).arg(span.to).arg(
            QLatin1String(words[static_cast<int>(span.state)]));
    }
    return parts.join(u", "_s);
}

static QString textOf(const std::vector<SectionSpan>& sections)
{
    QStringList parts;
    for (const SectionSpan& section : sections)
        parts << u"%1-%2"_s.arg(section.from).arg(section.to);
    return parts.join(u", "_s);
}

static QString textOf(const std::vector<LanePiece>& pieces)
{
    QStringList parts;
    for (const LanePiece& piece : pieces) {
        const char letters[] = ".wHW+";
        parts << u"%1+%2%3"_s.arg(piece.x)
                     .arg(piece.width)
                     .arg(QLatin1Char(letters[static_cast<int>(piece.state)]));
    }
    return parts.join(u' ');
}

class tst_Timeline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void waitsAndHoldsBecomeSpans()
    {
        const Timeline timeline = timelineFrom({session(1,
            {{0, EventKind::RoundBegin}, {100, EventKind::WaitBegin, u"till"_s},
                {300, EventKind::Granted, u"till"_s}, {700, EventKind::Released, u"till"_s},
                {800, EventKind::RoundEnd}, {900, EventKind::RoundBegin}})});
        QCOMPARE(textOf(timeline.lanes[0]),
            u"0-100 working, 100-300 waiting, 300-700 holding, 700-800 working, 900-1000 working"_s);
        QCOMPARE(spanAt(timeline.lanes[0], 300, timeline.end).state, LaneState::Holding);
        const LaneSpan gap = spanAt(timeline.lanes[0], 850, timeline.end);
        QCOMPARE(gap.state, LaneState::Away);
        QCOMPARE(gap.from, 800);
        QCOMPARE(gap.to, 900);
    }

    void whoHoldsAndWaitsIsWaiting()
    {
        const Timeline timeline = timelineFrom({session(1,
            {{0, EventKind::RoundBegin}, {0, EventKind::Granted, u"a"_s}, {200, EventKind::WaitBegin, u"b"_s},
                {500, EventKind::Denied, u"b"_s}, {600, EventKind::Released, u"a"_s},
                {600, EventKind::RoundEnd}})});
        QCOMPARE(textOf(timeline.lanes[0]), u"0-200 holding, 200-500 waiting, 500-600 holding"_s);
        QCOMPARE(timeline.lanes[0].spans[1].held, 1U);
    }

    void deniedAndVictimsAreMarks()
    {
        const Timeline timeline = timelineFrom({session(1,
            {{0, EventKind::RoundBegin}, {10, EventKind::Denied, u"a"_s}, {20, EventKind::WaitBegin, u"b"_s},
                {30, EventKind::Victim}, {31, EventKind::RoundEnd}})});
        const auto& marks = timeline.lanes[0].marks;
        QCOMPARE(marks.size(), 2U);
        QCOMPARE(marks[0].kind, MarkKind::Denied);
        QCOMPARE(marks[1].kind, MarkKind::Victim);
        QCOMPARE(marks[1].at, 30);
        // A wait that ended so is over.
        QCOMPARE(textOf(timeline.lanes[0]), u"0-20 working, 20-30 waiting, 30-31 working"_s);
    }

    void aCrashIsDeadUntilTheRestart()
    {
        const Timeline timeline = timelineFrom({session(1,
            {{0, EventKind::RoundBegin}, {100, EventKind::Granted, u"a"_s}, {200, EventKind::Died},
                {700, EventKind::Restarted}, {701, EventKind::RoundBegin}, {801, EventKind::RoundEnd}})});
        QCOMPARE(
            textOf(timeline.lanes[0]), u"0-100 working, 100-200 holding, 200-700 dead, 701-801 working"_s);
    }

    void whatIsOpenAtTheEndEndsThere()
    {
        const Timeline timeline = timelineFrom({session(1,
            {{0, EventKind::RoundBegin}, {400, EventKind::CriticalBegin, u"x"_s},
                {400, EventKind::WaitBegin, u"a"_s}})});
        QCOMPARE(textOf(timeline.lanes[0]), u"0-400 working, 400-1000 waiting"_s);
        QCOMPARE(textOf(timeline.lanes[0].sections), u"400-1000"_s);
    }

    void aFullLogIsCut()
    {
        auto full = session(1, {{0, EventKind::RoundBegin}, {400, EventKind::WaitBegin, u"a"_s}});
        full.log.dropped = 5;
        const Timeline timeline = timelineFrom({full});
        QVERIFY(timeline.lanes[0].isCut);
        QCOMPARE(textOf(timeline.lanes[0]), u"0-400 working"_s); // nobody knows how long the wait was
    }

    void overlapsAreFoundInBothLanes()
    {
        const auto inside = [](int number, qint64 from, qint64 to) {
            return session(
                number, {{from, EventKind::CriticalBegin, u"x"_s}, {to, EventKind::CriticalEnd, u"x"_s}});
        };
        const Timeline timeline = timelineFrom(
            {inside(1, 100, 300), inside(2, 200, 500), inside(3, 450, 460), inside(4, 600, 700)});
        QCOMPARE(textOf(timeline.lanes[0].overlaps), u"200-300"_s);
        QCOMPARE(textOf(timeline.lanes[1].overlaps), u"200-300, 450-460"_s);
        QCOMPARE(textOf(timeline.lanes[2].overlaps), u"450-460"_s);
        QCOMPARE(textOf(timeline.lanes[3].overlaps), QString());
        QCOMPARE(timeline.overlapCount(), 4);
    }

    void followersDoNotOverlap()
    {
        const Timeline timeline = timelineFrom(
            {session(1, {{100, EventKind::CriticalBegin, u"x"_s}, {200, EventKind::CriticalEnd, u"x"_s}}),
                session(
                    2, {{200, EventKind::CriticalBegin, u"x"_s}, {300, EventKind::CriticalEnd, u"x"_s}})});
        QCOMPARE(timeline.overlapCount(), 0);
    }

    void otherSectionsDoNotOverlap()
    {
        const Timeline timeline =
            timelineFrom({session(1, {{100, EventKind::CriticalBegin, u"customer/1"_s}}),
                session(2, {{100, EventKind::CriticalBegin, u"customer/2"_s}})});
        QCOMPARE(timeline.overlapCount(), 0);
    }

    void whatIsProcessedAgainIsMarked()
    {
        const Timeline timeline = timelineFrom({session(1, {{100, EventKind::Processed, u"7"_s}}),
            session(2, {{50, EventKind::Processed, u"6"_s}, {200, EventKind::Processed, u"7"_s}})});
        QVERIFY(timeline.lanes[0].marks.empty());
        QCOMPARE(timeline.lanes[1].marks.size(), 1U);
        QCOMPARE(timeline.lanes[1].marks[0].kind, MarkKind::Twice);
        QCOMPARE(timeline.lanes[1].marks[0].at, 200);
        const QString words = describeTime(timeline, timeline.lanes[1], 200, 1);
        VERIFY_CONTAINS(words, u"processed again (7)"_s);
    }

    void aSteppedRunIsCountedInSteps()
    {
        // A1 takes the lock; B1 asks for it and waits, until A2 gives it back. The user took his time.
        scenario::RunReport report;
        report.scenario = anyScenario();
        report.variant = u"u"_s;
        report.sessions = {session(1,
                               {{0, EventKind::RoundBegin}, {11, EventKind::WaitBegin, u"till"_s},
                                   {12, EventKind::Granted, u"till"_s},
                                   {90'011, EventKind::Released, u"till"_s}, {90'012, EventKind::RoundEnd}}),
            session(2, {{0, EventKind::RoundBegin}})};
        scenario::Interleaving record;
        for (const auto& [who, label] : {std::pair{1, u"take"_s}, {2, u"take"_s}, {1, u"give back"_s}}) {
            scenario::StepRecord step;
            step.session = who;
            step.step = record.steps.size() < 2 ? 1 : 2;
            step.label = label;
            record.steps.push_back(step);
        }
        record.steps[1].isBlocked = true;
        record.steps[1].on = u"row 7"_s;
        using Time = scenario::StepRun::StepTime;
        const std::vector<Time> times{{microseconds(10), microseconds(13)},
            {microseconds(500), microseconds(90'020)}, {microseconds(90'010), microseconds(90'013)}};
        const Timeline timeline = timelineOf(report, record, times);
        constexpr qint64 step = Timeline::stepLength;
        QCOMPARE(timeline.end, 3 * step);
        const auto stateAt = [&](std::size_t lane, qint64 at) {
            return laneStateName(spanAt(timeline.lanes[lane], at, timeline.end).state);
        };
        const QString away = laneStateName(LaneState::Away);
        QCOMPARE(stateAt(0, 0), laneStateName(LaneState::Holding));
        QCOMPARE(stateAt(0, step), laneStateName(LaneState::Holding));
        QCOMPARE(stateAt(0, 2 * step), away);
        QCOMPARE(stateAt(1, 0), away); // it has not begun
        QCOMPARE(stateAt(1, step), laneStateName(LaneState::Waiting));
        QCOMPARE(stateAt(1, 2 * step), laneStateName(LaneState::Working));
        QCOMPARE(describeTime(timeline, timeline.lanes[1], step + 1, 1),
            u"B clerk, from B1*: waits 1 step for “row 7”\nB1*: take"_s);
        // The server says who has the row, which no step of A asked for by itself.
        report.sessions[0] = session(1, {{0, EventKind::RoundBegin}, {90'012, EventKind::RoundEnd}});
        record.steps[1].blockers = {1};
        const Timeline row = timelineOf(report, record, times);
        QCOMPARE(textOf(row.lanes[0]), u"0-1000000 working, 1000000-2000000 holding"_s);
    }

    void aRowLockIsDrawnWhileSomebodyWaitsForIt()
    {
        const QString row = u"account row 1"_s;
        const auto holder = session(1,
            {{0, EventKind::RoundBegin}, {1'000, EventKind::RowAsked, row},
                {1'200, EventKind::RowLocked, row}, {9'000, EventKind::RowFreed, row},
                {9'000, EventKind::RoundEnd}});
        const auto waiter = session(2,
            {{0, EventKind::RoundBegin}, {3'000, EventKind::RowAsked, row},
                {9'100, EventKind::RowLocked, row}, {9'500, EventKind::RowFreed, row},
                {9'500, EventKind::RoundEnd}});
        const Timeline timeline = timelineFrom({holder, waiter}, 10'000);
        QCOMPARE(textOf(timeline.lanes[0]), u"0-1200 working, 1200-9000 holding"_s);
        QCOMPARE(textOf(timeline.lanes[1]), u"0-3000 working, 3000-9000 waiting, 9000-9500 working"_s);
        const QString words = describeTime(timeline, timeline.lanes[1], 5'000, 0);
        VERIFY_CONTAINS(words, u"waits 6 ms for “account row 1”"_s);
        // Alone with it, nobody cares.
        QCOMPARE(textOf(timelineFrom({holder}, 10'000).lanes[0]), u"0-9000 working"_s);
    }

    void theViewOpensAtTheFirstLoss()
    {
        std::vector<Said> events;
        for (qint64 at = 0; at < 3'000'000; at += 10'000)
            events.insert(events.end(), {{at, EventKind::RoundBegin}, {at + 9'000, EventKind::RoundEnd}});
        std::vector<Said> more = events;
        events.insert(events.begin() + 250, {1'250'000, EventKind::Processed, u"job"_s});
        more.insert(more.begin() + 300, {1'500'000, EventKind::Processed, u"job"_s});
        TimelineView view;
        view.resize(800, 200);
        view.show(std::make_shared<const Timeline>(
            timelineFrom({session(1, events), session(2, more)}, 3'000'000)));
        view.openAtFirstLoss();
        QCOMPARE(view.chosenLane(), 1);
        QCOMPARE(view.chosenAt(), 1'500'000);
        QVERIFY(view.scale().from < 1'500'000 && view.scale().to > 1'500'000);
        QVERIFY(view.scale().to - view.scale().from <= 100'000);
        // Without a loss all of it stays on view.
        TimelineView calm;
        calm.resize(800, 200);
        calm.show(std::make_shared<const Timeline>(timelineFrom({session(1, events)}, 3'000'000)));
        calm.openAtFirstLoss();
        QCOMPARE(calm.scale().from, 0);
        QCOMPARE(calm.chosenLane(), -1);
    }

    void shortSpansShareAPixel()
    {
        // 10 µs a pixel. The first pixel is mostly held; the second and third are one wait.
        const std::vector<LaneSpan> spans{{0, 2, LaneState::Working, 0, 0}, {2, 9, LaneState::Holding, 1, 1},
            {10, 30, LaneState::Waiting, 1, 0}, {30, 34, LaneState::Working, 0, 0}};
        const auto pieces = piecesOf(spans, {0, 100, 10});
        QCOMPARE(textOf(pieces), u"0+1H 1+2W 3+1w"_s);
        QCOMPARE(pieces[0].span, nullptr);
        QCOMPARE(pieces[1].span, &spans[2]);
    }

    void nothingShortGetsLost()
    {
        const std::vector<LaneSpan> spans{{500'000, 500'001, LaneState::Waiting, 1, 0}};
        QCOMPARE(textOf(piecesOf(spans, {0, 1'000'000, 100})), u"50+1W"_s);
        const std::vector<SectionSpan> sections{{500'000, 500'001, 1}, {500'002, 500'003, 1}};
        const auto runs = pixelsOf(sections, {0, 1'000'000, 100});
        QCOMPARE(runs.size(), 1U);
        QCOMPARE(runs[0], (PixelRun{50, 1}));
    }

    void onlyWhatIsOnViewIsDrawn()
    {
        const std::vector<LaneSpan> spans{{0, 100, LaneState::Working, 0, 0},
            {100, 200, LaneState::Holding, 1, 1}, {200, 300, LaneState::Working, 0, 0},
            {300, 400, LaneState::Waiting, 1, 0}};
        QCOMPARE(textOf(piecesOf(spans, {150, 250, 10})), u"0+5H 5+5w"_s);
    }

    void zoomKeepsTheTimeUnderTheMouse()
    {
        const TimeScale whole{0, 1'000'000, 1'000};
        const TimeScale close = whole.zoomed(4, 300, 1'000'000);
        QCOMPARE(close.to - close.from, 250'000);
        QVERIFY(std::abs(close.at(300) - whole.at(300)) <= 1);
        // It zooms no closer than a few microseconds, and no further than the run.
        QCOMPARE(whole.zoomed(1e9, 500, 1'000'000).to - whole.zoomed(1e9, 500, 1'000'000).from,
            TimeScale::shortest);
        QCOMPARE(close.zoomed(0.001, 10, 1'000'000), whole);
    }

    void movingStaysWithinTheRun()
    {
        const TimeScale scale{100, 200, 10};
        QCOMPARE(scale.moved(-500, 1'000).from, 0);
        QCOMPARE(scale.moved(5'000, 1'000).to, 1'000);
        QCOMPARE(scale.moved(50, 1'000), (TimeScale{150, 250, 10}));
    }

    void ticksAreRound()
    {
        const TimeScale scale{130'000, 1'100'000, 1'000};
        const std::vector<qint64> expected{200'000, 400'000, 600'000, 800'000, 1'000'000};
        std::vector<qint64> times;
        for (const AxisTick& tick : runTicks(scale, 150))
            times.push_back(tick.at);
        QCOMPARE(times, expected);
        QCOMPARE(shortDuration(200'000), u"200 ms"_s);
        QCOMPARE(shortDuration(1'250'000), u"1.25 s"_s);
        QCOMPARE(shortDuration(90), u"90 µs"_s);
    }

    void ticksDifferHoweverClose()
    {
        constexpr qint64 end = 3'600'000'000;
        for (TimeScale scale{0, end, 1'000};; scale = scale.zoomed(1.4, 620, end)) {
            QStringList texts = test::textsOf(runTicks(scale, 90), &AxisTick::text);
            QVERIFY2(texts.size() >= 2, qPrintable(u"%1 to %2"_s.arg(scale.from).arg(scale.to)));
            const QString all = texts.join(u", "_s);
            QVERIFY2(texts.removeDuplicates() == 0, qPrintable(all));
            if (scale.to - scale.from <= TimeScale::shortest)
                break;
        }
        QCOMPARE(runTicks({1'250'000, 1'251'000, 1'000}, 90)[1], (AxisTick{1'250'100, u"1.2501 s"_s, false}));
        QCOMPARE(runTicks({0, 900, 1'000}, 90)[1], (AxisTick{100, u"100 µs"_s, false}));
    }

    void whatWasWrittenOverIsLost()
    {
        const Timeline timeline = timelineFrom({session(1, {{100, EventKind::WroteOver, u"account/2"_s, 5}}),
            session(
                2, {{300, EventKind::WroteOver, u"account/2"_s, 5}, {400, EventKind::Denied, u"till"_s}})});
        QVERIFY(timeline.lanes[0].marks.empty());
        QCOMPARE(timeline.lanes[1].marks[0],
            (LaneMark{.at = 300, .kind = MarkKind::Overwrote, .subject = 1, .other = 1}));
        QCOMPARE(timeline.losses, std::vector<qint64>{300}); // who was denied has lost nothing
        const QString words = describeTime(timeline, timeline.lanes[1], 300, 1);
        VERIFY_CONTAINS(words, u"at 300 µs: what session 1 had changed is lost (account/2)"_s);
    }

    void redIsWhatWasLostAndNothingElse_data()
    {
        test::addColumns<Said, bool>("said", "isRed");
        test::row("waiting", Said{100'000, EventKind::WaitBegin, u"till"_s}, false);
        test::row("denied", Said{500'000, EventKind::Denied, u"till"_s}, false);
        test::row("refused write", Said{500'000, EventKind::Conflict}, false);
        test::row("a mistake", Said{500'000, EventKind::Failed}, false);
        test::row("a victim, where deadlocks are no fault", Said{500'000, EventKind::Victim}, false);
        test::row("written over", Said{500'000, EventKind::WroteOver, u"account/1"_s, 5}, true);
        test::row("processed again", Said{500'000, EventKind::Processed, u"7"_s}, true);
        test::row("somebody else's lock", Said{500'000, EventKind::Lost, u"till"_s}, true);
    }
    void redIsWhatWasLostAndNothingElse()
    {
        QFETCH(const Said, said);
        const Timeline timeline = timelineFrom(
            {session(1, {{10, EventKind::WroteOver, u"account/1"_s, 5}, {10, EventKind::Processed, u"7"_s}}),
                session(2, {{0, EventKind::RoundBegin}, said})},
            1'000'000);
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            const TimelinePainter drawing(timeline, theme::paletteOf(mode), QGuiApplication::font());
            QImage image(drawing.wholeSize(800, TimelinePainter::Head::None), QImage::Format_RGB32);
            QPainter painter(&image);
            const TimeScale scale{0, timeline.end, 800 - drawing.gutter() - 12};
            drawing.paintWhole(painter, scale, TimelinePainter::Head::None);
            painter.end();
            // The lane of the second session, without the names and the legend.
            int alarming = 0;
            const int top = drawing.axisHeight() + drawing.laneHeight();
            for (int y = top; y < top + drawing.laneHeight(); ++y)
                for (int x = drawing.gutter(); x < image.width(); ++x) {
                    const QColor color = image.pixelColor(x, y);
                    alarming +=
                        color.hsvSaturationF() > 0.4F && (color.hsvHue() < 60 || color.hsvHue() > 330);
                }
            QTEST(alarming > 0, "isRed");
        }
    }

    void timesAreDescribedWithTheirStatement()
    {
        const Timeline timeline = timelineFrom(
            {session(1,
                 {{0, EventKind::RoundBegin}, {100, EventKind::WaitBegin, u"lock the job"_s},
                     {300, EventKind::Granted, u"lock the job"_s}, {300, EventKind::CriticalBegin, u"x"_s},
                     {700, EventKind::CriticalEnd, u"x"_s}, {700, EventKind::Released, u"lock the job"_s}}),
                session(2, {{400, EventKind::CriticalBegin, u"x"_s}})});
        const QString wait = describeTime(timeline, timeline.lanes[0], 200, 1);
        VERIFY_CONTAINS(wait, u"1 clerk, from 100 µs: waits 200 µs for “lock the job”"_s);
        VERIFY_CONTAINS(wait, u"SELECT id FROM job FOR UPDATE"_s);
        const QString together = describeTime(timeline, timeline.lanes[0], 450, 1);
        VERIFY_CONTAINS(together, u"together with session 2: that must not be"_s);
        QCOMPARE(lockingStep(timeline, u"clerk"_s, u"till"_s), u"an application lock"_s);
    }

    void aHundredThousandEventsArePaintedAsPixels()
    {
        std::vector<Said> events;
        for (qint64 at = 0; at < 1'000'000; at += 20) {
            events.push_back({at, EventKind::RoundBegin});
            events.push_back({at + 15, EventKind::RoundEnd});
        }
        const Timeline timeline = timelineFrom({session(1, events)}, 1'000'000);
        QCOMPARE(timeline.lanes[0].spans.size(), 50'000U);
        QCOMPARE(textOf(piecesOf(timeline.lanes[0].spans, {0, 1'000'000, 800})), u"0+800w"_s);
    }

    /// Zoomed out, bars show where most was lost; zoomed in, each loss has its mark.
    void manyLossesAreDensityFromAfarAndMarksFromNear()
    {
        std::vector<Said> events;
        constexpr qint64 end = 10'000'000;
        for (qint64 at = 1'000; at < end; at += at < end / 2 ? 20'000 : 1'000) // 250, then 5,000
            events.push_back({at, EventKind::Processed, u"7"_s});
        const Timeline timeline =
            timelineFrom({session(1, {{10, EventKind::Processed, u"7"_s}}), session(2, events)}, end);
        const TimelineLane& lane = timeline.lanes[1];
        QVERIFY(timeline.losses.size() > 5'000);
        const TimelinePainter drawing(timeline, theme::paletteOf(ThemeMode::Light), QGuiApplication::font());
        const TimeScale whole{0, end, 800};
        const auto density = drawing.densityOn(whole);
        QVERIFY(density);
        QCOMPARE(density->lanes[1].total(), static_cast<int>(lane.marks.size()));
        QVERIFY2(
            density->maximum >= 45 && density->maximum <= 55, qPrintable(QString::number(density->maximum)));
        QVERIFY(!drawing.densityOn(whole.zoomed(1'000, 500, end)));
        // The columns stay the same ones while the view moves.
        const LossColumns before = lossColumnsOf(timeline, lane, {2'000'000, 4'000'000, 800});
        const LossColumns after = lossColumnsOf(timeline, lane, {2'100'000, 4'100'000, 800});
        QCOMPARE(before.length, after.length);
        QCOMPARE(before.counts[static_cast<std::size_t>(after.first - before.first) + 1], after.counts[1]);

        QImage image(
            drawing.wholeSize(drawing.gutter() + 812, TimelinePainter::Head::None), QImage::Format_RGB32);
        QPainter painter(&image);
        drawing.paintWhole(painter, whole, TimelinePainter::Head::None);
        painter.end();
        if (const QString folder = qEnvironmentVariable("LOCKSCOPE_TEST_PICTURES"); !folder.isEmpty())
            image.save(folder + u"/timeline-density.png"_s);
        const QRgb red = theme::colors(theme::paletteOf(ThemeMode::Light)).red.rgb();
        const auto heightAt = [&](int second) {
            int height = 0;
            const int top = drawing.axisHeight() + drawing.laneHeight();
            for (int y = top; y < top + drawing.laneHeight(); ++y)
                for (int x = 0; x < 4; ++x)
                    if (image.pixel(drawing.gutter() + second * 80 + x, y) == red) {
                        ++height;
                        break;
                    }
            return height;
        };
        QVERIFY2(heightAt(8) > drawing.laneHeight() * 3 / 4, qPrintable(QString::number(heightAt(8))));
        QVERIFY2(heightAt(2) >= 3 && heightAt(2) < heightAt(8) / 2, qPrintable(QString::number(heightAt(2))));
        // The description does not name hundreds either.
        const QString words = describeTime(timeline, lane, 8'000'000, 100'000);
        QVERIFY2(words.contains(u" marks from "_s) && words.count(u'\n') < 8, qPrintable(words));
    }

    void theViewIsUsedByKeys()
    {
        TimelineView view;
        view.resize(600, 200);
        const auto timeline = std::make_shared<const Timeline>(timelineFrom(
            {session(1,
                 {{0, EventKind::RoundBegin}, {200'000, EventKind::WaitBegin, u"till"_s},
                     {300'000, EventKind::Granted, u"till"_s}, {500'000, EventKind::CriticalBegin, u"x"_s}}),
                session(2,
                    {{600'000, EventKind::CriticalBegin, u"x"_s},
                        {900'000, EventKind::CriticalEnd, u"x"_s}})},
            1'000'000));
        view.show(timeline);
        view.QWidget::show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QCOMPARE(view.scale().to - view.scale().from, 1'000'000);
        QSignalSpy messages(&view, &TimelineView::chosen);
        QSignalSpy locks(&view, &TimelineView::locksRequested);

        QTest::keyClick(&view, Qt::Key_Home);
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(view.chosenAt(), 200'000);
        QVERIFY(messages.last()[0].toString().contains(u"waits 100 ms for “till”"_s));
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(locks.count(), 1);
        QCOMPARE(locks[0][0].toInt(), 1);
        QCOMPARE(locks[0][1].toString(), u"till"_s);

        QTest::keyClick(&view, Qt::Key_N);
        QCOMPARE(view.chosenAt(), 600'000);
        QTest::keyClick(&view, Qt::Key_Plus);
        const TimeScale close = view.scale();
        QVERIFY(close.to - close.from < 1'000'000);
        QVERIFY(close.from <= 600'000 && 600'000 <= close.to);
        // The same run with more in it: the part on view stays.
        view.show(std::make_shared<const Timeline>(*timeline));
        QCOMPARE(view.scale(), close);
        QTest::keyClick(&view, Qt::Key_0);
        QCOMPARE(view.scale().from, 0);
        QCOMPARE(view.scale().to, 1'000'000);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(view.chosenLane(), 1);
        QVERIFY(view.accessibleDescription().contains(u"2 clerk"_s));
    }

    void theDrawingIsASoundSvg()
    {
        const Timeline timeline = timelineFrom(
            {session(1, {{0, EventKind::RoundBegin}, {100, EventKind::WaitBegin, u"<till> & \"co\""_s}}),
                session(2, {{10, EventKind::Denied, u"till"_s}, {20, EventKind::Died}})});
        const TimelinePainter drawing(timeline, QGuiApplication::palette(), QGuiApplication::font());
        QBuffer paper;
        QSvgGenerator generator;
        generator.setOutputDevice(&paper);
        generator.setSize(drawing.wholeSize(800));
        {
            QPainter painter(&generator);
            drawing.paintWhole(painter, {0, timeline.end, 800 - drawing.gutter() - 12});
        }
        QXmlStreamReader xml(paper.data());
        QString texts;
        while (!xml.atEnd()) {
            if (xml.readNext() == QXmlStreamReader::Characters)
                texts += xml.text();
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        for (const char* text : {"1 clerk", "2 clerk", "The queue", "denied", "dead"})
            QVERIFY2(texts.contains(QLatin1String(text)), text);
    }
};

LOCKSCOPE_TEST(tst_Timeline)

} // namespace tst_Timeline
#include "tst_Timeline.moc"
