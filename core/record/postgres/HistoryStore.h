// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Server.h"
#include "core/record/Recording.h"
#include "core/record/Store.h"
#include "core/report/Report.h"

#include <QList>

#include <memory>
#include <optional>

namespace lockscope::record {

/// The place of a team's history, and the recording in it that is meant:
/// "postgresql://ops@db/history#shop@db1", "…#shop@db1?writer=watcher".
struct HistoryPlace {
    db::Server server;
    QString recording; ///< its id, or the name of the server that it is of; empty: the only server there is
    QString writer; ///< the login that must have written it; empty: any, if only one has

    /// True if `place` is meant as a history, and not as a file.
    static bool isOne(const QString& place);
    /// Reads a place. The part behind the '#' may be percent-encoded. `passwords`: empty =
    /// db::defaultPasswords().
    static Result<HistoryPlace> parse(const QString& place, const db::PasswordProvider& passwords = {});
    /// Returns the text that parse() turns into this place.
    static QString of(const db::ServerUrl& server, const QString& recording, const QString& writer);
};

/// A recording in a history.
struct HistoryRecording {
    qint64 key = 0;
    Identity identity;
    QString host; ///< of the watcher, as that says
    std::optional<ServerTime> last; ///< snapshot that has come there
    std::optional<ServerTime> first{}; ///< snapshot that is still there
    microseconds sinceWritten{0}; ///< by the history's clock, when it was asked
};

/// All there are, those that were written last first. Blocks for a connection.
Result<QList<HistoryRecording>> recordingsOf(const db::Server& server);
/// One table.
report::Report toReport(const QList<HistoryRecording>& recordings);

/// A recording in a history, to be read: in a session that can't write and waits for no lock and no answer
/// for long. The schema's owner is checked before anything is read.
class HistoryStore final : public Store {
public:
    /// Opens the recording. MissingObject: there is no such recording, or no history. Of several of one
    /// server the one that was written last; BadInput: several logins have written of that server, so that
    /// one must be named. A writer can name any server, but not another login: that comes from the history's
    /// server.
    static Result<std::unique_ptr<HistoryStore>> open(
        const QString& place, const db::PasswordProvider& passwords = {});

    const HistoryRecording& recording() const { return m_recording; }
    Result<void> run(
        const char* name, std::initializer_list<Value> values = {}, const Sink& each = {}) override;
    qint64 textsAtOnce() const override { return 256; }

private:
    HistoryStore(std::unique_ptr<db::Connection> connection, HistoryRecording recording)
        : m_connection(std::move(connection))
        , m_recording(std::move(recording))
    {
    }
    std::unique_ptr<db::Connection> m_connection;
    HistoryRecording m_recording;
};

} // namespace lockscope::record
