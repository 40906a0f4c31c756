// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/base/ServerTime.h"

#include <QHash>
#include <QStringList>

#include <array>
#include <chrono>
#include <stop_token>
#include <vector>

class QDataStream;

namespace lockscope::scenario {

using Steady = std::chrono::steady_clock;

enum class EventKind : quint8 {
    RoundBegin,
    RoundEnd, ///< whole, failed or given up
    WaitBegin, ///< asks for a lock; ends with Granted, Denied, Victim or RoundEnd
    Granted,
    Denied, ///< somebody else had it
    Released,
    Lost, ///< at its release the lock was somebody else's already
    Victim, ///< of a deadlock
    Conflict, ///< the server refused to write over what somebody else has changed
    DuplicateKey,
    Failed, ///< the program made its mistake
    CriticalBegin,
    CriticalEnd,
    Processed,
    Died, ///< the connection is gone
    Restarted,
    Waited, ///< for a lock that somebody else had, whether it came or not
    WroteOver, ///< replaced an item; noted as soon as it is for good. `value`: what it had seen of it
    RowAsked, ///< a statement begins that locks a row; it ends with the next event
    RowLocked,
    RowFreed, ///< with the transaction
};

struct RunEvent {
    qint64 us = 0; ///< steady clock, since the start of the run
    EventKind kind = EventKind::RoundBegin;
    quint32 subject = 0; ///< of SessionLog::subjects: a lock, a critical section, an item; 0 = none
    qint64 value = 0; ///< of WroteOver
};

/// Counts waits by their length, in a few kilobytes whatever their number: within 4 % of the true value.
class WaitHistogram {
public:
    void add(microseconds wait);
    void add(const WaitHistogram& other);
    qint64 count() const { return m_count; }
    microseconds longest() const { return m_longest; }
    /// Returns the length that the part `share` (0 … 1) of the waits did not exceed; 0 if there were none.
    microseconds quantile(double share) const;

    friend QDataStream& operator<<(QDataStream& stream, const WaitHistogram& histogram);
    /// A stream that holds no histogram gets a bad status.
    friend QDataStream& operator>>(QDataStream& stream, WaitHistogram& histogram);

private:
    static constexpr int subBits = 4;
    static std::size_t bucketOf(qint64 us);
    static qint64 upperBound(std::size_t bucket);

    std::array<quint32, 64 << subBits> m_buckets{};
    qint64 m_count = 0;
    microseconds m_longest{0};
};

struct Counts {
    qint64 rounds = 0; ///< begun
    qint64 whole = 0; ///< and gone through to the end
    qint64 idle = 0; ///< or ended at once, because there was nothing to do
    qint64 processed = 0;
    qint64 denied = 0;
    qint64 waited = 0;
    qint64 victims = 0;
    qint64 conflicts = 0;
    qint64 duplicates = 0;
    qint64 lost = 0;
    qint64 failures = 0;
    qint64 deaths = 0;

    Counts& operator+=(const Counts& other);
};

/// The events of one session. Its thread writes; any thread may read a copy meanwhile. When it is full it
/// keeps counting, but drops events.
class SessionLog {
public:
    explicit SessionLog(std::size_t capacity)
        : m_capacity(capacity)
    {
    }

    /// Sets the time that counts as 0. Earlier events are at 0, too. Not while the session's thread notes
    /// anything.
    void startAt(Steady::time_point start);
    void note(EventKind kind, const QString& subject = {})
    {
        note({.kind = kind, .subject = subject, .at = Steady::now()});
    }
    struct Note {
        EventKind kind;
        QString subject;
        qint64 value = 0;
        Steady::time_point at; ///< a time before now: then the log is not in order of time there
    };
    void note(const Note& note);
    void noteWait(microseconds wait);
    void noteCompleteRound();
    void noteIdleRound();
    /// Forgets all events.
    void clear();

    struct Copy {
        std::vector<RunEvent> events{};
        QStringList subjects; ///< by RunEvent::subject
        Counts counts{};
        WaitHistogram waits{};
        qint64 dropped = 0;
        EventKind latest = EventKind::RoundEnd;
    };
    Copy copy() const;

    // A log that is kept somewhere else than where it is written.
    /// Waits until there is something to take; false if `stop` came first.
    bool waitForEvents(const std::stop_token& stop);
    /// Returns the events since the last call, with subjects and counts of its own.
    Copy take();
    /// Appends the result of take() on the other side; each event's subject must be one of `more`.
    void append(const Copy& more);

    Counts counts() const;
    /// Returns the session's latest kind of event, for a status line.
    EventKind latest() const;

private:
    quint32 numberOf(const QString& subject) LOCKSCOPE_REQUIRES(m_mutex);

    Steady::time_point m_start = Steady::now();
    const std::size_t m_capacity;
    mutable Mutex m_mutex;
    ConditionVariable m_news;
    Copy m_content LOCKSCOPE_GUARDED_BY(m_mutex){.subjects = {QString()}};
    QHash<QString, quint32> m_subjects LOCKSCOPE_GUARDED_BY(m_mutex);
};

} // namespace lockscope::scenario
