// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/profiles/ProfileFile.h"
#include "tests/fuzz/FaultCheck.h"
#include "tests/fuzz/FuzzTarget.h"
#include "tests/fuzz/ImportCheck.h"
#include "tests/support/OrDie.h"

namespace lockscope::test {

/// Feeds bytes to readProfiles; aborts if it refuses without a reason and a place, or if what it read is not
/// read again from what writeProfiles makes of it.
static void fuzzProfileFile(const QByteArray& text)
{
    const auto read = profiles::readProfiles(QStringLiteral("fuzz.json"), text);
    if (!read)
        return checkFaults(read.error());
    checkImport(*read);
    QList<db::ServerProfile> servers;
    for (const profiles::FoundServer& each : read->servers)
        servers << each.profile;
    if (servers.isEmpty())
        return;
    const auto again =
        orDie(profiles::readProfiles(QStringLiteral("again.json"), profiles::writeProfiles(servers)));
    if (again.servers.size() != servers.size())
        qFatal("a server that is written is not read");
    for (qsizetype i = 0; i < servers.size(); ++i)
        if (again.servers[i].profile.url != servers[i].url || again.servers[i].profile.tags != servers[i].tags
            || again.servers[i].profile.attached != servers[i].attached)
            qFatal("a server is read as another one: %s", qPrintable(servers[i].url.toString()));
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzProfileFile)
