// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// `lockctl agent` with servers that hang or refuse.

#include "tests/support/AgentBench.h"
#include "tests/support/TestProgram.h"

#include <QTest>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tst_LockctlAgentMany {

using namespace lockscope;
using namespace Qt::StringLiterals;
using test::Lockctl;
using test::waitUntil;

namespace {

/// Whoever connects is let in by the system, and never hears a word.
class SilentPort {
public:
    SilentPort()
        : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(m_socket, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(m_socket, 64) != 0
            || ::getsockname(m_socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
            qFatal("no port");
        m_port = ntohs(address.sin_port);
    }
    ~SilentPort() { ::close(m_socket); }
    Q_DISABLE_COPY_MOVE(SilentPort)

    QString database(int number) const
    {
        return u"postgresql://ann@127.0.0.1:%1/silent%2"_s.arg(m_port).arg(number);
    }

private:
    const int m_socket;
    quint16 m_port = 0;
};

} // namespace

class tst_LockctlAgentMany : public QObject, test::AgentBench {
    Q_OBJECT

private Q_SLOTS:
    void init() { setUp(); }
    void cleanup() { tearDown(); }

    /// Thirty servers hang and ten refuse; two are polled at once, and the one that lives is polled on time.
    void serversThatHangOrRefuseSlowNobody()
    {
        const SilentPort silent;
        QStringList servers;
        for (int i = 0; i < 30; ++i)
            servers << silent.database(i);
        for (int i = 0; i < 10; ++i)
            servers << u"postgresql://ann@127.0.0.1:1/refused%1"_s.arg(i);
        const auto agent = start(servers << m_url.toString(), ", 'at_once': 2");
        const QString url = metricsUrl(*agent);
        // At first nobody knows that they hang: each holds the place for half a second, once.
        QVERIFY(waitUntil([&] { return polls(url, m_url) > 1; }));
        QElapsedTimer clock;
        clock.start();
        const int before = polls(url, m_url);
        QVERIFY(waitUntil([&] { return polls(url, m_url) >= before + 20; }));
        // Twenty intervals are 4 s; a place that hangs until it times out is held for ten and more.
        QVERIFY2(clock.elapsed() < 9'000, QByteArray::number(clock.elapsed()));
        const QByteArray text = test::httpGet(url).body;
        QCOMPARE(sample(text, up(m_url.toString())), "1"_qba);
        QVERIFY(waitUntil([&] { return sample(test::httpGet(url).body, up(silent.database(7))) == "0"; }));
        QVERIFY(waitUntil([&] { return sample(test::httpGet(url).body, up(servers[35])) == "0"; }));
        agent->terminate();
        Lockctl::finish(*agent);
    }
};

LOCKSCOPE_TEST(tst_LockctlAgentMany)

} // namespace tst_LockctlAgentMany
#include "tst_LockctlAgentMany.moc"
