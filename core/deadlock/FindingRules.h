// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Finding.h"

#include <QSet>
#include <QStringList>

/// The rules behind findingsOf(), and what they share. Each adds what it finds, or nothing.
namespace lockscope::deadlock {

using Findings = QList<Finding>;

bool isShared(const QString& mode);
bool isWriting(const QString& mode);
/// Compares the parts of a name that both have, whatever their letters: reports and statements qualify names
/// differently.
bool isSameTable(const QString& one, const QString& other);
/// True if a session in this mode lets others have it, too: then two that need more of it wait for each
/// other.
bool isSharedAmongEqual(const Deadlock& deadlock, const QString& mode);
/// "update"; empty if there is no statement.
QString verbOf(const QString& statement);
const QString& statementOf(const Deadlock& deadlock, const Link& link); ///< of the waiter
/// Returns the table of a lock, else the one that the waiter's statement names first; may be empty.
QString tableOf(const Deadlock& deadlock, const Link& link);
/// The same with its database, where the report gives that.
QString wholeTableOf(const Deadlock& deadlock, const Link& link);
/// Returns it as SQL has it: in quotes where its engine needs them.
QString tableInSql(const Deadlock& deadlock, const Link& link);
/// True if the waiter's statement names first the table at which it waits, or that table is not known.
bool namesItsTable(const Deadlock& deadlock, const Link& link);
/// True if the statement does not name the table at all: a check, a trigger, a cascade or a view locks there.
bool isHidden(const Deadlock& deadlock, const Link& link);
/// True if the waiter may wait there to check a foreign key; of PostgreSQL's log only if it has the check, or
/// nothing else locks such a row.
bool isCheck(const Deadlock& deadlock, const Link& link);
/// True if PostgreSQL's log has the statement of a check.
bool hasCheckItself(const Deadlock& deadlock);
enum class CodePart : quint8 {
    All,
    Outermost, ///< without what stands in parentheses
};
/// Returns a text of the same length: texts and comments are blanks, names in quotes are "xxx".
QString codeOf(const QString& statement, Engine engine, CodePart part);
/// True of an INSERT of PostgreSQL that reads no other table and changes no row that is there: what it
/// waits for in another table is not its own.
bool isPlainInsert(const QString& statement);
/// Returns "WHERE id = 1" of the waiter's statement without the clauses behind it; empty if it has none, or
/// it is not sure that it fits the statement's first table alone.
QString conditionOf(const Deadlock& deadlock, const Link& link);
/// "SELECT … FROM orders WITH (UPDLOCK) WHERE id = 1": the reading of the rows that the waiter's statement
/// changes, with hints behind the table and a clause at the end.
QString readingFor(const Deadlock& deadlock, const Link& link, const QString& hints, const QString& clause);

/// The properties of all waits of a deadlock's rings.
struct Shape {
    explicit Shape(const Deadlock& deadlock);

    QSet<int> resources;
    QStringList tables; ///< those of the locks, else of the statements; each once, "" if unknown
    QSet<QString> indexes; ///< "" is a heap
    QSet<ResourceKind> kinds;
    QStringList statementTables; ///< those that the waiters' statements name first
    bool hasUnnamed = false; ///< a lock of no known table
    bool hasOther = false; ///< something that is no lock
    bool hasUnknownHeld = false; ///< a held mode is unknown
    bool converts = false;

    bool isOneTable() const { return tables.size() == 1 && !tables.first().isEmpty(); }
    bool isRowsOnly() const { return kinds == QSet<ResourceKind>{ResourceKind::Row}; }
    bool isOneStatementTable() const
    {
        return statementTables.size() == 1 && !statementTables.first().isEmpty();
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
