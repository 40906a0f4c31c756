// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/profiles/ProfileFile.h"
#include "tests/fuzz/FaultCheck.h"
#include "tests/fuzz/ImportCheck.h"
#include "tests/support/OrDie.h"

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to readProfiles; aborts if it refuses without a reason and a place, or if what it read is not
/// read again from what writeProfiles makes of it.
static void fuzzProfileFile(const std::uint8_t* data, std::size_t size)
{
    const QByteArray text(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
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

// The entry point that libFuzzer looks for.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    lockscope::test::fuzzProfileFile(data, size);
    return 0;
}
