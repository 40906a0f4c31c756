// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/EventFinder.h"
#include "core/base/Result.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/Surroundings.h"
#include "core/record/Recording.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

class QDateTime;

namespace lockscope::record {

class Database;
class FrameWriter;
class Pruning;
class WriterLock;

/// Writes snapshots into a recording: each is on disk when append() returns. One writer a file; readers may
/// read at any time and cost it nothing (SQLite's WAL: this connection is the only one that writes and
/// checkpoints). One thread; every call blocks for the disk.
///
/// An error leaves the file as it was: snapshots that could not be written are missing, shown as a gap, and
/// the next append tries again. A file, or its folder, that goes away is made again if it can be, unless
/// another program writes there by then.
class RecordingWriter {
public:
    /// Makes the file if it is not there, mode 0600, and its folder, 0700; goes on with it if it is of the
    /// same server. Permission: another program writes it, the place can't be written, or others may write to
    /// it. BadInput: it is damaged, of another server, of a newer program, no recording, or its redaction
    /// differs; it is left as it is.
    static Result<std::unique_ptr<RecordingWriter>> open(const QString& path, const Identity& identity);
    ~RecordingWriter();
    Q_DISABLE_COPY(RecordingWriter)

    /// `noted`: this machine's clock. A clock that was set, or a pause that PollPauses takes for a gap,
    /// begins a new segment. BadInput: it is of another server; isOfAnotherServer(): its place now has
    /// another cluster than what is recorded. Takes up notes that other programs have made
    /// (RecordingNotes.h), as appendFailure() does.
    Result<void> append(const SnapshotPtr& snapshot, ServerTime noted, const PollTiming& timing = {},
        const monitor::Surroundings& surroundings = {});
    /// Records that nothing could be read: a gap begins, or goes on, and why. Each call is a write, too.
    Result<void> appendFailure(const Error& error, ServerTime noted);
    /// Records that snapshots are missing from here on, for this reason, until the next append().
    Result<void> appendGap(const QString& reason, ServerTime noted);
    Result<void> add(const Event& event, ServerTime noted);
    /// Events, pins, and the reports behind them, all or none. A report's text repeats statements: it is not
    /// kept where their values are left out, nor if it speaks of a password or secret.
    Result<void> add(const alert::EventFinder::Found& found, ServerTime noted);
    /// Keeps this time beyond what is kept else. Nothing, if it is pinned for that already.
    Result<void> pin(ServerTime from, ServerTime to, const QString& why);
    /// MissingObject: there is no such pin.
    Result<void> unpin(qint64 number);
    /// Drops older or excess snapshots, whole key frames with those that follow them; then gives free space
    /// back to the disk, but for an eighth of the file, which is soon needed again. `now`, this machine's
    /// clock, is for programs that only prune; else the time is that of the last snapshot written.
    Result<void> prune(const Retention& retention, ServerTime now = {});
    /// A slice of what prune() does, of some ten milliseconds, to be called again as long as it gives true: a
    /// week's file takes seconds, between which snapshots can be written.
    Result<bool> pruneSome(const Retention& retention);
    /// Returns the effect of prune(): it is done, and rolled back.
    Result<Pruned> tryPrune(const Retention& retention, ServerTime now);
    /// Shrinks the file: writes it again in its place. Needs its size again as free space while it runs.
    Result<void> compact();
    /// Ends the segment for a reason that is no fault.
    Result<void> end(const QString& reason);
    /// Returns what happened to the file since the last call: a sentence, if it went away while it was
    /// written and another one was begun. An event of the new file has the same text.
    QString takeNews() { return std::exchange(m_news, {}); }
    qint64 framesWritten() const { return m_count; }
    /// True also if it was not asked for: the file was begun so.
    bool isRedacted() const { return m_identity.redacted; }
    struct RecordedTime {
        std::optional<ServerTime> first; ///< the oldest snapshot; nothing: there is none
        microseconds gaps{0}; ///< the length of those behind it
    };
    Result<RecordedTime> recordedTime();

private:
    RecordingWriter(QString path, Identity identity, std::unique_ptr<WriterLock> lock);
    Result<void> reopen();
    /// There is a file to write to, the right to write it, and what is in memory is in it.
    Result<void> ready();
    Result<void> makeOrCheck();
    /// Runs in a transaction; if that fails, the data in memory is read again at the next call.
    Result<void> inTransaction(const std::function<Result<void>()>& change);
    /// A change beside the frames.
    Result<void> change(const std::function<Result<void>(FrameWriter&)>& change);
    Result<void> write(const SnapshotPtr& snapshot, const PollPauses::Times& times);
    Result<void> noteCluster(const QString& cluster);
    Result<void> write(const monitor::Surroundings& surroundings, ServerTime taken, ServerTime noted);
    Result<void> noteFailure(const QString& text, ServerTime noted);
    Result<void> pruneAtOnce(const Retention& retention, ServerTime now);
    Result<void> measure(Span& span, qint64& bytes);
    /// Takes up the notes of other programs that lie beside the file.
    Result<void> takeUpNotes();
    /// Returns the server's clock when nobody can ask it: so long after the last snapshot as this machine's
    /// clock shows.
    ServerTime serverTimeAt(ServerTime noted) const
    {
        return m_lastNoted.isValid() ? m_lastTaken + (noted - m_lastNoted) : noted;
    }

    QString m_path;
    Identity m_identity;
    std::unique_ptr<WriterLock> m_lock;
    std::unique_ptr<Database> m_database;
    std::unique_ptr<FrameWriter> m_frames;
    std::unique_ptr<Pruning> m_pruning; // under way
    int m_prunings = 0; // of the file as it was opened
    ServerTime m_lastTaken; // of the last snapshot, by both clocks
    ServerTime m_lastNoted;
    PollPauses m_pauses;
    QString m_unwritten; // why what came last could not be written, for the end of its segment
    std::chrono::steady_clock::time_point m_tookUpNotes{};
    qint64 m_count = 0;
    QString m_news;
    bool m_isSpoilt = true; // memory and file differ: the file is to be opened again
    struct Failing { // since when nothing can be read
        QString text;
        ServerTime since;
        qint64 event = 0;
        qint64 attempts = 0;
    };
    Failing m_failing;
};

/// Returns whether the disk was full.
bool isDiskFull(const Error& error);
/// Returns whether open() was refused because another program writes the file.
bool isWrittenByAnother(const Error& error);

/// Returns whether that is a recording, also a damaged one: what SQLite writes first says which program's
/// file it is.
bool isRecordingFile(const QString& path);
/// Returns how large a recording is on the disk, with what SQLite has made beside it.
qint64 recordingBytes(const QString& path);
/// Gives a recording's file another name, "shop-until-20261123-061542.lockscope", with what SQLite has made
/// beside it: it stays a recording. Its new path; empty: there was none. Permission: it can't be renamed, or
/// another program writes it.
Result<QString> setAside(const QString& path);

/// A recording that is written, and what gave way to it.
struct BegunRecording {
    std::unique_ptr<RecordingWriter> writer;
    QString setAside; ///< empty: nothing
    bool wasDamaged = false; ///< else the one set aside is of another server
};
/// Opens as RecordingWriter::open, but sets a recording aside that can't be written: a damaged one, which
/// stays to be rebuilt, and of which the new one has an event; or one of another server, for which one that
/// was set aside before is taken back if it is of the cluster that is to be recorded. `damage`: met while the
/// file was read or written, which may not show when it is opened. `isOwn`: false leaves one of another
/// server as it is, which is the error then.
Result<BegunRecording> openOrSetAside(
    const QString& path, const Identity& whose, const std::optional<Error>& damage = {}, bool isOwn = true);
/// Says what happened to a damaged recording that is called `aside` now, and what to do.
QString setAsideText(const QString& aside);

/// Deletes what was set aside from this path: what is older than is kept, unless some of it is pinned; and,
/// the oldest first, what is more than may be kept together with the file itself. `now` in UTC. What is no
/// recording stays, and so does what another program has open as its writer. A slice of it, of some ten
/// milliseconds: to be called again as long as it gives true.
bool dropSetAside(const QString& path, const Retention& retention, const QDateTime& now);

} // namespace lockscope::record
