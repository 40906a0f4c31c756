// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QList>
#include <QString>

#include <optional>

namespace lockscope::record {

class RecordingReader;

/// The part of a range that is recorded. A lock, a wait or a calm is known only there; each view of a range
/// shows this with it, and nothing else computes gaps.
struct Coverage {
    /// The reason why a time is not recorded.
    enum class Reason : quint8 {
        NotRecorded, ///< before the recording began, after its last snapshot, or nobody knows why
        Stopped, ///< by a person
        CutOff, ///< the program that recorded was killed, or the computer went off
        Paused, ///< polling was, by a person
        SlowServer, ///< it took long to answer, and was then asked less often
        NoAnswer, ///< polls failed: `detail` says how
        Disk, ///< it was full or too slow
        Slept, ///< the computer, or it gave the program no time
        Clock, ///< one was set: `detail` says which
        Pruned, ///< recorded once, and dropped since
        Damaged,
    };
    struct Gap {
        ServerTime from; ///< the last snapshot before it, or the range's beginning; invalid: there is none
        ServerTime to; ///< the first one after it, or the range's end; invalid: there is none yet
        Reason reason = Reason::NotRecorded;
        QString detail{};

        bool operator==(const Gap&) const = default;
        QString why() const; ///< "pruned", "the server did not answer"; empty: not known
        /// "Not recorded from 12:01:10 to 12:03:44: pruned."
        QString toString() const;
    };
    /// Snapshots that follow each other, of one program. Only a slow server makes gaps within it.
    struct IntactPart {
        ServerTime from;
        ServerTime to;
        qint64 segment = 0; ///< Segment::number
        QString endReason{}; ///< as Segment::endReason; empty: also if the range ends first
    };

    microseconds length{0}; ///< of the range
    microseconds recorded{0};
    qint64 polls = 0;
    microseconds usualPause{0}; ///< between polls; 0: not two polls without a gap between
    QList<Gap> gaps; ///< by time
    QList<IntactPart> intactParts; ///< by time; they overlap where a clock was set back

    double hours() const { return double(recorded.count()) / 3.6e9; }
    /// "Fully recorded.", "Recorded: 22 h 10 min of 24 h (92 %); 2 gaps, the longest of 1 h (pruned)."
    QString toString() const;
};

/// "pruned", "slow server": for programs, and as the end of a segment in a file.
QString gapReasonName(Coverage::Reason reason);
/// End reasons of a copy's segments where the recording goes on.
inline constexpr QStringView copyEnds = u"the copy ends here";
inline constexpr QStringView anotherGoesOn = u"another recording goes on";

/// Returns which part of the time between the two is recorded.
Result<Coverage> coverageOf(RecordingReader& reader, ServerTime from, ServerTime to);
/// The gap that `at` lies in, from snapshot to snapshot; nothing: none.
Result<std::optional<Coverage::Gap>> gapAt(RecordingReader& reader, ServerTime at);

} // namespace lockscope::record
