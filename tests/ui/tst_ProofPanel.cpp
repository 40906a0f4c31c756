// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A deadlock that is made to happen again from the page: as a scenario, and with the proof that a cure works.

#include "core/admin/ServerAdminClient.h"
#include "core/watch/IncidentKeeper.h"
#include "core/watch/ServerWatch.h"
#include "tests/support/ScenarioRig.h"
#include "tests/support/TakenSnapshot.h"
#include "tests/ui/DeadlockDesk.h"
#include "ui/views/deadlocks/DeadlockWordsView.h"
#include "ui/views/deadlocks/ProofPanel.h"
#include "ui/views/scenarios/ScenarioRunner.h"

namespace tst_ProofPanel {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

class tst_ProofPanel : public QObject {
    Q_OBJECT

    /// The exported page has what was proved, and nothing of who did so.
    static void checkPageWithProof(DeadlockDesk& rig)
    {
        auto* button = rig.page.findChild<DeadlockExportButton*>();
        QSignalSpy said(button, &ExportMenu::statusMessage);
        button->exportTo(ExportMenu::Form::Html, rig.folder.filePath(u"p.html"_s));
        QTRY_COMPARE(said.size(), 1);
        const QByteArray page = readFile(rig.folder.filePath(u"p.html"_s));
        QVERIFY(page.contains("One order for all") && page.contains("orders deadlock")
            && page.contains("cures the reproduced deadlock"));
        QVERIFY(page.contains("&quot;variants&quot;")); // the scenario's text
        QVERIFY(!page.contains("secret-name") && !page.contains("app1"));
        QVERIFY(page.size() < 200'000);
    }

private Q_SLOTS:
    void becomesAScenario()
    {
        DeadlockDesk rig;
        const Variable folder("LOCKSCOPE_SCENARIO_DIR", rig.folder.filePath(u"scenarios"_s));
        QSignalSpy opened(&rig.page, &Page::openPage);
        rig.book.add(twoRowsReports());
        auto* make = rig.page.findChild<QPushButton*>(u"proofScenario"_s);
        QVERIFY(!make->isVisible());
        buttonIn(rig.page, u"Make it happen…"_s)->click();
        QVERIFY(make->isVisible());
        make->click();
        QVERIFY(!make->isEnabled());
        QTRY_COMPARE(opened.size(), 1); // the file is written on another thread
        QVERIFY(make->isEnabled());
        QCOMPARE(opened.first().at(0).toString(), u"scenarios"_s);
        const QString id = opened.first().at(1).toString();
        const auto library = scenario::loadLibrary();
        QVERIFY2(library.faults.empty(),
            qPrintable(library.faults.empty() ? QString() : library.faults.front().toString()));
        const auto made = library.find(id);
        QVERIFY2(made, qPrintable(id));
        QCOMPARE(made->sessions, 2);
        // Made again it stays as it was edited.
        const QString path = rig.folder.filePath(u"scenarios/%1.json"_s.arg(id));
        QFile file(path);
        QVERIFY2(file.open(QIODevice::Append) && file.write("\n") == 1, qPrintable(path));
        file.close();
        const qint64 edited = QFileInfo(path).size();
        make->click();
        QTRY_COMPARE(opened.size(), 2);
        QCOMPARE(QFileInfo(path).size(), edited);
        // A user who has gone to another page meanwhile stays there.
        make->click();
        rig.page.hide();
        QTRY_VERIFY(make->isEnabled());
        QCOMPARE(opened.size(), 2);
    }

    void isProvedAndItsPageHasTheProof()
    {
        const ScenarioRig server;
        DeadlockDesk rig;
        db::ServerProfile profile = server.server().profile;
        profile.name = u"secret-name"_s;
        watch::ServerWatch watch(profile, sourceOf([] { return std::make_shared<const Snapshot>(); }), {});
        db::Server where = server.server();
        where.profile = profile;
        admin::ServerAdminClient admin(where);
        rig.context.setServerToAsk(where);
        rig.context.setServer(profile, &watch, &admin);
        rig.page.findChild<RunConsent*>()->allow(profile.url); // the question has tests of its own
        rig.book.add(twoRowsReports());
        buttonIn(rig.page, u"Make it happen…"_s)->click();
        auto* panel = rig.page.findChild<ProofPanel*>();
        QVERIFY(!panel->section());
        rig.page.findChild<QComboBox*>(u"proofWhere"_s)->setCurrentIndex(1);
        auto* start = rig.page.findChild<QPushButton*>(u"startProof"_s);
        QVERIFY2(start->isEnabled(), qPrintable(start->toolTip()));
        start->click();
        QVERIFY2(rig.page.isRunning(), qPrintable(rig.page.findChild<QLabel*>(u"proofSays"_s)->text()));
        QVERIFY(waitUntil([&] { return !rig.page.isRunning(); }, milliseconds(120'000)));
        const auto* table = rig.page.findChild<QTableWidget*>(u"proofTable"_s);
        QVERIFY2(table->rowCount() > 1, qPrintable(rig.page.findChild<QLabel*>(u"proofSays"_s)->text()));
        QVERIFY(table->item(0, 1)->text().startsWith(u"deadlocks in "_s));
        QCOMPARE(table->item(0, 2)->text(), u"it happens"_s);
        QVERIFY(table->item(1, 1)->text().startsWith(u"0 of "_s));
        QCOMPARE(table->item(1, 2)->text(), u"cures the reproduced deadlock"_s);
        keepPicture(rig.page, u"deadlocks-proof"_s);
        // Its family is marked as cured on the server on view.
        auto* cured = rig.page.findChild<QPushButton*>(u"markCured"_s);
        QVERIFY2(cured->isEnabled(), qPrintable(cured->toolTip()));
        VERIFY_CONTAINS(cured->toolTip(), u"One order for all"_s);
        rig.page.findChild<QTableWidget*>(u"proofTable"_s)->selectRow(2); // that is what was done
        cured->click();
        const auto* says = rig.page.findChild<QLabel*>(u"proofSays"_s);
        QVERIFY2(waitUntil([&] { return says->text().contains(u"is marked as cured on"_s); }),
            qPrintable(says->text()));
        const auto report = twoRowsReports().first();
        const auto cure = (*watch::IncidentStore::open())
                              ->cureOf(watch::causeServer(profile.url),
                                  deadlock::familyOf(deadlock::deadlocksOf(report).first()));
        QVERIFY(cure && *cure);
        QCOMPARE((*cure)->cure, u"Lock the parent first"_s);
        // It is kept while another one is on view: the newer one, which comes first.
        rig.book.add({reportAt(u"03:00:00"_s)});
        QCOMPARE(table->rowCount(), 0);
        rig.page.view().selectRow(1);
        QVERIFY(table->rowCount() > 1);

        checkPageWithProof(rig);
        QCOMPARE(server.remains(), QString());
        rig.context.setServer({}, nullptr, nullptr);
    }

    void proofIsStopped()
    {
        const ScenarioRig server;
        ProofRunner runner;
        const auto report = twoRowsReports().first();
        const auto made = orDie(scenario::deadlockScenario(deadlock::deadlocksOf(report).first()));
        QSignalSpy ended(&runner, &ProofRunner::ended);
        QSignalSpy progressed(&runner, &ProofRunner::progressed);
        runner.start(server.server(), made.scenario);
        QVERIFY(waitUntil([&] { return !progressed.isEmpty(); }));
        runner.stop();
        QVERIFY(runner.isStopping());
        QVERIFY(waitUntil([&] { return !ended.isEmpty(); }));
        QVERIFY(!runner.isRunning());
        QCOMPARE(server.remains(), QString());
        // At once, too: before its thread has begun.
        runner.start(server.server(), made.scenario);
        runner.stop();
        QVERIFY(waitUntil([&] { return ended.size() == 2; }));
        QCOMPARE(server.remains(), QString());
    }
};

LOCKSCOPE_TEST(tst_ProofPanel)

} // namespace tst_ProofPanel
#include "tst_ProofPanel.moc"
