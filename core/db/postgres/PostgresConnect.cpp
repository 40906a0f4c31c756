// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/postgres/PostgresLogin.h"

#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/db/AnswerLimits.h"

#include <QStringList>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <vector>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

using Clock = std::chrono::steady_clock;

/// libpq takes names and values as two arrays.
class Arrays {
public:
    explicit Arrays(const PostgresConnect::Parameters& parameters)
    {
        for (auto one = parameters.begin(); one != parameters.end(); ++one)
            m_texts.emplace_back(one.key().toUtf8(), one.value().toUtf8());
        for (const auto& [name, value] : m_texts) {
            m_names.push_back(name.constData());
            m_values.push_back(value.constData());
        }
        m_names.push_back(nullptr);
        m_values.push_back(nullptr);
    }
    const char* const* names() const { return m_names.data(); }
    const char* const* values() const { return m_values.data(); }

private:
    std::vector<std::pair<QByteArray, QByteArray>> m_texts;
    std::vector<const char*> m_names;
    std::vector<const char*> m_values;
};

/// Reads it as libpq does: none and 0 are no limit, and less than 2 s are 2 s.
std::chrono::seconds timeoutOf(const PostgresConnect::Parameters& parameters)
{
    const int seconds = parameters.value(u"connect_timeout"_s).toInt();
    return std::chrono::seconds(seconds <= 0 ? 3'600 : std::max(2, seconds));
}

/// The address that is tried, as far as it can be known: a socket may be given the number of the former one.
struct Attempt {
    QByteArray address;
    QByteArray port;
    int socket = -1;

    explicit Attempt(const PGconn* pg)
        : address(PQhostaddr(pg))
        , port(PQport(pg))
        , socket(PQsocket(pg))
    {
    }
    bool operator==(const Attempt&) const = default;
};

void waitFor(int socket, PostgresPollingStatusType requested, Clock::time_point until)
{
    const auto events = static_cast<short>(requested == PGRES_POLLING_WRITING ? POLLOUT : POLLIN);
    pollfd polled{socket, events, 0};
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
    ::poll(&polled, 1, static_cast<int>(std::clamp<qint64>(left, 0, 60'000)));
}

/// Leaves little space in the socket. libpq reads for as long as more is there, before anybody can count it:
/// a sender across a network has to wait for it, and the bytes of an endless row are counted in between. One
/// on this machine is as fast as libpq reads: of its row up to the protocol's gigabyte may come in.
void boundReceiveBuffer(int socket)
{
    constexpr int bytes = 256 * 1024;
    ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

QStringList partsOf(const PostgresConnect::Parameters& parameters, const QString& name)
{
    return parameters.value(name).split(u',');
}

} // namespace

PostgresConnect::PostgresConnect(Parameters parameters)
    : m_parameters(std::move(parameters))
{
}

PostgresConnect::Handle PostgresConnect::start(PGVerbosity verbosity) const
{
    const Arrays arrays(m_parameters);
    Handle handle(PQconnectStartParams(arrays.names(), arrays.values(), 0));
    if (handle) {
        PQsetNoticeProcessor(
            handle.get(), [](void*, const char*) {}, nullptr);
        PQsetErrorVerbosity(handle.get(), verbosity);
    }
    return handle;
}

PostgresConnect::Handle PostgresConnect::run(PGVerbosity verbosity)
{
    for (;;) {
        Handle handle = start(verbosity);
        if (!handle)
            return handle;
        const End end = drive(handle.get());
        if (end == End::Open)
            return handle;
        m_text += textFromUtf8(PQerrorMessage(handle.get()));
        if (end == End::Refused)
            return handle;
        m_text += u"connection to server at \"%1\", port %2 failed: %3\n"_s.arg(
            textFromUtf8(PQhost(handle.get())), textFromUtf8(PQport(handle.get())),
            end == End::Silent ? u"timeout expired"_s : u"it sends without end and lets nobody in"_s);
        if (!nextHost(handle.get()))
            return handle;
    }
}

PostgresConnect::End PostgresConnect::drive(PGconn* pg)
{
    const std::chrono::seconds timeout = timeoutOf(m_parameters);
    Clock::time_point until = Clock::now() + timeout;
    Attempt attempt(pg);
    ReceivedBytes received;
    received.start(attempt.socket);
    PostgresPollingStatusType requested = PGRES_POLLING_WRITING;
    for (bool isNew = true; PQstatus(pg) != CONNECTION_BAD;) {
        waitFor(PQsocket(pg), requested, until);
        const bool hasJustBegun = PQstatus(pg) == CONNECTION_STARTED;
        if (Clock::now() >= until) {
            if (!hasJustBegun || !isNew)
                return End::Silent;
            // Nobody answers at this address: libpq takes its next one as soon as this one fails.
            ::shutdown(PQsocket(pg), SHUT_RDWR);
            isNew = false;
        }
        received.beforeRead(PQsocket(pg));
        boundReceiveBuffer(PQsocket(pg));
        requested = PQconnectPoll(pg);
        if (requested == PGRES_POLLING_OK)
            return End::Open;
        if (requested == PGRES_POLLING_FAILED)
            return isNew ? End::Refused : End::Silent;
        if (const Attempt now(pg); !(now == attempt)) {
            attempt = now;
            until = Clock::now() + timeout;
            received.start(now.socket);
            isNew = true;
        } else if (received.count(now.socket) > maxBytesOfLogin) {
            return End::TooMuch;
        }
    }
    return End::Refused;
}

/// Leaves out the host that has just been tried, and those before it. False: it was the last one.
bool PostgresConnect::nextHost(const PGconn* pg)
{
    QStringList hosts = partsOf(m_parameters, u"host"_s);
    QStringList ports = partsOf(m_parameters, u"port"_s);
    const QString host = QString::fromUtf8(PQhost(pg));
    const QString port = QString::fromUtf8(PQport(pg));
    const bool isEach = ports.size() == hosts.size();
    while (hosts.size() > 1) {
        const bool isIt =
            hosts.first() == host && (!isEach || ports.first().isEmpty() || ports.first() == port);
        hosts.removeFirst();
        if (isEach)
            ports.removeFirst();
        if (!isIt)
            continue;
        m_parameters.insert(u"host"_s, hosts.join(u','));
        m_parameters.insert(u"port"_s, ports.join(u','));
        return true;
    }
    return false;
}

QString sslModeOf(PQconninfoOption* options)
{
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> owned(options, &PQconninfoFree);
    for (const PQconninfoOption* each = options; each && each->keyword; ++each)
        if (std::strcmp(each->keyword, "sslmode") == 0)
            return QString::fromUtf8(each->val);
    return {};
}

QString libpqText(const QString& lines)
{
    return withoutStop(sentences(lines.split(u'\n')));
}

} // namespace lockscope::db
