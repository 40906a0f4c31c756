// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Program.h"

#include "app/lockctl/Command.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef Q_OS_LINUX
#include <sys/prctl.h>
#endif

// NOLINTNEXTLINE(readability-redundant-declaration): not every system's header has it
extern char** environ;

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

tl::unexpected<Program::Refusal> refusal(const QString& name, const QString& why, int exitCode)
{
    return tl::unexpected(Program::Refusal{u"Can't start \"%1\": %2."_s.arg(name, why), exitCode});
}

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
    std::vector<unsigned> descriptors; // sorted
    std::vector<int> ignoredSignals;
    int argumentCount = 0;
    char** arguments = nullptr;
};
Inherited& inherited()
{
    static Inherited instance;
    return instance;
}

enum class Seen { Nothing, NotExecutable, Executable };

Seen look(const QString& path, QString& why)
{
    const QByteArray name = QFile::encodeName(path);
    struct stat status { };
    if (stat(name.constData(), &status) != 0) {
        why = QString::fromLocal8Bit(std::strerror(errno));
        return errno == ENOENT || errno == ENOTDIR ? Seen::Nothing : Seen::NotExecutable;
    }
    if (S_ISDIR(status.st_mode)) {
        why = u"it is a folder"_s;
        return Seen::NotExecutable;
    }
    if (access(name.constData(), X_OK) == 0)
        return Seen::Executable;
    why = QString::fromLocal8Bit(std::strerror(errno));
    return Seen::NotExecutable;
}

/// Descriptors that we have opened end with the exec; those that we were given stay.
void closeOwnDescriptorsOnExec()
{
    const auto closeRange = [](unsigned first, unsigned last) {
        if (first > last)
            return;
#ifdef CLOSE_RANGE_CLOEXEC
        if (close_range(first, last, CLOSE_RANGE_CLOEXEC) == 0)
            return;
#endif
        for (unsigned each = first; each <= std::min(last, 4'096U); ++each)
            fcntl(static_cast<int>(each), F_SETFD, FD_CLOEXEC);
    };
    unsigned next = 3;
    for (const unsigned kept : inherited().descriptors) {
        if (kept > next)
            closeRange(next, kept - 1);
        next = std::max(next, kept + 1);
    }
    closeRange(next, ~0U);
}

void resetSignals()
{
    for (int number = 1; number < NSIG; ++number) {
        const auto& kept = inherited().ignoredSignals;
        const bool isIgnored = std::find(kept.begin(), kept.end(), number) != kept.end();
        std::signal(number, isIgnored ? SIG_IGN : SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
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
            noted.descriptors.push_back(static_cast<unsigned>(descriptor));
    }
    std::sort(noted.descriptors.begin(), noted.descriptors.end());
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action { };
        if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
            noted.ignoredSignals.push_back(number);
    }
}

tl::expected<Program, Program::Refusal> Program::find(const QString& name, const QString& searchPath)
{
    QString why;
    if (name.contains(u'/')) {
        const Seen seen = look(name, why);
        if (seen == Seen::Executable)
            return Program{name, ctl::isBinary(name)};
        return refusal(name, why, seen == Seen::Nothing ? exitNotFound : exitNotExecutable);
    }
    std::optional<QString> found;
    const QStringList folders = name.isEmpty() ? QStringList() : searchPath.split(u':');
    for (const QString& folder : folders) {
        const QString path = (folder.isEmpty() ? u"."_s : folder) + u'/' + name;
        QString here;
        const Seen seen = look(path, here);
        if (seen == Seen::Executable)
            return Program{path, ctl::isBinary(path)};
        if (seen == Seen::NotExecutable && !found && QFileInfo(path).isFile())
            found = here;
    }
    if (found)
        return refusal(name, *found, exitNotExecutable);
    return refusal(name, u"there is no such command"_s, exitNotFound);
}

Program::Start::Start(const Program& program, const QStringList& command,
    const QProcessEnvironment& environment, bool survivesUs)
    : m_isBinary(program.isBinary)
    , m_survivesUs(survivesUs)
    , m_parent(static_cast<int>(getpid()))
    , m_path(QFile::encodeName(program.path))
{
    // As we were given them: not every argument and value is text.
    const Inherited& given = inherited();
    const auto count = static_cast<int>(command.size());
    for (int i = 0; i < count; ++i)
        m_words.push_back(given.argumentCount > count
                ? QByteArray(given.arguments[given.argumentCount - count + i])
                : command[i].toLocal8Bit());
    m_shellWords = {"/bin/sh", m_path};
    m_shellWords.insert(m_shellWords.end(), m_words.begin() + 1, m_words.end());
    const QProcessEnvironment ours = QProcessEnvironment::systemEnvironment();
    for (char** setting = environ; *setting; ++setting) {
        const QByteArray text(*setting);
        const QString key = QString::fromLocal8Bit(text.left(text.indexOf('=')));
        if (environment.value(key) == ours.value(key) && environment.contains(key))
            m_settings.push_back(text);
    }
    for (const QString& key : environment.keys())
        if (!ours.contains(key) || environment.value(key) != ours.value(key))
            m_settings.push_back((key + u'=' + environment.value(key)).toLocal8Bit());
    m_arguments = pointers(m_words);
    m_shellArguments = pointers(m_shellWords);
    m_environment = pointers(m_settings);
}

std::vector<char*> Program::Start::pointers(std::vector<QByteArray>& texts)
{
    std::vector<char*> list;
    for (QByteArray& text : texts)
        list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

void Program::Start::inChild() const
{
#ifdef Q_OS_LINUX
    if (!m_survivesUs) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != m_parent) // died meanwhile
            _exit(exitSignal + SIGTERM);
    }
#endif
    resetSignals();
    closeOwnDescriptorsOnExec();
    execve(m_path.constData(), m_arguments.data(), m_environment.data());
    if (errno != ENOEXEC || m_isBinary)
        return;
    execve("/bin/sh", m_shellArguments.data(), m_environment.data());
}

} // namespace lockscope::ctl
