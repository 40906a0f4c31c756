// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/LockTable.h"

#include <QCoreApplication>
#include <QSysInfo>

#include <algorithm>
#include <pwd.h>
#include <unistd.h>
#include <vector>

namespace lockscope {

namespace {

QString accountName()
{
    // The effective account, not $USER: that one survives sudo and can be set to anything.
    std::vector<char> buffer(4096);
    passwd entry{};
    passwd* found = nullptr;
    if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found)
        return QString::fromLocal8Bit(found->pw_name);
    const QString user = qEnvironmentVariable("USERNAME");
    return user.isEmpty() ? qEnvironmentVariable("USER") : user;
}

} // namespace

const LockRowTable::Column* LockRowTable::column(const QString& name) const
{
    const auto found = std::ranges::find_if(
        columns, [&name](const Column& each) { return each.name.compare(name, Qt::CaseInsensitive) == 0; });
    return found == columns.end() ? nullptr : &*found;
}

LockOwnerInfo LockOwnerInfo::ofThisProcess()
{
    static const QString account = accountName();
    static const QString host = QSysInfo::machineHostName();
    LockOwnerInfo party;
    party.owner = account;
    party.host = host;
    party.program = QCoreApplication::applicationName();
    party.processId = QCoreApplication::applicationPid();
    return party;
}

} // namespace lockscope
