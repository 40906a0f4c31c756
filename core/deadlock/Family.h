// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

namespace lockscope::deadlock {

/// Part of every signature: grows when they are made in another way, so that old and new ones never mix.
inline constexpr int familyVersion = 6;

/// A statement without its values, in small letters and one blank between words, lists of values as one:
/// equal for statements that differ only by values.
QString statementShape(const QString& statement, Engine engine);

/// Returns "3-9f3b24c05d7e": equal for deadlocks in which the same kinds of statements wait for the same
/// modes on the same tables and indexes, in any order and number, by any users and with any victim. Rows,
/// sessions, users, programs and times are not part of it. PostgreSQL's log gives the table of a row for the
/// victim alone: there the tables come from the statements.
QString familyOf(const Deadlock& deadlock);
/// "orders, customers: X waits for X": for lists.
QString familyTitle(const Deadlock& deadlock);

struct Family {
    QString id;
    QString title;
    QList<Deadlock> members{}; ///< the earliest first; those without a time at the end
    std::optional<ServerTime> first{}, last{}; ///< nothing: no member has a time
    /// Returns the number of members before that time, and from it on; those without a time are in neither.
    std::pair<int, int> around(ServerTime time) const;
};
/// A deadlock whose family was worked out before, which takes its time where statements are long.
struct FamilyMember {
    Deadlock deadlock;
    QString family; ///< familyOf()
    QString title; ///< familyTitle()
};
/// The most frequent first, then the one seen last.
QList<Family> familiesOf(const QList<FamilyMember>& members);
QList<Family> familiesOf(const QList<Deadlock>& deadlocks);

/// A count of the deadlocks in which a program, a host or a database took part.
struct Total {
    QString by; ///< "application", "host", "database"
    QString name;
    int deadlocks = 0; ///< each counted once, however many of its sessions are of it
    int victims = 0; ///< sessions
};
/// The applications first, then hosts, then databases; of each the most frequent first. Unnamed are left out.
QList<Total> totals(const QList<Deadlock>& deadlocks);

/// Returns the number of its members in each of `count` spans of `step` from `from` on; those without a time
/// are in none.
QList<int> countsOver(const Family& family, ServerTime from, microseconds step, int count);

} // namespace lockscope::deadlock
