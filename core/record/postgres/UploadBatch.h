// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/record/Database.h"
#include "core/record/StoredTexts.h"

#include <QByteArray>
#include <QJsonArray>
#include <QSet>
#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace lockscope::record {

/// Rows for `COPY … FROM STDIN` of PostgreSQL, in its text format.
class CopyRows {
public:
    CopyRows& operator<<(qint64 number);
    /// PostgreSQL has no character 0 in texts: the picture of one (U+2400) stands for it.
    CopyRows& operator<<(const QString& text);
    CopyRows& operator<<(const QByteArray& bytes); ///< for a column of type bytea
    CopyRows& null();
    void endRow();
    void append(const CopyRows& rows) { m_bytes += rows.m_bytes; } ///< whole ones

    const QByteArray& bytes() const { return m_bytes; }
    bool isEmpty() const { return m_bytes.isEmpty(); }

private:
    void begin();

    QByteArray m_bytes;
    bool m_inRow = false;
};

/// The text without characters 0, as CopyRows writes it.
QString withoutZeros(QString text);

/// The history's progress with a recording: the result of lockscope_history.begin_batch.
struct UploadProgress {
    qint64 frame = 0;
    ServerTime taken; ///< of that frame
    ServerTime noted;
    qint64 keyFrame = 0; ///< that the frame goes back to
    QString day; ///< on which that stands, "2026-11-23"
    bool isDayThere = false;
    qint64 interval = 0;
    qint64 event = 0;
    qint64 surroundings = 0;

    bool operator==(const UploadProgress&) const = default;
};

/// The rows, for COPY, that one transaction brings to a history.
struct UploadBatch {
    QString day; ///< of all its rows
    CopyRows frames;
    CopyRows events;
    CopyRows surroundings;
    CopyRows texts;
    CopyRows resources;
    CopyRows parties;
    CopyRows intervals;
    CopyRows open;
    std::optional<std::vector<qint64>> gone; ///< open intervals to be dropped; nothing: all of them
    QByteArray news; ///< for lockscope_history.end_batch
    UploadProgress after;
    qint64 count = 0; ///< frames
    qint64 skipped = 0; ///< frames that the file has no longer, or without their key frame
    bool isEmpty = true; ///< there is nothing new
    bool isLast = true; ///< the file has no more
};

/// The part of a file that the history lacks.
struct PendingUpload {
    qint64 snapshots = 0;
    std::optional<ServerTime> oldest{}; ///< of these, by this machine's clock; nothing: there is none
};

/// Reads a recording's file for a history, batch by batch, each of one state of the file; no read lasts, so
/// that the file's writer is not hindered. One thread.
class UploadSource {
public:
    explicit UploadSource(std::unique_ptr<Database> file);

    Database& file() { return *m_file; }
    /// The history is there now; `key` is what it calls the recording. Changed: it has come further than the
    /// file, or its frames are not those of the file.
    Result<void> begin(qint64 key, const UploadProgress& reached);
    /// It has this text ('t'), resource ('r') or party of the day. After begin().
    void noteSent(const QString& day, QChar what, qint64 number);
    /// Returns the next batch. `today`: the day for parts that begin now. Call done() once it has been sent,
    /// or begin() to ask for it again.
    Result<UploadBatch> next(const QString& today);
    Result<PendingUpload> pending(); ///< as of done(), with what was written since
    void done(const UploadBatch& batch);

private:
    struct FrameToSend {
        qint64 number;
        qint64 keyFrame;
        qint64 segment;
        ServerTime taken;
        ServerTime noted;
        std::vector<qint64> figures{}; ///< interval_ms, after_gap … head_text
        QByteArray data;
    };
    struct Interval {
        qint64 number;
        qint64 resource;
        qint64 party;
        qint64 from;
        QString mode;
        qint64 waited;
        qint64 fromExact;
        qint64 to;
        std::optional<qint64> gone;
        qint64 polls;
        qint64 doubt;
        qint64 statement;
    };
    struct Sent { ///< of one day
        QString day;
        QSet<qint64> texts{};
        QSet<qint64> resources{};
        QSet<qint64> parties{};
    };
    using OpenRows = std::map<qint64, QByteArray>; ///< by id

    Result<void> fill(UploadBatch& batch, const QString& today);
    Result<std::vector<FrameToSend>> framesAfter(qint64 number, bool& isLast);
    void chooseDay(UploadBatch& batch, std::vector<FrameToSend>& frames, const QString& today) const;
    void addFrame(UploadBatch& batch, const FrameToSend& frame);
    void addText(UploadBatch& batch, qint64 number);
    QSet<quint64> textsOf(const FrameToSend& frame);
    Result<void> addIntervals(UploadBatch& batch, const std::vector<FrameToSend>& frames);
    Result<void> readIntervals(
        const char* statement, std::initializer_list<Value> values, std::vector<Interval>& rows);
    Result<void> addOpen(UploadBatch& batch);
    Result<void> addEvents(UploadBatch& batch);
    Result<void> addSurroundings(UploadBatch& batch);
    Result<void> addNames(UploadBatch& batch, qint64 resource, qint64 party);
    Result<QJsonArray> pins();
    Result<void> addNews(UploadBatch& batch, const std::vector<FrameToSend>& frames);

    std::unique_ptr<Database> m_file;
    StoredTexts m_texts;
    qint64 m_key = 0;
    UploadProgress m_reached;
    Sent m_sent;
    // The frames are decoded for the texts that they name.
    SnapshotPtr m_decoded;
    qint64 m_decodedNumber = 0;
    qint64 m_nextInterval = 1;
    qint64 m_goneThroughIn = -1; ///< the segment in which all intervals were gone through
    std::optional<QString> m_failure; ///< the detail, as it was sent, of the last event if that is a failure
    std::optional<QString> m_nextFailure;
    std::optional<OpenRows> m_open; ///< that the history has; nothing: not known
    OpenRows m_nextOpen;
    QString m_openDay;
    QByteArray m_segmentsSent;
    QByteArray m_nextSegments;
    std::optional<QByteArray> m_pinsSent; ///< nothing: not known
    QByteArray m_nextPins;
    qint64 m_lastSegment = 0; ///< that was sent
    qint64 m_nextLastSegment = 0;
};

} // namespace lockscope::record
