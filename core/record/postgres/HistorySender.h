// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Recording.h"
#include "core/record/postgres/HistoryLink.h"
#include "core/record/postgres/UploadBatch.h"

#include <stop_token>

namespace lockscope::record {

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
