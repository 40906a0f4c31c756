// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/PrivateServer.h"

#include <QDataStream>
#include <QDir>
#include <QFile>
#include <QIODevice>

#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

namespace {

// Another one with every change of the reply, so that programs of two versions notice it.
constexpr quint32 replyMark = 0x4c53'5201;
constexpr qsizetype maxReplyBytes = 1 << 20;

/// Ready: the error says nothing.
QByteArray replyOf(const Error& error)
{
    QByteArray reply;
    QDataStream stream(&reply, QIODevice::WriteOnly);
    stream.setVersion(QDataStream::Qt_6_4);
    stream << replyMark << quint8(error.kind) << error.what << error.detail << error.hint;
    return reply;
}

} // namespace

QStringList SandboxTask::toArguments() const
{
    QStringList arguments{layout.directory, layout.runDirectory, programs, QString::number(account.uid),
        QString::number(account.gid), QString::number(startTimeout.count()),
        QString::number(capacity.connections), QString::number(capacity.locksPerConnection),
        QString::number(int(capacity.replicates)), QString::number(capacity.port)};
    if (!durable)
        arguments << u"--not-durable"_s;
    if (temporary)
        arguments << u"--temporary"_s;
    return arguments;
}

std::optional<SandboxTask> SandboxTask::fromArguments(const QStringList& arguments)
{
    constexpr int fixedArguments = 10;
    if (arguments.size() < fixedArguments)
        return std::nullopt;
    SandboxTask task;
    task.layout = {arguments[0], arguments[1]};
    task.programs = arguments[2];
    task.account = {arguments[3].toUInt(), arguments[4].toUInt()};
    task.startTimeout = milliseconds(arguments[5].toLongLong());
    task.capacity = {.connections = arguments[6].toInt(),
        .locksPerConnection = arguments[7].toInt(),
        .replicates = arguments[8].toInt() != 0,
        .port = arguments[9].toInt()};
    task.durable = !arguments.contains(u"--not-durable"_s);
    task.temporary = arguments.contains(u"--temporary"_s);
    return task;
}

QByteArray readyReply()
{
    return replyOf(Error());
}

QByteArray failedReply(const Error& error)
{
    return replyOf(error);
}

std::optional<Result<void>> parseReply(const QByteArray& reply)
{
    QDataStream stream(reply);
    stream.setVersion(QDataStream::Qt_6_4);
    stream.startTransaction();
    quint32 mark = 0;
    quint8 kind = 0;
    Error error;
    stream >> mark;
    const bool isOurs = stream.status() != QDataStream::Ok || mark == replyMark;
    stream >> kind >> error.what >> error.detail >> error.hint;
    const bool isWhole = stream.commitTransaction();
    if (!isOurs || kind > quint8(ErrorKind::Internal) || (!isWhole && reply.size() > maxReplyBytes))
        return Result<void>(failure(ErrorKind::Internal,
            u"The program of the sandbox, lockscope-sandbox, answers what makes no sense."_s,
            u"End the programs that use the sandbox, and install Lockscope's programs together."_s));
    if (!isWhole)
        return std::nullopt;
    if (error.what.isEmpty())
        return Result<void>();
    error.kind = ErrorKind(kind);
    return Result<void>(Failure(std::move(error)));
}

namespace {

volatile std::sig_atomic_t mustStop = 0;

void noteStop(int)
{
    mustStop = 1;
}

void noteChild(int) { }

/// All of them are blocked except inside ppoll, so that none is missed between a check and a wait.
void catchSignals()
{
    struct sigaction action { };
    action.sa_handler = noteStop;
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
        sigaction(number, &action, nullptr);
        sigaddset(&blocked, number);
    }
    action.sa_handler = noteChild;
    sigaction(SIGCHLD, &action, nullptr);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, nullptr);
    std::signal(SIGPIPE, SIG_IGN); // NOLINT(cert-err33-c): can't fail for SIGPIPE
}

void say(const QString& text)
{
    const QByteArray line = text.toUtf8() + '\n';
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.constData(), size_t(line.size()));
}

bool send(const Descriptor& user, const QByteArray& reply)
{
    return ::send(user.number(), reply.constData(), size_t(reply.size()), MSG_NOSIGNAL) == reply.size();
}

} // namespace

SandboxSupervisor::SandboxSupervisor(SandboxTask task)
    : m_task(std::move(task))
    , m_server(m_task.layout, m_task.programs, m_task.durable, m_task.capacity)
    , m_door(supervisorListenDescriptor)
{
    fcntl(m_door.number(), F_SETFD, FD_CLOEXEC);
    fcntl(m_door.number(), F_SETFL, O_NONBLOCK);
}

int SandboxSupervisor::main(int argc, char** argv)
{
    QStringList arguments;
    for (int i = 1; i < argc; ++i)
        arguments << QFile::decodeName(argv[i]);
    const auto task = SandboxTask::fromArguments(arguments);
    if (!task) {
        say(u"lockscope-sandbox keeps the private PostgreSQL server of \"sandbox:\"; Lockscope's programs start it."_s);
        return 2;
    }
    qunsetenv("LOCKSCOPE_PASSWORD");
    // A child of nobody's: the starting program waits for this process, not for the supervisor.
    if (fork() != 0)
        _exit(0);
    setsid();
    catchSignals();
    SandboxSupervisor supervisor(*task);
    // No destructors: the end of the process is what waiting users see. And a leak checker could not look at
    // a process that changed its account.
    _exit(supervisor.run());
}

int SandboxSupervisor::run()
{
    if (auto started = startServer(); !started) {
        say(started.error().toString());
        m_server.stop(PrivateServer::Manner::Crash);
        refuseUsers(started.error());
        cleanUp();
        return 1;
    }
    serveUntilUnused();
    closeDoor();
    m_server.stop(m_task.temporary ? PrivateServer::Manner::Crash : PrivateServer::Manner::Clean);
    cleanUp();
    return 0;
}

Result<void> SandboxSupervisor::startServer()
{
    LOCKSCOPE_TRY(become(m_task.account));
    if (chdir(QFile::encodeName(m_task.layout.directory).constData()) != 0)
        return systemFailure(u"Can't enter %1."_s.arg(m_task.layout.directory));
    return m_server.start(QDeadlineTimer(m_task.startTimeout));
}

void SandboxSupervisor::serveUntilUnused()
{
    // Programs that follow one another (scripts) shall find the server running.
    const milliseconds grace(m_task.temporary ? 0 : 1'000);
    const milliseconds housekeeping(60'000);
    sigset_t none;
    sigemptyset(&none);
    QDeadlineTimer unused(grace);
    welcomeUsers();
    while (!mustStop && !m_server.hasEnded()) {
        if (m_users.empty() && unused.hasExpired())
            return;
        std::vector<pollfd> polled{{m_door.number(), POLLIN, 0}};
        for (const Descriptor& user : m_users)
            polled.push_back({user.number(), POLLIN, 0});
        const auto patience = m_users.empty() ? milliseconds(unused.remainingTime() + 1) : housekeeping;
        const timespec timeout{patience.count() / 1'000, patience.count() % 1'000 * 1'000'000};
        const int events = ppoll(polled.data(), polled.size(), &timeout, &none);
        if (events == 0)
            m_server.trimLog();
        if (events <= 0)
            continue;
        dropUsersThatLeft(polled);
        welcomeUsers();
        if (m_users.empty())
            unused.setRemainingTime(grace);
    }
    if (m_server.hasEnded())
        say(u"The server ended unexpectedly: see server.log."_s);
}

void SandboxSupervisor::welcomeUsers()
{
    while (true) {
        Descriptor user(accept4(m_door.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!user.isOpen())
            return;
        if (send(user, readyReply()))
            m_users.push_back(std::move(user));
    }
}

void SandboxSupervisor::dropUsersThatLeft(const std::vector<pollfd>& polled)
{
    for (size_t i = m_users.size(); i-- > 0;) {
        char ignored[64];
        if (polled[i + 1].revents == 0)
            continue;
        const ssize_t got = recv(m_users[i].number(), ignored, sizeof ignored, 0);
        if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
            continue;
        if (m_task.temporary)
            m_waitingForTheEnd.push_back(std::move(m_users[i]));
        m_users.erase(m_users.begin() + std::ptrdiff_t(i));
    }
}

void SandboxSupervisor::refuseUsers(const Error& error)
{
    // The name goes first: from now on newcomers start a supervisor of their own.
    QFile::remove(m_task.layout.supervisorSocket());
    while (true) {
        const Descriptor user(accept4(m_door.number(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!user.isOpen())
            break;
        send(user, failedReply(error));
    }
    m_door.close();
}

void SandboxSupervisor::closeDoor()
{
    QFile::remove(m_task.layout.supervisorSocket());
    m_door.close();
}

void SandboxSupervisor::cleanUp() const
{
    const Layout& layout = m_task.layout;
    if (m_task.temporary)
        QDir(layout.directory).removeRecursively();
    // Only if it is elsewhere and empty, that is, if no successor uses it already.
    if (!layout.runDirectory.startsWith(layout.directory))
        QDir().rmdir(layout.runDirectory);
}

} // namespace lockscope::sandbox
