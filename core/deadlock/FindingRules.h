// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Finding.h"

#include <QSet>

/// The rules behind findingsOf(), and what they share. Each adds what it finds, or nothing.
namespace lockscope::deadlock {

using Findings = QList<Finding>;

bool isShared(const QString& mode);
bool isWriting(const QString& mode);
/// Returns the last part of a table's name, in small letters: reports and statements qualify names
/// differently.
QString bareTable(const QString& table);
/// Names the participant at the beginning of a sentence.
QString beginningWith(const Deadlock& deadlock, int participant);
/// "update"; empty if there is no statement.
QString verbOf(const QString& statement);
const QString& statementOf(const Deadlock& deadlock, const Link& link); ///< of the waiter
/// Returns the table of a lock, else the one that the waiter's statement names first; may be empty.
QString tableOf(const Deadlock& deadlock, const Link& link);
/// True if the waiter's statement names first the table at which it waits, or that table is not known.
bool namesItsTable(const Deadlock& deadlock, const Link& link);
/// "WHERE id = 1" without the clauses behind it; empty if the statement has none.
QString conditionOf(const QString& statement);
/// "SELECT … FROM orders WITH (UPDLOCK) WHERE id = 1": the reading of the rows that a statement changes, with
/// hints behind the table and a clause at the end.
QString readingFor(
    const QString& statement, const QString& table, const QString& hints, const QString& clause);

/// The properties of all waits of a deadlock's rings.
struct Shape {
    explicit Shape(const Deadlock& deadlock);

    QSet<int> resources;
    QSet<QString> tables;
    QSet<QString> indexes;
    QSet<ResourceKind> kinds;
    QSet<QString> statementTables; ///< those that the waiters' statements name first
    bool hasUnnamed = false; ///< a lock of no known table
    bool hasOther = false; ///< something that is no lock
    bool hasUnknownHeld = false; ///< a held mode is unknown
    bool converts = false;

    bool isOneTable() const { return !hasUnnamed && tables.size() == 1; }
    bool isRowsOnly() const { return kinds == QSet<ResourceKind>{ResourceKind::Row}; }
    bool isOneStatementTable() const
    {
        return statementTables.size() == 1 && !statementTables.contains(QString());
    }
};

// The order of locks and what each transaction does.
void createIndexConcurrently(const Deadlock& deadlock, Findings& out);
void applicationLocks(const Deadlock& deadlock, Findings& out);
void conversion(const Deadlock& deadlock, Findings& out);
void uniqueInserts(const Deadlock& deadlock, Findings& out);
void foreignKey(const Deadlock& deadlock, Findings& out);
void batchOrder(const Deadlock& deadlock, Findings& out);
void oppositeOrder(const Deadlock& deadlock, Findings& out);
void longerCycle(const Deadlock& deadlock, Findings& out);

// How a server locks, and what clients have it do.
void parallel(const Deadlock& deadlock, Findings& out);
void keyLookup(const Deadlock& deadlock, Findings& out);
void readerWriter(const Deadlock& deadlock, Findings& out);
void readerBlocksWriter(const Deadlock& deadlock, Findings& out);
void isolation(const Deadlock& deadlock, Findings& out);
void escalation(const Deadlock& deadlock, Findings& out);
void tableLock(const Deadlock& deadlock, Findings& out);
void missingIndex(const Deadlock& deadlock, Findings& out);
void heap(const Deadlock& deadlock, Findings& out);
void sameModule(const Deadlock& deadlock, Findings& out);
void openTransaction(const Deadlock& deadlock, Findings& out);
void agentJob(const Deadlock& deadlock, Findings& out);
void costlyVictim(const Deadlock& deadlock, Findings& out);

} // namespace lockscope::deadlock
