// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerProfile.h"

namespace lockscope::test {

/// A server of the name that SnapshotBuilder gives; nobody listens there.
inline db::ServerProfile shopProfile()
{
    db::ServerProfile profile;
    profile.name = QStringLiteral("shop@db1");
    profile.url = db::ServerUrl::parse(QStringLiteral("postgresql://ann@db1/shop")).value();
    return profile;
}

} // namespace lockscope::test
