// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Program.h"

#include "app/lockctl/Command.h"
#include "core/base/Spawn.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

enum class Seen { Nothing, NotExecutable, Executable };

Seen inspectFile(const QString& path, QString& why)
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

tl::expected<Program, Program::Refusal> Program::find(const QString& name, const QString& searchPath)
{
    QString why;
    if (name.contains(u'/')) {
        const Seen seen = inspectFile(name, why);
        if (seen == Seen::Executable)
            return Program{name, ctl::isBinary(name)};
        return refusal(name, why, seen == Seen::Nothing ? exitNotFound : exitNotExecutable);
    }
    std::optional<QString> found;
    const QStringList folders = name.isEmpty() ? QStringList() : searchPath.split(u':');
    for (const QString& folder : folders) {
        const QString path = (folder.isEmpty() ? u"."_s : folder) + u'/' + name;
        QString here;
        const Seen seen = inspectFile(path, here);
        if (seen == Seen::Executable)
            return Program{path, ctl::isBinary(path)};
        if (seen == Seen::NotExecutable && !found && QFileInfo(path).isFile())
            found = here;
    }
    if (found)
        return refusal(name, *found, exitNotExecutable);
    return refusal(name, u"there is no such command"_s, exitNotFound);
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

} // namespace lockscope::ctl
