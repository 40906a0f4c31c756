// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/Sandbox.h"

#include "core/base/Mutex.h"
#include "core/base/PlainFile.h"
#include "core/base/Spawn.h"
#include "core/db/SchemaInstaller.h"
#include "core/sandbox/PrivateServer.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>

#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

namespace {

/// A program's hold on the sandbox: while it is open, the server runs.
class SandboxLink {
public:
    /// Joins the supervisor of `task.layout`, or starts `supervisorProgram` if there is none, and waits until
    /// the server is ready.
    static Result<SandboxLink> open(
        const SandboxTask& task, const QString& supervisorProgram, const QDeadlineTimer& deadline);
    /// False once the supervisor is gone, and the server with it.
    bool isAlive() const;
    /// Leaves the sandbox and waits until the supervisor has ended (temporary sandboxes only: others don't
    /// report it).
    void leaveAndWait(const QDeadlineTimer& deadline);

private:
    explicit SandboxLink(Descriptor fd)
        : m_fd(std::move(fd))
    {
    }
    Descriptor m_fd;
};

sockaddr_un addressOf(const QString& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const QByteArray name = QFile::encodeName(path);
    std::memcpy(
        address.sun_path, name.constData(), std::min(size_t(name.size()), sizeof address.sun_path - 1));
    return address;
}

Descriptor newSocket()
{
    return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

/// Invalid if nobody listens there.
Descriptor connectTo(const QString& path)
{
    Descriptor fd = newSocket();
    const sockaddr_un address = addressOf(path);
    if (::connect(fd.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        fd.close();
    return fd;
}

Result<Descriptor> listenAt(const QString& path, const Account& account)
{
    QFile::remove(path); // of a supervisor that was killed: nobody listens there any more
    Descriptor fd = newSocket();
    const sockaddr_un address = addressOf(path);
    const bool listens = ::bind(fd.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0
        && ::chmod(address.sun_path, 0600) == 0
        && (geteuid() != 0 || ::chown(address.sun_path, account.uid, account.gid) == 0)
        && ::listen(fd.number(), SOMAXCONN) == 0;
    if (!listens)
        return systemFailure(u"Can't listen at %1."_s.arg(path));
    return fd;
}

Result<void> startProgram(const QString& program, const QStringList& arguments, int log, int listening)
{
    static_assert(supervisorListenDescriptor == 3);
    const auto process = spawn({.arguments = inFileEncoding(QStringList{program} + arguments),
        .environment = ourEnvironment(),
        .descriptors = {-1, log, log, listening}});
    if (!process)
        return systemFailure(u"Can't start %1."_s.arg(program), process.error());
    // It forks and ends at once; the supervisor itself is nobody's child.
    while (waitpid(*process, nullptr, 0) < 0 && errno == EINTR) { }
    return {};
}

/// The socket listens before the supervisor exists, so that nobody can arrive too early.
Result<void> startSupervisor(const SandboxTask& task, const QString& supervisorProgram)
{
    LOCKSCOPE_TRY(task.layout.prepare(task.account));
    LOCKSCOPE_TRY_GET(auto log, openOwned(task.layout.supervisorLog(), task.account));
    LOCKSCOPE_TRY_GET(auto listening, listenAt(task.layout.supervisorSocket(), task.account));
    return startProgram(supervisorProgram, task.toArguments(), log.number(), listening.number());
}

enum class Answer { Ready, Failed, Gone, None };

/// `failure` is set if the answer is Failed.
Answer waitForAnswer(const Descriptor& link, const QDeadlineTimer& deadline, Error& failure)
{
    QByteArray reply;
    while (true) {
        pollfd polled{link.number(), POLLIN, 0};
        if (::poll(&polled, 1, int(std::min<qint64>(deadline.remainingTime(), 1'000))) <= 0) {
            if (deadline.hasExpired())
                return Answer::None;
            continue;
        }
        char buffer[4096];
        const ssize_t got = ::recv(link.number(), buffer, sizeof buffer, 0);
        if (got > 0)
            reply.append(buffer, got);
        if (const auto answer = parseReply(reply)) {
            if (answer->has_value())
                return Answer::Ready;
            failure = answer->error();
            return Answer::Failed;
        }
        if (got <= 0)
            return Answer::Gone;
    }
}

/// Connects to the running supervisor; if there is none, starts one, which `starts` counts.
Result<Descriptor> connectOrStart(
    const SandboxTask& task, const QString& supervisorProgram, const QDeadlineTimer& deadline, int& starts)
{
    if (Descriptor link = connectTo(task.layout.supervisorSocket()); link.isOpen())
        return link;
    LOCKSCOPE_TRY_GET(const auto lock, FileLock::take(task.layout.startLock(), task.account, deadline));
    // Somebody else may have started one while we waited for the lock.
    if (Descriptor link = connectTo(task.layout.supervisorSocket()); link.isOpen())
        return link;
    ++starts;
    LOCKSCOPE_TRY(startSupervisor(task, supervisorProgram));
    return connectTo(task.layout.supervisorSocket());
}

Failure withLog(Error error, const Layout& layout)
{
    error.server = u"sandbox"_s;
    const QString tail = layout.logTail();
    if (!tail.isEmpty())
        error.detail += (error.detail.isEmpty() ? u""_s : u"\n"_s) + tail;
    if (error.hint.isEmpty())
        error.hint = u"The logs are in %1."_s.arg(layout.directory);
    return Failure(std::move(error));
}

Result<SandboxLink> SandboxLink::open(
    const SandboxTask& task, const QString& supervisorProgram, const QDeadlineTimer& deadline)
{
    constexpr int maxStarts = 5;
    int starts = 0;
    LOCKSCOPE_TRY(task.layout.prepare(task.account));
    while (starts < maxStarts && !deadline.hasExpired()) {
        auto link = connectOrStart(task, supervisorProgram, deadline, starts);
        if (!link)
            return withLog(link.error(), task.layout);
        Error error;
        const Answer answer = link->isOpen() ? waitForAnswer(*link, deadline, error) : Answer::Gone;
        if (answer == Answer::Ready)
            return SandboxLink(std::move(*link));
        if (answer == Answer::Failed)
            return withLog(error, task.layout);
        // A supervisor on its way out: its successor waits for the end of the old server.
        std::this_thread::sleep_for(milliseconds(20));
    }
    return withLog(
        Error{.kind = deadline.hasExpired() ? ErrorKind::Timeout : ErrorKind::Server,
            .what = deadline.hasExpired() ? u"The sandbox's server did not get ready in time."_s
                                          : u"The sandbox's supervisor ends as soon as it is started."_s},
        task.layout);
}

bool SandboxLink::isAlive() const
{
    char byte = 0;
    const ssize_t got = ::recv(m_fd.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void SandboxLink::leaveAndWait(const QDeadlineTimer& deadline)
{
    ::shutdown(m_fd.number(), SHUT_WR);
    Error ignored;
    waitForAnswer(m_fd, deadline, ignored);
}

Result<QString> findSupervisor(const QString& named)
{
    if (!named.isEmpty())
        return named;
    return findOwnProgram(u"lockscope-sandbox"_s, u"which runs the sandbox's server"_s);
}

QString versionOfData(const Layout& layout)
{
    return QString::fromLatin1(fileContent(layout.dataDirectory() + u"/PG_VERSION"_s)).trimmed();
}

Result<SandboxTask> taskFor(const Sandbox::Options& options)
{
    const QString directory = options.directory.isEmpty() ? Layout::defaultDirectory() : options.directory;
    SandboxTask task;
    LOCKSCOPE_TRY_GET(task.account, Account::forDirectory(directory));
    task.layout = Layout::of(directory, task.account);
    LOCKSCOPE_TRY_GET(task.programs, findPostgresPrograms(versionOfData(task.layout)));
    task.startTimeout = options.startTimeout;
    task.durable = options.durable;
    task.temporary = options.temporary;
    task.capacity = options.capacity;
    return task;
}

class KeptSandbox final : public Sandbox {
public:
    KeptSandbox(SandboxLink link, const SandboxTask& task, QString password)
        : m_link(std::move(link))
        , m_temporary(task.temporary)
        , m_directory(task.layout.directory)
        , m_password(std::move(password))
    {
        m_url.user = m_url.database = u"lockscope"_s;
        m_url.host = task.layout.runDirectory;
        m_url.port = task.capacity.port;
    }
    ~KeptSandbox() override
    {
        if (!m_temporary)
            return;
        m_link.leaveAndWait(QDeadlineTimer(milliseconds(30'000)));
        // The supervisor emptied it, but its account may lack the right to remove it from our directory.
        QDir().rmdir(m_directory);
    }
    db::ServerUrl url() const override { return m_url; }
    QString password() const override { return m_password; }
    bool isRunning() const override { return m_link.isAlive(); }

private:
    SandboxLink m_link;
    const bool m_temporary;
    const QString m_directory;
    db::ServerUrl m_url;
    const QString m_password;
};

Result<QString> readPassword(const Layout& layout)
{
    QFile file(layout.passwordFile());
    if (!file.open(QIODevice::ReadOnly))
        return failure(
            ErrorKind::Permission, u"Can't read the sandbox's password file %1."_s.arg(file.fileName()));
    return QString::fromLatin1(file.readAll()).trimmed();
}

/// The script changes tables, for which it waits until nobody uses them, and everybody waits for it
/// meanwhile. So only those run it who bring another one than the last.
class SchemaMark {
public:
    explicit SchemaMark(const Layout& layout)
        : m_file(layout.schemaMark())
    {
    }

    bool isSet(db::Connection& connection)
    {
        if (!m_file.open(QIODevice::ReadOnly))
            return false;
        const QByteArray mark = m_file.readAll();
        m_file.close();
        return mark == ours() && db::installedSchemaVersion(connection) == db::schemaVersion;
    }
    /// Without it the next one runs the script again.
    void set()
    {
        if (m_file.open(QIODevice::WriteOnly))
            m_file.write(ours());
        m_file.close();
    }

private:
    static QByteArray ours()
    {
        return QCryptographicHash::hash(
            db::Statement::get("postgres/install.sql").sql(), QCryptographicHash::Sha256)
            .toHex();
    }

    QFile m_file;
};

/// One program at a time, and not while a supervisor is being started.
Result<void> installSchema(
    const KeptSandbox& sandbox, const SandboxTask& task, const QDeadlineTimer& deadline)
{
    LOCKSCOPE_TRY_GET(const auto lock, FileLock::take(task.layout.startLock(), task.account, deadline));
    LOCKSCOPE_TRY_GET(auto connection,
        db::Server::at(sandbox.url(), db::fixedPassword(sandbox.password())).connect(db::Purpose::Admin));
    SchemaMark mark(task.layout);
    if (mark.isSet(*connection))
        return {};
    LOCKSCOPE_TRY(db::installSchema(*connection));
    mark.set();
    return {};
}

} // namespace

Result<std::unique_ptr<Sandbox>> Sandbox::open(const Options& options)
{
    const QDeadlineTimer deadline(options.startTimeout);
    LOCKSCOPE_TRY_GET(const auto task, taskFor(options));
    LOCKSCOPE_TRY_GET(const auto program, findSupervisor(options.supervisorProgram));
    LOCKSCOPE_TRY_GET(auto link, SandboxLink::open(task, program, deadline));
    LOCKSCOPE_TRY_GET(const auto password, readPassword(task.layout));
    auto sandbox = std::make_unique<KeptSandbox>(std::move(link), task, password);
    const auto installed = installSchema(*sandbox, task, deadline);
    return ifDone(installed, std::move(sandbox));
}

Result<db::Server> resolve(const db::Server& server)
{
    static Mutex mutex;
    static std::unique_ptr<Sandbox> shared LOCKSCOPE_GUARDED_BY(mutex);
    const MutexLock guard(mutex);
    if (!shared || !shared->isRunning()) {
        LOCKSCOPE_TRY_GET(shared, Sandbox::open());
    }
    db::Server resolved = server;
    resolved.profile.name = server.display();
    resolved.profile.url = shared->url();
    resolved.passwords = db::fixedPassword(shared->password());
    return resolved;
}

} // namespace lockscope::sandbox
