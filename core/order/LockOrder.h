// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockMode.h"
#include "core/domain/LockTable.h"
#include "core/domain/Resource.h"
#include "core/domain/Session.h"

#include <QDateTime>
#include <QHash>
#include <QSet>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

namespace lockscope::order {

/// The part of its class that a lock is about: modes of a table and of its rows meet by the intent modes
/// only.
enum class Grain : quint8 {
    Whole, ///< a table, a name
    Row, ///< a row or page of a table
};

/// One lock and the class that it counts under. Rows and pages count under their table; names under what is
/// left when numbers are taken out, see namePattern(); an application lock of which only a key is known is a
/// class by itself.
struct LockName {
    quint64 lock = 0; ///< equal for the same lock, whatever it is called
    quint64 lockClass = 0; ///< equal for locks of one class; never one of `lock`
    QString name; ///< "public.orders row (0,4)", "app lock 'order:4711'"
    QString className; ///< "public.orders", "app lock 'order:*'"
    QString database; ///< empty if shared or not known
    Grain grain = Grain::Whole;
    bool isClassAlone = false; ///< the class is this lock, not one of many
};
using LockNamePtr = std::shared_ptr<const LockName>;

/// The name with each part that is a number, a GUID or a long hexadecimal number replaced by '*', and what
/// digits end it: "order:4711" → "order:*", "account17/balance" → "account*/balance". Parts lie between
/// ':', '/', '.', '-', '_', '#', '|', ',', '@' and blanks. A name without any stays as it is.
QString namePattern(const QString& name);

/// The names of locks, each worked out once. One thread.
class LockNames {
public:
    /// Returns null for resources that sessions don't take in an order of their own: transactions, databases,
    /// files, internal ones.
    LockNamePtr of(const Resource& resource);
    LockNamePtr of(const LockTableKey& key);

    static constexpr qsizetype maxKept = 50'000; ///< then all are forgotten

private:
    QHash<ResourceKey, LockNamePtr> m_ofResources;
    QHash<LockTableKey, LockNamePtr> m_ofEntries;
};

/// Makes a name for a lock that no snapshot shows; `kind` distinguishes locks of equal names.
LockName lockName(const QString& kind, const QString& database, const QString& name, const QString& className,
    Grain grain = Grain::Whole);

/// The mode in which a row's lock meets those of its whole table: the intent that it implies.
LockMode intentOf(const LockMode& rowMode);
/// Returns whether one makes the other wait, on one lock or on a table and a row of it.
bool conflicts(const LockMode& a, Grain ofA, const LockMode& b, Grain ofB);
/// Returns whether it is a mode that ordinary statements take very often and that only strong modes wait for:
/// ACCESS SHARE, ROW SHARE, ROW EXCLUSIVE; Sch-S and the intent modes.
bool isWeak(const LockMode& mode);

/// The evidence that the first lock was taken before the second.
enum class Evidence : quint8 {
    Polls, ///< held at both polls, in one transaction; it may have been released in between and taken again
    Transaction, ///< the same, in one transaction that keeps what it locks
    Exact, ///< both times of the grants are known, or each step is
    Waiting, ///< it waited for the second while it held the first
};
QString evidenceName(Evidence evidence); ///< "seen waiting" …

/// A lock that somebody held or took, with its mode.
struct Taken {
    LockNamePtr name;
    LockMode mode;
    bool standsForRows = false; ///< see SeenLock
};

/// A session that was seen to take two locks one after the other.
struct Witness {
    SessionKey session;
    QString user;
    QString program;
    QString host;
    QString statement; ///< the one that it ran when the second lock was seen; of a waiter the one that waits
    QString step; ///< the step of a scenario, "A3"; else empty
    QString thread; ///< of a program's own locks: "thread 2 of nightly"; else empty
    ServerTime at; ///< of a program's own locks where the lock table has it
    QDateTime here; ///< of a program's own locks: by its clock
    Taken first;
    Taken second;
    Evidence evidence = Evidence::Polls;

    QString who() const; ///< "63 billing", "A3", "thread 2 of nightly"
};

/// A lock that a witness held all the time, which may be one of the two: another session that needs it, too,
/// can't do the same at the same time.
struct Gate {
    quint64 lock = 0;
    LockMode mode;
    QString name;
    Grain grain = Grain::Whole;
};

/// The order in which two locks, or locks of two classes, were taken. Steps with other modes, or other locks
/// held beside, are separate ways.
struct OrderEdge {
    struct Way {
        Witness witness; ///< the best: evidence first, then the latest
        std::vector<Gate> gates; ///< held every time, by lock
        qint64 count = 0;
        qint64 waited = 0; ///< of these, seen waiting
        ServerTime first;
        ServerTime last;
    };
    std::vector<Way> ways;

    qint64 count() const;
    qint64 waited() const;
    ServerTime last() const;
};

/// The order in which sessions of one server took locks, by classes; of locks of one class by the locks
/// themselves. Bounded: the pairs not seen for longest are forgotten. One thread; a value otherwise.
class LockOrder {
public:
    /// `second` was taken, or is waited for, by a session that had `held` all that time; of these `firsts`
    /// came before it for certain enough to count. Names must not be null.
    struct Step {
        std::vector<Taken> firsts;
        std::vector<Taken> held; ///< `firsts` among them
        Taken second;
        Witness witness; ///< without its locks: they are `firsts` and `second`
    };
    void note(const Step& step);
    /// Notes that somebody was seen waiting for a row or page of that class.
    void noteRowWait(quint64 lockClass);

    struct Key {
        quint64 from = 0; ///< class or lock
        quint64 to = 0;
        bool operator==(const Key&) const = default;
        friend size_t qHash(const Key& key, size_t seed = 0) noexcept
        {
            return qHashMulti(seed, key.from, key.to);
        }
    };
    const QHash<Key, OrderEdge>& edges() const { return m_edges; }
    /// True if a session was seen waiting for a row of that class, so that Taken::standsForRows counts there.
    bool hasRowWaits(quint64 lockClass) const { return m_rowWaits.contains(lockClass); }
    /// Grows with each new order or way, not when a known one is seen again.
    quint64 revision() const { return m_revision; }
    qint64 seen() const { return m_seen; } ///< steps that counted
    qint64 forgotten() const { return m_forgotten; } ///< pairs

    static constexpr qsizetype maxEdges = 8'000;
    static constexpr std::size_t maxWays = 6; ///< of an edge
    static constexpr std::size_t maxGates = 8;
    static constexpr std::size_t maxHeld = 64; ///< of a session: more are not paired, the latest class first

private:
    void notePair(const Taken& first, const Step& step);
    void forgetOldest();

    QHash<Key, OrderEdge> m_edges;
    QSet<quint64> m_rowWaits;
    quint64 m_revision = 0;
    qint64 m_seen = 0;
    qint64 m_forgotten = 0;
};

} // namespace lockscope::order
