// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/CommandLine.h"
#include "core/record/postgres/HistoryUpload.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace lockscope::ctl {

/// --into, of the command that records.
void addInto(Command& command);

/// ReadOnly: the user has chosen that lockctl changes nothing.
Result<void> checkMayWriteHistory(const CommandLine& line);

/// Brings recordings to team's histories, those of a history by a few connections.
class Uploads {
public:
    /// Knows the history that --into names; without it, none.
    static Result<Uploads> from(const CommandLine& line);

    /// A file that is or will be a recording: to the history that --into names, if any.
    void add(const QString& path) { bring(path, m_history); }
    /// Brings it to that history from now on, and to no other; null: to none.
    void bring(const QString& path, const std::shared_ptr<record::HistoryConnections>& history);
    /// Ends with each other file once what is in it now is there, or after some seconds.
    void leaveOthers(const std::function<bool(const QString& path)>& isUploaded);
    /// Nothing: it is brought to no history.
    std::optional<record::UploadState> state(const QString& path) const;
    /// Says on stderr which histories and files are in trouble, once for each, and when that is over; and
    /// what recordings have lost. Call it now and then.
    void printChanges();
    /// Ends with those of leaveOthers() that are there, or late. Call it now and then.
    void endThoseThatLeave();
    /// Waits some seconds for the files to be uploaded, and reports those that are not.
    void finish();

private:
    using Clock = std::chrono::steady_clock;
    struct One {
        std::unique_ptr<record::HistoryUpload> upload;
        qint64 skipped = 0; ///< frames left out, as reported
        std::optional<Clock::time_point> leavesBy{};
    };
    struct Trouble {
        QString over{}; ///< the message when it is over
        bool isOver = false; ///< something goes there now
        QString reason{}; ///< of a trouble; another reason is reported, too
        QString message{};
    };
    std::map<QString, Trouble> troubles() const;
    void printTroubles();

    std::shared_ptr<record::HistoryConnections> m_history;
    std::map<QString, One> m_all; ///< by path
    std::map<QString, QString> m_reasons; ///< that were reported, by history or file
};

} // namespace lockscope::ctl
