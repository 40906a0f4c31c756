// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A scenario in steps: the user is the scheduler, or lets the program look for an order that breaks it.

#include "tests/ui/ScenarioWindowTest.h"
#include "ui/views/scenarios/OrderForm.h"
#include "ui/views/scenarios/StepBoard.h"
#include "ui/views/scenarios/StepPanel.h"
#include "ui/views/scenarios/TimelinePanel.h"

namespace tst_StepPanel {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

class tst_StepPanel : public ScenarioWindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { makeRig(); }
    void cleanup() { dropRig(); }

    void theUserIsTheScheduler()
    {
        auto* steps = openSteps(u"lost-update"_s, u"unsafe"_s);
        QCOMPARE(steps->state()->sessions.size(), 2U);
        QVERIFY(m_page->isRunning());
        QVERIFY(!button("runScenario")->isEnabled());
        // One step by key, one by click; then one is taken back.
        key(Qt::Key_1);
        QTest::mouseClick(button("step-2"), Qt::LeftButton);
        QVERIFY(waitUntil([&] { return steps->state()->record.steps.size() == 2 && isIdle(); }));
        auto* text = m_page->findChild<QLineEdit*>(u"interleaving"_s);
        VERIFY_ENDS(text->text(), u"A1 B1"_s);
        press("undoStep");
        QVERIFY(waitUntil([&] { return steps->state()->record.steps.size() == 1 && isIdle(); }));
        VERIFY_ENDS(text->text(), u"A1"_s);
        // The result of a reading is below its statement, and the table's content beside it.
        key(Qt::Key_1);
        QCOMPARE(m_page->findChild<StepColumn*>(u"stepColumn-1"_s)->read(1), u"balance = 0"_s);
        const auto* tables = m_page->findChild<TableBoard*>();
        QVERIFY(tables->isVisible());
        QCOMPARE(tables->text(), u"account: id, balance; 1, 0\npayment: id, account"_s);
        // The steps run to the end, are saved, and are repeated from the file.
        while (!steps->state()->isOver) {
            const int next = steps->state()->sessions[0].standing == scenario::Standing::Ready ? 1 : 2;
            key(static_cast<Qt::Key>(Qt::Key_0 + next));
        }
        VERIFY_STARTS(tables->text(), u"account: id, balance; 1, "_s);
        QVERIFY(!tables->text().startsWith(u"account: id, balance; 1, 0"_s));
        const QString order = text->text();
        const QString message = stepNotice();
        QVERIFY(!message.isEmpty());
        const QString file = m_rig->file(u"steps.json"_s);
        steps->saveTo(file);
        QVERIFY(waitUntil([&] { return QFileInfo::exists(file); })); // it is written on another thread
        press("restartSteps");
        QVERIFY(waitUntil([&] { return steps->state()->record.steps.empty(); }));
        steps->loadFrom(file);
        QCOMPARE(child<QToolButton>("loadSteps")->text(), u"Reading…"_s); // on another thread, too
        QVERIFY(waitUntil([&] { return steps->state() && steps->state()->isOver; }));
        QCOMPARE(text->text(), order);
        QCOMPARE(stepNotice(), message);
        // Nonsense is refused in words.
        text->setText(u"lost-update A1 1B"_s);
        QTest::keyClick(text, Qt::Key_Return);
        QVERIFY(waitUntil([&] { return stepNotice() != message; }));
        QVERIFY(!stepNotice().isEmpty());
        press("endSteps");
        QVERIFY(isOver());
        QCOMPARE(m_rig->remains(), QString());
    }

    void whatIsLoadedIsNotReplayedUnderOtherConditions()
    {
        openWindow(m_rig->url());
        choose(u"lost-update"_s, u"app-lock"_s, 600);
        const QString file = m_rig->file(u"steps.txt"_s);
        makeFile(file, "lost-update/unsafe: A1 B1");
        auto* steps = m_page->findChild<StepPanel*>();
        const auto* load = child<QToolButton>("loadSteps");
        QSignalSpy replays(steps, &StepPanel::runningChanged);
        steps->loadFrom(file);
        for (const QWidget* each : std::initializer_list<const QWidget*>{
                 load, child<QToolButton>("replaySteps"), button("startSteps"), button("exploreSteps")})
            QVERIFY(!each->isEnabled());
        press("runScenario"); // before the answer
        QCOMPARE(load->text(), u"&Load…"_s);
        QVERIFY(!load->isEnabled());
        QVERIFY(waitUntil([this] { return m_rig->sessions() == 9; }));
        QCOMPARE(replays.count(), 0);
        press("stopScenario");
        QVERIFY(isOver());
        // Another server, too.
        steps->loadFrom(file);
        m_page->setServer({});
        QVERIFY(!load->isEnabled());
        steps->loadFrom(m_rig->file(u"nothing.txt"_s));
        QVERIFY(waitUntil([this] { return !stepNotice().isEmpty(); }));
        VERIFY_CONTAINS(stepNotice(), u"nothing.txt"_s);
        // Without a server nothing is replayed, and the panel says why.
        steps->loadFrom(file);
        QVERIFY(waitUntil([this] { return stepNotice().contains(u"can’t be replayed now"_s); }));
        QCOMPARE(replays.count(), 0);
        QCOMPARE(m_rig->remains(), QString());
    }

    void aBlockedSessionSaysByWhomAndOnWhat()
    {
        auto* steps = openSteps(u"lost-update"_s, u"row-lock"_s);
        const auto standing = [this](int number) {
            return m_page->findChild<StepColumn*>(u"stepColumn-%1"_s.arg(number))->standing();
        };
        // A goes on until it holds B's next lock; B tries and has to wait.
        for (int i = 0; i < 20 && steps->state()->sessions[1].standing != scenario::Standing::Blocked; ++i) {
            if (i < 2)
                key(Qt::Key_1);
            else
                key(Qt::Key_2);
            if (steps->state()->isOver)
                break;
        }
        QCOMPARE(steps->state()->sessions[1].standing, scenario::Standing::Blocked);
        VERIFY_STARTS(standing(2), u"■ blocked by A, on "_s);
        QVERIFY(!button("step-2")->isEnabled());
        // The timeline shows the same, and uses the space of the fields that can't be changed now.
        const Timeline& timeline = *steps->state()->timeline;
        QCOMPARE(timeline.lanes[0].spans.back().state, LaneState::Holding);
        QCOMPARE(timeline.lanes[1].spans.back().state, LaneState::Waiting);
        QVERIFY(steps->findChild<TimelineView*>()->isVisible());
        QVERIFY(!m_page->findChild<OrderForm*>()->isVisible());
        QVERIFY(button("step-1")->isEnabled());
        // The others can go on, and then so can it.
        for (int i = 0; i < 20 && steps->state()->sessions[1].standing == scenario::Standing::Blocked; ++i)
            key(Qt::Key_1);
        QVERIFY(steps->state()->sessions[1].standing != scenario::Standing::Blocked);
        press("endSteps");
        QVERIFY(isOver());
        QCOMPARE(m_rig->remains(), QString());
    }

    void exploringOpensTheShortestWitness()
    {
        openWindow(m_rig->url());
        choose(u"lost-update"_s, u"unsafe"_s, 1);
        m_page->findChild<QSpinBox*>(u"parameter-accounts"_s)->setValue(1);
        auto* steps = m_page->findChild<StepPanel*>();
        m_page->findChild<QTabWidget*>()->setCurrentWidget(steps);
        press("exploreSteps");
        QVERIFY(m_page->isRunning());
        QVERIFY(waitUntil([&] { return steps->state() && steps->state()->isOver; }));
        VERIFY_CONTAINS(stepNotice(), u"interleavings"_s);
        QVERIFY(steps->state()->isBroken);
        QVERIFY(steps->state()->divergences.isEmpty());
        QVERIFY(button("restartSteps")->isEnabled()); // from there one can go on
        press("endSteps");
        QVERIFY(isOver());
        QCOMPARE(m_rig->remains(), QString());
    }

    void endDuringARestart()
    {
        openSteps(u"lost-update"_s, u"unsafe"_s);
        press("restartSteps");
        press("endSteps");
        QVERIFY(isOver());
        QCOMPARE(m_rig->remains(), QString());
    }

    void closingTheWindowEndsASteppedRun()
    {
        openSteps(u"lost-update"_s, u"unsafe"_s);
        QVERIFY(m_rig->sessions() > 0);
        m_window->close();
        QVERIFY(waitUntil([this] { return !m_window->isVisible(); }));
        QCOMPARE(m_rig->remains(), QString());
    }

private:
    StepPanel* openSteps(const QString& scenario, const QString& variant)
    {
        openWindow(m_rig->url());
        choose(scenario, variant, 1);
        m_page->findChild<QSpinBox*>(u"parameter-accounts"_s)->setValue(1);
        auto* steps = m_page->findChild<StepPanel*>();
        m_page->findChild<QTabWidget*>()->setCurrentWidget(steps);
        press("startSteps");
        if (!waitUntil([steps] { return steps->state() != nullptr; }))
            qFatal("%s", qPrintable(stepNotice()));
        return steps;
    }

    bool isIdle() const { return button("undoStep")->isEnabled(); }
    void key(Qt::Key key)
    {
        const auto before = m_page->findChild<StepPanel*>()->state()->record.steps.size();
        QTest::keyClick(m_page->findChild<StepPanel*>(), key);
        QVERIFY(waitUntil([&] {
            return m_page->findChild<StepPanel*>()->state()->record.steps.size() == before + 1 && isIdle();
        }));
    }
};

LOCKSCOPE_TEST(tst_StepPanel)

} // namespace tst_StepPanel
#include "tst_StepPanel.moc"
