// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

#include <set>

namespace lockscope::deadlock {

/// What tells a deadlock from others of its server, whoever saw it. A value.
struct Identity {
    Moment time; ///< of the look, or of the server's record
    std::set<qint64> sessions; ///< of the ring; empty: one of them is not told
    /// PostgreSQL: numbers of the transactions that are waited for; empty: not told, or other locks.
    std::set<QString> transactions;

    bool operator==(const Identity&) const = default;
};
Identity identityOf(const Deadlock& deadlock);

/// Whether a deadlock that a look saw is the one of the server's record: the same sessions, no other
/// transactions, and the look from `recordIsEarly` behind the record to `longestStanding` before it. Both of
/// one server, by its clock. If the zone of one time is not known, it may be any that there is; if a time is
/// not told, they are not the same. Any thread.
bool isRecordOf(const Identity& recorded, const Identity& seen);

/// Whether both are one deadlock of one server, whoever saw or recorded it: by isRecordOf for one that was
/// seen (ReportKind::Live) and one that was recorded; two that were seen have the same sessions in the same
/// transactions; two records are of the same event (KnownEvents knows those of PostgreSQL's logs in other
/// forms). A blocked-process report is none.
bool isSameDeadlock(const Deadlock& one, const Deadlock& other);

/// A ring stands until the server looks for it. SQL Server does so every five seconds or sooner. PostgreSQL
/// does after deadlock_timeout of the session that waits last: a second, or what the server or that session
/// has set, which is some seconds or tens of them; a look may come right at the beginning, and no record
/// tells when that was. More than a minute is not worth it: where the same sessions of a pool meet again in
/// the meantime without a record of their own, they would be taken for one.
inline constexpr microseconds longestStanding{60'000'000};
/// A log may tell full seconds only (%t), and SQL Server the moment when its search began; and the ring is to
/// be seen until the victim's transaction is undone, which is after the record is written.
inline constexpr microseconds recordIsEarly{2'000'000};

} // namespace lockscope::deadlock
