// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/db/credentials/Secrets.h"
#include "core/domain/LockTable.h"
#include "core/domain/Snapshot.h"
#include "core/record/RecordedLock.h"
#include "core/record/Recording.h"
#include "core/record/Store.h"
#include "core/record/StoredTexts.h"

#include <QList>
#include <QStringList>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace lockscope::record {

/// One line of "who held it, and when".
struct HistoryLine {
    QString kind; ///< of the resource
    QString database;
    QString lock;
    bool waited = false;
    QString mode;
    LockOwnerInfo party;
    ServerTime from;
    bool fromExact = false; ///< else: at the latest then
    ServerTime to; ///< seen until then
    std::optional<ServerTime> gone{}; ///< not there any more then
    QString identity{}; ///< of the lock, see RecordedLock
    ServerTime partyStarted{}; ///< see RecordedParty
    bool goesOn = false; ///< it was there at the last poll of all
    Sightings sightings{};

    RecordedLock recordedLock() const
    {
        return {.kind = kind, .database = database, .identity = identity, .name = lock};
    }
    RecordedParty recordedParty() const
    {
        return {.session = party.session,
            .started = partyStarted,
            .user = party.owner,
            .program = party.program,
            .host = party.host};
    }
};

using IntervalSink = std::function<void(const IntervalRow&)>;

/// False ends the reading. It must not ask the store anything.
using HistorySink = std::function<bool(const HistoryLine&)>;

/// Returns the pattern of LIKE for what a person wrote: "%" stands for any text, "\" takes the next character
/// as it is. A text without "%" is searched anywhere, with all its characters as they are.
QString likePattern(const QString& text);

/// Finds the snapshots in a recording. Going on from one to the next is cheap; any other begins at the key
/// frame before it. Thread-bound like the store.
class Replay {
public:
    Replay(Store& store, StoredTexts& texts)
        : m_store(store)
        , m_texts(texts)
    {
    }

    /// Returns the last snapshot at or before `at`, or the first of all. MissingObject: there is none.
    Result<SnapshotPtr> at(ServerTime at);
    /// Returns the snapshot of the frame `number`, of which `keyFrame` is the key frame.
    Result<SnapshotPtr> frame(qint64 number, qint64 keyFrame);
    struct Place {
        qint64 number;
        qint64 keyFrame;
        ServerTime taken;
        ServerTime noted;
        qint64 segment;
        microseconds interval;
    };
    /// Goes through the frames after this one, in the order of the file; `onPlace` ends it by returning
    /// false.
    Result<void> each(qint64 after, const std::function<bool(const Place&)>& onPlace);

private:
    Result<SnapshotPtr> decoded(qint64 number, qint64 keyFrame);
    Result<void> readFrames(qint64 first, qint64 last, std::vector<QByteArray>& frames);

    Store& m_store;
    StoredTexts& m_texts;
    SnapshotPtr m_last;
    qint64 m_lastNumber = 0;
};

class Database;

/// Reads a recording, also one that is being written, and never changes it. A file is foreign input: damage
/// is an error (BadInput), and the snapshots around it can be read all the same. One thread; calls block for
/// the disk or the server.
///
/// StoredEvents.cpp and StoredIntervals.cpp define the functions that read events and intervals.
class RecordingReader {
public:
    /// A file, or a recording in a team's history (HistoryPlace), with its `passwords`: empty =
    /// db::defaultPasswords().
    static Result<std::unique_ptr<RecordingReader>> open(
        const QString& path, const db::PasswordProvider& passwords = {});
    Q_DISABLE_COPY(RecordingReader)

    const Identity& identity() const { return m_identity; }
    /// The file that was opened is not at its place any more: it was renamed, deleted or replaced. False for
    /// a recording in a history.
    bool hasMoved() const;
    /// Returns the range from the first snapshot to the one that was written last, whatever time a clock has
    /// shown between. MissingObject: it has no snapshot yet. BadInput: there are some at times that no clock
    /// shows.
    Result<Span> span();
    struct Times {
        ServerTime taken; ///< by the server's clock; invalid: no snapshot is recorded yet
        ServerTime noted; ///< by the clock of the machine that recorded
    };
    /// Returns the time of the last snapshot, by both clocks. Of a file only.
    Result<Times> latestTimes();
    /// Returns the segments that meet [from, to], by their start: at most 100,000, the first ones; then the
    /// end reason of the last one says that there are more.
    Result<QList<Segment>> segments(ServerTime from, ServerTime to);
    Result<QList<Segment>> segments(); ///< all
    Result<QList<Pin>> pins();
    /// Returns the snapshot of that time: the last one at or before `at`, or the first of all.
    Result<SnapshotPtr> at(ServerTime at);
    /// Returns the figures for a picture of so many columns: the worst snapshot of each. All of them if they
    /// are no more.
    Result<QList<RecordedSnapshot>> recordedSnapshots(ServerTime from, ServerTime to, int columns);
    /// The next one there is, of any kind; nothing: there is none.
    Result<std::optional<ServerTime>> nextSnapshotTime(ServerTime after);
    Result<std::optional<ServerTime>> previousSnapshotTime(ServerTime before);
    /// Returns at most 100,000, the first ones; a note at the end says if there are more. A damaged one is a
    /// note that says so.
    Result<QList<Event>> events(ServerTime from, ServerTime to);
    /// Returns the last ones of that kind, by time, 100,000 at most; a note at the start says if there are
    /// earlier ones. A damaged one is a note that says so.
    Result<QList<Event>> latestEvents(Event::Kind kind, qint64 maxCount = maxLines);
    /// Returns the server's reports of deadlocks in that time, and of waits longer than its threshold;
    /// reportsOf() reads them. BadInput: too much to be read at once; ask for a shorter time.
    Result<QList<RecordedReport>> reports(ServerTime from, ServerTime to);
    /// Returns the measures around the locks in that time. BadInput: too much to be read at once; ask for a
    /// shorter time.
    Result<QList<RecordedMeasure>> surroundings(ServerTime from, ServerTime to);
    /// Returns the start of the next range in which somebody has waited for at least that long; nothing:
    /// there is none.
    Result<std::optional<ServerTime>> nextWait(ServerTime after, milliseconds minLength = {});
    /// Returns the start of the last such range before that time.
    Result<std::optional<ServerTime>> previousWait(ServerTime before, milliseconds minLength = {});
    /// Returns the time of the next event of that kind; nothing: there is none.
    Result<std::optional<ServerTime>> nextEvent(ServerTime after, Event::Kind kind);
    Result<std::optional<ServerTime>> previousEvent(ServerTime before, Event::Kind kind);
    /// Reads the holders of the locks of these names (as they are shown), and the waiters for them, by their
    /// start. There may be any number of lines: `each` is called for every one.
    Result<void> history(const QStringList& locks, ServerTime from, ServerTime to, const HistorySink& each);
    /// One of the snapshots that eachFrame() goes through.
    struct Frame {
        Result<SnapshotPtr> snapshot; ///< or why it can't be read
        ServerTime taken;
        ServerTime noted; ///< by the clock of the machine that recorded
        microseconds interval{0}; ///< Poll::interval
    };
    /// Goes through the snapshots of a segment in that time, one after another, all of one state of the file:
    /// frames that are written or dropped meanwhile don't show. An error of `each` ends it.
    Result<void> eachFrame(qint64 segment, ServerTime from, ServerTime to,
        const std::function<Result<void>(const Frame&)>& each);

    /// The next snapshot that comes after a gap, or where a clock was set; nothing: there is none.
    Result<std::optional<ServerTime>> nextGapEnd(ServerTime after);
    /// The last one before that time, perhaps the first snapshot of all.
    Result<std::optional<ServerTime>> previousGapEnd(ServerTime before);

    // What Coverage is made of.
    /// Polls without a gap between them.
    struct Piece {
        qint64 segment = 0; ///< Segment::number
        Poll first;
        Poll last;
        // Of the polls in the range; numbers of 0: there are none.
        Poll firstInside;
        Poll lastInside;
    };
    /// Goes through the pieces that meet [from, to], and the last one before, by number; perhaps more.
    Result<void> pieces(ServerTime from, ServerTime to, const std::function<void(const Piece&)>& each);
    /// Goes through the polls in [from, to] by time, with the nearest one before and after.
    Result<void> polls(ServerTime from, ServerTime to, const std::function<void(const Poll&)>& each);
    Result<qint64> firstFrame(); ///< its number; 0: there is none
    struct Following {
        qint64 number = 0; ///< of the next poll in the recording; 0: there is none
        bool isSameSegment = false;
        QString endReason; ///< of the segment of the poll that was asked for
    };
    Result<Following> whatFollows(qint64 poll);
    // Reads the intervals for RangeReport and LockBiography: those that meet [from, to].
    Result<void> waits(ServerTime from, ServerTime to, const IntervalSink& each);
    /// Goes through all holds; there may be millions.
    Result<void> holds(ServerTime from, ServerTime to, const IntervalSink& each);
    Result<RecordedLock> lockOfNumber(qint64 resource);
    /// Numbers of rows and pages.
    Result<void> partsOfTables(const std::function<void(qint64)>& each);
    Result<RecordedParty> partyOfNumber(qint64 party);
    /// A statement's family, IntervalRow::statement, with a ? in place of each value; empty: it is damaged.
    Result<QString> statementOfNumber(qint64 text);
    Result<QList<RecordedLock>> locksNamed(const QString& name);
    /// Names of locks, at most `maxCount`, by name. `pattern` is one of LIKE: '%' is any text, '\' takes the
    /// next character as it is, and case doesn't matter.
    Result<QStringList> lockNamesLike(const QString& pattern, qint64 maxCount);
    /// A text of the recording, with the first frame that has it and the key frame of the last ones that do.
    struct StoredUse {
        QString text;
        qint64 firstFrame = 0;
        qint64 lastGroup = 0;
    };
    // What RecordingSearch is made of. Of a file only.
    /// At most `maxCount`, those that were used last. `pattern`: as of lockNamesLike(). Values of statements
    /// and numbers of transactions are left out.
    Result<QList<StoredUse>> textsLike(const QString& pattern, qint64 maxCount);
    /// Returns at most `maxCount`, the last ones.
    Result<QList<Event>> eventsLike(const QString& pattern, qint64 maxCount);
    /// Returns when a frame was taken; invalid times: there is no such frame any more.
    Result<Times> timesOf(qint64 frame);
    /// The frames of this key frame, itself among them; false from `each` ends it.
    Result<void> eachFrameOfGroup(qint64 keyFrame, const std::function<bool(const Frame&)>& each);
    /// The sessions that had this number, by when they began.
    Result<QList<RecordedParty>> lives(SessionId session);
    /// Returns them by their start, no more than `maximum`.
    Result<QList<HistoryLine>> lockLife(
        const RecordedLock& lock, ServerTime from, ServerTime to, qint64 maximum);
    Result<QList<HistoryLine>> sessionLife(
        SessionId session, ServerTime started, ServerTime from, ServerTime to, qint64 maximum);

    /// Reads all there is and all that later writes need: returns the damaged parts and the number of intact
    /// snapshots.
    struct Verdict {
        qint64 whole = 0;
        QList<ServerTime> damaged;
        QStringList faults; ///< of the file and of its parts that are no snapshots: as sentences
        bool isIntact() const { return damaged.isEmpty() && faults.isEmpty(); }
    };
    Result<Verdict> verify();

private:
    explicit RecordingReader(std::unique_ptr<Store> store);
    Result<void> readIdentity(const QString& path);
    Result<std::optional<ServerTime>> time(const char* statement, std::initializer_list<Value> values);
    Frame frameAt(const Replay::Place& place);

    Identity m_identity;
    std::unique_ptr<Store> m_store;
    Database* m_file = nullptr; ///< the store, if that is a file
    StoredTexts m_texts;
    Replay m_replay;
};

/// The numbers of copied parts, and what of the recordings is not in the copy.
struct Copied {
    qint64 snapshotCount = 0;
    qint64 damaged = 0; ///< snapshots that could not be read: a gap in the copy
    qint64 twice = 0; ///< ranges that another recording has, too
    qint64 events = 0;
    QStringList missing{}; ///< of events, reports and surroundings, as sentences

    /// Lists as sentences all that is missing. Empty: the copy is complete.
    QStringList missingParts() const;
};

/// Makes one recording of several of the same server, or of one: the snapshots between `from` and `to`, with
/// the events, the pins and the intervals of locks that follow from it. Segments, and with them gaps, stay;
/// of several with the same time the first one counts. `as` is the identity of the copy; redacted: values of
/// statements are left out, and the details of events beside their sentence. The file is `out`, complete or
/// not there at all, mode 0600, in a folder that is there, and needs no other beside it. BadInput: they are
/// of different servers, or `out` is there already. MissingObject: no snapshot lies there. The readers are
/// used one after another, on this thread; blocks as long as it takes.
Result<Copied> copyRecordings(const std::vector<RecordingReader*>& recordings, ServerTime from, ServerTime to,
    const QString& out, const Identity& as);

} // namespace lockscope::record
