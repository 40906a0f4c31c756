// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/ServerProfile.h"

namespace lockscope::test {

/// A server's profile with nothing but its address, and perhaps a name.
inline db::ServerProfile profileOf(const db::ServerUrl& url, const QString& name = {})
{
    db::ServerProfile profile;
    profile.name = name;
    profile.url = url;
    return profile;
}

inline db::ServerProfile profileOf(const char* url, const QString& name = {})
{
    return profileOf(db::ServerUrl::parse(QLatin1String(url)).value(), name);
}

/// A server of the name that SnapshotBuilder gives; nobody listens there.
inline db::ServerProfile shopProfile()
{
    return profileOf("postgresql://ann@db1/shop", QStringLiteral("shop@db1"));
}

} // namespace lockscope::test
