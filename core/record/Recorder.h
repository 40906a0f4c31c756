// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/monitor/SnapshotSource.h"
#include "core/record/Recording.h"

#include <memory>

namespace lockscope::record {

/// How a recorder gets on.
struct RecorderState {
    QString path;
    qint64 frames = 0; ///< written by this recorder
    qint64 dropped = 0; ///< came while the disk was too slow: they are missing, told by a gap
    std::optional<Error> error; ///< what could not be written the last time; watching goes on
    std::optional<ServerTime> lastWritten; ///< this machine's clock
};

/// Records what it is given, on a thread of its own: nobody waits for a disk. What it has when it goes is
/// still written; the program's end waits a second for that (BackgroundThread). Any thread.
class Recorder {
public:
    /// The file is opened on the thread; what keeps that from happening is in state().
    Recorder(QString path, Identity identity, Retention retention);
    void note(const Result<SnapshotPtr>& taken);
    void add(const Event& event);
    void pin(ServerTime from, ServerTime to, const QString& why);
    RecorderState state() const;

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared;
    BackgroundThread m_thread;
};

/// Takes from `source`, and gives what it got to the recorder, too.
std::unique_ptr<monitor::SnapshotSource> recorded(
    std::unique_ptr<monitor::SnapshotSource> source, std::shared_ptr<Recorder> recorder);

/// Where recordings are kept: `recordings` in the program's folder for its state.
QString recordingsFolder();
/// The file of a server there. Made of its name as shown; different servers have different files.
QString recordingPath(const QString& server);

} // namespace lockscope::record
