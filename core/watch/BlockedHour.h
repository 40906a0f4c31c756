// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QList>

#include <array>
#include <map>

namespace lockscope::record {
class RecordingReader;
}

namespace lockscope::watch {

/// A range in which so many sessions waited at each poll.
struct BlockedRange {
    ServerTime from;
    ServerTime to;
    int waiting = 0;

    bool operator==(const BlockedRange&) const = default;
};

/// Returns the recorded ranges between the two, by time; what lies between them is not known.
Result<QList<BlockedRange>> blockedRanges(record::RecordingReader& reader, ServerTime from, ServerTime to);

/// Sums up, minute by minute, how long sessions of a server waited in the last hour, and how much of that
/// hour is known at all. A value.
class BlockedHour {
public:
    /// A minute of the server's clock.
    struct Piece {
        microseconds length{0}; ///< shorter for the present minute
        microseconds known{0};
        microseconds blocked{0}; ///< of all sessions in sum

        /// False if too much of it is unknown for a calm piece to be called calm.
        bool isKnown() const { return known.count() > 0 && (blocked.count() > 0 || 4 * known >= 3 * length); }
        bool operator==(const Piece&) const = default;
    };
    static constexpr qint64 pieceCount = 60;
    static constexpr microseconds pieceLength = std::chrono::minutes(1);
    static constexpr microseconds length = pieceCount * pieceLength;
    using Pieces = std::array<Piece, pieceCount>;

    /// Adds a range. Ranges must not overlap.
    void add(const BlockedRange& range);
    void add(const BlockedHour& other);
    /// Adds the time since the snapshot noted before, unless that is longer than `longestPause`: then it is a
    /// gap. A clock that jumps back empties the hour.
    void noteSnapshot(ServerTime at, int waiting, microseconds longestPause);
    /// Returns the hour that ends at `now`, the oldest piece first.
    Pieces until(ServerTime now) const;

private:
    std::map<qint64, Piece> m_pieces; ///< by minute
    BlockedRange m_latest; ///< the latest snapshot noted
};

} // namespace lockscope::watch
