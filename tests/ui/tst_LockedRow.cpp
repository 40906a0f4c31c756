// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// "Find the row behind this key lock…" on the Locks page: warns, reads after a confirmation, shows the row or
// the error.

#include "tests/support/tds/MonitorAnswers.h"
#include "tests/ui/WindowTest.h"
#include "ui/views/page/SessionActs.h"

#include <QtWidgets>

namespace tst_LockedRow {

using namespace lockscope;
using namespace lockscope::test::tds;
using namespace lockscope::ui;

constexpr qint64 hobt = 72'057'594'043'695'104;

static Picture keyLock()
{
    Picture picture;
    picture.names[{u"[orders]"_s, hobt}] = u"dbo.orders"_s;
    picture.places[hobt] = {u"dbo"_s, u"orders"_s, 1, 1'000'000};
    picture.rows[u"[orders].[dbo].[orders] 1 (8194443284a0)"_s] = u"{\"id\":4711}"_s;
    picture.session(71, "shop");
    picture.lock(71, "KEY", hobt, "X").description = u"(8194443284a0)"_s;
    const Picture::Lock held = picture.locks.back();
    picture.session(63, "shop");
    picture.request(63, "UPDATE", 41'000).blocker = 71;
    picture.waitingLock(held, 63, "X", 41'000, 71);
    return picture;
}

class tst_LockedRow : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { makeFolder(); }
    void cleanup() { dropAll(); }

    void warnsThenShowsTheRow()
    {
        TdsServer server;
        MonitorAnswers answers(server);
        answers.show(keyLock());
        LockedRowDialog* dialog = searchOn(server);
        QVERIFY(dialog);
        const auto* text = dialog->findChild<QLabel*>(u"lockedRowText"_s);
        auto* read = dialog->findChild<QPushButton*>(u"readLockedRow"_s);
        TRY_VERIFY(read->isEnabled());
        VERIFY_CONTAINS(text->text(), u"1,000,000 rows of dbo.orders"_s);
        const auto* row = dialog->findChild<QPlainTextEdit*>(u"lockedRow"_s);
        QVERIFY(!row->isVisible());
        QTest::mouseClick(read, Qt::LeftButton);
        TRY_VERIFY(row->isVisible());
        QCOMPARE(row->toPlainText(), u"{\"id\":4711}"_s);
    }

    void rowThatHasGoneIsSaid()
    {
        TdsServer server;
        MonitorAnswers answers(server);
        Picture picture = keyLock();
        picture.rows.clear();
        answers.show(picture);
        LockedRowDialog* dialog = searchOn(server);
        QVERIFY(dialog);
        auto* read = dialog->findChild<QPushButton*>(u"readLockedRow"_s);
        TRY_VERIFY(read->isEnabled());
        QTest::mouseClick(read, Qt::LeftButton);
        const auto* text = dialog->findChild<QLabel*>(u"lockedRowText"_s);
        TRY_VERIFY(text->text().contains(u"not there"_s));
    }

    void errorsAreShown()
    {
        TdsServer server;
        MonitorAnswers answers(server);
        answers.show(keyLock());
        open(urlOf(server), db::fixedPassword(passwordOf(server)));
        std::atomic<bool> refuses = true;
        server.refuseLogins([&refuses](const Login&) -> std::optional<ServerMessage> {
            if (!refuses)
                return std::nullopt;
            return ServerMessage{18'456, u"Login failed for user 'ann'."_s, 14};
        });
        LockedRowDialog* dialog = search();
        QVERIFY(dialog);
        const auto* text = dialog->findChild<QLabel*>(u"lockedRowText"_s);
        TRY_VERIFY(text->text().contains(u"Login failed"_s));
        const auto* row = dialog->findChild<QPlainTextEdit*>(u"lockedRow"_s);
        QVERIFY(!row->isVisible());
        // It can be tried again.
        refuses = false;
        auto* read = dialog->findChild<QPushButton*>(u"readLockedRow"_s);
        QVERIFY(read->isEnabled());
        QTest::mouseClick(read, Qt::LeftButton);
        TRY_VERIFY(text->text().contains(u"1,000,000 rows of dbo.orders"_s));
        TRY_VERIFY(read->isEnabled());
        QTest::mouseClick(read, Qt::LeftButton);
        TRY_VERIFY(row->isVisible());
    }

    void closingTheDialogStopsTheSearch()
    {
        TdsServer server;
        MonitorAnswers answers(server);
        answers.show(keyLock());
        std::atomic<int> stopped = 0;
        server.answer("sqlserver/details/locked_row", [&stopped](const Request&, Reply& reply) {
            reply.defer();
            reply.onCancel([&stopped](Reply::End) { ++stopped; });
        });
        LockedRowDialog* dialog = searchOn(server);
        QVERIFY(dialog);
        auto* read = dialog->findChild<QPushButton*>(u"readLockedRow"_s);
        TRY_VERIFY(read->isEnabled());
        QTest::mouseClick(read, Qt::LeftButton);
        TRY_VERIFY(isAsked(server));
        dialog->reject();
        TRY_COMPARE(stopped.load(), 1);
    }

    void otherEnginesOfferNoSearch()
    {
        test::TestServer& server = test::TestServer::shared();
        const db::ServerUrl url = server.freshDatabase();
        const auto holder = server.connect(url);
        QVERIFY(holder->executeScript("BEGIN; CREATE TABLE t (id int)"));
        open(url, server.passwords());
        QVERIFY(!search());
        QVERIFY(m_menuSeen);
    }

private:
    LockedRowDialog* searchOn(const TdsServer& server)
    {
        open(urlOf(server), db::fixedPassword(passwordOf(server)));
        return search();
    }
    void open(const db::ServerUrl& url, const db::PasswordProvider& passwords)
    {
        showWindow({.passwords = passwords, .interval = 250ms});
        openServer(url, u"prod"_s, u"locks"_s);
        TRY_VERIFY(view()->model()->rowCount() > 0);
    }
    QAbstractItemView* view() const { return m_window->currentPage()->findChild<QAbstractItemView*>(); }
    static bool isAsked(TdsServer& server)
    {
        for (const SeenMessage& message : server.seen())
            for (const QString& seen : message.texts)
                if (seen.contains(u"%%lockres%%"_s))
                    return true;
        return false;
    }

    /// Chooses the entry of the menu of the first lock, below its resource; null if there is none.
    LockedRowDialog* search()
    {
        view()->setCurrentIndex(view()->model()->index(1, 0));
        m_menuSeen = false;
        // The menu is a loop of its own.
        QTimer poll;
        connect(&poll, &QTimer::timeout, this, [this] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu)
                return;
            m_menuSeen = true;
            for (QAction* action : menu->actions())
                if (action->text().contains(u"row behind"_s))
                    action->trigger();
            menu->close();
        });
        poll.start(20ms);
        const QRect cell = view()->visualRect(view()->currentIndex());
        QContextMenuEvent event(
            QContextMenuEvent::Mouse, cell.center(), view()->viewport()->mapToGlobal(cell.center()));
        QApplication::sendEvent(view()->viewport(), &event);
        for (int i = 0; i < 100 && !m_menuSeen; ++i)
            QTest::qWait(20);
        return m_window->findChild<LockedRowDialog*>();
    }

    bool m_menuSeen = false;
};

LOCKSCOPE_TEST(tst_LockedRow)

} // namespace tst_LockedRow
#include "tst_LockedRow.moc"
