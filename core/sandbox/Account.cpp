// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/PrivateServer.h"

#include "core/base/PlainFile.h"

#include <QDir>
#include <QFile>

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

namespace {

std::optional<Account> accountNamed(const char* name)
{
    std::vector<char> buffer(16'384);
    passwd entry{};
    passwd* found = nullptr;
    if (getpwnam_r(name, &entry, buffer.data(), buffer.size(), &found) != 0 || !found)
        return std::nullopt;
    return Account{found->pw_uid, found->pw_gid};
}

bool maySearch(const struct stat& info, const Account& account)
{
    if (account.uid == 0)
        return true;
    if (info.st_uid == account.uid)
        return info.st_mode & S_IXUSR;
    if (info.st_gid == account.gid)
        return info.st_mode & S_IXGRP;
    return info.st_mode & S_IXOTH;
}

} // namespace

Result<Account> Account::forDirectory(const QString& directory)
{
    if (geteuid() != 0)
        return Account{geteuid(), getegid()};
    struct stat info { };
    if (stat(QFile::encodeName(directory).constData(), &info) == 0 && info.st_uid != 0)
        return Account{info.st_uid, info.st_gid};
    for (const char* name : {"postgres", "nobody"})
        if (const auto account = accountNamed(name))
            return *account;
    return failure(ErrorKind::MissingObject,
        u"PostgreSQL refuses to run as root, and there is no account to run it under."_s,
        u"Create one (useradd --system postgres) or start this program as an ordinary user."_s);
}

Result<void> checkReachable(const QString& directory, const Account& account)
{
    QString part = QDir::cleanPath(directory);
    while (!part.isEmpty() && part != u"/"_s) {
        part = QFileInfo(part).path();
        struct stat info { };
        if (stat(QFile::encodeName(part).constData(), &info) == 0 && !maySearch(info, account))
            return failure(ErrorKind::Permission,
                u"The sandbox's server can't run in %1: its account (user id %2) may not enter %3."_s.arg(
                    directory, QString::number(account.uid), part),
                u"Set LOCKSCOPE_SANDBOX_DIR to a directory that this account can reach, for example below /var/lib."_s);
    }
    return {};
}

Result<void> become(const Account& account)
{
    if (geteuid() == account.uid)
        return {};
    if (setgroups(1, &account.gid) != 0 || setgid(account.gid) != 0 || setuid(account.uid) != 0)
        return systemFailure(u"Can't change to the account of the sandbox's server."_s);
    return {};
}

Result<Descriptor> openOwned(const QString& path, const Account& account)
{
    const int flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
    Descriptor fd(::open(QFile::encodeName(path).constData(), flags, 0600));
    if (!fd.isOpen())
        return systemFailure(u"Can't open %1."_s.arg(path));
    if (geteuid() == 0 && fchown(fd.number(), account.uid, account.gid) != 0)
        return systemFailure(u"Can't hand %1 to the account of the sandbox's server."_s.arg(path));
    return fd;
}

Result<FileLock> FileLock::take(const QString& path, const Account& account, const QDeadlineTimer& deadline)
{
    LOCKSCOPE_TRY_GET(auto fd, openOwned(path, account));
    if (const int error = lockFile(fd, deadline); error == EWOULDBLOCK)
        return failure(ErrorKind::Timeout, u"Another process keeps %1 locked."_s.arg(path));
    else if (error != 0)
        return systemFailure(u"Can't lock %1."_s.arg(path), error);
    return FileLock(std::move(fd));
}

} // namespace lockscope::sandbox
