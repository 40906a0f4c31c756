// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/db/Server.h"
#include "core/record/Recording.h"

#include <memory>
#include <optional>

namespace lockscope::record {

/// The progress of an upload.
struct UploadState {
    qint64 frames = 0; ///< brought there by this program
    qint64 skipped = 0; ///< that nobody could have read there: what they go back to was gone
    bool isUpToDate = false; ///< the file had no more at the last check
    std::optional<Error> error; ///< why the last try failed; it is tried again, the file keeps what is new
    std::optional<ServerTime> lastSent; ///< this machine's clock
    std::optional<ServerTime> reached; ///< the last snapshot that is there, by the server's clock
    bool isFileThere = false; ///< false, with an error: there is nothing to bring there yet

    /// The history does not take it, and won't until somebody acts: no such history, no right, a wrong
    /// password. False with an error: it is away, and the file keeps what is new.
    bool isRefused() const;
};

/// Brings what a recording's file gets to a team's history, about once a second, on a thread of its own. The
/// file is what bridges the history's absence: nothing is sent that is not in it, and who writes it waits for
/// nobody. A history that was away is brought up to date in order, as far back as the file goes. Any thread.
class HistoryUpload {
public:
    /// The file may be made later. The server: a database with a history (installHistory), as a login that is
    /// a member of lockscope_history_writer.
    HistoryUpload(QString path, db::Server server);
    UploadState state() const;
    /// Waits, but no longer than `atMost`, until what is in the file now is there; false if it is not. What
    /// is missing comes there by the next program that uploads the file.
    bool finish(milliseconds atMost);

private:
    struct Shared;
    std::shared_ptr<Shared> m_shared;
    BackgroundThread m_thread;
};

} // namespace lockscope::record
