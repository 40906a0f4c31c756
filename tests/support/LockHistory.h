// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QHash>
#include <QStringList>

#include <map>
#include <vector>

namespace lockscope::test {

/// Judges the history of a lock table's names: nobody had a name while somebody else's lease ran (exclusion),
/// fencing numbers grew with every grant (fencing), nobody passed a waiter that was alive (queue).
///
/// Fed from two sides: with the rows in the order in which the server let others see them, name by name; and
/// with the holders' own notes, in any order. Times are microseconds since 1970.
class LockHistory {
public:
    struct Entry {
        QString name;
        QString token;
        qint64 fencing = 0;
        qint64 session = 0;
        qint64 at = 0; ///< by then it was decided, and others did not see it yet
        qint64 expiresAt = 0;
    };
    struct Registration {
        QString name;
        qint64 ticket = 0;
        qint64 session = 0;
        qint64 expiresAt = 0;
    };
    /// A holder's certain knowledge: it had the name between these times.
    struct Hold {
        QString name;
        QString who;
        qint64 fencing = 0;
        qint64 from = 0; ///< after it was reported
        qint64 until = 0; ///< before the release, or the end of its lease
    };

    // --- The rows -----------------------------------------------------------------------------------

    void granted(const Entry& entry); ///< a row, or another token in the row
    void prolonged(const QString& name, const QString& token, qint64 expiresAt);
    void gone(const QString& name, const QString& token, qint64 at); ///< released or purged: no row any more
    void registered(const Registration& waiter); ///< or registered again
    void unregistered(const QString& name, qint64 ticket);

    // --- The holders --------------------------------------------------------------------------------

    void noteGrant(const Hold& hold);

    /// Returns the faults, a line each; the holders' side is judged here. Nothing may be noted after that.
    QStringList faults();
    qint64 grants() const { return m_grants; }
    qint64 grantsOfWaiters() const { return m_grantsOfWaiters; }
    qint64 holds() const { return m_holdCount; }

private:
    struct Waiter {
        Registration registration;
        QString passedBy; ///< a fault as soon as it turns out to have been alive
    };
    struct Name {
        bool isTaken = false;
        Entry entry;
        qint64 highestFencing = 0;
        std::map<qint64, Waiter> waiters; ///< by ticket
        std::vector<Hold> holds;
    };
    void fault(const QString& what);
    void judgeQueue(Name& name, const Entry& entry);
    void judgeHolds(const QString& name, std::vector<Hold>& holds);

    QHash<QString, Name> m_names;
    QStringList m_faults;
    qint64 m_grants = 0;
    qint64 m_grantsOfWaiters = 0;
    qint64 m_holdCount = 0;
};

} // namespace lockscope::test
