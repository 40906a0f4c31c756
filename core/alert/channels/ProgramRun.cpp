// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

#include "core/alert/Incident.h"
#include "core/alert/channels/Channel.h"
#include "core/base/PlainFile.h"
#include "core/base/ShownText.h"
#include "core/base/Spawn.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

constexpr int pollInterval = 20;
constexpr qsizetype maxErrorText = 4'096;

QString textOfError(int code)
{
    return QString::fromLocal8Bit(std::strerror(code));
}

Failure cantRun(const QString& path, const QString& why)
{
    return failure(ErrorKind::Connection, u"Can't run %1: %2."_s.arg(path, why));
}

/// Two ends of a connection: writing to a closed one is an error here, and no signal (MSG_NOSIGNAL).
struct Ends {
    Descriptor ours;
    Descriptor theirs;

    static std::optional<Ends> make()
    {
        std::array<int, 2> made{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made.data()) != 0)
            return std::nullopt;
        Ends ends{Descriptor(made[0]), Descriptor(made[1])};
        ::fcntl(made[0], F_SETFL, O_NONBLOCK);
        return ends;
    }
};

/// The process, which has a group of its own, or the system's error number.
tl::expected<pid_t, int> startInGroup(const QStringList& command, const Ends& input, const Ends& errors)
{
    return spawn({.arguments = inFileEncoding(command),
        .environment = ourEnvironment({"PATH=", "HOME=", "USER=", "LOGNAME=", "LANG=", "LC_", "TZ=",
            "TMPDIR=", "DISPLAY=", "WAYLAND_DISPLAY=", "XDG_RUNTIME_DIR=", "DBUS_SESSION_BUS_ADDRESS="}),
        .descriptors = {input.theirs.number(), -1, errors.theirs.number()},
        .leadsGroup = true});
}

/// A program that runs: reads, writes and waits with it.
class RunningProgram {
public:
    RunningProgram(pid_t process, Ends input, Ends errors, const QByteArray& content)
        : m_process(process)
        , m_input(std::move(input.ours))
        , m_errors(std::move(errors.ours))
        , m_content(content)
    {
    }
    ~RunningProgram()
    {
        ::kill(-m_process, SIGKILL); // what it left running, too
        if (!m_status)
            ::waitpid(m_process, &m_status.emplace(0), 0);
    }
    Q_DISABLE_COPY_MOVE(RunningProgram)

    /// Goes on for a short time. True: it has ended.
    bool hasEnded()
    {
        std::array<pollfd, 2> both{
            pollfd{m_input.number(), POLLOUT, 0}, pollfd{m_errors.number(), POLLIN, 0}};
        ::poll(both.data(), both.size(), pollInterval);
        if (both[0].revents != 0)
            write();
        if (both[1].revents != 0 && !readErrors())
            m_errors.close();
        int status = 0;
        if (::waitpid(m_process, &status, WNOHANG) != m_process)
            return false;
        m_status = status;
        while (m_errors.isOpen() && readErrors()) { }
        return true;
    }
    int status() const { return m_status.value_or(0); }
    QString firstErrorLine() const
    {
        const QList<QByteArray> lines = m_errorText.trimmed().split('\n');
        return cutTo(inOneLine(QString::fromUtf8(lines.first())).trimmed(), 200);
    }

private:
    void write()
    {
        const ssize_t written = ::send(m_input.number(), m_content.constData() + m_written,
            static_cast<size_t>(m_content.size() - m_written), MSG_NOSIGNAL);
        if (written > 0)
            m_written += written;
        const bool isGone = written < 0 && errno != EAGAIN && errno != EINTR;
        if (isGone || m_written >= m_content.size())
            m_input.close();
    }
    /// False: there is nothing now.
    bool readErrors()
    {
        std::array<char, 4'096> place{};
        const ssize_t size = ::read(m_errors.number(), place.data(), place.size());
        if (size > 0)
            m_errorText += QByteArray(place.data(), size).left(maxErrorText - m_errorText.size());
        return size > 0 || (size < 0 && errno == EINTR);
    }

    const pid_t m_process;
    Descriptor m_input;
    Descriptor m_errors;
    const QByteArray m_content;
    qsizetype m_written = 0;
    QByteArray m_errorText;
    std::optional<int> m_status;
};

Result<void> judgedExit(const QString& path, const RunningProgram& program)
{
    const int status = program.status();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return {};
    Failure failed = WIFEXITED(status)
        ? failure(ErrorKind::Server, u"%1 ended with exit code %2."_s.arg(path).arg(WEXITSTATUS(status)))
        : failure(ErrorKind::Server, u"%1 was ended by signal %2."_s.arg(path).arg(WTERMSIG(status)));
    failed.value().detail = program.firstErrorLine();
    return failed;
}

class ProgramChannel final : public Channel {
public:
    ProgramChannel(const ChannelSettings& settings, const ChannelOptions& options)
        : Channel(settings)
        , m_timeout(options.programTimeout)
    {
    }
    Result<void> send(std::span<const Notice> notices, const std::stop_token& stop) override
    {
        setAnswer(u"%1 ended with exit code 0."_s.arg(settings().command.value(0)));
        const QJsonDocument document(noticeDocument(notices, settings().sendsStatements));
        return runProgram(
            settings().command, document.toJson(QJsonDocument::Compact) + '\n', m_timeout, stop);
    }

private:
    const milliseconds m_timeout;
};

} // namespace

Result<void> checkProgram(const QString& path)
{
    struct stat seen { };
    if (!path.startsWith(u'/'))
        return failure(
            ErrorKind::BadInput, u"A program is named by its whole path, which begins with '/'."_s);
    const QString real = QFileInfo(path).canonicalFilePath();
    if (real.isEmpty() || ::stat(QFile::encodeName(real).constData(), &seen) != 0)
        return cantRun(path, textOfError(ENOENT));
    if (!S_ISREG(seen.st_mode))
        return cantRun(path, u"it is no plain file"_s);
    if (!isOurs(seen) || othersMayWrite(seen) || unsafeStep(QFileInfo(real).path()))
        return failure(ErrorKind::Permission,
            u"Can't run %1: other accounts could have put it there."_s.arg(path),
            u"The program and its folders must belong to this account or root, and others must not write there."_s);
    return {};
}

Result<void> runProgram(
    const QStringList& command, const QByteArray& input, milliseconds atMost, const std::stop_token& stop)
{
    const QString path = command.value(0);
    LOCKSCOPE_TRY(checkProgram(path));
    std::optional<Ends> in = Ends::make();
    std::optional<Ends> errors = Ends::make();
    if (!in || !errors)
        return cantRun(path, textOfError(errno));
    const auto process = startInGroup(command, *in, *errors);
    if (!process)
        return cantRun(path, textOfError(process.error()));
    RunningProgram program(*process, std::move(*in), std::move(*errors), input);
    const QDeadlineTimer deadline(atMost);
    while (!program.hasEnded()) {
        if (stop.stop_requested())
            return failure(ErrorKind::Cancelled, u"%1 was ended: stopped."_s.arg(path));
        if (deadline.hasExpired())
            return failure(ErrorKind::Timeout,
                u"%1 was ended: it ran for longer than %2 s."_s.arg(path).arg(atMost.count() / 1'000));
    }
    return judgedExit(path, program);
}

Result<std::unique_ptr<Channel>> programChannel(
    const ChannelSettings& settings, const ChannelOptions& options)
{
    // It may be installed or mended later, but for a path that means nothing.
    if (!settings.command.value(0).startsWith(u'/'))
        return Failure(checkProgram(settings.command.value(0)).error());
    return std::make_unique<ProgramChannel>(settings, options);
}

} // namespace lockscope::alert
