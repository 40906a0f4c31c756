// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"
#include "core/deadlock/LinePrefix.h"

#include <QSet>

namespace lockscope::deadlock {

/// One entry of PostgreSQL's log about a deadlock or a wait, from any form of the log.
struct PostgresEntry {
    QString message; ///< of a wait
    qint64 process = 0; ///< that wrote it; 0: not known
    QStringList detail; ///< lines: "Process 4711 waits for …" and the statements
    QString context; ///< "while updating tuple (0,1) in relation \"orders\""
    QString statement; ///< of the victim
    QString time;
    QString user, database, program, host;
};

/// The complaint of a report whose statements may begin or end at a wrong place, as within a text.
const QString& guessedStatements();
/// The complaint of a report that a statement has written, and not the server's search for deadlocks.
const QString& raisedByStatement();
/// Returns whether the report has that complaint.
bool isRaised(const DeadlockReport& report);
/// The complaint of a report whose time is of a zone that is not known.
const QString& noZoneKnown();

/// "Process 4711 waits for ShareLock on transaction 742; blocked by process 4712." Views of the line.
struct WaitLine {
    qint64 waiter = 0;
    qint64 blocker = 0;
    QStringView before, mode, after; ///< the mode, and the words before and behind it, which name the lock
};
/// Returns nothing unless `line` says in any language that a process waits for a lock and which one has it: a
/// number, the name of a mode (names of modes are never translated), and at the end another number.
std::optional<WaitLine> waitLineOf(QStringView line);
/// The begin of a statement in the list below the waits: "Process 4711: UPDATE …", in any language.
struct StatementHeading {
    qint64 process = 0;
    qsizetype text = 0; ///< the start of the statement in the line
};
std::optional<StatementHeading> headingOf(QStringView line);
/// Returns whether the lines, from the first one on, say so in a ring.
bool beginsWithRing(const QStringList& lines);

/// Returns nothing if the detail is none of a deadlock. The session that wrote the entry is the victim.
std::optional<DeadlockReport> readPostgresEntry(const PostgresEntry& entry);
/// Adds what the entry's context says of a transaction that the session waits for: the row that it changed.
void nameByContext(LockedThing& thing, const PostgresEntry& entry, const QString& statement);
/// Adds to the report's complaints that a RAISE wrote the entry, if it did.
void complainOfRaise(const PostgresEntry& entry, DeadlockReport& report);

/// Returns the resource of a lock of PostgreSQL, by the words of its log in any language: "transaction 742",
/// "relation 16385 of database 5", "Tupel (0, 1) von Relation …". Numbers and signs decide; where two kinds
/// are alike (a page and another object), known words of the languages do, else it is kept with its text.
LockedThing postgresThing(const QString& words);

/// Returns the session of that process, of which nothing else is known.
Participant participantOf(qint64 process);
/// Adds what the entry tells of the session that wrote it.
void describe(Participant& writer, const PostgresEntry& entry);
/// Returns the first name of a mode in a text; an empty view if there is none.
QStringView modeIn(QStringView text);

/// Reads an entry of log_lock_waits: who waits, for what and behind whom, once a wait lasts for
/// deadlock_timeout (https://www.postgresql.org/docs/current/runtime-config-logging.html). Nothing if it is
/// none, or another session wrote it than the one that waits. Its kind is ReportKind::Blocked.
std::optional<DeadlockReport> readLockWait(const PostgresEntry& entry);

enum class PostgresEvents : quint8 { Deadlocks, DeadlocksAndWaits };
QList<ReportPtr> readPostgresText(
    const QString& text, const QString& place, PostgresEvents events = PostgresEvents::Deadlocks);
QList<ReportPtr> readPostgresCsv(
    const QString& text, const QString& place, PostgresEvents events = PostgresEvents::Deadlocks);
QList<ReportPtr> readPostgresJson(
    const QString& text, const QString& place, PostgresEvents events = PostgresEvents::Deadlocks);

/// Takes from any log_line_prefix the time where one stands, and "user@database" if there is such a thing.
void readLogPrefix(const QString& prefix, PostgresEntry& entry);

/// The deadlocks of a text that was passed on: by a client's error, a ticket, a log service.
struct PastedPostgres {
    struct Found {
        ReportPtr report;
        qint64 lastLine = 0;
    };
    QList<Found> found;
    QSet<qint64> quoted; ///< lines that look like a report's, but are part of a statement or a value
};
/// Reads as readPostgresText() does, but takes each way in which such texts lose blanks, tabs, prefixes and
/// parts: a label and the ring of waits are enough. What a statement or a value holds is none.
PastedPostgres readPastedPostgres(const CarriedText& lines, const QString& place);

/// "2026-11-22 03:12:07.123 UTC": of a log. Of other zones than UTC and numbers only the time is known.
ReportTime postgresTime(const QString& text);
/// Fills in what comes of where it stood.
ReportPtr postgresReport(
    DeadlockReport report, const QString& place, SourceFormat format, qint64 line, const QString& raw);

} // namespace lockscope::deadlock
