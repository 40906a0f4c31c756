// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Target.h"

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

} // namespace

Result<Target> Target::from(const CommandLine& line)
{
    const auto url = urlFrom(line);
    return url ? at(*url, line) : Failure(url.error());
}

Result<Target> Target::toChange(const CommandLine& line, const QString& act)
{
    const auto url = urlFrom(line);
    if (!url)
        return Failure(url.error());
    if (line.readOnly())
        return failure(ErrorKind::ReadOnly, u"Can't %1: lockctl is to look only."_s.arg(act),
            u"Leave out --read-only and unset LOCKSCOPE_READ_ONLY if you may change something there."_s);
    return at(*url, line);
}

Result<db::ServerUrl> Target::urlFrom(const CommandLine& line)
{
    // An empty address that was given is a mistake (--server "$UNSET"), no wish for the sandbox.
    const QString text = line.has(u"server"_s) ? line.value(u"server"_s)
                                               : qEnvironmentVariable("LOCKSCOPE_SERVER", u"sandbox:"_s);
    auto url = db::ServerUrl::parse(text);
    if (url)
        speakOf(url->display());
    return url;
}

Result<Target> Target::at(const db::ServerUrl& url, const CommandLine& line)
{
    Target target;
    target.profile.readOnly = line.readOnly();
    if (line.has(u"password-stdin"_s)) {
        const auto password = passwordFromStdin();
        if (!password)
            return Failure(password.error());
        target.passwords = db::fixedPassword(*password);
    } else {
        target.passwords = db::defaultPasswords();
    }
    const auto resolved = sandbox::resolve(url);
    if (!resolved)
        return Failure(resolved.error());
    target.profile.url = resolved->url;
    if (url.sandbox) {
        target.profile.name = u"sandbox"_s;
        target.passwords = db::fixedPassword(resolved->password);
    }
    return target;
}

Result<std::unique_ptr<db::Connection>> Target::connect(db::Purpose purpose, bool createFile) const
{
    db::ConnectOptions options;
    options.purpose = purpose;
    options.createFile = createFile;
    return db::Connection::open(profile.url, passwords, options);
}

} // namespace lockscope::ctl
