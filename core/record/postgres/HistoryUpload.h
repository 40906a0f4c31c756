// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/db/Server.h"
#include "core/record/postgres/UploadBatch.h"

#include <memory>
#include <optional>
#include <vector>

namespace lockscope::record {

/// The progress of an upload.
struct UploadState {
    qint64 frames = 0; ///< brought there by this program
    qint64 skipped =
        0; ///< that nobody can read there: the file dropped them, or what they go back to, before
    qint64 failures = 0; ///< tries that failed
    std::optional<PendingUpload> pending{}; ///< what is still to go there; nothing: not known
    bool isUpToDate = false; ///< the file had no more at the last check
    std::optional<Error> error{}; ///< why the last try failed; it is tried again, the file keeps what is new
    bool isAway = false; ///< that holds for all uploads to this history, and not for this one alone
    std::optional<ServerTime> reached{}; ///< the last snapshot that is there, by the server's clock
    bool isFileThere = false; ///< false, with an error: there is nothing to bring there yet
    bool isUnreadable = false; ///< there is a file, but it can't be read: that is the error

    /// The history does not take it, and won't until somebody acts: no such history, no right, a wrong
    /// password. False with an error: it can't be reached, and the file keeps what is new.
    bool isRefused() const;
};

/// The connections by which recordings come to one history: one for each 25 of them, and no more than four.
/// Each recording has its turn about once a second. A connection that fails leaves the recordings to the
/// others. The history can't be reached while none of them works; then one tries it again now and then. Of
/// one thread, as its uploads.
class HistoryConnections {
public:
    /// The server: a database with a history (installHistory), as a login that is a member of
    /// lockscope_history_writer.
    explicit HistoryConnections(db::Server server);
    Q_DISABLE_COPY_MOVE(HistoryConnections)

    const db::Server& server() const;
    /// Tries at once, because a person asks: also after a refused login.
    void retry();

private:
    friend class HistoryUpload;
    struct Connection;
    struct Shared;
    void serveMore();

    std::shared_ptr<Shared> m_shared;
    std::vector<BackgroundThread> m_threads;
};

/// Brings what a recording's file gets to a team's history. The file is what bridges the history's absence:
/// nothing is sent that is not in it, and who writes it waits for nobody. A history that could not be reached
/// is brought up to date in order, as far back as the file goes.
class HistoryUpload {
public:
    /// The file may be made later.
    HistoryUpload(QString path, std::shared_ptr<HistoryConnections> history);
    /// Does it by a connection of its own.
    HistoryUpload(QString path, db::Server server);
    ~HistoryUpload(); ///< returns at once: a step that is under way ends later
    Q_DISABLE_COPY_MOVE(HistoryUpload)

    const std::shared_ptr<HistoryConnections>& history() const { return m_history; }
    UploadState state() const;
    /// Begins a check of what is in the file now, also of a history that could not be reached.
    void check();
    /// Returns true once the latest check has ended with all of it there.
    bool isAllThere() const;
    /// Waits, but no longer than `atMost`, until what is in the file now is there; false if it is not. What
    /// is missing comes there by the next program that uploads the file.
    bool finish(milliseconds atMost);

private:
    friend class HistoryConnections;
    struct File;
    const std::shared_ptr<HistoryConnections> m_history;
    const std::shared_ptr<File> m_file;
};

} // namespace lockscope::record
