// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdmin.h"
#include "core/base/Sentences.h"
#include "core/domain/Aftermath.h"

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

QString Done::toString(const QStringList& predicted) const
{
    return sentences({message, lingers ? QString() : aftermathAsSeen(predicted)});
}

} // namespace lockscope::admin
