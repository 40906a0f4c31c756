// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"
#include "core/domain/WaitTotals.h"
#include "core/monitor/Surroundings.h"

#include <QString>

#include <deque>
#include <utility>
#include <vector>

namespace lockscope::monitor {

/// The few numbers that answer "is anything stuck?", counted from one snapshot. The monitor's own sessions
/// are left out everywhere.
struct Figures : WaitTotals {
    int holders = 0; ///< granted lock requests and live or stale lock-table entries
    int holdingSessions = 0;
    int stale = 0; ///< lock-table entries past their lease or stale age
    Age oldestHold; ///< of granted requests whose age is known and of lock-table entries that are not stale
    /// The waiters per name of what they have waited longest for, most first, ties by name; empty names are
    /// shown as "(unnamed)".
    std::vector<std::pair<QString, int>> waitersByName;
    /// The same, with rows and pages counted for their table, and with transactions for the table of the row
    /// that the waiter waits for: each row and each transaction is another name, which means nothing in a
    /// chart. A transaction whose row is not seen counts for "(transactions)".
    std::vector<std::pair<QString, int>> waitersByTable;
};

Figures figuresOf(const Snapshot& snapshot);

/// The figures that the charts remember of one poll: numbers, no rows.
struct HistorySample {
    ServerTime at;
    int holders = 0;
    int waiters = 0;
    int stale = 0;
    Age longestWait;
    /// Index into History::name() and waiters, by table; most first, capped (the rest is in `waiters` all the
    /// same).
    std::vector<std::pair<quint32, int>> byName;
    std::vector<Measure> measures; ///< of what surrounds the locks; every so often
    bool afterGap = false; ///< polls failed or were paused before this one: don't draw a line across
};

/// The last minutes of one server as a ring: appending drops what is older than `span` before the newest
/// sample. A server clock that jumps back empties it, because the old samples would lie about "when".
/// Not thread-safe: it lives with its owner.
class History {
public:
    static constexpr size_t namesPerSample = 16;

    explicit History(microseconds span = std::chrono::minutes(15), size_t capacity = 4'096)
        : m_span(span)
        , m_capacity(capacity)
    {
    }

    void append(ServerTime at, const Figures& figures);
    /// Gives them to the sample of that time, or to the next one.
    void addMeasures(ServerTime at, const std::vector<Measure>& measures);
    /// Takes in the samples of `recorded` that are older than all that are here, as far back as they are
    /// kept, and whether some of them can't be read.
    void startWith(const History& recorded);
    /// The next sample stands after a gap.
    void markGap() { m_gap = true; }
    /// A part of the time until then was recorded, but can't be read.
    void noteDamage(ServerTime until) { m_damagedUntil = until; }
    /// Returns whether there is such a part among the last minutes.
    bool isDamaged() const { return !m_samples.empty() && m_damagedUntil > m_samples.back().at - m_span; }
    void clear();

    const std::deque<HistorySample>& samples() const { return m_samples; }
    const QString& name(quint32 index) const { return m_names[index]; }
    /// The `count` names with the most waiters, summed over all samples; most first, ties by name.
    std::vector<quint32> topNames(size_t count) const;

private:
    quint32 indexOf(const QString& name);
    void dropNamesNobodyUses();

    microseconds m_span;
    size_t m_capacity;
    std::deque<HistorySample> m_samples;
    std::vector<QString> m_names;
    QHash<QString, quint32> m_nameIndex;
    bool m_gap = false;
    ServerTime m_damagedUntil; ///< invalid: all could be read
};

} // namespace lockscope::monitor
