// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A driver's connection is cut when it takes too long or brings too much, and no other connection is.
#include "core/db/AnswerLimits.h"
#include "core/db/sqlserver/OdbcLink.h"
#include "tests/support/TestProgram.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tst_OdbcSocket {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

constexpr auto* here = "127.0.0.1";
constexpr auto* elsewhere = "127.0.0.2"; // another server, on the same port

/// A server that accepts all clients.
class Listener {
public:
    explicit Listener(const char* host, int port = 0)
    {
        m_address.sin_family = AF_INET;
        m_address.sin_port = htons(static_cast<quint16>(port));
        inet_pton(AF_INET, host, &m_address.sin_addr);
        socklen_t size = sizeof(m_address);
        if (::bind(m_socket, address(), size) != 0 || ::listen(m_socket, 8) != 0
            || ::getsockname(m_socket, address(), &size) != 0)
            qFatal("can't listen");
    }
    ~Listener() { ::close(m_socket); }
    Q_DISABLE_COPY_MOVE(Listener)

    int port() const { return ntohs(m_address.sin_port); }
    sockaddr* address() { return reinterpret_cast<sockaddr*>(&m_address); }
    int accept() const { return ::accept(m_socket, nullptr, nullptr); }

private:
    const int m_socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in m_address{};
};

/// Plays a driver: it connects, and reads all that comes.
class Driver {
public:
    explicit Driver(Listener& server)
    {
        if (::connect(m_socket, server.address(), sizeof(sockaddr_in)) != 0)
            qFatal("can't connect");
        m_peer = server.accept();
    }
    ~Driver()
    {
        ::close(m_socket);
        ::close(m_peer);
    }
    Q_DISABLE_COPY_MOVE(Driver)

    /// Makes the driver receive that many bytes from the server, until it is cut.
    void takes(qint64 bytes)
    {
        QByteArray some(65'536, 'x');
        while (bytes > 0) {
            const ssize_t sent = ::send(m_peer, some.constData(),
                static_cast<size_t>(std::min<qint64>(bytes, some.size())), MSG_NOSIGNAL);
            if (sent <= 0)
                return;
            bytes -= sent;
            for (qint64 left = sent; left > 0;) {
                const ssize_t read = ::recv(m_socket, some.data(), static_cast<size_t>(left), 0);
                if (read <= 0)
                    return;
                left -= read;
            }
        }
    }
    bool isCut() const
    {
        pollfd polled{m_socket, POLLIN, 0};
        return ::poll(&polled, 1, 0) > 0 && (polled.revents & POLLHUP) != 0;
    }

private:
    const int m_socket = ::socket(AF_INET, SOCK_STREAM, 0);
    int m_peer = -1;
};

class tst_OdbcSocket : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aLateLoginIsCut()
    {
        OdbcSocket socket(QString::fromLatin1(here), m_server.port());
        Driver driver(m_server);
        const OdbcSocket::Connecting connecting(socket, 1ms);
        QTRY_VERIFY(driver.isCut());
    }
    void aLongLoginIsCut()
    {
        OdbcSocket socket(QString::fromLatin1(here), m_server.port());
        Driver driver(m_server);
        const OdbcSocket::Connecting connecting(socket, 1h);
        driver.takes(maxBytesOfLogin + 1);
        QTRY_VERIFY(driver.isCut());
    }
    void aConnectionCanBeCutLater()
    {
        OdbcSocket socket(QString::fromLatin1(here), m_server.port());
        Driver driver(m_server);
        {
            const OdbcSocket::Connecting connecting(socket, 1h);
        }
        QCOMPARE(socket.received(), 0);
        driver.takes(4);
        QCOMPARE(socket.received(), 4);
        QVERIFY(!driver.isCut());
        socket.cut();
        QTRY_VERIFY(driver.isCut());
    }

    /// A connection that takes too long to one server does not disturb connections to others.
    void anotherServersConnectionStays()
    {
        OdbcSocket socket(QString::fromLatin1(here), m_server.port());
        Driver driver(m_server);
        Driver other(m_other);
        other.takes(maxBytesOfLogin + 1);
        const OdbcSocket::Connecting connecting(socket, 1ms);
        QTRY_VERIFY(driver.isCut());
        QVERIFY(!other.isCut());
    }
    /// Accepted connections to the same server stay, too.
    void whoIsLetInStays()
    {
        OdbcSocket late(QString::fromLatin1(here), m_server.port());
        OdbcSocket early(QString::fromLatin1(here), m_server.port());
        Driver in(m_server);
        {
            const OdbcSocket::Connecting connecting(early, 1h);
        }
        Driver driver(m_server);
        in.takes(maxBytesOfLogin + 1);
        const OdbcSocket::Connecting connecting(late, 1ms);
        QTRY_VERIFY(driver.isCut());
        QVERIFY(!in.isCut());
    }
    void ofTwoAtOnceNeitherIsKept()
    {
        OdbcSocket one(QString::fromLatin1(here), m_server.port());
        Driver first(m_server);
        Driver second(m_server);
        {
            const OdbcSocket::Connecting connecting(one, 1h);
        }
        one.cut();
        QTest::qWait(10);
        QVERIFY(!first.isCut() && !second.isCut());
    }
    void anUnknownPortIsNobodys()
    {
        OdbcSocket socket(QString::fromLatin1(here), 0);
        Driver driver(m_server);
        {
            const OdbcSocket::Connecting connecting(socket, 1ms);
            QTest::qWait(100);
        }
        QVERIFY(!driver.isCut());
    }

private:
    Listener m_server{here};
    Listener m_other{elsewhere, m_server.port()};
};

LOCKSCOPE_TEST(tst_OdbcSocket)

} // namespace tst_OdbcSocket
#include "tst_OdbcSocket.moc"
