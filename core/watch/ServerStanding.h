// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Incident.h"
#include "core/base/Result.h"
#include "core/base/ServerTime.h"
#include "core/domain/CrossServer.h"
#include "core/domain/Thresholds.h"
#include "core/report/Report.h"
#include "core/watch/ServerWatch.h"

#include <QList>

#include <array>
#include <map>

namespace lockscope::record {
class RecordingReader;
struct Identity;
} // namespace lockscope::record

namespace lockscope::watch {

/// Says how a server is, beside others, and why. A value.
struct ServerStanding {
    /// The worst first. What is not known is never calm.
    enum class State : quint8 {
        Critical, ///< a critical incident fires, or the level of its waits is red
        NotReached, ///< its latest poll failed or hangs
        Warning,
        Unknown, ///< nothing was polled yet, polling is paused, or a part or the incidents can't be read
        Calm,
        NotOpen, ///< nobody watches it
    };
    State state = State::NotOpen;
    QString reason; ///< a sentence or two
    // Of the latest snapshot; nothing: it is too old, or there is none.
    std::optional<int> waiting; ///< sessions
    std::optional<Age> longestWait;
    std::optional<bool> isReplica;
    /// The server on which the client of its worst head blocker seems to wait: its index.
    std::optional<size_t> elsewhere;
    int warnings = 0; ///< incidents that fire
    int criticals = 0;
    bool areIncidentsCurrent = true; ///< else there may be others by now
    std::optional<std::chrono::steady_clock::time_point> known; ///< the latest snapshot; nothing: none yet
    milliseconds interval{0}; ///< present one between polls; 0: it was polled once
    milliseconds pollTook{0}; ///< the latest poll

    bool operator==(const ServerStanding&) const = default;
};

QString stateName(ServerStanding::State state); ///< "critical", "not reached" …
/// Orders by state, then by how many wait, then by how long.
bool isWorse(const ServerStanding& one, const ServerStanding& other);

/// Says in the standings of servers what connects their chains, one for each of `servers`. A deadlock over
/// servers is critical.
void addCrossServer(std::vector<ServerStanding>& standings, const std::vector<SeenServer>& servers);

/// Returns how a server is at present. `firing`: its incidents that need somebody, as they were read last;
/// `isCurrent`: they can be read at present. `watch`: null: nobody watches it.
ServerStanding standingOf(const ServerWatch* watch, const QList<alert::Incident>& firing, bool isCurrent,
    const LockThresholds& thresholds);

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

/// Sums up the pieces of an hour.
struct HourSum {
    microseconds length{0};
    microseconds known{0};
    microseconds blocked{0};

    int percentKnown() const; ///< rounded down: a gap is not rounded away
};
HourSum sumOf(const BlockedHour::Pieces& hour);
/// "Sessions waited for 10 min in sum in the last hour. 33 % of it is known."
QString hourText(const BlockedHour::Pieces& hour);
QString coverageText(const BlockedHour::Pieces& hour); ///< "33 %", "< 1 %"; empty: nothing is known

/// The last hour as this computer's recording of a server has it.
struct RecordedHour {
    QList<BlockedRange> ranges;
    microseconds ahead{0}; ///< of the server's clock before this one's
};
Result<RecordedHour> recordedHour(const record::Identity& server);

/// Returns the age of its latest snapshot; nothing: there is none.
std::optional<milliseconds> knownFor(const ServerStanding& standing);

/// Returns the table "servers" of the rows of standingRow().
report::Section standingsSection();
/// `hour`: the last one of the server, as far as it is known.
report::ReportRow standingRow(
    const db::ServerProfile& profile, const ServerStanding& standing, const BlockedHour::Pieces& hour);
QString roleText(const ServerStanding& standing); ///< "primary", "replica"; empty: not known
QString pollsText(const ServerStanding& standing); ///< "12 ms each 2 s"; empty: nothing was polled

} // namespace lockscope::watch
