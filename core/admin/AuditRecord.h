// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockTable.h"
#include "core/domain/Session.h"
#include "core/report/Report.h"

#include <QList>

namespace lockscope::admin {

struct AuditRecord {
    qint64 id = 0;
    ServerTime at;
    QString who; ///< the login, as the server knows it; SQLite: the operating-system account
    QString from; ///< the program's own account, host and name
    QString act; ///< actName
    QString target; ///< "lock 'nightly' held by ann on app01", "session 63 (shop, app02)"
    QString reason;
    QString before; ///< the state before, as JSON
    QString outcome; ///< "done", "changed meanwhile: …", the error
    QString server{}; ///< of records in a local file only: as shown to the user

    bool operator==(const AuditRecord&) const = default;
};

/// One table; each row is about its record. `hasServers`: they are those of a file, of several servers.
report::Report toReport(const QList<AuditRecord>& records, bool hasServers = false);

/// Returns what was shown to the person who acted, as JSON for the audit: used where the server has no state
/// of its own to record, because the row or session is gone.
QString stateAsJson(const LockTableEntry& entry);
QString stateAsJson(const QList<LockTableEntry>& entries);
QString stateAsJson(const Session& session);

/// JSON texts of the server as one JSON array.
QString jsonArray(const QStringList& elements);

} // namespace lockscope::admin
