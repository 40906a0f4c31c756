// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Mutex.h"
#include "core/db/LiveConnection.h"
#include "core/record/Recording.h"
#include "core/record/postgres/UploadBatch.h"

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>

namespace lockscope::record {

/// The connections to one history have this in common. Any thread.
class HistoryAccess {
public:
    /// Counts the connections that were opened: behind each the history may be in an earlier state.
    quint64 openings() const { return m_openings; }
    /// Lets a login that was refused be tried once more.
    void forgive();

private:
    friend class HistoryLink;
    std::optional<Error> refusal() const;

    std::atomic<quint64> m_openings = 0;
    Mutex m_opening; ///< one at a time: of several logins that are refused an account may be locked
    mutable Mutex m_mutex;
    std::optional<Error> m_refusal LOCKSCOPE_GUARDED_BY(m_mutex); ///< of a login
};

/// A connection to a history, for the senders of several recordings, one after another. It is opened when it
/// is needed. One thread.
class HistoryLink {
public:
    HistoryLink(db::Server server, std::shared_ptr<HistoryAccess> access);

    /// Opens unless it is open, and checks the history then. A login that was refused to one of the links is
    /// not tried again by any until HistoryAccess::forgive().
    Result<void> ensureOpen();
    /// To call with each failure of a statement. The next try opens another connection if this one is lost or
    /// the server takes no changes, which it does after a failover.
    void noteFailure(const Error& error);
    /// Returns why the history can't be used by anybody; nothing: it can, as far as is known.
    const std::optional<Error>& failure() const { return m_failure; }
    quint64 uses() const { return m_uses; } ///< counts the calls of ensureOpen()
    quint64 openings() const { return m_access->openings(); }

    db::Connection& operator*() const { return *m_connection; }
    db::Connection* operator->() const { return m_connection.operator->(); }

private:
    Result<void> open();

    db::LiveConnection m_connection;
    const std::shared_ptr<HistoryAccess> m_access;
    std::optional<Error> m_failure;
    quint64 m_uses = 0;
};

/// Brings one recording's file to a history, a transaction a batch. What has come there is what the history
/// says; so a transaction of which nobody knows whether it was committed is neither lost nor there twice. One
/// thread at a time; calls block for the server, and a second at most for another sender of the same
/// recording.
class HistorySender {
public:
    explicit HistorySender(QString path);

    struct Step {
        bool hasMore = false; ///< another batch can follow at once
        qint64 frames = 0; ///< sent
        qint64 skipped = 0; ///< that the file had no longer, or without their key frame
        std::optional<ServerTime> reached = {}; ///< the last snapshot that is there, by the server's clock
    };
    /// After an error the next call begins with asking how far the history has come. All links of one sender
    /// lead to the same history.
    Result<Step> sendNext(HistoryLink& link, const std::stop_token& stop);
    bool hasFile() const { return m_source != nullptr; } ///< there was one to send at the last step
    /// The last step failed because of the file, which is there: no right to read it, or it is damaged.
    bool isFileUnreadable() const { return m_isUnreadable; }
    /// Returns what the file has and the history lacks; nothing: it is not known how far that has come.
    std::optional<PendingUpload> pending();

private:
    std::optional<ServerTime> reached() const;
    Result<void> openFile();
    Result<void> openRecording(const std::stop_token& stop);
    Result<void> synchronise(const std::stop_token& stop);
    Result<Step> sendBatch(const UploadBatch& batch, const std::stop_token& stop);
    Result<UploadProgress> beginBatch(
        const std::optional<std::vector<qint64>>& gone, const std::stop_token& stop);
    Result<void> inTransaction(const std::function<Result<void>()>& change);
    Result<qint64> run(const char* statement, std::initializer_list<db::Param> params,
        const std::stop_token& stop, const db::RowSink& sink = {});
    Result<void> copy(const UploadBatch& batch, const std::stop_token& stop);

    const QString m_path;
    HistoryLink* m_link = nullptr; ///< of the present step
    quint64 m_openings = 0; ///< of the links when the history was asked last
    std::unique_ptr<UploadSource> m_source;
    bool m_isUnreadable = false;
    Identity m_identity; ///< of the file
    qint64 m_key = 0; ///< of the recording in the history; 0: not known
    bool m_isSynchronous = false;
    bool m_isReachedKnown = false;
    UploadProgress m_reached;
    QString m_today; ///< by the history's clock
    bool m_isTodayThere = false; ///< its partitions are
};

} // namespace lockscope::record
