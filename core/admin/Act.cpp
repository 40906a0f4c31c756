// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdmin.h"

namespace lockscope::admin {

QString actName(Act act)
{
    switch (act) {
    case Act::ReleaseEntry:
        return QStringLiteral("release lock");
    case Act::PurgeStale:
        return QStringLiteral("purge stale locks");
    case Act::CancelSession:
        return QStringLiteral("cancel statement");
    case Act::EndSession:
        return QStringLiteral("end session");
    }
    return {};
}

} // namespace lockscope::admin
