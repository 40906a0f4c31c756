// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ServerOption.h"

#include "app/lockctl/Console.h"
#include "core/sandbox/Sandbox.h"

#include <array>
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
        return failure(ErrorKind::BadInput, u"No server is named, so nothing was looked at or started."_s,
            u"Give --server URL or set LOCKSCOPE_SERVER; --server sandbox: is a private PostgreSQL server, "
            "started here for as long as it is used."_s);
    const auto sandbox = u"sandbox:"_s;
    complain(u"No server is named: this takes place in %1, a private PostgreSQL server that is started here "
             "for as long as it is used."_s.arg(sandbox));
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

Result<db::ServerUrl> urlFrom(const CommandLine& line)
{
    const auto text = addressFrom(line);
    if (!text)
        return Failure(text.error());
    auto url = db::ServerUrl::parse(*text);
    if (url)
        speakOf(url->display());
    return url;
}

Result<db::Server> serverAt(const db::ServerUrl& url, const CommandLine& line)
{
    db::Server server = db::Server::at(url, db::defaultPasswords(), sandbox::resolve);
    server.profile.readOnly = line.readOnly();
    if (line.has(u"password-stdin"_s)) {
        const auto password = passwordFromStdin();
        if (!password)
            return Failure(password.error());
        server.passwords = db::fixedPassword(*password);
    }
    return server.resolved();
}

} // namespace

Result<db::Server> serverToRead(const CommandLine& line)
{
    return urlFrom(line).and_then([&](const db::ServerUrl& url) { return serverAt(url, line); });
}

Result<db::Server> serverToChange(const CommandLine& line, const QString& act)
{
    const auto url = urlFrom(line);
    if (!url)
        return Failure(url.error());
    if (line.readOnly())
        return failure(ErrorKind::ReadOnly, u"Can't %1: lockctl is to look only."_s.arg(act),
            u"Leave out --read-only and unset LOCKSCOPE_READ_ONLY if you may change something there."_s);
    return serverAt(*url, line);
}

} // namespace lockscope::ctl
