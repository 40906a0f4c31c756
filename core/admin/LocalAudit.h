// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
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

/// The audit of acts on databases that have no audit table: a file of this account on this computer, which
/// only grows. A line is a JSON object with the fields of the server's audit and the server's name
/// (`lockctl audit --json` spells them the same). An act has two lines of one id: what is intended, then what
/// became of it.
///
/// The file and its folder are the account's own and closed to others; nothing on the way to them may be
/// another account's, and the last two steps are no links. What does not hold so is refused and not mended.
/// A line is one write at the end of the file, on disk before the call returns: several programs may record
/// at once. A value; any thread; each call blocks for the disk.
class LocalAudit {
public:
    explicit LocalAudit(QString path = defaultPath());

    /// lockscope/audit.jsonl in $XDG_STATE_HOME, by default ~/.local/state.
    static QString defaultPath();
    const QString& path() const { return m_path; }

    /// Returns whether it could be used now: changes nothing, makes nothing.
    Result<void> check() const;
    /// Puts down what is about to be done and gives the id of the record. Permission: the place is not safe.
    Result<qint64> begin(AuditRecord record) const;
    /// Puts down how it ended; `record` is the whole record with the id of `begin`.
    Result<void> end(const AuditRecord& record) const;
    /// Newest first, each act once, as it ended. A file that is not there has no records; a line that is torn
    /// or none of ours is passed over.
    Result<QList<AuditRecord>> read(int limit = 500) const;

private:
    QString m_path;
};

} // namespace lockscope::admin
