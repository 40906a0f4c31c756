// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/profiles/ProfileFile.h"

#include <QtDebug>

#include <algorithm>

namespace lockscope::test {

/// Aborts if servers that were found in a file have an address that can't be read again, an option that
/// trusts somebody, or a name that looks like something else; or if an import loses one.
inline void checkImport(const profiles::FoundServers& found)
{
    for (const profiles::FoundServer& each : found.servers) {
        const auto again = db::ServerUrl::parse(each.profile.url.toString());
        if (!again || *again != each.profile.url)
            qFatal("an address that can't be read: %s", qPrintable(each.profile.url.toString()));
        for (const char* option : {"password", "passfile", "hostaddr", "service", "schema_owner", "trust"})
            if (each.profile.url.options.contains(QLatin1String(option)))
                qFatal("an option that was not asked for: %s", option);
        if (std::ranges::any_of(
                each.profile.name, [](QChar c) { return c.category() == QChar::Other_Control; }))
            qFatal("a control character in a name");
    }
    if (found.leftOut.size() > profiles::maxLeftOut)
        qFatal("a list without an end");
    const qsizetype more = found.moreLeftOut > 0 ? 1 : 0;
    if (profiles::planImport({}, found).size() != found.servers.size() + found.leftOut.size() + more)
        qFatal("an import that loses something");
}

} // namespace lockscope::test
