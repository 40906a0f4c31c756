// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Presentation and tour: the list by topic, the whole screen in large letters, and the guided tour, gone
// through by clicks on a real server.

#include "tests/ui/ScenarioWindowTest.h"
#include "tests/ui/Widgets.h"
#include "ui/kit/help/HelpWindow.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/views/scenarios/ComparisonPanel.h"
#include "ui/views/scenarios/OrderForm.h"
#include "ui/views/scenarios/ScenarioList.h"
#include "ui/views/scenarios/ScenarioRunner.h"
#include "ui/views/scenarios/ScenarioStage.h"
#include "ui/views/scenarios/StepBoard.h"
#include "ui/views/scenarios/StepPanel.h"
#include "ui/views/scenarios/TimelinePanel.h"
#include "ui/views/scenarios/TourPanel.h"

namespace tst_Stage {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

static bool somebodyWaits(const TimelinePtr& timeline)
{
    return std::ranges::any_of(timeline->lanes, [](const TimelineLane& lane) {
        return std::ranges::any_of(
            lane.spans, [](const LaneSpan& span) { return span.state == LaneState::Waiting; });
    });
}

class tst_Stage : public test::ScenarioWindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { makeRig(); }
    void cleanup() { dropRig(); }
    void theListBeginsWithLostUpdateUnderItsLesson()
    {
        openWindow();
        auto* list = m_page->findChild<ScenarioList*>();
        QCOMPARE(list->item(0)->text(), u"A change gets lost"_s);
        QVERIFY(!(list->item(0)->flags() & Qt::ItemIsSelectable));
        QVERIFY(list->item(1)->text().startsWith(u"Lost update"_s));
        QCOMPARE(list->scenario()->id, u"lost-update"_s);
        // The keys pass over the names of the groups.
        list->setFocus();
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(list, Qt::Key_Down);
        QCOMPARE(list->scenario()->id, u"best-sellers"_s);
    }

    void parametersSpeakInWordsAndUnits()
    {
        openWindow();
        auto* box = m_page->findChild<QSpinBox*>(u"parameter-think"_s);
        QCOMPARE(box->text(), u"3 ms"_s);
        QCOMPARE(box->accessibleName(), u"From reading to writing"_s);
        // All of it can be read where the window is smallest.
        const auto* form = m_page->findChild<OrderForm*>();
        for (const QLabel* label : form->findChildren<QLabel*>()) {
            if (!label->isVisible() || !label->buddy())
                continue;
            QVERIFY2(label->width() >= label->sizeHint().width(), qPrintable(label->text()));
            QVERIFY2(
                form->rect().contains(QRect(label->buddy()->mapTo(form, QPoint()), label->buddy()->size())),
                qPrintable(label->text()));
        }
    }

    void presentationShowsVerdictAndTimelineOnly()
    {
        openWindow();
        runBriefly(u"lost-update"_s);
        const QString server = markedName(m_window->session()->profile());
        auto* headline = m_page->findChild<QLabel*>(u"verdictHeadline"_s);
        const double before = headline->font().pointSizeF();
        QTest::keyClick(m_window.get(), Qt::Key_F11);
        QVERIFY(isPresented());
        QVERIFY(presentation()->isVisible() && presentation()->isFullScreen());
        QVERIFY(QTest::qWaitForWindowActive(presentation()));
        auto* view = m_page->findChild<TimelineView*>(u"timeline"_s);
        test::keepPicture(*presentation(), u"presentation"_s);
        for (const QWidget* shown : std::initializer_list<const QWidget*>{headline, view})
            QVERIFY(shown->isVisible() && shown->window() == presentation());
        QVERIFY(headline->font().pointSizeF() > before * 1.2);
        for (const QWidget* each : presentation()->findChildren<QWidget*>()) {
            const bool isTool = qobject_cast<const QAbstractButton*>(each)
                || qobject_cast<const QTabBar*>(each) || qobject_cast<const QSpinBox*>(each);
            QVERIFY2(!isTool || !each->isVisible(), qPrintable(each->objectName()));
        }
        const auto* strip = presentation()->findChild<ServerStrip*>();
        QVERIFY(strip && strip->isVisible());
        QCOMPARE(strip->accessibleName(), server);
        QCOMPARE(strip->width(), presentation()->width());
        // The keys of the timeline work there.
        QTRY_VERIFY(view->hasFocus());
        QTest::keyClick(view, Qt::Key_N);
        QVERIFY(view->chosenLane() >= 0);
        QTest::keyClick(view, Qt::Key_Escape);
        QVERIFY(waitUntil([this] { return !isPresented(); }));
        QCOMPARE(headline->font().pointSizeF(), before);
        QVERIFY(view->isVisible() && view->window() == m_window.get());
        QVERIFY(m_page->findChild<QTabBar*>()->isVisible());
        // The same key starts it again.
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTest::keyClick(m_window.get(), Qt::Key_F11);
        QVERIFY(isPresented());
        QTest::keyClick(presentation(), Qt::Key_F11);
        QVERIFY(waitUntil([this] { return !isPresented(); }));
    }

    void stepsGoOnInAPresentation()
    {
        openWindow();
        QVERIFY(m_window->findChild<ScenarioList*>()->choose(u"lost-update"_s));
        m_page->findChild<QSpinBox*>(u"parameter-accounts"_s)->setValue(1);
        auto* steps = m_page->findChild<StepPanel*>();
        m_page->findChild<QTabWidget*>()->setCurrentWidget(steps);
        press("startSteps");
        QVERIFY(waitUntil([&] { return steps->state() != nullptr; }));
        QTest::keyClick(m_window.get(), Qt::Key_F11);
        QVERIFY(isPresented());
        QVERIFY(QTest::qWaitForWindowActive(presentation()));
        QTRY_VERIFY(steps->hasFocus());
        QTest::keyClick(steps, Qt::Key_1);
        QVERIFY(waitUntil([&] { return steps->state()->record.steps.size() == 1; }));
        QCoreApplication::processEvents(); // everything has its place
        test::keepPicture(*presentation(), u"presentation-steps"_s);
        QVERIFY(m_page->findChild<TableBoard*>()->isVisible());
        QVERIFY(!button("undoStep")->isVisible());
        QTest::keyClick(presentation(), Qt::Key_Escape);
        QVERIFY(waitUntil([this] { return !isPresented(); }));
        QVERIFY(button("undoStep")->isVisible());
        press("endSteps");
        QVERIFY(isOver());
    }

    void leavingThePageEndsThePresentation()
    {
        openWindow();
        QTest::keyClick(m_window.get(), Qt::Key_F11);
        QVERIFY(isPresented());
        QVERIFY(m_window->showPage(u"locks"_s));
        QVERIFY(!isPresented());
    }

    void theTourIsSound()
    {
        QSet<QString> scenarios;
        for (const TourStop& stop : theTour().stops) {
            if (stop.act == TourStop::Act::None)
                continue;
            const auto scenario = ScenarioRig::shipped(stop.scenario);
            QVERIFY2(scenario, qPrintable(stop.title));
            scenarios.insert(stop.scenario);
            const QString variant = stop.act == TourStop::Act::Steps
                ? scenario::interleavingFromText(stop.steps).value().variant
                : stop.variant;
            QVERIFY2(variant.isEmpty() || scenario->find(variant), qPrintable(stop.title));
        }
        QCOMPARE(scenarios.size(), 3);
    }

    void aTourThatLacksSomethingIsRefused_data()
    {
        test::addColumns<QByteArray, QString>("json", "says");
        const auto stop = [](const QByteArray& members) {
            return R"({"title": "t", "stops": [{"title": "a", "text": "b"}, {"title": "a", )" + members
                + "}]}";
        };
        test::row("no JSON", QByteArray("{"), "can't be read");
        test::row("no stops", QByteArray(R"({"title": "t"})"), "stops");
        test::row("no text", stop(R"("button": "b")"), "Stop 2 of the tour: it needs a title and a text");
        test::row("an act that there is not", stop(R"("text": "b", "act": "dance")"), "\"dance\"");
        test::row("nothing to look at",
            stop(R"("text": "b", "act": "compare", "button": "b", "scenario": "s")"), "to look at");
        test::row("no variant",
            stop(R"("text": "b", "act": "run", "button": "b", "look": "l", "scenario": "s")"), "variant");
        test::row("steps that are none",
            stop(R"("text": "b", "act": "steps", "button": "b", "look": "l", "steps": "x y")"),
            "no interleaving");
    }

    void aTourThatLacksSomethingIsRefused()
    {
        FETCH(const QByteArray, json, const QString, says);
        const auto tour = readTour(json);
        QVERIFY(!tour);
        VERIFY_CONTAINS(tour.error().toString(), says);
    }

    void theTourIsFoundWhereNothingHasRun()
    {
        openWindow();
        auto* tour = m_page->findChild<TourPanel*>();
        QVERIFY(!tour->isVisible());
        auto* begin = m_page->findChild<QPushButton*>(u"timelineEmptyAction"_s);
        QTRY_VERIFY(begin->isVisible()); // the page, as soon as the server has answered
        QTest::mouseClick(begin, Qt::LeftButton);
        QVERIFY(tour->isVisible());
        QVERIFY(!begin->isVisible());
        QVERIFY(!m_page->findChild<OrderForm*>()->isVisible());
        press("tourEnd");
        QVERIFY(!tour->isVisible());
        QVERIFY(m_page->findChild<OrderForm*>()->isVisible());
        // The menu starts it, from any page.
        QVERIFY(m_window->showPage(u"locks"_s));
        m_window->help().menu()->findChild<QAction*>(u"guidedTour"_s)->trigger();
        QCOMPARE(m_window->currentPage()->id(), u"scenarios"_s);
        QVERIFY(tour->isVisible());
    }

    void theTourIsGoneThroughByClicks()
    {
        openWindow();
        auto* tour = m_page->findChild<TourPanel*>();
        m_page->setFilter(u"tour"_s);
        QVERIFY(tour->isVisible());
        QStringList verdicts;
        for (std::size_t i = 0; i < theTour().stops.size(); ++i) {
            const TourStop& stop = theTour().stops[i];
            QCOMPARE(tour->stop().title, stop.title);
            QCOMPARE(tourText(), stop.text);
            if (stop.act != TourStop::Act::None) {
                QVERIFY2(button("tourAct")->isEnabled(), qPrintable(stop.title));
                press("tourAct");
                QVERIFY(!button("tourNext")->isEnabled());
                QVERIFY2(waitUntil([&] { return tourText() == stop.textWhenDone; }), qPrintable(stop.title));
                QCoreApplication::processEvents(); // everything has its place
                test::keepPicture(*m_window, u"tour-%1"_s.arg(i + 1));
                const auto* steps = m_page->findChild<StepPanel*>();
                verdicts << (stop.act == TourStop::Act::Steps ? steps->state()->verdict : verdict());
            }
            if (i + 1 < theTour().stops.size())
                press("tourNext");
        }
        // The results match the texts of the stops.
        VERIFY_CONTAINS(verdicts[0], QRegularExpression(u"^\\d+ of \\d+ payments (was|were) lost\n"_s));
        QCOMPARE(verdicts[1], QString()); // both have read, no more
        VERIFY_STARTS(verdicts[2], u"1 of 2 payments was lost. "_s);
        VERIFY_STARTS(verdicts[3], u"1 of 5 variants lost "_s);
        VERIFY_STARTS(verdicts[4], u"1 of 2 tries was rolled back as a deadlock victim. "_s);
        VERIFY_STARTS(verdicts[5], u"Not observed"_s);
        VERIFY_CONTAINS(verdicts[6], u" an earlier one\n"_s);
        VERIFY_STARTS(verdicts[7], u"Not observed"_s);
        QVERIFY(!button("tourNext")->isVisible());
        press("tourEnd");
        QVERIFY(!m_page->isRunning());
        QCOMPARE(m_rig->remains(), QString());
    }

    void everyStopShowsWhatItPointsAt_data()
    {
        test::addRows<QSize>("size", {{"1024x700", QSize(1024, 700)}, {"1920x1080", QSize(1920, 1080)}});
    }

    void everyStopShowsWhatItPointsAt()
    {
        QFETCH(const QSize, size);
        openWindow();
        m_window->resize(size);
        m_page->setFilter(u"tour"_s);
        QVERIFY(m_page->findChild<TourPanel*>()->isVisible());
        for (std::size_t i = 0; i < theTour().stops.size(); ++i) {
            const TourStop& stop = theTour().stops[i];
            QCOMPARE(m_page->findChild<TourPanel*>()->stop().title, stop.title);
            if (stop.act != TourStop::Act::None)
                doStop(i);
            checkWhatIsPointedAt(i);
            if (QTest::currentTestFailed()) {
                qWarning("at the stop “%s”", qPrintable(stop.title));
                return;
            }
            auto* text = m_page->findChild<QLabel*>(u"tourText"_s);
            QVERIFY2(text->height() >= text->heightForWidth(text->width()), qPrintable(stop.title));
            if (i + 1 < theTour().stops.size())
                click(*button("tourNext"));
        }
        click(*button("tourEnd"));
        QVERIFY(!m_page->findChild<TourPanel*>()->isVisible());
        QVERIFY(isOver());
    }

    void theTourAsksBeforeItRunsElsewhere_data()
    {
        test::addRows<int>("stop", {{"a run", 0}, {"steps", 1}, {"a comparison", 3}});
    }

    void theTourAsksBeforeItRunsElsewhere()
    {
        QFETCH(int, stop);
        openWindow(false, true);
        m_page->setFilter(u"tour"_s);
        for (int i = 0; i < stop; ++i)
            press("tourNext");
        press("tourAct");
        QVERIFY(waitUntil([this] { return m_window->findChild<RunQuestion*>() != nullptr; }));
        QVERIFY(!m_page->isRunning());
        m_window->findChild<RunQuestion*>()->reject();
        QVERIFY(waitUntil([this] { return button("tourAct")->isEnabled(); }));
        QVERIFY(!m_page->isRunning());
        QVERIFY(button("tourNext")->isEnabled());
        QCOMPARE(m_rig->schemas(), 0);
    }

    void theTourSaysWhyItCanNot()
    {
        openWindow(true);
        m_page->setFilter(u"tour"_s);
        QVERIFY(!button("tourAct")->isEnabled());
        VERIFY_CONTAINS(tourText(), u"read-only"_s);
    }

private:
    void openWindow(bool readOnly = false, bool isAsking = false)
    {
        openPage(m_rig->url(), QSize(1024, 700), readOnly, isAsking);
    }
    QWidget* presentation() const { return m_page->findChild<QWidget*>(u"presentation"_s); }
    bool isPresented() const { return m_page->findChild<ScenarioStage*>()->isPresented(); }
    void runBriefly(const QString& scenario)
    {
        QVERIFY(m_window->findChild<ScenarioList*>()->choose(scenario));
        m_page->findChild<QDoubleSpinBox*>(u"duration"_s)->setValue(0.5);
        runToTheEnd();
    }

    /// Clicks on the button's place on the screen: a widget that covers it would get the click.
    void click(const QWidget& on)
    {
        const QPoint place = on.mapTo(m_window.get(), on.rect().center());
        QVERIFY2(m_window->childAt(place) == &on, qPrintable(on.objectName()));
        QTest::mouseClick(m_window->windowHandle(), Qt::LeftButton, {}, place);
    }

    /// Most of it is on the screen, and nothing lies over its middle.
    bool isSeen(const QWidget& widget) const
    {
        if (!widget.isVisible())
            return false;
        QRect seen(widget.mapTo(m_window.get(), QPoint()), widget.size());
        for (const QWidget* around = widget.parentWidget(); around; around = around->parentWidget())
            seen &= QRect(around->mapTo(m_window.get(), QPoint()), around->size());
        const QWidget* const top = m_window->childAt(seen.center());
        return seen.height() >= 14 && seen.width() * 10 >= widget.width() * 9 && top
            && (top == &widget || widget.isAncestorOf(top));
    }

    /// Checks the things that the text of each stop points out, in the order of the tour.
    void checkWhatIsPointedAt(std::size_t at)
    {
        // At the stops behind these it is the list on the left.
        static const QList<QStringList> seenAt{{u"verdictHeadline"_s, u"timeline"_s},
            {u"stepColumn-1"_s, u"stepColumn-2"_s, u"tableBoard"_s},
            {u"tableBoard"_s, u"stepTimeline"_s, u"stepNotice"_s}, {u"verdictHeadline"_s},
            {u"stepTimeline"_s, u"stepNotice"_s}, {u"verdictHeadline"_s, u"timeline"_s},
            {u"timeline"_s, u"verdictHeadline"_s}, {u"verdictHeadline"_s, u"timeline"_s}};
        for (const QString& name : seenAt.value(qsizetype(at), {u"scenarioList"_s})) {
            const auto* widget = m_page->findChild<QWidget*>(name);
            QVERIFY2(widget && isSeen(*widget), qPrintable(name));
        }
        const auto* view = m_page->findChild<TimelineView*>(u"timeline"_s);
        const auto* steps = m_page->findChild<StepPanel*>();
        const auto read = [this](int session) {
            return m_page->findChild<StepColumn*>(u"stepColumn-%1"_s.arg(session))->read(1);
        };
        switch (at) {
        case 0: // the verdict counts, below it a line for each cashier, red; N goes to the next
            QVERIFY(verdict().contains(u"payments"_s));
            QCOMPARE(view->timeline()->lanes.size(), std::size_t(8));
            QCOMPARE(view->chosenAt(), view->timeline()->losses.front());
            click(*view->viewport());
            QTest::keyClick(m_window->windowHandle(), Qt::Key_N);
            QVERIFY(std::ranges::count(view->timeline()->losses, view->chosenAt()) > 0);
            break;
        case 1: // what each has read, and the account on the right
            QCOMPARE(read(1), u"balance = 0"_s);
            QCOMPARE(read(2), u"balance = 0"_s);
            QVERIFY(steps->findChild<TableBoard*>()->text().startsWith(u"account: id, balance; 1, 0"_s));
            break;
        case 2: // two payments and the balance 1; red at B3 in the timeline below
            VERIFY_CONTAINS(steps->findChild<TableBoard*>()->text(), u"account: id, balance; 1, 1"_s);
            QCOMPARE(steps->timeline()->losses.size(), std::size_t(1));
            QCOMPARE(steps->timeline()->dateTimeText(steps->timeline()->losses.front()), u"B3"_s);
            VERIFY_CONTAINS(stepNotice(), u"1 of 2 payments was lost"_s);
            break;
        case 3: { // the verdict, the table; a row that is chosen shows its timeline
            auto& table = m_page->findChild<ComparisonPanel*>()->table();
            QVERIFY(isSeen(table));
            QCOMPARE(table.model()->rowCount(), 5);
            table.scrollTo(table.model()->index(2, 0)); // in a small window two rows are in sight
            const QRect row = table.visualRect(table.model()->index(2, 0));
            QVERIFY(table.viewport()->rect().contains(row.center()));
            QTest::mouseClick(m_window->windowHandle(), Qt::LeftButton, {},
                table.viewport()->mapTo(m_window.get(), row.center()));
            QVERIFY(somebodyWaits(view->timeline()));
            QVERIFY(m_page->findChild<QLabel*>(u"stageTitle"_s)->text().contains(u"Lock the row"_s));
            break;
        }
        case 4: // the victim in red
            QVERIFY(!steps->timeline()->losses.empty());
            VERIFY_CONTAINS(stepNotice(), u"deadlock victim"_s);
            break;
        case 6: // red: bookings that were there already
            QVERIFY(!view->timeline()->losses.empty());
            break;
        case 5:
        case 7: // they wait; nothing is red
            QVERIFY(somebodyWaits(view->timeline()));
            QVERIFY(view->timeline()->losses.empty());
            break;
        default:
            QVERIFY(m_page->findChild<QTabBar*>()->isVisible());
            break;
        }
    }

    void doStop(std::size_t at)
    {
        const TourStop& stop = theTour().stops[at];
        QTRY_VERIFY(isSeen(*button("tourAct")));
        QCOMPARE(button("tourAct")->text(), stop.button);
        click(*button("tourAct"));
        QVERIFY2(waitUntil([&] { return tourText() == stop.textWhenDone; }), qPrintable(stop.title));
        QCoreApplication::processEvents(); // everything has its place
        test::keepPicture(*m_window, u"tour-look-%1-%2"_s.arg(m_window->height()).arg(at + 1));
    }

    QString tourText() const { return m_page->findChild<QLabel*>(u"tourText"_s)->text(); }
};

LOCKSCOPE_TEST_AT_ONCE(tst_Stage)

} // namespace tst_Stage
#include "tst_Stage.moc"
