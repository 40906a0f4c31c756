// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// From a row to its history, from a range to its report, and from both back to a time.

#include "tests/support/FakeKeychain.h"
#include "tests/support/RecordedPolls.h"
#include "tests/support/Recordings.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/tables/TableView.h"
#include "ui/shell/timetravel/TimeBar.h"
#include "ui/views/history/BiographyDialog.h"
#include "ui/views/history/BiographyView.h"
#include "ui/views/history/RangePanel.h"
#include "ui/views/history/RecordingWindow.h"
#include "ui/views/locks/LocksPage.h"
#include "ui/views/page/SessionActs.h"
#include "ui/views/sessions/SessionsPage.h"

#include <QtWidgets>

namespace tst_Histories {

using namespace lockscope;
using namespace lockscope::ui;
using test::RecordedPolls;

class tst_Histories : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        makeFolder();
        keepState();
        m_recording = std::make_unique<RecordedPolls>();
        recordMinute(*m_recording);
        showWindow({.keychain = std::make_shared<test::FakeKeychain>()}, QSize(1280, 800));
        m_window->openRecording(m_recording->path(), at(14).toIsoString());
        TRY_VERIFY(isAt(14));
        m_window->showPage(u"locks"_s);
    }
    void cleanup()
    {
        dropAll();
        m_recording.reset();
    }

    void aKeyOpensTheHistoryOfTheLock()
    {
        selectWaiter();
        QTest::keyClick(&locks(), Qt::Key_H, Qt::ControlModifier);
        auto* dialog = m_window->findChild<BiographyDialog*>();
        QVERIFY(dialog);
        QCOMPARE(dialog->windowTitle(), u"History of public.orders – shop@db1"_s);
        TRY_COMPARE(dialog->list().model()->rowCount(), 5);
        // The pages show its times.
        QVERIFY(QTest::qWaitForWindowActive(dialog));
        dialog->view().setFocus();
        dialog->view().choose(1); // 63 waits until 9
        QTest::keyClick(&dialog->view(), Qt::Key_Return);
        TRY_VERIFY(isAt(9));
    }

    void theMenuOffersBoth()
    {
        selectWaiter();
        QMenu menu;
        addHistories(menu, *m_window->currentPage(),
            historiesOf(SessionKey{SessionId{70}, m_window->snapshot()->session(SessionId{70})->started},
                m_window->snapshot().get()));
        QStringList texts;
        for (const QAction* action : menu.actions()) {
            if (!action->isSeparator() && action->isEnabled())
                texts << action->text();
        }
        COMPARE_TEXTS(texts, "History of this lock…", "History of this session…");
        menu.actions().last()->trigger();
        const auto* dialog = m_window->findChild<BiographyDialog*>();
        QVERIFY(dialog);
        QCOMPARE(dialog->windowTitle(), u"History of session 70 – shop@db1"_s);
        TRY_COMPARE(dialog->list().model()->rowCount(), 2); // waited, held
    }

    void theDetailPaneLinksToThem()
    {
        selectWaiter();
        auto* links = child<QLabel>("detailHistories");
        QVERIFY(links);
        QVERIFY2(links->text().contains(u"History of the lock"_s)
                && links->text().contains(u"History of the session"_s),
            qPrintable(links->text()));
        Q_EMIT links->linkActivated(u"lock"_s);
        const auto* dialog = m_window->findChild<BiographyDialog*>();
        QVERIFY(dialog);
        QCOMPARE(dialog->windowTitle(), u"History of public.orders – shop@db1"_s);
    }

    void aRangeIsReported()
    {
        auto* bar = m_window->findChild<TimeBar*>();
        QVERIFY(bar);
        TRY_VERIFY(bar->isVisible());
        bar->setRange(std::pair(at(0), at(59)));
        Q_EMIT bar->rangeReportRequested();
        auto* panel = m_window->findChild<RangePanel*>();
        QVERIFY(panel);
        TableView& table = panel->table(u"locks"_s);
        TRY_COMPARE(table.model()->rowCount(), 2);
        QVERIFY(QTest::qWaitForWindowActive(panel));
        table.setFocus();
        table.selectRow(1); // public.items, waited for until 31
        QTest::keyClick(&table, Qt::Key_Return);
        TRY_VERIFY(isAt(31));
        panel->close();
    }

    void aRangeIsSavedAsAClip()
    {
        auto* bar = m_window->findChild<TimeBar*>();
        bar->setRange(std::pair(at(5), at(20)));
        Q_EMIT bar->clipRequested();
        ClipDialog* dialog = nullptr;
        QTRY_VERIFY((dialog = m_window->findChild<ClipDialog*>()));
        QSignalSpy said(dialog, &ClipDialog::said);
        const QString path = m_folder->filePath(u"clip.lockscope"_s);
        dialog->saveTo(path);
        TRY_COMPARE(said.count(), 1);
        const auto clip = test::readRecording(path);
        QVERIFY(clip->identity().redacted); // unless the user chooses otherwise
        const auto span = test::orDie(clip->span());
        QVERIFY(span.first >= at(5) && span.last <= at(20) && span.frames > 1);
    }

    void whereNothingIsRecordedItIsSaid()
    {
        AppContext context(*m_settings, nullptr);
        SessionsPage page(context);
        test::SnapshotBuilder s;
        s.session(51, "billing");
        const SnapshotPtr snapshot = s.take();
        QMenu menu;
        addHistories(menu, page, historiesOf(snapshot->sessions.front().key(), snapshot.get()));
        QCOMPARE(menu.actions().size(), 2); // with a separator
        QVERIFY(!menu.actions().last()->isEnabled());
        QCOMPARE(menu.actions().last()->toolTip(), u"Nothing is recorded of this server."_s);
        Histories histories(context, page);
        QSignalSpy said(&histories, &Histories::said);
        histories.openHistory(record::RecordedSession{SessionId{51}, {}}, at(0));
        histories.openRange(at(0), at(1));
        QCOMPARE(said.count(), 2);
    }

private:
    static ServerTime at(int second) { return test::SnapshotBuilder::at(second); }
    LocksPage& page() const { return test::pageOf<LocksPage>(*m_window); }
    TableView& locks() const { return page().view(); }

    /// The row of 70, which waits for public.orders.
    void selectWaiter()
    {
        locks().setFocus();
        const Snapshot& snapshot = *m_window->snapshot();
        const auto wait = std::ranges::find_if(
            snapshot.requests, [](const LockRequest& request) { return request.isWaiting(); });
        QVERIFY(wait != snapshot.requests.end());
        QVERIFY(page().reveal(snapshot.keyOf(*wait)));
    }

    std::unique_ptr<RecordedPolls> m_recording;
};

LOCKSCOPE_TEST(tst_Histories)

} // namespace tst_Histories
#include "tst_Histories.moc"
