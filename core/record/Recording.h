// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Event.h"
#include "core/base/Result.h"
#include "core/base/ServerTime.h"
#include "core/db/ServerUrl.h"
#include "core/domain/LockMode.h"
#include "core/monitor/Surroundings.h"

#include <QDir>
#include <QJsonObject>
#include <QString>

#include <limits>
#include <optional>
#include <utility>
#include <vector>

/// The parts of recordings. A recording is a file of SQLite: `schema/recording/install.sql`.
namespace lockscope::record {

using alert::Event;
using alert::eventKindName;
using alert::Pin;
using alert::RecordedReport;
using alert::reportsOf;

/// The server that a recording is of.
struct Identity {
    QString id{}; ///< of the recording; made by its first writer
    QString server; ///< as shown
    Engine engine = Engine::Postgres;
    ServerTime began{}; ///< by the clock of the machine that recorded
    bool redacted = false; ///< literals of statements are left out
    QString program{}; ///< that recorded, with its version
    QString place{}; ///< of the server, see serverPlace(); empty: its program gave none
    QString writer{}; ///< of a recording in a history: the login that wrote it, as its server knows it
    QString cluster{}; ///< the server's own id of its data; empty: not known
};

/// The figures of one frame, or the worst of several.
struct RecordedSnapshot {
    ServerTime at;
    qint64 segment = 0; ///< the time between two of different segments is not recorded
    int sessions = 0;
    int locks = 0;
    int waiting = 0;
    Age longest;
    int heads = 0;
    QString head{}; ///< BlockingGraph::worstHead(), of several then when most waited
    // Only of several; else they equal `at`.
    ServerTime last{}; ///< `at` is the first of them
    ServerTime worst{}; ///< when most waited
    int pollCount = 1; ///< their number
};

/// A range in which one program polled without interruption.
struct Segment {
    ServerTime began;
    ServerTime seen; ///< its last snapshot
    QString endReason; ///< empty: it goes on, or the program was cut off
    QString host;
    qint64 number = 0; ///< in the recording; RecordedSnapshot::segment
    qint64 process = 0; ///< that watched, on its host
};

/// The timing of a poll: by it an intended pause differs from a gap.
struct PollTiming {
    microseconds interval{0}; ///< that polls were meant to be apart; 0: not known
    microseconds took{0}; ///< until the server had answered
    /// The time of its end, by a clock that nobody sets and that stands still while the computer sleeps; 0:
    /// not known.
    microseconds steady{0};
    bool wasPaused = false; ///< polling, by a person, since the poll before
};
/// A poll that comes later than this after the one before comes after a gap.
constexpr microseconds latestPoll(microseconds interval)
{
    return interval * 5 / 2;
}

/// One poll that was recorded: a frame without what it saw.
struct Poll {
    qint64 number = 0; ///< consecutive; a missing one was dropped
    qint64 segment = 0; ///< Segment::number
    ServerTime taken;
    microseconds interval{0}; ///< at most so long after the one before it was meant to be; 0: not known

    /// There is a gap between `before` and this one, in the same segment: the server was slow.
    bool isLate(const Poll& before) const
    {
        return interval.count() > 0 && taken - before.taken > latestPoll(interval);
    }
};

/// Says how much is kept: what is beyond either limit goes, the oldest first.
struct Retention {
    milliseconds age{std::chrono::hours(7 * 24)};
    qint64 bytes = qint64(1) << 30;

    bool operator==(const Retention&) const = default;
};

/// Parses a retention: "7d", "1G", "7d,1G". Parts that the text leaves open are `retention`'s.
Result<Retention> retentionOf(const QString& text, Retention retention = {});

struct Span {
    ServerTime first;
    ServerTime last;
    qint64 frames = 0;
};

/// The contents of a recording, and what is left of them after it is pruned.
struct Pruned {
    Span before;
    Span after;
    qint64 bytesBefore = 0; ///< in use; the file may be larger
    qint64 bytesAfter = 0;
};

/// A measure of a recording.
struct RecordedMeasure {
    ServerTime taken;
    monitor::Measure measure;
};

/// Judges the time between two polls: whether it is a gap, and why. One that a slow server explains goes on
/// in the same segment: Poll::isLate() finds it there.
class PollPauses {
public:
    struct Times {
        ServerTime taken;
        ServerTime noted; ///< by this machine's clock
        PollTiming timing;
    };
    /// Returns why the segment ends before the poll `now`, for Segment::endReason; nothing: it goes on.
    std::optional<QString> segmentEnd(const Times& now) const;
    /// Returns the longest intended pause between the poll before and the one `now`; 0: not known.
    microseconds interval(const Times& now) const;
    void note(const Times& now);

private:
    Times m_last;
    microseconds m_lastPause{0};
};

/// Ranges of time, from and to; those of joined() are in order, and none meets another one.
using TimeRanges = std::vector<std::pair<ServerTime, ServerTime>>;
TimeRanges joined(TimeRanges all);
/// Returns whether one of the joined ranges has a time in common with this one.
bool meets(const TimeRanges& ranges, ServerTime from, ServerTime to);

/// The end of the unit that a time is written in: "03:12:07" is shown for all that happened until 03:12:08.
enum class TimeEnd : quint8 { First, Last };

/// Reads a time as people write it and as Lockscope shows it: "2026-11-22T03:12:07Z", "2026-11-22
/// 03:12:07.250" (without a zone: UTC, as all times are shown), "2026-11-22", "03:12", "03:12:07" (the latest
/// such time until `latest`, or until `last` if that is invalid), "yesterday 03:12", "today 03:12", or how
/// long before `last`: "5m", "-10m". `end` says whether the first or the last microsecond of the second,
/// fraction or day is returned; a time without seconds is that of its first second. Fails with BadInput.
Result<ServerTime> parseTime(
    const QString& text, ServerTime last, TimeEnd end = TimeEnd::First, ServerTime latest = {});

/// Returns the server's place, independent of its name in the profile and of the login:
/// "postgres://db1:5432/shop", "sqlite:/srv/locks.db", "sandbox:". By this a recording knows its server
/// again. Two names of one host count as two; only those of this computer itself are known to be one. Blocks
/// on the disk for a file, whose links are followed: ServerWatch::place() has it.
QString serverPlace(const db::ServerUrl& url);
/// Returns alert::Cause::server of a server: its host and port, or the file. All databases of a server share
/// it.
QString causeServer(const db::ServerUrl& url);
QString causeServer(const QString& place); ///< the same of serverPlace()
/// Returns the database that a place names; empty: none, as of a file.
QString causeDatabase(const QString& place);
/// Returns the folder of recordings: `recordings` in the program's folder for its state.
QString recordingsFolder();
/// Returns the paths of the recordings there, by name or in another order.
QStringList ownRecordings(QDir::SortFlags order = QDir::Name);
/// The file of a server there, made of its place: one for all programs and logins that record it. One of them
/// writes at a time, and another one goes on with it afterwards.
QString recordingPath(const db::ServerUrl& url);
QString recordingPath(const QString& place); ///< the same of serverPlace()

} // namespace lockscope::record
