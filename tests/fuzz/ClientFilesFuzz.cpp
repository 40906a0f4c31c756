// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/profiles/ClientFiles.h"
#include "tests/fuzz/ImportCheck.h"

#include <cstddef>
#include <cstdint>

namespace lockscope::test {

/// Feeds bytes to the readers of pg_service.conf, ~/.pgpass and odbc.ini: the first byte says to which.
/// Aborts if a server is found that can't be, or a password.
static void fuzzClientFiles(const std::uint8_t* data, std::size_t size)
{
    using enum profiles::ClientFile;
    if (size == 0)
        return;
    const profiles::ClientFile kind = data[0] == 's' ? Services : data[0] == 'p' ? Passwords : DataSources;
    const QString text =
        QString::fromUtf8(reinterpret_cast<const char*>(data + 1), static_cast<qsizetype>(size - 1));
    const profiles::FoundServers found = profiles::serversIn(kind, text);
    checkImport(found);
    for (const profiles::FoundServer& each : found.servers)
        if (each.isWhole || each.profile.readOnly || !each.profile.approvedTables.isEmpty())
            qFatal("more than such a file knows");
}

} // namespace lockscope::test

// The entry point that libFuzzer looks for.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    lockscope::test::fuzzClientFiles(data, size);
    return 0;
}
