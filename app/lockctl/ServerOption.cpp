// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ServerOption.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/FrameworkLocks.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/SignalWatch.h"
#include "core/base/PlainFile.h"
#include "core/base/PostToThread.h"
#include "core/sandbox/Sandbox.h"

#include <QEventLoop>
#include <QSettings>
#include <QTimer>

#include <algorithm>
#include <cstdio>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

// Unbuffered: what follows the first line belongs to the command that `run` starts.
Result<QString> passwordFromStdin()
{
    std::setvbuf(stdin, nullptr, _IONBF, 0);
    QByteArray line;
    for (int c = std::getchar(); c != EOF && c != '\n'; c = std::getchar())
        line.append(static_cast<char>(c));
    if (line.endsWith('\r'))
        line.chop(1);
    if (line.isEmpty())
        return failure(ErrorKind::BadInput, u"There is no password on standard input."_s,
            u"Write it as the first line, or leave out --password-stdin."_s);
    return QString::fromUtf8(line);
}

/// Scenarios are made for the sandbox. Anything else asked of it by mistake would be answered truly about the
/// wrong server: nobody waits there.
Result<QString> addressWithoutName(const CommandLine& line)
{
    if (!line.command() || !line.command()->name.startsWith(u"scenario "_s))
        return failure(ErrorKind::BadInput, u"No server is named, so nothing was read or started."_s,
            u"Give --server URL or set LOCKSCOPE_SERVER; --server sandbox: is a private PostgreSQL server, started here for as long as it is used."_s);
    const auto sandbox = u"sandbox:"_s;
    complain(
        u"No server is named: this takes place in %1, a private PostgreSQL server that is started here for as long as it is used."_s
            .arg(sandbox));
    return sandbox;
}

Result<QString> addressFrom(const CommandLine& line)
{
    // An empty address that was given is a mistake (--server "$UNSET").
    if (line.has(u"server"_s))
        return line.value(u"server"_s);
    if (qEnvironmentVariableIsSet("LOCKSCOPE_SERVER"))
        return qEnvironmentVariable("LOCKSCOPE_SERVER");
    return addressWithoutName(line);
}

/// Returns the server that is saved in the window under that name, or that of the URL with the settings of
/// its frameworks.
Result<db::ServerProfile> profileOf(const QString& text)
{
    QSettings settings(u"lockscope"_s, u"lockscope"_s);
    const db::ProfileStore store(settings);
    for (const db::ServerProfile& profile : store.load())
        if (profile.name == text && !text.isEmpty())
            return profile;
    const auto url = db::ServerUrl::parse(text);
    if (!url) {
        const bool isName =
            !text.isEmpty() && std::ranges::none_of(text, [](QChar c) { return u":=;@"_s.contains(c); });
        return failure(ErrorKind::BadInput,
            isName ? u"No server is saved under the name \"%1\"."_s.arg(text) : url.error().what,
            isName ? u"Give its URL, or save it in the window."_s : url.error().hint);
    }
    db::ServerProfile profile = db::Server::at(*url).profile;
    profile.frameworkSettings = store.frameworkSettings(*url);
    return profile;
}

/// Returns the server of --server or $LOCKSCOPE_SERVER.
Result<db::ServerProfile> profileFrom(const CommandLine& line)
{
    auto profile = addressFrom(line).and_then(profileOf);
    if (profile)
        speakOf(profile->url.display());
    return profile;
}

/// Returns the credential that systemd hands to a service (LoadCredential=) and to nobody else: the first
/// line of that file. Empty: none.
QString passwordOfService()
{
    const QString folder = qEnvironmentVariable("CREDENTIALS_DIRECTORY");
    if (folder.isEmpty())
        return {};
    QByteArray line = readTextFile(folder + u"/lockscope-password"_s).value_or(QByteArray()).split('\n')[0];
    while (line.endsWith('\r'))
        line.chop(1);
    return QString::fromUtf8(line);
}

/// Returns the passwords of all servers that are named.
Result<db::PasswordProvider> passwordsFrom(const CommandLine& line)
{
    if (line.has(u"password-stdin"_s)) {
        static const auto password = passwordFromStdin(); // there is one line
        if (!password)
            return Failure(password.error());
        return db::fixedPassword(*password);
    }
    const QString password = passwordOfService();
    if (!password.isEmpty() && !qEnvironmentVariableIsSet("LOCKSCOPE_PASSWORD"))
        return db::fixedPassword(password);
    return db::defaultPasswords();
}

Result<db::Server> ready(const db::ServerProfile& profile, const CommandLine& line)
{
    db::Server server{profile, {}, sandbox::resolve};
    server.profile.readOnly = server.profile.readOnly || line.readOnly();
    LOCKSCOPE_TRY_GET(server.passwords, passwordsFrom(line));
    return server.resolved();
}

} // namespace

Result<db::ServerUrl> serverAddress(const CommandLine& line, const QString& text)
{
    return (text.isEmpty() ? profileFrom(line) : profileOf(text))
        .transform([](const db::ServerProfile& profile) { return profile.url; });
}

Result<db::Server> serverNamed(const QString& text, const CommandLine& line)
{
    return profileOf(text).and_then([&](const db::ServerProfile& profile) { return ready(profile, line); });
}

Result<db::Server> serverToRead(const CommandLine& line)
{
    return profileFrom(line).and_then([&](const db::ServerProfile& profile) { return ready(profile, line); });
}

Result<QList<db::Server>> serversToRead(const CommandLine& line)
{
    QList<db::Server> servers;
    for (const QString& name : line.positionals()) {
        LOCKSCOPE_TRY_GET(auto server, serverNamed(name, line));
        servers << server;
    }
    if (servers.isEmpty() || line.has(u"server"_s)) {
        LOCKSCOPE_TRY_GET(auto server, serverToRead(line));
        servers.prepend(server);
    }
    if (servers.size() > 1)
        speakOf({}); // each error names its own
    return servers;
}

Result<db::Server> serverToChange(const CommandLine& line, const QString& act)
{
    LOCKSCOPE_TRY_GET(const auto profile, profileFrom(line));
    if (line.readOnly())
        return failure(ErrorKind::ReadOnly, u"Can't %1: lockctl is read-only."_s.arg(act),
            u"Leave out --read-only and unset LOCKSCOPE_READ_ONLY if you may change something there."_s);
    if (profile.readOnly)
        return failure(ErrorKind::ReadOnly,
            u"Can't %1: \"%2\" is saved as read-only."_s.arg(act, profile.name),
            u"Change that in the window, or give its URL."_s);
    return ready(profile, line);
}

Result<db::Server> serverToActOn(const CommandLine& line, const QString& act)
{
    return line.has(u"dry-run"_s) ? serverToRead(line) : serverToChange(line, act);
}

void addLimit(Command& command)
{
    command.addValue(u"limit"_s, u"N"_s,
        u"Read so many locks at most; those that somebody waits for come first, the others are only counted."_s,
        QString::number(monitor::ProbeSelection().maxRequests));
    command.addFlag(u"no-frameworks"_s,
        u"Don't read the tables in which frameworks (Liquibase, ShedLock …) keep locks; attached tables are read all the same."_s);
}

Result<monitor::ProbeSelection> probesFrom(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto limit, line.number(u"limit"_s, 1));
    return monitor::ProbeSelection{.maxRequests = limit, .frameworkRows = !line.has(u"no-frameworks"_s)};
}

Error withoutNextAttempt(Error error)
{
    error.hint = error.hint.section(u"Next attempt within"_s, 0, 0).trimmed();
    return error;
}

Result<SnapshotPtr> snapshotNow(const db::Server& server, const monitor::ProbeSelection& probes)
{
    return monitor::makeSnapshotSource(server, probes)->take();
}

Result<SnapshotPtr> snapshotOfNamed(const CommandLine& line, const monitor::ProbeSelection& probes)
{
    // A past time of a server stands in its own recording.
    const bool isRecorded = line.has(u"recording"_s) || line.has(u"at"_s);
    if (isRecorded && line.has(u"approve"_s))
        return failure(ErrorKind::BadInput,
            u"--approve is of a server: a recording has what was read when it was made."_s,
            u"Leave it out."_s);
    if (isRecorded)
        return snapshotAskedFor(line);
    LOCKSCOPE_TRY_GET(auto server, serverToRead(line));
    LOCKSCOPE_TRY(approveTables(server, line));
    return snapshotNow(server, probes);
}

int exitCodeOf(const Snapshot& snapshot)
{
    return snapshot.isIncomplete() ? exitFailed : exitOk;
}

std::vector<std::unique_ptr<watch::ServerWatch>> watchesToPollOnce(
    const QList<db::Server>& servers, const monitor::ProbeSelection& probes)
{
    std::vector<std::unique_ptr<watch::ServerWatch>> watches;
    for (const db::Server& server : servers)
        watches.push_back(std::make_unique<watch::ServerWatch>(server,
            watch::WatchOptions{.interval = std::chrono::hours(1),
                .probes = probes,
                .readsDeadlocks = false,
                .keepsOrder = false}));
    return watches;
}

void pollOnce(const std::vector<std::unique_ptr<watch::ServerWatch>>& watches, milliseconds atMost)
{
    QEventLoop loop;
    const auto isReached = [](const auto& watch) {
        return watch->monitor().snapshot() || watch->monitor().lastError();
    };
    const auto endIfAll = [&] {
        if (std::ranges::all_of(watches, isReached))
            loop.quit();
    };
    for (const auto& watch : watches) {
        watch->monitor().setSilenceLimit(atMost);
        QObject::connect(watch.get(), &watch::ServerWatch::snapshotChanged, &loop, endIfAll);
        QObject::connect(watch.get(), &watch::ServerWatch::healthChanged, &loop, endIfAll);
        watch->start();
    }
    const StopOnSignal stop(briefly, [&loop] { postTo(&loop, [&loop] { loop.quit(); }); });
    QTimer::singleShot(atMost + milliseconds(200), &loop, &QEventLoop::quit);
    loop.exec();
}

std::optional<Error> errorOf(const watch::ServerWatch& watch)
{
    if (const auto error = watch.monitor().lastError())
        return error;
    if (watch.monitor().snapshot())
        return std::nullopt;
    return Error{.kind = ErrorKind::Timeout,
        .what = u"The server does not answer."_s,
        .server = watch.profile().display()};
}

} // namespace lockscope::ctl
