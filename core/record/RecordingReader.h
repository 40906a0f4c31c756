// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/LockTable.h"
#include "core/domain/Snapshot.h"
#include "core/record/Recording.h"

#include <QList>

#include <memory>

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
    std::optional<ServerTime> gone; ///< not there any more then
};

/// Reads a recording, also one that is being written, and never changes it. A file is foreign input: what is
/// damaged is an error (BadInput), and the moments around it can be read all the same. One thread; calls
/// block for the disk.
class RecordingReader {
public:
    static Result<std::unique_ptr<RecordingReader>> open(const QString& path);
    ~RecordingReader();
    RecordingReader(const RecordingReader&) = delete;
    RecordingReader& operator=(const RecordingReader&) = delete;

    const Identity& identity() const;
    /// MissingObject: it has no moment yet.
    Result<Span> span();
    Result<QList<Segment>> segments();
    /// How it was then: the last moment at or before `at`, or the first of all.
    Result<SnapshotPtr> at(ServerTime at);
    /// Moments for a picture of so many columns: the worst of each. All of them if they are no more.
    Result<QList<Moment>> moments(ServerTime from, ServerTime to, int columns);
    Result<QList<Event>> events(ServerTime from, ServerTime to);
    /// Where the next stretch begins in which somebody waits; nothing: there is none.
    Result<std::optional<ServerTime>> nextIncident(ServerTime after);
    /// Where the last one before begins.
    Result<std::optional<ServerTime>> previousIncident(ServerTime before);
    /// Who held the lock of that name (as it is shown), or waited for it, by when that began.
    Result<QList<HistoryLine>> history(const QString& lock, ServerTime from, ServerTime to);
    /// Reads all there is: what can't be read, and how many moments could.
    struct Verdict {
        qint64 whole = 0;
        QList<ServerTime> damaged;
    };
    Result<Verdict> verify();

private:
    class Impl;
    explicit RecordingReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace lockscope::record
