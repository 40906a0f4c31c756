// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Any login can take a hundred thousand advisory locks: lockctl and every page of the window show them, and
// the waiters, as they show two. The benchmark measures how fast.

#include "tests/support/FakeKeychain.h"
#include "tests/support/Lockctl.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"
#include "ui/shell/window/MainWindow.h"

namespace tst_Hoarder {

using namespace lockscope;
using namespace lockscope::ui;

constexpr int locks = 100'000;

class HoarderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_server = std::make_unique<test::TestServer>(sandbox::Sandbox::Capacity{20, 6'000});
        m_url = m_server->freshDatabase();
        m_hoarder = std::make_unique<test::Hoarder>(*m_server, m_url, locks);
    }
    void cleanupTestCase()
    {
        m_hoarder.reset();
        m_server.reset();
    }

    void lockctlShowsWhoIsInTheWay()
    {
        const test::Lockctl lockctl(m_url.toString(), m_server->password());
        for (const QStringList& command :
            {QStringList{u"tree"_s}, QStringList{u"watch"_s, u"-n"_s, u"1"_s}}) {
            const auto answer = lockctl(command);
            QVERIFY2(answer.code == 0, answer.allOutput().left(1'000));
            for (const SessionId session : {m_hoarder->holder(), m_hoarder->waiter()})
                QVERIFY2(answer.out.contains(QString::number(session.value)), answer.allOutput().left(1'000));
        }
    }

    void everyPageGoesOn()
    {
        QSettings settings(test::freshPath(u"s.ini"_s), QSettings::IniFormat);
        MainWindow window(settings,
            {.passwords = m_server->passwords(),
                .keychain = std::make_shared<test::FakeKeychain>(),
                .interval = 500ms});
        window.show();
        window.openServer(test::profileOf(m_url));
        TRY_VERIFY(window.snapshot() != nullptr);
        for (const QString& page : window.pageIds()) {
            QVERIFY(window.showPage(page));
            TRY_VERIFY(window.currentPage()->isVisible());
            const SnapshotPtr before = window.snapshot();
            QTRY_VERIFY2_WITH_TIMEOUT(window.snapshot() != before, qPrintable(page), 30'000);
        }
        QVERIFY(window.showPage(u"locks"_s)); // other pages leave out what nobody looks at
        TRY_VERIFY(window.snapshot()->requests.size() >= locks);
        QCOMPARE(window.snapshot()->waits.size(), size_t(1));
    }

private:
    std::unique_ptr<test::TestServer> m_server;
    db::ServerUrl m_url;
    std::unique_ptr<test::Hoarder> m_hoarder;
};

LOCKSCOPE_TEST(HoarderTest)

} // namespace tst_Hoarder
#include "tst_Hoarder.moc"
