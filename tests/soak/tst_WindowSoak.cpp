// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// A window with a hundred servers for ten minutes, or for LOCKSCOPE_SOAK_MINUTES: eighty answer, of which ten
// die in turn, ten hang and ten refuse. It stays responsive, and its data about answering servers is fresh.

#include "tests/support/HundredServers.h"
#include "tests/support/Pulse.h"
#include "tests/support/TestProgram.h"
#include "ui/shell/servers/Servers.h"
#include "ui/shell/window/MainWindow.h"

#include <sys/resource.h>

namespace tst_WindowSoak {

using namespace lockscope;
using namespace lockscope::test;
using namespace lockscope::ui;

static double processorSeconds()
{
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

static double residentMb()
{
    return contentOf(u"/proc/self/statm"_s).split(' ').value(1).toDouble() * 4'096 / 1e6;
}

class tst_WindowSoak : public QObject {
    Q_OBJECT

public:
    tst_WindowSoak() { qputenv("QTEST_FUNCTION_TIMEOUT", "28800000"); }

private Q_SLOTS:
    void aHundredServers()
    {
        const auto minutes = qEnvironmentVariableIsSet("LOCKSCOPE_SOAK_MINUTES")
            ? qEnvironmentVariableIntValue("LOCKSCOPE_SOAK_MINUTES")
            : 10;
        HundredServers hundred(TestServer::shared());
        m_living = hundred.living();
        const QTemporaryDir folder;
        QSettings settings(folder.filePath(u"settings.ini"_s), QSettings::IniFormat);
        MainWindow::Options options;
        options.passwords = TestServer::shared().passwords();
        options.interval = 1s;
        MainWindow window(settings, options);
        window.resize(1'280, 800);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        for (const QString& url : hundred.all()) {
            const db::ServerProfile profile = profileOf(*db::ServerUrl::parse(url));
            window.openServer(profile);
        }
        window.showPage(u"fleet"_s);
        const Servers& servers = *window.findChild<Servers*>();
        QTRY_VERIFY_WITH_TIMEOUT(std::ranges::all_of(m_living,
                                     [&](const db::ServerUrl& each) {
                                         for (int row = 0; row < servers.count(); ++row)
                                             if (servers.profile(row).url == each)
                                                 return servers.session(row)->monitor().snapshot() != nullptr;
                                         return false;
                                     }),
            60'000);
        const double processorBefore = processorSeconds();
        const double megabytesBefore = residentMb();
        QElapsedTimer clock;
        clock.start();
        const Pulse pulse;
        for (int round = 0; clock.elapsed() < minutes * 60'000; ++round) {
            hundred.mortal(round).cut();
            QTest::qWait(5'000); // how long a server can't be reached
            note(servers);
            hundred.mortal(round).mend();
        }
        const double cores = (processorSeconds() - processorBefore) / (double(clock.elapsed()) / 1'000);
        qInfo(
            "%.2f cores; %.0f MB, %.0f at the end; the event loop was away for at most %lld ms, for over 50 ms %lld times in %lld; %lld of %lld ages were late",
            cores, megabytesBefore, residentMb(), static_cast<long long>(pulse.longestGap()),
            static_cast<long long>(pulse.late()), static_cast<long long>(pulse.beats()),
            static_cast<long long>(m_late), static_cast<long long>(m_samples));
        QVERIFY(m_late * 100 <= m_samples); // this machine does other things, too
        QVERIFY(pulse.late() * 1'000 <= pulse.beats());
        QVERIFY(residentMb() < 350); // the test's own servers and the debug information take some of it
        QVERIFY(cores < 1);
    }

private:
    void note(const Servers& servers);

    QList<db::ServerUrl> m_living;
    qint64 m_samples = 0;
    qint64 m_late = 0;
};

void tst_WindowSoak::note(const Servers& servers)
{
    for (int row = 0; row < servers.count(); ++row) {
        if (!m_living.contains(servers.profile(row).url))
            continue;
        const ServerSession* const session = servers.session(row);
        const auto age = std::chrono::steady_clock::now() - session->monitor().lastGood();
        ++m_samples;
        m_late += !session->monitor().snapshot() || age > 2 * session->monitor().effectiveInterval() + 500ms
            ? 1
            : 0;
    }
}

LOCKSCOPE_TEST(tst_WindowSoak)

} // namespace tst_WindowSoak
#include "tst_WindowSoak.moc"
