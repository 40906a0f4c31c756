// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Code of every kind is planted in a database: the window opens every page and every row's details there, as
// a superuser, an operator and a monitor, and none of it runs.

#include "tests/support/FakeKeychain.h"
#include "tests/support/PlantedDatabase.h"
#include "tests/support/Session.h"
#include "tests/ui/WindowTest.h"
#include "ui/kit/tables/TableView.h"
#include "ui/views/page/TablePage.h"

#include <QtWidgets>

namespace tst_PlantedPages {

using namespace lockscope;
using namespace lockscope::ui;
using test::TestServer;

constexpr int maxRows = 60; ///< of a page whose details are opened: there are hundreds of planted tables
constexpr quint64 polls = 2; ///< that a page is on view for

class PlantedPages : public test::WindowTest {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_planted = std::make_unique<test::PlantedDatabase>(); }
    void cleanupTestCase() { m_planted.reset(); }
    void init() { makeFolder(); }
    void cleanup() { dropAll(); }

    void nothingRunsOnAnyPage_data() { test::addTexts("role", {"superuser", "operator", "monitor"}); }
    void nothingRunsOnAnyPage()
    {
        QFETCH(QString, role);
        // Somebody waits, so that the pages of sessions, locks and waits have rows, on a planted table.
        TestServer& server = TestServer::shared();
        test::Session holder(server, m_planted->url(), u"planting"_s);
        test::Session waiter(server, m_planted->url(), u"planting"_s);
        const QString lock =
            u"LOCK TABLE %1.shedlock IN SHARE ROW EXCLUSIVE MODE"_s.arg(u"stranger_nothing"_s);
        QVERIFY(holder.begin(lock) && waiter.run(u"BEGIN"_s));
        waiter.start(lock);
        QVERIFY(waiter.waitUntilBlocked());

        showWindow({.passwords = server.passwords(),
                       .keychain = std::make_shared<test::FakeKeychain>(),
                       .interval = 100ms},
            QSize(1'280, 800));
        m_window->openServer(test::profileOf(m_planted->urlOf(role)));
        TRY_VERIFY(m_window->snapshot() != nullptr);
        int details = 0;
        for (const QString& page : m_window->pageIds()) {
            QVERIFY(m_window->showPage(page));
            QTRY_VERIFY(m_window->currentPage()->isVisible());
            waitForPolls();
            auto* const rows = qobject_cast<TablePage*>(m_window->currentPage());
            const int count = rows ? std::min(rows->view().model()->rowCount(), maxRows) : 0;
            for (int row = 0; row < count; ++row) {
                rows->view().selectRow(row);
                showAllTabs();
                ++details;
            }
            waitForPolls();
            const QStringList ran = m_planted->whatRan();
            QVERIFY2(ran.isEmpty(), qPrintable(page + u": "_s + ran.join(u"; "_s)));
        }
        qInfo("%lld pages, %d rows with their details", static_cast<long long>(m_window->pageIds().size()),
            details);
        QVERIFY(details > 5);
        waiter.cancel();
    }

private:
    void waitForPolls()
    {
        for (quint64 i = 0; i < polls; ++i) {
            const SnapshotPtr before = m_window->snapshot();
            TRY_VERIFY(m_window->snapshot() != before);
        }
    }
    /// Details are read when they are on view.
    void showAllTabs()
    {
        QCoreApplication::processEvents();
        for (QTabWidget* tabs : m_window->currentPage()->findChildren<QTabWidget*>())
            for (int i = 0; i < tabs->count(); ++i) {
                tabs->setCurrentIndex(i);
                QCoreApplication::processEvents();
            }
    }

    std::unique_ptr<test::PlantedDatabase> m_planted;
};

LOCKSCOPE_TEST(PlantedPages)

} // namespace tst_PlantedPages
#include "tst_PlantedPages.moc"
