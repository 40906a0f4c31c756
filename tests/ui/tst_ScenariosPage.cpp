// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The Scenarios page over a real server, as its user has it: by clicks and keys.

#include "tests/ui/ScenarioWindowTest.h"
#include "tests/ui/Widgets.h"
#include "ui/views/scenarios/ComparisonPanel.h"
#include "ui/views/scenarios/OrderForm.h"
#include "ui/views/scenarios/ScenarioExport.h"
#include "ui/views/scenarios/ScenarioRunner.h"
#include "ui/views/scenarios/StepPanel.h"
#include "ui/views/scenarios/TimelinePanel.h"

#include <QDoubleSpinBox>
#include <QXmlStreamReader>

namespace tst_ScenariosPage {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

/// Returns the words of the xml, and its fault, if there is one.
static QString wordsOf(const QByteArray& xml, QString* fault)
{
    QXmlStreamReader reader(xml);
    QString words;
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::Characters)
            words += reader.text();
        for (const QXmlStreamAttribute& each : reader.attributes())
            if (each.name() == "href"_L1 || each.name() == "src"_L1)
                *fault = u"refers to "_s + each.value().toString();
    }
    if (reader.hasError())
        *fault = reader.errorString();
    return words;
}

/// Takes the files that the desktop would open.
class UrlCatcher : public QObject {
    Q_OBJECT

public:
    QList<QUrl> urls;

public Q_SLOTS:
    void open(const QUrl& url) { urls << url; }
};

class tst_ScenariosPage : public ScenarioWindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { makeRig(); }
    void cleanup()
    {
        dropRig();
        theme::apply(*qApp, ThemeMode::Light);
    }

    void anUnsafeRunShowsItsVerdictAndItsOverlaps()
    {
        theme::apply(*qApp, ThemeMode::Dark);
        openWindow(m_rig->url());
        choose(u"best-sellers"_s, u"unsafe"_s, 1.5);
        press("runScenario");
        QVERIFY(m_page->isRunning());
        QVERIFY(!button("runScenario")->isEnabled());
        QVERIFY(isOver());
        static const QRegularExpression plain(u"^\\d+ of \\d+ rebuilds (was|were) needless\\n"_s);
        QVERIFY2(plain.match(verdict()).hasMatch(), qPrintable(verdict()));
        keepPicture(*m_window, u"scenarios-dark"_s);
        auto* view = m_page->findChild<TimelineView*>(u"timeline"_s);
        QVERIFY(view->timeline());
        QCOMPARE(view->timeline()->lanes.size(), 8U);
        QVERIFY(view->timeline()->overlapCount() > 0);
        // The first overlap, by key: its words name the other session.
        view->setFocus();
        QTest::keyClick(view, Qt::Key_N);
        VERIFY_CONTAINS(m_page->findChild<QLabel*>(u"timelineWords"_s)->text(), u"together with session"_s);
        QCOMPARE(m_rig->remains(), QString());
    }

    void aSafeRunIsNotCalledSafeButNothingWentWrong()
    {
        openWindow(m_rig->url());
        choose(u"lost-update"_s, u"one-statement"_s, 0.5);
        runToTheEnd();
        VERIFY_STARTS(verdict(), u"Not observed in "_s);
        QVERIFY(m_page->findChild<QRadioButton*>(u"variant-one-statement"_s)
                    ->isChecked()); // still the chosen one
        VERIFY_CONTAINS(verdict(), u"Nothing went wrong with \"Add in one statement\""_s);
        QCOMPARE(m_rig->remains(), QString());
    }

    void stopBeforeTheRunBeginsIsReported()
    {
        ScenarioRunner runner;
        QSignalSpy ended(&runner, &ScenarioRunner::ended);
        for (int i = 1; i <= 200; ++i) {
            runner.start({}, {}); // no orders: over as soon as its thread starts
            runner.stop();
            QVERIFY(ended.count() == i || ended.wait());
            QVERIFY(!runner.isRunning() && !runner.isStopping());
        }
    }

    void stopLeavesNothingBehind()
    {
        openWindow(m_rig->url());
        choose(u"lost-update"_s, u"app-lock"_s, 600);
        press("runScenario");
        QVERIFY(waitUntil([this] { return m_rig->sessions() == 9; }));
        // Before there are figures, and while there are: it can be stopped by its key.
        auto* live = m_page->findChild<QLabel*>(u"scenarioLive"_s);
        QVERIFY(waitUntil([live] { return live->text().contains(u"rounds"_s); }));
        QVERIFY(button("stopScenario")->isVisible());
        QTest::keyClick(button("stopScenario"), Qt::Key_Space);
        QVERIFY(isOver());
        VERIFY_CONTAINS(verdict(), u"stopped after"_s);
        QCOMPARE(m_rig->remains(), QString());
        QVERIFY(button("runScenario")->isEnabled());
    }

    void closingTheWindowEndsTheRun()
    {
        openWindow(m_rig->url());
        choose(u"lost-update"_s, u"app-lock"_s, 600);
        press("runScenario");
        QVERIFY(waitUntil([this] { return m_rig->sessions() == 9; }));
        m_window->close();
        QVERIFY(waitUntil([this] { return !m_window->isVisible(); }));
        QVERIFY(!m_page->isRunning());
        QCOMPARE(m_rig->remains(), QString());
    }

    void otherPagesShowItsSessionsMeanwhile()
    {
        openWindow(m_rig->url());
        choose(u"lost-update"_s, u"app-lock"_s, 600);
        press("runScenario");
        auto* view = m_page->findChild<TimelineView*>(u"timeline"_s);
        QVERIFY(waitUntil([view] { return view->timeline() && !view->timeline()->lanes.empty(); }));
        // A session's lane leads to its locks.
        view->setFocus();
        QTest::keyClick(view, Qt::Key_Home);
        QTest::keyClick(view, Qt::Key_Return);
        QCOMPARE(m_window->currentPage()->id(), u"locks"_s);
        const auto* rows = m_window->currentPage()->findChild<TableView*>();
        QVERIFY(waitUntil([rows] { return rows->model()->rowCount() > 0; }));
        QVERIFY(m_page->isRunning());
        m_window->showPage(u"scenarios"_s);
        press("stopScenario");
        QVERIFY(isOver());
        QCOMPARE(m_rig->remains(), QString());
    }

    void aBadFileIsReportedToTheLine()
    {
        makeFile(m_rig->file(u"mine.json"_s), "{\n  \"id\": 5\n}");
        openWindow(m_rig->url());
        auto* list = m_page->findChild<ScenarioList*>();
        QVERIFY(list->count() > 10); // the others are there
        QVERIFY(waitUntil([this] { return m_page->countText().contains(u"fault"_s); }));
        list->setCurrentRow(list->count() - 1);
        const QString message = m_page->findChild<QLabel*>(u"faults"_s)->text();
        VERIFY_CONTAINS(message, u"mine.json"_s);
        VERIFY_CONTAINS(message, u"Line 2, column 9: </b>Here is the number 5."_s);
        // Corrected – here: removed – it is not complained about any more.
        const int before = list->count();
        QVERIFY(QFile::remove(m_rig->file(u"mine.json"_s)));
        press("reloadScenarios");
        QCOMPARE(list->count(), before); // they are read on another thread
        QCOMPARE(button("reloadScenarios")->text(), u"Reading…"_s);
        QVERIFY(!button("reloadScenarios")->isEnabled());
        QTRY_COMPARE(list->count(), before - 1);
        QVERIFY(button("reloadScenarios")->isEnabled());
        QVERIFY(list->scenario());
    }

    void aRunOpensAtItsFirstViolationUnderItsName()
    {
        openWindow(m_rig->url());
        const auto* title = m_page->findChild<QLabel*>(u"stageTitle"_s);
        QVERIFY(!title->isVisible());
        choose(u"lost-update"_s, u"unsafe"_s, 1);
        runToTheEnd();
        QVERIFY(title->isVisible());
        QVERIFY2(title->text().startsWith(u"Lost update  ·  "_s)
                && title->text().endsWith(u"UNSAFE – Read, then write"_s),
            qPrintable(title->text()));
        auto* view = m_page->findChild<TimelineView*>(u"timeline"_s);
        QVERIFY(!view->timeline()->losses.empty());
        QCOMPARE(view->chosenAt(), view->timeline()->losses.front());
        QVERIFY(view->scale().to - view->scale().from < view->timeline()->end / 10);
        VERIFY_CONTAINS(m_page->findChild<QLabel*>(u"timelineWords"_s)->text(), u"is lost"_s);
        // The form may be at another variant; the stage still says whose results these are.
        QTest::mouseClick(
            m_page->findChild<QRadioButton*>(u"variant-row-lock"_s), Qt::LeftButton, {}, QPoint(10, 8));
        QVERIFY(title->text().endsWith(u"Read, then write"_s));
        // This holds for the steps, too.
        m_page->findChild<QSpinBox*>(u"parameter-accounts"_s)->setValue(1);
        m_page->findChild<QTabWidget*>()->setCurrentWidget(m_page->findChild<StepPanel*>());
        QVERIFY(!title->isVisible());
        press("startSteps");
        QVERIFY(waitUntil([this] { return m_page->findChild<StepPanel*>()->state() != nullptr; }));
        QVERIFY(title->isVisible());
        QCOMPARE(title->text(), u"Lost update  ·  Lock the row while reading (row lock)"_s);
        press("endSteps");
        QVERIFY(isOver());
    }

    void reloadKeepsTheResults()
    {
        const QString file = scenario::userFolder().filePath(u"mine.json"_s);
        const QByteArray text = ScenarioRig::textDoing("{\"sql\": \"SELECT 1\", \"label\": \"look\"}");
        makeFile(file, text);
        openWindow(m_rig->url());
        QVERIFY(waitUntil([this] { return m_window->findChild<ScenarioList*>()->choose(u"made"_s); }));
        m_page->findChild<QDoubleSpinBox*>(u"duration"_s)->setValue(0.3);
        runToTheEnd();
        const QString message = verdict();
        QVERIFY(!message.trimmed().isEmpty());
        const auto reload = [this] {
            press("reloadScenarios");
            return waitUntil([this] { return button("reloadScenarios")->text() == u"Reload &files"_s; });
        };
        QVERIFY(reload());
        QCOMPARE(verdict(), message);
        // The file has a mistake now, then it is mended and changed: the same scenario is chosen all the
        // while.
        makeFile(file, "{");
        QVERIFY(reload());
        QVERIFY(m_page->findChild<FaultView*>()->isVisible());
        QByteArray changed = text;
        makeFile(file, changed.replace("look", "look again"));
        QVERIFY(reload());
        QVERIFY(!m_page->findChild<FaultView*>()->isVisible());
        QCOMPARE(m_window->findChild<ScenarioList*>()->scenario()->id, u"made"_s);
        QCOMPARE(verdict(), message);
        VERIFY_CONTAINS(notice(), u"The file has changed since these results"_s);
    }

    void whatIsReadDuringARunIsShownAfterIt()
    {
        const QString file = scenario::userFolder().filePath(u"mine.json"_s);
        makeFile(file, ScenarioRig::textDoing("{\"sql\": \"SELECT 1\", \"label\": \"look\"}"));
        openWindow(m_rig->url());
        auto* list = m_page->findChild<ScenarioList*>();
        QVERIFY(waitUntil([&] { return list->choose(u"made"_s); }));
        m_page->findChild<QDoubleSpinBox*>(u"duration"_s)->setValue(600);
        const QString before = m_page->countText();
        QVERIFY(QFile::remove(file));
        press("reloadScenarios");
        press("runScenario"); // before the answer
        QVERIFY(m_page->isRunning());
        QVERIFY(waitUntil([this] { return button("reloadScenarios")->text() == u"Reload &files"_s; }));
        QCOMPARE(list->scenario()->id, u"made"_s);
        QCOMPARE(m_page->countText(), before);
        press("stopScenario");
        QVERIFY(isOver());
        QVERIFY(list->scenario()->id != u"made"_s);
        QVERIFY(m_page->countText() != before);
    }

    void aNewerChoiceCancelsALateOne()
    {
        openWindow(m_rig->url());
        auto* list = m_page->findChild<ScenarioList*>();
        const auto isRead = [this] { return button("reloadScenarios")->text() == u"Reload &files"_s; };
        QVERIFY(waitUntil(isRead));
        makeFile(scenario::userFolder().filePath(u"mine.json"_s),
            ScenarioRig::textDoing("{\"sql\": \"SELECT 1\", \"label\": \"look\"}"));
        QVERIFY(list->choose(u"best-sellers"_s));
        m_page->setFilter(u"made"_s);
        QVERIFY(!isRead());
        QVERIFY(list->choose(u"lost-update"_s));
        QVERIFY(waitUntil(isRead));
        QCOMPARE(list->scenario()->id, u"lost-update"_s);
    }

    /// The repaired file that was on view is chosen by itself: that is no newer choice.
    void whatIsRequestedIsOpenedAlthoughAFileWasRepaired()
    {
        const QString file = scenario::userFolder().filePath(u"mine.json"_s);
        makeFile(file, "{");
        openWindow(m_rig->url());
        auto* list = m_page->findChild<ScenarioList*>();
        QVERIFY(waitUntil([this] { return m_page->countText().contains(u"fault"_s); }));
        list->setCurrentRow(list->count() - 1);
        QVERIFY(!list->faults().empty());
        const QByteArray text = ScenarioRig::textDoing("{\"sql\": \"SELECT 1\", \"label\": \"look\"}");
        QByteArray other = text;
        makeFile(file, text);
        makeFile(scenario::userFolder().filePath(u"other.json"_s), other.replace("made", "other"));
        m_page->setFilter(u"other"_s);
        QVERIFY(waitUntil([list] { return list->scenario() && list->scenario()->id == u"other"; }));
        QVERIFY(list->faults().empty());
    }

    void aCopyAsMineIsOpened()
    {
        UrlCatcher editor;
        QDesktopServices::setUrlHandler(u"file"_s, &editor, "open");
        const auto restore = qScopeGuard([] { QDesktopServices::unsetUrlHandler(u"file"_s); });
        openWindow(m_rig->url());
        auto* list = m_window->findChild<ScenarioList*>();
        QVERIFY(list->choose(u"lost-update"_s));
        press("copyScenario");
        QVERIFY(!button("copyScenario")->isEnabled()); // a double click makes one
        press("copyScenario");
        QVERIFY(waitUntil([&] { return !editor.urls.isEmpty(); }));
        QVERIFY(button("copyScenario")->isEnabled());
        const QString path = scenario::userFolder().filePath(u"my-lost-update.json"_s);
        QCOMPARE(editor.urls.first().toLocalFile(), path);
        QVERIFY(QFileInfo(path).isWritable());
        const auto mine = scenario::readScenarioFile(path);
        QVERIFY(mine);
        QCOMPARE((*mine)->title, u"My copy of Lost update: read, compute, write back"_s);
        QCOMPARE((*mine)->group, QString());
        QCOMPARE((*mine)->variants.size(), ScenarioRig::shipped(u"lost-update"_s)->variants.size());
        QCOMPARE(list->scenario()->id, u"my-lost-update"_s);
        // Editors check it by the schema beside it.
        QVERIFY(waitUntil(
            [] { return QFileInfo::exists(scenario::userFolder().filePath(u"scenario.schema.json"_s)); }));
        // A second one has another name.
        QVERIFY(list->choose(u"lost-update"_s));
        press("copyScenario");
        QVERIFY(waitUntil([&] { return editor.urls.size() == 2; }));
        QCOMPARE(list->scenario()->id, u"my-lost-update-2"_s);
    }

    void rowLocksThatSomebodyWaitsForAreDrawn()
    {
        openWindow(m_rig->url());
        choose(u"lost-update"_s, u"unsafe"_s, 1);
        m_page->findChild<QSpinBox*>(u"parameter-accounts"_s)->setValue(1);
        runToTheEnd();
        const TimelinePtr timeline = m_page->findChild<TimelineView*>(u"timeline"_s)->timeline();
        qsizetype waits = 0;
        qsizetype holds = 0;
        for (const TimelineLane& lane : timeline->lanes)
            for (const LaneSpan& span : lane.spans) {
                waits += span.state == LaneState::Waiting
                    && lane.subjects.at(int(span.subject)) == u"account row 1"_s;
                holds += span.state == LaneState::Holding
                    && lane.subjects.at(int(span.subject)) == u"account row 1"_s;
            }
        QVERIFY(waits > 0);
        QVERIFY(holds > 0);
    }

    void whatTheEngineCanNotIsSaid()
    {
        db::ServerUrl lockFile;
        lockFile.engine = Engine::Sqlite;
        lockFile.database = m_rig->file(u"locks.db"_s);
        QVERIFY(QFile(lockFile.database).open(QIODevice::WriteOnly)); // an empty one is a database already
        openWindow(lockFile);
        QVERIFY(m_window->findChild<ScenarioList*>()->choose(u"work-queue"_s));
        QVERIFY(!button("runScenario")->isEnabled());
        VERIFY_CONTAINS(notice(), u"does not run on SQLite"_s);
        VERIFY_CONTAINS(notice(), u"PostgreSQL"_s);
        QVERIFY(m_window->findChild<ScenarioList*>()->choose(u"best-sellers"_s));
        QVERIFY(button("runScenario")->isEnabled());
        QVERIFY(!m_page->findChild<QRadioButton*>(u"variant-app-lock"_s)->isEnabled());
        QCOMPARE(notice(), QString());
    }

    void readOnlyRunsNothing()
    {
        openWindow(m_rig->url(), true);
        QVERIFY(m_window->findChild<ScenarioList*>()->choose(u"lost-update"_s));
        QVERIFY(!button("runScenario")->isEnabled());
        VERIFY_CONTAINS(notice(), u"read-only"_s);
        // It stands below everything else, and goes for good when it was read.
        auto* bar = m_page->findChild<NoticeBar*>(u"scenarioNotice"_s);
        QVERIFY(bar->isVisible());
        QCOMPARE(bar->geometry().bottom(), m_page->rect().bottom());
        const auto* title = m_page->findChild<QLabel*>(u"story"_s);
        const int before = title->mapTo(m_page, QPoint()).y();
        QTest::mouseClick(bar->findChild<QToolButton*>(u"dismissNotice"_s), Qt::LeftButton);
        QVERIFY(!bar->isVisible());
        QCOMPARE(title->mapTo(m_page, QPoint()).y(), before);
        QVERIFY(m_window->findChild<ScenarioList*>()->choose(u"best-sellers"_s));
        QVERIFY(!bar->isVisible());
    }

    void aMissingSchemaOffersToInstallIt()
    {
        openWindow(TestServer::shared().freshDatabase(TestServer::Schema::None));
        choose(u"best-sellers"_s, u"lock-table"_s, 0.5);
        runToTheEnd();
        VERIFY_CONTAINS(notice(), u"schema is not installed"_s);
        auto* install =
            m_page->findChild<NoticeBar*>(u"scenarioNotice"_s)->findChild<QPushButton*>(u"noticeAction"_s);
        QVERIFY(install->isVisible() && install->isEnabled());
        QCOMPARE(verdict().trimmed(), QString());
    }

    void variantsAreComparedAndExported()
    {
        openWindow(m_rig->url());
        choose(u"best-sellers"_s, u"unsafe"_s, 1.0);
        m_page->findChild<QSpinBox*>(u"sessions"_s)->setValue(4);
        press("compareVariants");
        QVERIFY(isOver());
        auto* panel = m_page->findChild<ComparisonPanel*>();
        const auto& model = panel->table().tableModel();
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.index(0, 2).data().toString(), u"went wrong"_s);
        QCOMPARE(model.index(1, 2).data().toString(), u"not observed"_s);
        // The verdict is about all of them.
        VERIFY_CONTAINS(verdict(), QRegularExpression(u"^1 of 3 variants did \\d+ needless rebuilds?\n"_s));
        VERIFY_CONTAINS(verdict(), u"Not observed with B – A row in the lock table, C – "_s);
        // A row chosen shows its run.
        panel->table().selectRow(0);
        VERIFY_CONTAINS(verdict(), u" needless\n"_s);
        QCOMPARE(model.index(1, 0).data().toString(), u"B – A row in the lock table"_s);
        panel->table().selectRow(1);
        VERIFY_STARTS(verdict(), u"Not observed in "_s);
        // Back from its timeline, it is about all of them again.
        auto* tabs = m_page->findChild<QTabWidget*>();
        tabs->setCurrentIndex(0);
        VERIFY_STARTS(verdict(), u"Not observed in "_s);
        tabs->setCurrentIndex(1);
        VERIFY_STARTS(verdict(), u"1 of 3 variants"_s);

        checkExports();
        QCOMPARE(m_rig->remains(), QString());
    }

private:
    /// Checks the files that are written of three variants of best-sellers, four sessions each.
    void checkExports()
    {
        auto* exporting = m_page->findChild<ExportButton*>();
        const auto written = [&](ExportButton::What what, const QString& name) {
            QSignalSpy said(exporting, &ExportMenu::statusMessage);
            exporting->exportTo(what, m_rig->file(name));
            // It is written on another thread.
            return waitUntil([&said] { return !said.isEmpty(); }) ? contentOf(m_rig->file(name))
                                                                  : QByteArray();
        };
        using What = ExportButton::What;
        QString fault;
        const QString drawn = wordsOf(written(What::TimelineSvg, u"t.svg"_s), &fault);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
        for (int number = 1; number <= 4; ++number)
            VERIFY_CONTAINS(drawn, u"%1 visitor"_s.arg(number));
        wordsOf(written(What::ChartsSvg, u"c.svg"_s), &fault);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
        QVERIFY(QImage::fromData(written(What::TimelinePng, u"t.png"_s)).width() > 1'000);
        QVERIFY(QImage::fromData(written(What::ChartsPng, u"c.png"_s)).width() > 1'000);

        const QByteArray page = written(What::Html, u"r.html"_s);
        const QString report = wordsOf(page, &fault);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
        for (const QString& message : {u"1 visitor"_s, u"4 visitor"_s, u"A row in the lock table"_s,
                 u" needless"_s, u"Each old list is rebuilt once, and nobody waits for that."_s})
            QVERIFY2(report.contains(message), qPrintable(message));
        QVERIFY(page.contains("prefers-color-scheme: dark"));

        const QJsonArray runs = QJsonDocument::fromJson(written(What::Json, u"r.json"_s)).array();
        QCOMPARE(runs.size(), 3);
        QCOMPARE(runs[0].toObject()[u"broken"_s].toBool(), true);
        QCOMPARE(runs[2].toObject()[u"variant"_s].toString(), u"app-lock"_s);
        const QByteArray table = written(What::Csv, u"t.csv"_s);
        QCOMPARE(table.count("\r\n"), 4);
        QVERIFY(table.startsWith("title,strategy,outcome,rounds_per_second"));
    }

    QString notice() const { return child<NoticeBar>("scenarioNotice")->text(); }
};

LOCKSCOPE_TEST(tst_ScenariosPage)

} // namespace tst_ScenariosPage
#include "tst_ScenariosPage.moc"
