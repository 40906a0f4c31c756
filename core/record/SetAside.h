// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/record/Recording.h"
#include "core/record/RecordingWriter.h"

#include <memory>
#include <optional>

class QDateTime;

namespace lockscope::record {

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
