// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"
#include "core/deadlock/LenientXml.h"

namespace lockscope::deadlock {

/// Returns the contents of a `<deadlock>`: participants, resources, edges, cycles, victims, complaints. Time,
/// source and raw text are the caller's.
DeadlockReport readDeadlockElement(const XmlElement& deadlock);
/// The same of a `<blocked-process-report>`.
DeadlockReport readBlockedElement(const XmlElement& blocked);

/// All reports of a text: bare, in a list, in events, in whatever else they stand. `place` is shown.
QList<ReportPtr> readSqlServerXml(const QString& text, const QString& place);

/// The text that trace flags 1222 and 1204 write to the error log, also of a viewer that lists the newest
/// line first.
QList<ReportPtr> readSqlServerLog(const QString& text, const QString& place);

/// Returns the lock, or another thing that is waited for, of an element of a resource-list.
LockedThing readLockedThing(const XmlElement& element);

/// Returns the kind of a `wait_resource` by its type in small letters, whole or cut: "key", "pag", "hobt".
ResourceKind kindOfWaitResource(const QString& type);

/// Makes the readable name of a thing from its element, table, index and part, or from its numbers.
void giveName(LockedThing& thing);

/// "2026-11-22T03:12:07.120": microseconds since 1970 as if it were UTC.
std::optional<qint64> plainTime(QStringView text);
/// "2026-11-22T03:12:07.120" and the like; nothing for what is no time, or 1900, which means none.
ReportTime readTime(const QString& text, bool isUtc);

/// Guesses the time of a report that has none: when the last batch began, by the server's own clock.
void guessTime(DeadlockReport& report);
/// Fills in Source::eventKey.
void nameEvent(DeadlockReport& report);

} // namespace lockscope::deadlock
