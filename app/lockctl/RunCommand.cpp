// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Acts.h"
#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/Duration.h"
#include "core/base/EnumTable.h"
#include "core/base/Mutex.h"
#include "core/base/Sentences.h"
#include "core/base/Spawn.h"
#include "core/locks/WatchedGrant.h"

#include <QCoreApplication>
#include <QDir>
#include <QEventLoop>
#include <QFile>
#include <QFileInfo>
#include <QProcessEnvironment>
#include <QStringList>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <thread>
#include <tl/expected.hpp>
#include <unistd.h>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

using Clock = std::chrono::steady_clock;

namespace {

/// A program as a shell finds and starts it.
struct Program {
    struct Refusal {
        QString reason;
        int exitCode = 0; ///< 126 = found, but it can't be executed; 127 = not found
    };
    QString path;
    bool isBinary = false; ///< no script, even if it begins with neither "#!" nor a format that is known

    /// Finds it by its path, or by its name in one of the folders of `searchPath`.
    static tl::expected<Program, Refusal> find(const QString& name, const QString& searchPath);

    /// Starts it with what we were given: descriptors, ignored signals, words that are no text. The first
    /// word of `command` is its name. A script without "#!" is given to /bin/sh. The error is the system's
    /// number. Without `survivesUs` it gets SIGTERM when the calling thread ends (Linux).
    tl::expected<pid_t, int> start(
        const QStringList& command, const QProcessEnvironment& environment, bool survivesUs) const;
};

/// Judges as shells do: they take every other file that the system can't execute for a script.
bool isBinary(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray sample = file.read(80);
    const qsizetype zero = sample.indexOf('\0');
    return zero >= 0 && !sample.left(zero).contains('\n');
}

struct Inherited {
    std::vector<int> descriptors;
    std::vector<int> ignoredSignals;
    int argumentCount = 0;
    char** arguments = nullptr;
};
Inherited& inherited()
{
    static Inherited instance;
    return instance;
}

/// Says whether a file can be executed: its exit code is 0 then.
Program::Refusal inspectFile(const QString& path)
{
    const QByteArray name = QFile::encodeName(path);
    struct stat status { };
    const bool isThere = stat(name.constData(), &status) == 0;
    if (isThere && S_ISDIR(status.st_mode))
        return {u"it is a folder"_s, exitNotExecutable};
    if (isThere && access(name.constData(), X_OK) == 0)
        return {};
    const int error = errno;
    const bool isMissing = !isThere && (error == ENOENT || error == ENOTDIR);
    return {QString::fromLocal8Bit(std::strerror(error)), isMissing ? exitNotFound : exitNotExecutable};
}

/// Our settings and those of `environment`, as they were given to us where they are the same: not every value
/// is text.
std::vector<QByteArray> givenSettings(const QProcessEnvironment& environment)
{
    std::vector<QByteArray> all;
    const QProcessEnvironment ours = QProcessEnvironment::systemEnvironment();
    for (const QByteArray& setting : ourEnvironment()) {
        const QString key = QString::fromLocal8Bit(setting.left(setting.indexOf('=')));
        if (environment.value(key) == ours.value(key) && environment.contains(key))
            all.push_back(setting);
    }
    for (const QString& key : environment.keys())
        if (!ours.contains(key) || environment.value(key) != ours.value(key))
            all.push_back((key + u'=' + environment.value(key)).toLocal8Bit());
    return all;
}

/// As we were given them, too.
std::vector<QByteArray> givenWords(const QStringList& command)
{
    const Inherited& given = inherited();
    const auto count = static_cast<int>(command.size());
    std::vector<QByteArray> words;
    for (int i = 0; i < count; ++i)
        words.push_back(given.argumentCount > count
                ? QByteArray(given.arguments[given.argumentCount - count + i])
                : command[i].toLocal8Bit());
    return words;
}

tl::expected<Program, Program::Refusal> Program::find(const QString& name, const QString& searchPath)
{
    Refusal refusal{u"there is no such command"_s, exitNotFound};
    const bool isPath = name.contains(u'/');
    const QStringList folders = isPath || name.isEmpty() ? QStringList() : searchPath.split(u':');
    QStringList paths;
    if (isPath)
        paths << name;
    for (const QString& folder : folders)
        paths << (folder.isEmpty() ? u"."_s : folder) + u'/' + name;
    for (const QString& path : paths) {
        const Refusal seen = inspectFile(path);
        if (seen.exitCode == 0)
            return Program{path, ctl::isBinary(path)};
        const bool isFirstFile = seen.exitCode == exitNotExecutable && refusal.exitCode == exitNotFound
            && QFileInfo(path).isFile();
        if (isPath || isFirstFile)
            refusal = seen;
    }
    refusal.reason = u"Can't start \"%1\": %2."_s.arg(name, refusal.reason);
    return tl::unexpected(refusal);
}

tl::expected<pid_t, int> Program::start(
    const QStringList& command, const QProcessEnvironment& environment, bool survivesUs) const
{
    ProgramStart program{.path = QFile::encodeName(path),
        .arguments = givenWords(command),
        .environment = givenSettings(environment),
        .kept = inherited().descriptors,
        .ignoredSignals = inherited().ignoredSignals,
        .signalIfWeDie = survivesUs ? 0 : SIGTERM};
    const auto process = spawn(program);
    if (process || process.error() != ENOEXEC || isBinary)
        return process;
    program.arguments.front() = program.path;
    program.arguments.insert(program.arguments.begin(), "/bin/sh");
    program.path = "/bin/sh";
    return spawn(program);
}

/// The command that runs while we hold the lock, with our standard streams and whatever else we were given,
/// but with nothing of our own: no descriptor, no signal handler, no blocked signal.
class ChildCommand {
public:
    /// Sets whether it goes on if this program dies without being able to do anything (Linux); else it gets
    /// SIGTERM then.
    void setSurvivesUs(bool survives) { m_survivesUs = survives; }
    /// Runs it to its end; the exit code as a shell would tell it. Needs the application's event loop, and
    /// the main thread, whose end the system takes for ours.
    int run(const QStringList& command, const QProcessEnvironment& environment);
    /// Passes a signal on, unless the terminal has given it to all of us; before the command has started, it
    /// will not start any more. Any thread.
    void forward(int signal, bool fromTerminal);
    /// SIGTERM, and SIGKILL if it still runs after `grace`. Any thread.
    void terminate(std::chrono::milliseconds grace);
    bool isRunning() const;
    /// The time of its end, and its exit code; nothing if it has not ended.
    struct End {
        Clock::time_point at;
        int code;
    };
    std::optional<End> end() const;

private:
    tl::expected<pid_t, int> start(const QStringList& command, const QProcessEnvironment& environment);

    bool m_survivesUs = false;
    mutable Mutex m_mutex;
    pid_t m_processId LOCKSCOPE_GUARDED_BY(m_mutex) = 0; ///< 0 while there is no process
    int m_refused LOCKSCOPE_GUARDED_BY(m_mutex) = 0; ///< the signal that came before the start
    std::optional<End> m_end LOCKSCOPE_GUARDED_BY(m_mutex);
    std::jthread m_killer;
};

int ChildCommand::run(const QStringList& command, const QProcessEnvironment& environment)
{
    std::signal(SIGCHLD, SIG_DFL); // ignored, it would leave us no exit code
    const auto process = start(command, environment);
    if (!process)
        return process.error();
    QEventLoop loop;
    const std::jthread waiting([this, &loop, number = static_cast<id_t>(*process)] {
        siginfo_t ended{};
        while (waitid(P_PID, number, &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) { }
        {
            const MutexLock lock(m_mutex);
            waitid(P_PID, number, &ended, WEXITED); // from now on another process may get its number
            m_processId = 0;
            m_end = {
                Clock::now(), ended.si_code == CLD_EXITED ? ended.si_status : exitSignal + ended.si_status};
            m_killer.request_stop();
        }
        QMetaObject::invokeMethod(&loop, &QEventLoop::quit, Qt::QueuedConnection);
    });
    loop.exec();
    return end()->code;
}

/// The process, or the exit code if there is nothing to wait for.
tl::expected<pid_t, int> ChildCommand::start(
    const QStringList& command, const QProcessEnvironment& environment)
{
    const auto found = Program::find(command.first(), environment.value(u"PATH"_s, u"/bin:/usr/bin"_s));
    if (!found) {
        complain(found.error().reason);
        return tl::unexpected(found.error().exitCode);
    }
    tl::expected<pid_t, int> process;
    {
        const MutexLock lock(m_mutex);
        if (m_refused != 0)
            return tl::unexpected(exitSignal + m_refused);
        process = found->start(command, environment, m_survivesUs);
        m_processId = process.value_or(0);
    }
    if (process)
        return process;
    complain(asSentence(u"Can't start \"%1\": %2"_s.arg(command.first(), qt_error_string(process.error()))));
    // It is there: find() has seen it. But perhaps not the program that is to run it.
    return tl::unexpected<int>(process.error() == ENOENT ? exitNotFound : exitNotExecutable);
}

void ChildCommand::forward(int signal, bool fromTerminal)
{
    const MutexLock lock(m_mutex);
    if (m_processId == 0 && !m_end)
        m_refused = signal;
    else if (m_processId != 0 && !fromTerminal)
        ::kill(m_processId, signal);
}

void ChildCommand::terminate(std::chrono::milliseconds grace)
{
    const MutexLock lock(m_mutex);
    if (m_processId == 0) {
        if (!m_end)
            m_refused = SIGTERM;
        return;
    }
    ::kill(m_processId, SIGTERM);
    ::kill(m_processId, SIGCONT); // a command that is stopped would not even notice
    if (m_killer.joinable())
        return;
    m_killer = std::jthread([this, grace](const std::stop_token& stop) {
        if (!sleepFor(grace, stop))
            return;
        const MutexLock killing(m_mutex);
        if (m_processId != 0)
            ::kill(m_processId, SIGKILL);
    });
}

bool ChildCommand::isRunning() const
{
    const MutexLock lock(m_mutex);
    return m_processId != 0;
}

std::optional<ChildCommand::End> ChildCommand::end() const
{
    const MutexLock lock(m_mutex);
    return m_end;
}

/// After a signal, if the program hangs in spite of all.
constexpr milliseconds lastPatience{950};
/// The limit for the release of a lock that was lost: its entry may still block others.
constexpr milliseconds briefRelease{3'000};

QString lossText(locks::LossReason reason)
{
    static constexpr EnumTable<locks::LossReason> names(
        {u"its lease could not be renewed in time", u"its entry is gone or somebody else's by now",
            u"its session is gone, or gets no answer from the server"});
    return names[reason].toString();
}

/// Called on any thread, without waiting for its reader.
void complainSoon(const QString& text)
{
    QMetaObject::invokeMethod(
        qApp, [text] { complain(text); }, Qt::QueuedConnection);
}

/// One run of a command under a lock.
class LockedRun {
public:
    LockCommandOptions order;
    QStringList command;
    bool terminateOnLoss = false;
    milliseconds killAfter{0};
    bool keepPassword = false;
    bool json = false;
    ChildCommand child;

    int start(const db::Server& server);

private:
    int runHolding(locks::LockHolder& holder);
    int runCommand(const locks::Obtained& lock);
    int giveBack(locks::LockHolder& holder, int code);
    QProcessEnvironment environmentFor(const locks::Obtained& lock) const;
    locks::LossHandler lossHandler();
    void onLoss(locks::LossReason reason);
    void onSignal(const SignalWatch::Signal& received);
    std::optional<int> lastResort() const;

    std::atomic<int> m_signal = 0;
    std::atomic<Clock::time_point> m_signalled{};
    std::atomic<bool> m_isHurried = false; ///< a signal asks for the end
    std::atomic<bool> m_isLost = false;
    Mutex m_mutex;
    locks::LockHolder* m_holder LOCKSCOPE_GUARDED_BY(m_mutex) = nullptr;
};

/// Returns the environment by which a protected resource can refuse a late writer.
QProcessEnvironment LockedRun::environmentFor(const locks::Obtained& lock) const
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    // The command has no business with our credentials.
    if (!keepPassword)
        for (const QString& secret : {u"LOCKSCOPE_PASSWORD"_s, u"PGPASSWORD"_s})
            environment.remove(secret);
    environment.insert(u"LOCKSCOPE_LOCK"_s, order.name);
    if (order.kind == locks::LockKind::Table) {
        environment.insert(u"LOCKSCOPE_TOKEN"_s, lock.token);
        environment.insert(u"LOCKSCOPE_FENCING"_s, QString::number(lock.fencing));
    }
    return environment;
}

locks::LossHandler LockedRun::lossHandler()
{
    locks::LossHandler handler([this](locks::LossReason reason) { onLoss(reason); });
    handler.atRisk = [this](milliseconds left) {
        complainSoon(
            u"The lease of '%1' could not be renewed so far: without an answer from the server the lock counts as lost in %2."_s
                .arg(order.name, durationText(std::chrono::duration_cast<std::chrono::seconds>(left))));
    };
    handler.renewed = [this] { complainSoon(u"The lease of '%1' is renewed again."_s.arg(order.name)); };
    return handler;
}

void LockedRun::onLoss(locks::LossReason reason)
{
    m_isLost = true;
    if (terminateOnLoss) {
        const bool isLease = reason == locks::LossReason::LeaseExpired;
        const auto scarce = locks::LeaseTimes::of(order.lease, killAfter).stop;
        child.terminate(isLease ? std::chrono::duration_cast<milliseconds>(scarce) : killAfter);
    }
    complainSoon(errorText(Error{.kind = ErrorKind::Changed,
        .what = u"The lock '%1' was lost: %2."_s.arg(order.name, lossText(reason)),
        .hint = terminateOnLoss
            ? u"Ending the command."_s
            : u"The command goes on, although somebody else may have the lock by now; --terminate-on-loss would end it."_s}));
}

void LockedRun::onSignal(const SignalWatch::Signal& received)
{
    const MutexLock lock(m_mutex);
    m_signal = received.number;
    m_signalled = Clock::now();
    const bool isOver = child.end().has_value();
    if (received.isEnd() || !child.isRunning())
        m_isHurried = true;
    if (m_holder)
        m_holder->cancel();
    if (m_holder && isOver)
        m_holder->hurryRelease();
    child.forward(received.number, received.fromTerminal);
}

std::optional<int> LockedRun::lastResort() const
{
    const auto end = child.end();
    const auto now = Clock::now();
    if (!m_isHurried || child.isRunning() || now < m_signalled.load() + lastPatience
        || (end && now < end->at + lastPatience))
        return std::nullopt;
    if (!end)
        return exitSignal + m_signal;
    return end->code == exitOk ? exitFailed : end->code;
}

int LockedRun::start(const db::Server& server)
{
    const SignalWatch signals_(
        SignalWatch::Which::All, [this](const SignalWatch::Signal& received) { onSignal(received); },
        [this] { return lastResort(); });
    locks::LockHolder holder(server, order, lossHandler());
    {
        const MutexLock lock(m_mutex);
        m_holder = &holder;
        if (m_signal != 0)
            holder.cancel();
    }
    const int code = runHolding(holder);
    const MutexLock lock(m_mutex);
    m_holder = nullptr;
    QCoreApplication::processEvents(); // events that are still to be reported
    return code;
}

int LockedRun::runHolding(locks::LockHolder& holder)
{
    const auto answer = holder.waitForAnswer();
    if (!answer) {
        complain(errorText(Error{.kind = ErrorKind::Cancelled,
            .what = u"The server does not answer."_s,
            .hint = order.kind == locks::LockKind::Table
                ? u"If it has granted '%1' meanwhile, the entry stays until its lease of %2 ends."_s.arg(
                    order.name, durationText(order.lease))
                : QString()}));
        return exitSignal + m_signal;
    }
    if (!*answer)
        return m_signal != 0 ? exitSignal + m_signal : fail(answer->error());
    const locks::Obtained& lock = **answer;
    if (!lock.isGranted())
        return m_signal != 0 ? exitSignal + m_signal : notObtained(order, lock, json);
    return giveBack(holder, m_signal != 0 ? exitSignal + m_signal : runCommand(lock));
}

int LockedRun::runCommand(const locks::Obtained& lock)
{
    // Standard output is the command's from here on.
    if (json)
        printJson(toJson(order, lock), Stream::Err);
    const int code = child.run(command, environmentFor(lock));
    QCoreApplication::processEvents(); // what the keeper had to say
    return code;
}

int LockedRun::giveBack(locks::LockHolder& holder, int code)
{
    if (m_isHurried)
        holder.hurryRelease();
    const auto released = holder.release(m_isLost ? briefRelease : locks::LockHolder::maxRelease());
    QCoreApplication::processEvents();
    if (released || m_isLost)
        return code;
    complain(errorText(released.error()));
    const bool entryStays =
        order.kind == locks::LockKind::Table && released.error().kind != ErrorKind::Changed;
    return code == exitOk && entryStays ? exitFailed : code;
}

Result<void> readOptions(LockedRun& run, const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(run.order, LockCommandOptions::from(line));
    run.terminateOnLoss = line.has(u"terminate-on-loss"_s);
    if (line.has(u"kill-after"_s) && !run.terminateOnLoss)
        return failure(ErrorKind::BadInput, u"--kill-after is for --terminate-on-loss."_s);
    LOCKSCOPE_TRY_GET(run.killAfter, line.duration(u"kill-after"_s));
    if (run.terminateOnLoss)
        run.order.stopTime = run.killAfter;
    run.keepPassword = line.has(u"keep-password"_s);
    run.json = line.json();
    run.child.setSurvivesUs(line.has(u"survive-lockctl"_s));
    run.command = line.commandAfterDashes();
    return {};
}

Result<ExitStatus> runUnderLock(const CommandLine& line)
{
    LockedRun run;
    LOCKSCOPE_TRY(readOptions(run, line));
    if (run.command.isEmpty())
        return failure(ErrorKind::BadInput, u"Which command?"_s,
            u"Write it after --, e.g. lockctl run nightly -- ./rebuild.sh"_s);
    LOCKSCOPE_TRY_GET(const auto server, serverToChange(line, u"take a lock"_s));
    return run.start(server);
}

} // namespace

void noteInheritedDescriptors(int argumentCount, char** arguments)
{
    Inherited& noted = inherited();
    noted.argumentCount = argumentCount;
    noted.arguments = arguments;
    const QStringList names = QDir(u"/proc/self/fd"_s).entryList(QDir::AllEntries | QDir::System);
    for (const QString& name : names) {
        const int descriptor = name.toInt();
        // The one that reads the folder is gone by now.
        if (descriptor > 2 && fcntl(descriptor, F_GETFD) >= 0)
            noted.descriptors.push_back(descriptor);
    }
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action { };
        if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
            noted.ignoredSignals.push_back(number);
    }
}

Command runCommand()
{
    Command command(u"run"_s, u"hold a lock round a command"_s, runUnderLock,
        u"Takes a lock, runs the command, gives the lock back, as flock(1) does with a file. The exit code is the command's; 75 if the lock was not obtained; 1 if the command succeeded, but the entry could not be given back and stays until its lease ends. While the command runs, the lease is renewed. "
        "The command finds LOCKSCOPE_LOCK, LOCKSCOPE_TOKEN and LOCKSCOPE_FENCING in its environment, but no LOCKSCOPE_PASSWORD or PGPASSWORD. Standard output is the command's: --json prints there only if the lock was not obtained, and the "
        "command not run; otherwise one line to standard error, before the command starts. A NAME that begins with '-' is written after a '--' of its own."_s);
    command.arguments = u"NAME -- COMMAND…"_s;
    command.examples = {u"lockctl run --no-wait best-sellers -- ./rebuild-best-sellers"_s,
        u"lockctl run nightly --wait 10s --terminate-on-loss -- ./nightly.sh"_s,
        u"lockctl run -- -NAME -- ./command"_s};
    LockCommandOptions::addOptions(command);
    command.addFlag(u"terminate-on-loss"_s,
        u"End the command (SIGTERM) if the lock is lost; else that is only reported."_s);
    command.addValue(u"kill-after"_s, u"TIME"_s,
        u"With --terminate-on-loss: SIGKILL if it still runs so long after. A lease that can't be renewed is given up so much earlier, hence the command has ended before anybody else gets the lock."_s,
        u"5s"_s);
    command.addFlag(u"survive-lockctl"_s,
        u"Let the command go on if lockctl itself is killed; else it gets SIGTERM then."_s);
    command.addFlag(u"keep-password"_s, u"Leave LOCKSCOPE_PASSWORD and PGPASSWORD in its environment."_s);
    return command;
}

} // namespace lockscope::ctl
