// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/RangeReport.h"

namespace lockscope::record {

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

    static constexpr microseconds leastSeen = std::chrono::minutes(1); ///< of either range
    static constexpr qint64 leastWaits = 5; ///< of both together, for a verdict
};
/// Pure.
RangeComparison compared(const RangeReport& before, const RangeReport& after);
/// Returns the notes for its reader, as sentences.
QStringList notesOf(const RangeComparison& comparison);

} // namespace lockscope::record
