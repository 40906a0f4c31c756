// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/RecordingReader.h"
#include "core/record/RecordingWriter.h"
#include "tests/support/OrDie.h"
#include "tests/support/RandomSnapshot.h"
#include "tests/support/SnapshotBuilder.h"

#include <QTemporaryDir>

#include <limits>
#include <memory>

namespace lockscope::test {

/// The server of SnapshotBuilder.
inline record::Identity recordingIdentity(const QString& server = QStringLiteral("shop@db1"))
{
    return {QStringLiteral("test"), server, Engine::Postgres, SnapshotBuilder::start(), false,
        QStringLiteral("a test")};
}

/// Later than any time of a recording.
inline constexpr ServerTime ever{std::numeric_limits<qint64>::max()};

/// Makes it a snapshot of that server, to be recorded. `seed` of RandomSnapshots must be even: PostgreSQL.
inline SnapshotPtr toRecord(Snapshot snapshot)
{
    snapshot.server = QStringLiteral("shop@db1");
    snapshot.index();
    return std::make_shared<const Snapshot>(std::move(snapshot));
}

inline std::unique_ptr<record::RecordingWriter> writeRecording(
    const QString& path, const record::Identity& identity = recordingIdentity())
{
    return orDie(record::RecordingWriter::open(path, identity));
}
inline std::unique_ptr<record::RecordingReader> readRecording(const QString& path)
{
    return orDie(record::RecordingReader::open(path));
}

/// A folder for tests that make recordings, and paths in it at which no file exists yet.
class RecordingFolder {
protected:
    struct New {
        QString path;
        std::unique_ptr<record::RecordingWriter> writer;
    };

    QString newPath() { return m_folder.filePath(QStringLiteral("r%1.lockscope").arg(++m_files)); }
    New newRecording(const record::Identity& identity = recordingIdentity())
    {
        const QString path = newPath();
        return {path, writeRecording(path, identity)};
    }

    QTemporaryDir m_folder;

private:
    int m_files = 0;
};

/// All lines of the history of one lock.
inline Result<QList<record::HistoryLine>> historyOf(
    record::RecordingReader& reader, const QString& lock, ServerTime from, ServerTime to)
{
    QList<record::HistoryLine> lines;
    const auto read = reader.history({lock}, from, to, [&lines](const record::HistoryLine& line) {
        lines.append(line);
        return true;
    });
    return read ? Result<QList<record::HistoryLine>>(lines) : Failure(read.error());
}

} // namespace lockscope::test
