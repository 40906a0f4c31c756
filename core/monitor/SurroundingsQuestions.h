// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"
#include "core/db/Connection.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/Surroundings.h"

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace lockscope::monitor {

/// Questions about what surrounds the locks. A source asks them every so often, in the round trip of a poll,
/// and not while the server is slow. One that the server refused is not asked again on this connection. One
/// thread.
class SurroundingsQuestions {
public:
    /// `subject`: what is not recorded if it is refused, "changed settings".
    struct Question {
        QString subject;
        QString grant; ///< the statement that lets this login ask it
    };

    explicit SurroundingsQuestions(milliseconds askEvery)
        : m_askEvery(askEvery)
    {
    }
    /// A connection was opened.
    void begin() { m_refused.clear(); }
    /// Returns whether this poll is to ask. If so, the time counts from now on.
    bool isDue();
    void ask(std::vector<db::BatchItem>& items, const Question& question, const db::Statement& statement,
        db::RowSink sink);
    /// `results` are those of what was asked since isDue().
    void judge(std::span<const Result<qint64>> results);
    /// The server shows less than all without the right.
    void lack(const Question& question);
    /// Returns whether that was asked by this poll, and answered.
    bool isAnswered(const QString& subject) const;
    /// The poll is over.
    void end(const Snapshot& snapshot);
    bool hasAsked() const { return m_hasAsked; }
    /// Adds one limitation for what was refused on this connection.
    void limit(Snapshot& snapshot) const;

private:
    using Clock = std::chrono::steady_clock;

    const milliseconds m_askEvery;
    Clock::time_point m_askedAt{};
    bool m_isSlow = false;
    bool m_hasAsked = false; ///< in this poll
    std::vector<Question> m_asked;
    std::vector<QString> m_answered;
    std::map<QString, std::pair<QString, Error>> m_refused; ///< by subject: the grant, and why
};

/// Counters that a server has kept since it started, or since they were reset.
class RunningCounters {
public:
    enum class As : quint8 { Count, PerMinute };
    /// Notes that this poll has read `kind`.
    void read(const QString& kind, As as, qint64 total) { m_read[{kind, {}, 0}] = {as, total}; }
    /// Notes what the server has counted of waits for locks, and their sums.
    void read(const std::vector<LockCount>& counts);
    /// Adds what came since the poll before; nothing of those that were reset. Of those with a name only what
    /// is not zero.
    void addTo(std::vector<Measure>& measures, ServerTime at);

private:
    /// Kind and name of the measure, and the time from which on it was counted.
    using Key = std::tuple<QString, QString, qint64>;
    using Totals = std::map<Key, std::pair<As, qint64>>;

    Totals m_read;
    Totals m_before;
    ServerTime m_beforeAt{};
};

/// Adds up what one poll reads of the waits that the server has counted.
class LockCounter {
public:
    void begin() { m_counts.clear(); }
    /// Returns the count of a kind; several names of the server may be of one kind. `name`: its own.
    LockCount& of(ResourceKind kind, const QString& name);
    const std::vector<LockCount>& counts() const { return m_counts; }

private:
    std::vector<LockCount> m_counts;
};

/// Settings by name, compared with those that were read before.
class KnownSettings {
public:
    using Values = std::map<QString, QString>;
    /// Adds those that are other ones; none the first time.
    void compare(Values now, Surroundings& surroundings);

private:
    std::optional<Values> m_known;
};

/// Counts clients' sessions that are at work or wait, in all and by the class of what they wait for.
void addActiveSessions(const Snapshot& snapshot, QString (*waitClassOf)(const QString& waitEvent),
    std::vector<Measure>& measures);

} // namespace lockscope::monitor
