// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Spawn.h"

#include "core/base/PlainFile.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/wait.h>
#ifdef Q_OS_LINUX
#include <sys/prctl.h>
#endif

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

std::vector<char*> pointersTo(std::vector<QByteArray>& texts)
{
    std::vector<char*> pointers;
    for (QByteArray& each : texts)
        pointers.push_back(each.data());
    pointers.push_back(nullptr);
    return pointers;
}

// From here on, what runs between fork and exec: other threads may hold any mutex, so nothing is allocated.

void closeOnExec(unsigned first, unsigned last)
{
    if (first > last)
        return;
#ifdef CLOSE_RANGE_CLOEXEC
    if (close_range(first, last, CLOSE_RANGE_CLOEXEC) == 0)
        return;
#endif
    for (unsigned each = first; each <= std::min(last, 65'535U); ++each)
        fcntl(static_cast<int>(each), F_SETFD, FD_CLOEXEC);
}

void passOnOnly(const std::vector<int>& kept, unsigned first)
{
    for (const int each : kept) {
        const auto number = static_cast<unsigned>(each);
        if (number > first)
            closeOnExec(first, number - 1);
        fcntl(each, F_SETFD, 0);
        first = std::max(first, number + 1);
    }
    closeOnExec(first, ~0U);
}

/// All are moved out of the way first: one may have the number that another one gets.
bool arrange(std::vector<int>& descriptors)
{
    const auto count = static_cast<int>(descriptors.size());
    for (int& each : descriptors) {
        each = fcntl(each < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : each, F_DUPFD_CLOEXEC, count);
        if (each < 0)
            return false;
    }
    for (int number = 0; number < count; ++number)
        if (dup2(descriptors[static_cast<size_t>(number)], number) < 0)
            return false;
    return true;
}

void resetSignals(const std::vector<int>& ignored)
{
    for (int number = 1; number < NSIG; ++number) {
        const bool isIgnored = std::find(ignored.begin(), ignored.end(), number) != ignored.end();
        std::signal(number, isIgnored ? SIG_IGN : SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Returns, with errno, only if it fails.
void execute(ProgramStart& program, char** arguments, char** environment, [[maybe_unused]] pid_t parent)
{
#ifdef Q_OS_LINUX
    if (program.signalIfWeDie != 0) {
        prctl(PR_SET_PDEATHSIG, program.signalIfWeDie);
        if (getppid() != parent) // died meanwhile: no signal comes
            _exit(127);
    }
#endif
    if ((program.leadsGroup && setpgid(0, 0) != 0) || !arrange(program.descriptors))
        return;
    passOnOnly(program.kept, static_cast<unsigned>(program.firstFree()));
    resetSignals(program.ignoredSignals);
    execve(program.path.isEmpty() ? arguments[0] : program.path.constData(), arguments, environment);
}

QString ownFolder()
{
    const QString own = QFileInfo(u"/proc/self/exe"_s).canonicalPath();
    return own.isEmpty() ? QCoreApplication::applicationDirPath() : own;
}

} // namespace

tl::expected<pid_t, int> spawn(ProgramStart program)
{
    const int firstFree = program.firstFree();
    if (std::any_of(program.kept.begin(), program.kept.end(), [&](int each) { return each < firstFree; }))
        return tl::unexpected(EINVAL);
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return tl::unexpected(errno);
    const Descriptor readEnd(ends[0]);
    Descriptor writeEnd(ends[1]);
    // Beyond the numbers that the program's own descriptors get.
    writeEnd = Descriptor(fcntl(writeEnd.number(), F_DUPFD_CLOEXEC, firstFree));
    if (!writeEnd.isOpen())
        return tl::unexpected(errno);
    std::vector<char*> arguments = pointersTo(program.arguments);
    std::vector<char*> environment = pointersTo(program.environment);

    // No handler of ours may run in the child.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t parent = getpid();
    const pid_t child = fork();
    int failed = errno;
    if (child == 0) {
        execute(program, arguments.data(), environment.data(), parent);
        failed = errno;
        [[maybe_unused]] const ssize_t written = write(writeEnd.number(), &failed, sizeof failed);
        _exit(127);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (child < 0)
        return tl::unexpected(failed);
    writeEnd.close();
    ssize_t got = 0;
    while ((got = read(readEnd.number(), &failed, sizeof failed)) < 0 && errno == EINTR) { }
    if (got <= 0) // the exec has closed it
        return child;
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) { }
    return tl::unexpected(failed);
}

std::vector<QByteArray> inFileEncoding(const QStringList& texts)
{
    std::vector<QByteArray> encoded;
    for (const QString& each : texts)
        encoded.push_back(QFile::encodeName(each));
    return encoded;
}

std::vector<QByteArray> ourEnvironment(const std::vector<QByteArray>& prefixes)
{
    std::vector<QByteArray> variables;
    for (char** each = environ; each && *each; ++each)
        if (const QByteArray variable(*each); std::any_of(prefixes.begin(), prefixes.end(),
                [&](const QByteArray& prefix) { return variable.startsWith(prefix); }))
            variables.push_back(variable);
    return variables;
}

Result<QString> findOwnProgram(const QString& name, const QString& purpose)
{
    const QString beside = ownFolder();
    QString found = QStandardPaths::findExecutable(name, {beside, beside + u"/../libexec/lockscope"_s});
    if (found.isEmpty())
        found = QStandardPaths::findExecutable(name);
    if (!found.isEmpty())
        return found;
    return failure(ErrorKind::MissingObject, u"The program %1, %2, is not installed."_s.arg(name, purpose),
        ownProgramHint());
}

QString ownProgramHint()
{
    return u"It belongs beside this program (in %1) or on the PATH."_s.arg(ownFolder());
}

} // namespace lockscope
