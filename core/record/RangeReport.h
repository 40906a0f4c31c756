// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Coverage.h"
#include "core/record/RecordingReader.h"

namespace lockscope::record {

/// One wait, as far as it lies in the range.
struct RangeWait {
    RecordedLock lock;
    RecordedParty party;
    ServerTime from;
    ServerTime to; ///< seen until then: the time to go to
    Sightings sightings{}; ///< also outside of the range

    /// Returns a lower bound, as far as something proves it.
    microseconds length() const { return sightings.proven ? to - from : microseconds(0); }
};

/// The number and length of waits. Lengths are those within the range and lower bounds: a wait is seen to end
/// only at the next poll, and may have begun before it was first seen.
struct WaitFigures {
    qint64 count = 0;
    microseconds total{0};
    microseconds p50{0}; ///< so long or shorter is half of them (nearest rank)
    microseconds p90{0};
    microseconds p99{0};
    RangeWait worst;
    qint64 cut = 0; ///< reach beyond an end of the range
    qint64 open = 0; ///< end within the range, unseen: not recorded then, or it was the last poll of all
};

/// A lock for which somebody waited. Rows and pages of a table are one, and so are transactions: on
/// PostgreSQL who waits for a row waits for a transaction, and counts for the row where that is known.
struct RangeLock {
    RecordedLock lock; ///< RecordedLock::group(); a single one is in waits.worst
    WaitFigures waits;
    qint64 waiters = 0; ///< different sessions
};

/// A program, a user, the statements of one form, or a table.
struct RangeParty {
    QString name; ///< empty: not known
    WaitFigures waits;
    /// The waits of others while it was the head of their chain, by the rule of BlockingGraph.
    microseconds madeWait{0};
    qint64 blocked = 0; ///< such waits
    microseconds madeWaitDirectly{0}; ///< the time that others waited for its locks, itself waiting or not
    RangeWait longestHeld{}; ///< of all locks; length 0: it was not seen to hold any at two polls
};

/// Somebody held a lock that others waited for. A wait is charged to the head of its chain at that time.
struct RangeHolder {
    RecordedLock lock;
    RecordedParty party;
    ServerTime from; ///< held, within the range
    ServerTime to;
    /// The waits for it as head, summed over the waiters. Waits that nothing proves count no time, as in
    /// WaitFigures.
    microseconds madeWait{0};
    qint64 blocked = 0; ///< waits
    microseconds madeWaitDirectly{0}; ///< by those who waited for this very lock
    ServerTime worstAt; ///< when the longest of them was seen last
    Sightings sightings{};

    microseconds held() const { return sightings.proven ? to - from : microseconds(0); }
};

/// The waits, holders and events of a range.
struct RangeReport {
    ServerTime from;
    ServerTime to;
    Coverage coverage;
    WaitFigures waits; ///< all
    QList<RangeLock> locks; ///< those that were waited for longest first
    QList<RangeParty> programs; ///< by what they waited and made others wait
    QList<RangeParty> users;
    QList<RangeParty> statements; ///< without longestHeld; those that differ by their values are one
    QList<RangeParty> tables; ///< waits alone; for a table, its rows or its pages
    QList<RangeHolder> holders; ///< those that made others wait longest first, no more than `maxHolders`

    static constexpr qsizetype maxHolders = 200;
};

/// BadInput: the range ends before it begins, or the recording is damaged. Blocks for the disk: half a second
/// for a day, seconds for a week.
Result<RangeReport> rangeReport(RecordingReader& reader, ServerTime from, ServerTime to);

/// Returns the notes for its reader: how much is recorded, and what can't be seen. Sentences; the first one
/// is the coverage.
QStringList notesOf(const RangeReport& report);

} // namespace lockscope::record
