// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/PlainFile.h"
#include "core/base/Result.h"
#include "core/base/ServerTime.h"
#include "core/sandbox/Sandbox.h"

#include <QDeadlineTimer>
#include <QStringList>

#include <cerrno>
#include <poll.h>
#include <sys/types.h>
#include <system_error>
#include <vector>

namespace lockscope::sandbox {

/// The operating-system account that the server runs under: this program's own, or, since PostgreSQL refuses
/// root, an unprivileged one.
struct Account {
    uid_t uid = 0;
    gid_t gid = 0;

    /// The owner of `directory` if this program is root and somebody else owns it, else `postgres`, else
    /// `nobody`.
    static Result<Account> forDirectory(const QString& directory);
};

/// Refuses a directory that `account` can't reach, and says which part of the path is closed.
Result<void> checkReachable(const QString& directory, const Account& account);
/// Gives up root for good. Only for a process that belongs to the sandbox.
Result<void> become(const Account& account);

/// A failed system call as an error value: `what` failed, the system's own words as detail.
inline Failure systemFailure(QString what, int code = errno)
{
    Error error;
    error.kind = ErrorKind::Server;
    error.what = std::move(what);
    error.server = QStringLiteral("sandbox");
    error.detail = QString::fromStdString(std::system_category().message(code));
    return Failure(std::move(error));
}

/// An exclusive flock(2) on a file, made if it is not there. Held until the last copy of the descriptor is
/// closed, in this process and in every child that it was given to: so it outlives a killed owner exactly as
/// long as those live.
class FileLock {
public:
    /// Waits until `deadline`; Timeout after it. `account` will own the file.
    static Result<FileLock> take(const QString& path, const Account& account, const QDeadlineTimer& deadline);
    int number() const { return m_fd.number(); } ///< of its descriptor

private:
    explicit FileLock(Descriptor fd)
        : m_fd(std::move(fd))
    {
    }
    Descriptor m_fd;
};

/// Opens a file to append to, with mode 0600 and owned by `account` if it is made.
Result<Descriptor> openOwned(const QString& path, const Account& account);

/// The places of a sandbox's parts. A value: nothing is made before `prepare`.
struct Layout {
    QString directory; ///< absolute and clean
    QString runDirectory; ///< of the sockets; elsewhere if `directory` is too long for a socket's path

    static Layout of(const QString& directory, const Account& account);
    /// LOCKSCOPE_SANDBOX_DIR, else the user's data directory + "/lockscope/sandbox"; for root
    /// /var/lib/lockscope/sandbox, because the server's account may not enter root's home.
    static QString defaultDirectory();

    QString dataDirectory() const { return directory + QStringLiteral("/data"); }
    QString dataInTheMaking() const { return directory + QStringLiteral("/data.new"); }
    QString passwordFile() const { return directory + QStringLiteral("/password"); }
    /// A hash of the script that made the schema in the data directory.
    QString schemaMark() const { return directory + QStringLiteral("/schema"); }
    QString serverLog() const { return directory + QStringLiteral("/server.log"); }
    QString supervisorLog() const { return directory + QStringLiteral("/supervisor.log"); }
    /// Held while a supervisor is being started or the schema installed.
    QString startLock() const { return directory + QStringLiteral("/start.lock"); }
    /// Held by the supervisor and, inherited, by every process of the server.
    QString serverLock() const { return directory + QStringLiteral("/server.lock"); }
    QString supervisorSocket() const { return runDirectory + QStringLiteral("/supervisor"); }
    /// The last lines of both logs, for error texts.
    QString logTail() const;

    /// Makes the directories, mode 0700, owned by `account`. Refuses a directory that holds something else.
    Result<void> prepare(const Account& account) const;
};

/// A child of the supervisor. It dies with the thread that started it, however that ends (Linux), and its
/// output goes to a file.
class ChildProcess {
public:
    struct Command {
        QString program;
        QStringList arguments;
        int input = -1; ///< descriptor; −1 = /dev/null
        int output = -1; ///< descriptor of standard output and error
        int lock = -1; ///< descriptor of the FileLock that it keeps for as long as it lives; −1 = none
        int signalIfParentDies = 0;
    };
    static Result<ChildProcess> start(const Command& command);

    /// Exit status as of waitpid, or nullopt while it runs.
    std::optional<int> status();
    int wait();
    void signal(int number) const;
    pid_t pid() const { return m_pid; }

private:
    explicit ChildProcess(pid_t pid)
        : m_pid(pid)
    {
    }
    pid_t m_pid;
    std::optional<int> m_status;
};

/// The directory that holds `initdb` and `postgres`: LOCKSCOPE_PG_BINDIR if set (and then only that), else
/// the newest below /usr/lib/postgresql and its like, else where PATH finds them. With `majorVersion` ("15")
/// only programs of that version will do: a data directory can be opened by no other.
Result<QString> findPostgresPrograms(const QString& majorVersion);

/// The PostgreSQL server of a sandbox, as its supervisor sees it: makes the cluster on first use, starts and
/// stops the server. One thread, one process.
class PrivateServer {
public:
    PrivateServer(Layout layout, QString programs, bool durable, Sandbox::Capacity capacity)
        : m_layout(std::move(layout))
        , m_programs(std::move(programs))
        , m_durable(durable)
        , m_capacity(capacity)
    {
    }

    /// Returns when the server accepts connections.
    Result<void> start(const QDeadlineTimer& deadline);
    bool hasEnded() { return !m_postgres || m_postgres->status().has_value(); }
    enum class Manner { Clean, Crash }; ///< with a checkpoint, or as if the power failed (quick)
    /// Ends all sessions and returns when the server is gone.
    void stop(Manner manner);
    /// The log grows with every wait for a lock; only its newest part is of interest.
    void trimLog() const;

private:
    Result<void> makeCluster();
    Result<void> runInitdb(const QString& data, const QString& passwordFile);
    Result<void> createDatabase(const QString& data);
    Result<void> removeStalePidFile() const;
    Result<void> waitUntilReady(const QDeadlineTimer& deadline);
    Result<void> run(ChildProcess::Command command, const QString& whatFailed);
    QStringList settings() const;

    const Layout m_layout;
    const QString m_programs;
    const bool m_durable;
    const Sandbox::Capacity m_capacity;
    Descriptor m_log;
    std::optional<FileLock> m_lock;
    std::optional<ChildProcess> m_postgres;
};

/// The orders for a supervisor on its command line. Nothing secret is in it.
struct SandboxTask {
    Layout layout;
    Account account;
    QString programs; ///< PostgreSQL's
    std::chrono::milliseconds startTimeout{};
    bool durable = true;
    bool temporary = false;
    Sandbox::Capacity capacity;

    QStringList toArguments() const;
    static std::optional<SandboxTask> fromArguments(const QStringList& arguments);
};

/// The descriptor on which a supervisor finds its listening socket.
inline constexpr int supervisorListenDescriptor = 3;

/// The process between the programs and their server. Each program that uses the sandbox holds a connection
/// to it; when the last one is closed, by the program or by the kernel, the server is stopped.
class SandboxSupervisor {
public:
    explicit SandboxSupervisor(SandboxTask task);
    /// Returns the process's exit status. Becomes a daemon of its own session first.
    static int main(int argc, char** argv);

private:
    int run();
    Result<void> startServer();
    void serveUntilUnused();
    void welcomeUsers();
    void dropUsersThatLeft(const std::vector<pollfd>& polled);
    void refuseUsers(const Error& error);
    void closeDoor();
    void cleanUp() const;

    const SandboxTask m_task;
    PrivateServer m_server;
    Descriptor m_door;
    std::vector<Descriptor> m_users;
    /// Users of a temporary sandbox wait for its end: the kernel closes these when everything is gone.
    std::vector<Descriptor> m_waitingForTheEnd;
};

/// A supervisor's answer to a user; then the connection stays open (ready) or is closed (failed).
QByteArray readyReply();
QByteArray failedReply(const Error& error);
/// nullopt while `reply` is not whole; an error, too, if it makes no sense or is of another version.
std::optional<Result<void>> parseReply(const QByteArray& reply);

} // namespace lockscope::sandbox
