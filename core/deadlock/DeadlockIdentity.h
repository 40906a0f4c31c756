// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

#include <QHash>
#include <QJsonObject>
#include <QSet>

#include <map>
#include <set>

namespace lockscope::deadlock {

/// Identifies a deadlock, no matter what saw or recorded it: a poll, a log in one of its forms, an event
/// file, a recording. A value.
struct DeadlockIdentity {
    Engine engine = Engine::Postgres;
    ReportKind kind = ReportKind::Deadlock;
    SourceFormat form = SourceFormat::Snapshot;
    QString event; ///< equal for the same text, wherever it was read from
    ReportTime time; ///< of the poll, or of the server's record
    QString server{}; ///< that it is of; empty: not known, as of a file
    std::set<qint64> sessions{}; ///< of its rings; empty: one of them is not named
    /// PostgreSQL: numbers of the transactions that are waited for; empty: not named, or other locks.
    std::set<QString> transactions{};
    /// Seen in a poll: when the transaction of each session began.
    std::map<qint64, std::optional<ServerTime>> started{};

    bool isSeen() const { return kind == ReportKind::Live; }
    /// Equal for a ring that two polls saw, also those of two programs; of a record its `event`.
    QString key() const;
    /// Returns it as events of recordings keep it: without time, server and engine, which are those of the
    /// recording.
    QJsonObject toJson() const;
    /// Returns nothing if no sessions stand there. To be compared with others of that recording.
    static std::optional<DeadlockIdentity> fromJson(const QJsonValue& json, ServerTime at);
    bool operator==(const DeadlockIdentity&) const = default;
};
DeadlockIdentity identityOf(const Deadlock& deadlock);

/// Returns whether both are one deadlock. That is so if both are of one event, as read twice; else if they
/// are of one server as far as that is known, have the same sessions, and not only other transactions, and
/// - both were seen, in the same transactions, at most `maxStanding` apart;
/// - or one was seen (on a known server), from `recordIsEarly` behind the other's record to `maxStanding`
///   before it;
/// - or both were recorded, in two forms (a server writes an event once in each), at most `recordIsEarly`
/// apart. If the zone of one time is not known, it may be any that there is; without a time they are not the
/// same. A blocked-process report is no deadlock and only the same as itself. Any thread.
bool isSameDeadlock(const DeadlockIdentity& one, const DeadlockIdentity& other);

/// A ring stands until the server looks for it. SQL Server does so every five seconds or sooner. PostgreSQL
/// does after deadlock_timeout of the session that waits last: a second, or what the server or that session
/// has set, which is some seconds or tens of them; a poll may come right at the beginning, and no record
/// tells when that was. More than a minute is not worth it: where the same sessions of a pool meet again in
/// the meantime without a record of their own, they would be taken for one.
inline constexpr microseconds maxStanding{60'000'000};
/// A log may give full seconds only (%t), and SQL Server the time when its search began; and the ring is to
/// be seen until the victim's transaction is undone, which is after the record is written.
inline constexpr microseconds recordIsEarly{2'000'000};

/// Counts deadlocks by isSameDeadlock(), each once. A value; one thread.
class KnownDeadlocks {
public:
    enum class Came : quint8 {
        New,
        Again,
        Recorded, ///< the first record of one that had only been seen
    };
    /// Remembers it, also as another witness of one that is known.
    Came add(const DeadlockIdentity& identity);
    /// Returns whether the report has anything new or only now recorded; remembers it.
    bool isNew(const ReportPtr& report);
    /// An event that was added in the same words. Without its deadlocks being worked out.
    bool has(const DeadlockReport& report) const { return m_events.contains(report.source.eventKey); }
    void forget(const DeadlockIdentity& identity); ///< it is new if it comes again
    void clear() { *this = {}; }

    qsizetype count() const { return m_count; }
    qsizetype recordedCount() const { return m_recordedCount; } ///< of them those that a server recorded

private:
    using Witnesses = QList<DeadlockIdentity>; ///< of one deadlock, one of each form
    QHash<QString, QList<Witnesses>> m_bySessions;
    QSet<QString> m_events;
    qsizetype m_count = 0;
    qsizetype m_recordedCount = 0;
};

} // namespace lockscope::deadlock
