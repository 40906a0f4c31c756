// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/FileOwner.h"

#include <QFile>

#include <array>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

/// Returns whether nobody but this account is in its own group: then what the group may do, nobody else may.
bool isAlone(gid_t group)
{
    if (group != ::getegid())
        return false;
    std::array<char, 16'384> room{};
    struct passwd account { };
    struct passwd* self = nullptr;
    if (::getpwuid_r(::geteuid(), &account, room.data(), room.size(), &self) != 0 || !self)
        return false;
    const QByteArray name(self->pw_name);
    if (self->pw_gid != group)
        return false;
    struct group read { };
    struct group* found = nullptr;
    // A name of its own: groups such as "users" are many accounts' without listing them.
    if (::getgrgid_r(group, &read, room.data(), room.size(), &found) != 0 || !found || name != found->gr_name)
        return false;
    for (char** member = found->gr_mem; *member; ++member) {
        if (name != *member)
            return false;
    }
    return true;
}

} // namespace

bool isOurs(const struct stat& file)
{
    return file.st_uid == ::geteuid() || file.st_uid == 0;
}

bool othersMayWrite(const struct stat& file)
{
    return (file.st_mode & S_IWOTH) != 0 || ((file.st_mode & S_IWGRP) != 0 && !isAlone(file.st_gid));
}

bool othersMayUse(const struct stat& file)
{
    return (file.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

QStringList stepsOf(const QString& folder)
{
    QStringList steps{u"/"_s};
    for (qsizetype at = folder.indexOf(u'/', 1); at > 0; at = folder.indexOf(u'/', at + 1))
        steps << folder.left(at);
    if (folder != steps.last())
        steps << folder;
    return steps;
}

std::optional<UnsafeStep> unsafeStep(const QString& folder)
{
    struct stat seen { };
    for (const QString& step : stepsOf(folder)) {
        if (::stat(QFile::encodeName(step).constData(), &seen) != 0)
            return UnsafeStep{step, UnsafeStep::Why::Unreachable};
        if (!isOurs(seen))
            return UnsafeStep{step, UnsafeStep::Why::Strangers};
        // In a sticky folder only its owner can take a file away.
        if ((seen.st_mode & S_ISVTX) == 0 && othersMayWrite(seen))
            return UnsafeStep{step, UnsafeStep::Why::Open};
    }
    return std::nullopt;
}

} // namespace lockscope
