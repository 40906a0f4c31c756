// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/profiles/ProfileFile.h"
#include "tests/fuzz/FuzzTarget.h"
#include "tests/fuzz/ImportCheck.h"

namespace lockscope::test {

/// Feeds bytes to the readers of pg_service.conf, ~/.pgpass and odbc.ini: the first byte says to which.
/// Aborts if a server is found that can't be, or a password.
static void fuzzClientFiles(const QByteArray& bytes)
{
    using enum profiles::ClientFile;
    if (bytes.isEmpty())
        return;
    const profiles::ClientFile kind = bytes[0] == 's' ? Services : bytes[0] == 'p' ? Passwords : DataSources;
    const QString text = QString::fromUtf8(bytes.mid(1));
    const profiles::FoundServers found = profiles::serversIn(kind, text);
    checkImport(found);
    for (const profiles::FoundServer& each : found.servers)
        if (each.isWhole || each.profile.readOnly || !each.profile.approvedTables.isEmpty())
            qFatal("more than such a file knows");
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzClientFiles)
