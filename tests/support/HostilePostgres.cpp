// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/HostilePostgres.h"

#include <QHostAddress>
#include <QNetworkInterface>
#include <QtEndian>

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace lockscope::test {

using namespace std::chrono_literals;

namespace {

QByteArray number(qint32 value)
{
    const qint32 big = qToBigEndian(value);
    return QByteArray(reinterpret_cast<const char*>(&big), sizeof(big));
}

QByteArray small(qint16 value)
{
    const qint16 big = qToBigEndian(value);
    return QByteArray(reinterpret_cast<const char*>(&big), sizeof(big));
}

QByteArray text(const QByteArray& value)
{
    return value + '\0';
}

QByteArray message(char type, const QByteArray& content)
{
    return QByteArray(1, type) + number(static_cast<qint32>(content.size()) + 4) + content;
}

QByteArray parameter(const QByteArray& name, const QByteArray& value)
{
    return message('S', text(name) + text(value));
}

const QByteArray ready = message('Z', "I");

QByteArray notice()
{
    return message('N',
        "S" + text("NOTICE") + "V" + text("NOTICE") + "C" + text("00000") + "M" + text(QByteArray(900, 'n'))
            + '\0');
}

QByteArray description()
{
    return message(
        'T', small(1) + text("pid") + number(0) + small(0) + number(25) + small(-1) + number(-1) + small(0));
}

QByteArray row(const QByteArray& value)
{
    return message('D', small(1) + number(static_cast<qint32>(value.size())) + value);
}

} // namespace

HostilePostgres::HostilePostgres(Flood flood)
    : HostilePostgres(flood, {}, {})
{
}

HostilePostgres::HostilePostgres(Flood flood, db::ServerUrl real, QByteArray turn, const QString& address)
    : m_flood(flood)
    , m_real(std::move(real))
    , m_turn(std::move(turn))
    , m_address(address)
    , m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    listen();
}

void HostilePostgres::listen()
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, m_address.toLatin1().constData(), &address.sin_addr);
    socklen_t size = sizeof(address);
    if (::bind(m_listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(m_listener, 16) != 0
        || ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
        qFatal("No port is left.");
    m_port = ntohs(address.sin_port);
    m_thread = std::thread([this] { accept(); });
}

HostilePostgres::~HostilePostgres()
{
    m_leave = true;
    m_thread.join();
    for (std::thread& client : m_clients)
        client.join();
    ::close(m_listener);
}

db::ServerUrl HostilePostgres::url() const
{
    db::ServerUrl url = m_real;
    url.engine = Engine::Postgres;
    url.host = m_address;
    url.port = m_port;
    if (m_real.port == 0) {
        url.user = QStringLiteral("ann");
        url.database = QStringLiteral("shop");
    }
    url.options.insert(QStringLiteral("sslmode"), QStringLiteral("disable"));
    url.options.insert(QStringLiteral("gssencmode"), QStringLiteral("disable"));
    return url;
}

QString HostilePostgres::addressOfThisMachine()
{
    const QList<QHostAddress> addresses = QNetworkInterface::allAddresses();
    const auto found = std::ranges::find_if(addresses, [](const QHostAddress& address) {
        return address.protocol() == QAbstractSocket::IPv4Protocol && !address.isLoopback();
    });
    return found == addresses.end() ? QString() : found->toString();
}

void HostilePostgres::accept()
{
    while (!m_leave) {
        pollfd polled{m_listener, POLLIN, 0};
        if (::poll(&polled, 1, 50) <= 0)
            continue;
        const int client = ::accept(m_listener, nullptr, nullptr);
        if (client >= 0)
            m_clients.emplace_back([this, client] {
                serve(client);
                ::close(client);
            });
    }
}

bool HostilePostgres::send(int client, const QByteArray& bytes)
{
    for (qsizetype sent = 0; sent < bytes.size();) {
        if (m_leave)
            return false;
        pollfd polled{client, POLLOUT, 0};
        if (::poll(&polled, 1, 50) <= 0)
            continue;
        const ssize_t now = ::send(client, bytes.constData() + sent, static_cast<size_t>(bytes.size() - sent),
            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (now < 0 && errno != EAGAIN)
            return false;
        sent += std::max<ssize_t>(now, 0);
    }
    return true;
}

void HostilePostgres::floodWith(int client, const QByteArray& bytes)
{
    const QByteArray many = bytes.repeated(std::max<qsizetype>(1, 65'536 / bytes.size()));
    while (send(client, many)) { }
}

void HostilePostgres::trickle(int client, const QByteArray& bytes)
{
    for (const char byte : bytes) {
        if (!send(client, QByteArray(1, byte)))
            return;
        for (int i = 0; i < 20 && !m_leave; ++i)
            std::this_thread::sleep_for(50ms);
    }
}

bool HostilePostgres::isLetIn(int client)
{
    if (m_flood == Flood::LoginNotices)
        floodWith(client, notice());
    if (m_flood == Flood::LoginTrickle)
        trickle(client, message('R', number(0)) + parameter("server_version", QByteArray(1'000, '1')));
    QByteArray welcome = message('R', number(0)) + parameter("server_version", "15.0")
        + parameter("server_encoding", "UTF8") + parameter("client_encoding", "UTF8")
        + parameter("standard_conforming_strings", "on") + parameter("integer_datetimes", "on");
    if (m_flood == Flood::LoginParameters && send(client, welcome))
        for (int i = 0; send(client, parameter("name_" + QByteArray::number(i), QByteArray(4'000, 'v')));
             ++i) { }
    return send(client, welcome + message('K', number(4'711) + number(7)) + ready);
}

void HostilePostgres::answer(int client)
{
    switch (m_flood) {
    case Flood::Rows:
        if (send(client, description()))
            floodWith(client, row(QByteArray(100, 'r')));
        return;
    case Flood::WideRow:
        if (send(client, description() + 'D' + number(1'000'000'010) + small(1) + number(1'000'000'000)))
            while (send(client, QByteArray(65'536, 'w')))
                std::this_thread::sleep_for(100us);
        return;
    case Flood::Results:
        return floodWith(client, message('C', text("SELECT 0")));
    case Flood::Notices:
        return floodWith(client, notice());
    case Flood::Notifications:
        for (int i = 0;; ++i)
            if (!send(client,
                    message('A', number(1) + text("lockscope_turn_1") + text(QByteArray::number(i)))
                        + message('A', number(1) + text("x") + text(QByteArray(5'000, 'p')))))
                return;
    case Flood::Parameters:
        for (int i = 0; send(client, parameter("name_" + QByteArray::number(i), QByteArray(4'000, 'v')));
             ++i) { }
        return;
    case Flood::CopyData:
        if (send(client, message('H', QByteArray(1, '\0') + small(0))))
            floodWith(client, message('d', QByteArray(1'000, 'c')));
        return;
    case Flood::Trickle:
        return trickle(client, description() + row(QByteArray(100'000, 't')));
    default:
        return;
    }
}

void HostilePostgres::standBetween(int client)
{
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(m_real.port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bool goesOn = ::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    QByteArray said; // by the client: what it says may come in pieces
    while (goesOn && !m_leave && (m_turn.isEmpty() || !said.contains(m_turn))) {
        std::array<pollfd, 2> polled{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
        if (::poll(polled.data(), polled.size(), 50) <= 0)
            continue;
        for (const bool fromClient : {true, false}) {
            if (!(polled[fromClient ? 0 : 1].revents & (POLLIN | POLLHUP)))
                continue;
            std::array<char, 65'536> bytes{};
            const ssize_t count = ::recv(fromClient ? client : server, bytes.data(), bytes.size(), 0);
            const QByteArray got(bytes.data(), std::max<ssize_t>(count, 0));
            said = fromClient ? said.right(m_turn.size()) + got : said;
            const bool turns = fromClient && !m_turn.isEmpty() && said.contains(m_turn);
            goesOn = goesOn && count > 0 && (turns || send(fromClient ? server : client, got));
        }
    }
    if (goesOn && !m_leave)
        answer(client);
    ::close(server);
    // A silent server keeps the connection open.
    for (std::array<char, 65'536> bytes{}; goesOn && !m_leave;) {
        pollfd polled{client, POLLIN, 0};
        if (::poll(&polled, 1, 50) > 0)
            goesOn = ::recv(client, bytes.data(), bytes.size(), 0) > 0;
    }
}

void HostilePostgres::serve(int client)
{
    if (m_real.port != 0)
        return standBetween(client);
    bool isIn = false;
    while (!m_leave) {
        pollfd polled{client, POLLIN, 0};
        if (::poll(&polled, 1, 50) <= 0)
            continue;
        std::array<char, 65'536> sent{};
        if (::recv(client, sent.data(), sent.size(), 0) <= 0)
            return;
        if (isIn)
            answer(client);
        else if (isLetIn(client))
            isIn = true;
        else
            return;
    }
}

} // namespace lockscope::test
