// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/deadlock/source/DeadlockSource.h"
#include "core/monitor/SnapshotSource.h"
#include "core/record/Recording.h"

#include <chrono>
#include <memory>
#include <optional>

namespace lockscope::record {

/// The settings of a recorder; may change at any time.
struct RecorderSettings {
    bool on = true; ///< false: nothing is written and the file is free for others
    Retention retention = {};
    QString rules = {}; ///< the file of the rules whose incidents are recorded; empty: the account's own
    /// The file is found by the server's place: one of another server that was there is set aside, and what
    /// was set aside is dropped in its time. False: its place was chosen by a person, and both is left to
    /// them.
    bool isOwnFile = true;

    bool operator==(const RecorderSettings&) const = default;
};

/// The interval at which polls are meant to come, without back-off.
struct PlannedPace {
    milliseconds interval{0}; ///< 0: not known
    bool isPaused = false; ///< by a person
};

/// The state of a recorder.
struct RecorderState {
    QString path;
    RecorderSettings settings;
    bool redacted = false; ///< values of statements are left out
    bool isOpen = false; ///< there is a file that can be written
    qint64 frames = 0; ///< written since it was begun or turned on
    qint64 writes = 0; ///< polls that reached the disk, those that failed as well
    qint64 dropped = 0; ///< came while the disk was too slow: they are missing, shown as a gap
    std::optional<Error> error; ///< of the last failed write; polling goes on
    bool writtenByAnother = false; ///< that is the error: another program records into this file
    bool isFull = false; ///< that is the error: the disk
    std::optional<ServerTime> first; ///< the oldest snapshot in the file, by the server's clock
    std::optional<ServerTime> last; ///< the newest that was written here
    microseconds gaps{0}; ///< of the time between the two: not recorded
    qint64 bytes = 0; ///< of the file, as it lies on the disk
    /// The file that was there before was of another server of this name, or damaged: it is here now.
    QString setAside;
    bool wasDamaged = false; ///< that is why
    QString news{}; ///< the last change of the file, RecordingWriter::takeNews
    QString exposure{}; ///< a warning: other accounts may read the file
};

/// Records what it is given, on a thread of its own: nobody waits for a disk, and all work with the file, its
/// size too, is done there. Records the events of alert::EventFinder as well. Snapshots that it has when it
/// ends are still written; the program's end waits a second for that (BackgroundThread). Any thread, but for
/// end().
class Recorder {
public:
    /// The file is opened on the thread; what keeps that from happening is in state().
    Recorder(QString path, Identity identity, const RecorderSettings& settings);
    Recorder(QString path, Identity identity, Retention retention)
        : Recorder(std::move(path), std::move(identity), RecorderSettings{.retention = retention})
    {
    }
    /// Takes the result of a poll that has just ended; `began`: its start; nothing: unknown.
    void note(const Result<SnapshotPtr>& taken,
        std::optional<std::chrono::steady_clock::time_point> began = {},
        const monitor::Surroundings& surroundings = {});
    /// Sets the pace of the polls from now on.
    void setPace(const PlannedPace& pace);
    void add(const Event& event);
    /// Takes the server's own records of its deadlocks; all polls of one source, in their order.
    void noteDeadlocks(const deadlock::SourcePoll& poll);
    /// Turned off, what came until then is still written, and the recording ends there.
    void setSettings(const RecorderSettings& settings);
    /// Counts from the next snapshot on. A file that keeps values is refused then, see RecordingWriter::open;
    /// one that leaves them out stays so.
    void setRedacts(bool redacts);
    /// The file that is there is renamed, unless another program writes it, and another one is begun.
    void beginAgain();
    /// Takes damage that a reader of the file has met: the file is set aside as if writing had met it.
    void noteDamage(const Error& damage);
    /// Opens the file now and not at the first poll, and waits for that. The error, if it can't be opened; it
    /// is tried again with what comes later.
    Result<void> open();
    /// Writes what it has, then nothing more. Returns at once. Its owner's thread.
    void end();
    /// Waits until everything is written, after end(). False if it was not by then.
    bool waitForEnd(milliseconds atMost);
    RecorderState state() const;

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared;
    BackgroundThread m_thread;
};

/// Returns the timing of a poll that began then and has just ended.
PollTiming timingOf(milliseconds interval, std::chrono::steady_clock::time_point began);
/// Takes from `source`, and gives what it got to the recorder, too.
std::unique_ptr<monitor::SnapshotSource> recorded(
    std::unique_ptr<monitor::SnapshotSource> source, std::shared_ptr<Recorder> recorder);

} // namespace lockscope::record
