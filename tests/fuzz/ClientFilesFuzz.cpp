// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/fuzz/ClientFilesFuzz.h"

#include "core/profiles/ClientFiles.h"
#include "tests/fuzz/ImportCheck.h"

namespace lockscope::test {

void fuzzClientFiles(const std::uint8_t* data, std::size_t size)
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
