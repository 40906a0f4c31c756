// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Duration.h"
#include "core/record/Coverage.h"
#include "core/record/Recording.h"
#include "core/record/RecordingReader.h"
#include "core/report/Report.h"

#include <QList>
#include <QStringList>

#include <optional>

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

/// A lock or a program, before and after.
struct RangeChange {
    /// Compares how often was waited, relative to the recorded time; the lengths stand beside.
    enum class Verdict : quint8 {
        TooLittle, ///< so few waits differ by chance
        New,
        Gone,
        More, ///< than chance would make it
        Less,
        Same, ///< no difference that could not be chance
    };
    QString name; ///< of the lock or the program
    RecordedLock lock; ///< of locks
    WaitFigures before;
    WaitFigures after;
    std::optional<double> perHourBefore; ///< waits in a recorded hour; nothing: none of it was
    std::optional<double> perHourAfter;
    std::optional<double> waitedBefore; ///< seconds that were waited in a recorded hour
    std::optional<double> waitedAfter;
    Verdict verdict = Verdict::TooLittle;
};
QString verdictName(RangeChange::Verdict verdict); ///< "too little to say", "new" …

/// Two ranges side by side, each by what is recorded of it.
struct RangeComparison {
    RangeReport before;
    RangeReport after;
    RangeChange all{};
    QList<RangeChange> locks{}; ///< those whose waited time changed most first
    QList<RangeChange> programs{}; ///< of those that waited
    QString tooLittle; ///< why nothing can be said at all; empty: something can

    static constexpr microseconds minSeen = std::chrono::minutes(1); ///< of either range
    static constexpr qint64 minWaits = 5; ///< of both together, for a verdict
};
/// Pure.
RangeComparison compared(const RangeReport& before, const RangeReport& after);
/// Returns the notes for its reader, as sentences.
QStringList notesOf(const RangeComparison& comparison);

/// Answers for a range: was it locks, or was it slow? The rule: what more than half of the time of active
/// sessions went into, by samples of what each of them waited for.
struct SlowOrLocked {
    enum class Verdict : quint8 {
        NotKnown, ///< nothing was recorded of it
        Calm, ///< in half of the samples or more no session was active
        Locks, ///< more than half of the time: waiting for locks
        Slow, ///< more than half: waiting for disks, internal latches, other processes of the server
        Work, ///< more than half: neither, the server computed
        Mixed,
    };
    qint64 samples = 0;
    double active = 0; ///< sessions, on average
    // Parts of their time.
    double lockPart = 0;
    double slowPart = 0;
    double workPart = 0;
    Verdict verdict = Verdict::NotKnown;
    std::optional<qint64> countedWaits; ///< for locks, that the server itself counted; nothing: it does not
    milliseconds countedTime{0}; ///< of these
    qint64 checkpoints = 0;
    milliseconds checkpointTime{0};
    qint64 maxAutovacuum = 0; ///< workers at once
    milliseconds maxLag{0}; ///< of a standby
    // In a minute; of PostgreSQL commits, of SQL Server transactions that began, and batches.
    qint64 maxCommits = 0;
    qint64 maxTransactions = 0;
    qint64 maxBatches = 0;
    qint64 checkpointPages = 0; ///< that checkpoints wrote
    QStringList settings; ///< "work_mem is 64 MB", that were changed

    static SlowOrLocked of(const QList<RecordedMeasure>& measures);
    /// A sentence, the figures and the rule, as lines.
    QString toString() const;
    /// Adds facts "surroundings.verdict" …, and lines behind the tables.
    void addTo(report::Report& report) const;
};

/// Makes the tables of a range: "locks", "holders", "programs", "users", "statements" and "tables"; for
/// programs "seen.gaps", too. Rows are about a BiographySubject that has a history, or about nothing.
report::Report toReport(const RangeReport& range);
/// Two ranges side by side: the table "changes".
report::Report toReport(const RangeComparison& comparison);

/// A range, and what else is recorded of that time.
struct RangeAnswer {
    RangeReport range;
    report::Report report; ///< with the table "marks" of notes, events, and whether it was locks or slow
};
/// Returns the tables of rangeReport().
Result<RangeAnswer> answerOf(RecordingReader& reader, ServerTime from, ServerTime to);

} // namespace lockscope::record
