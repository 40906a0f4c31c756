// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

#include <QByteArray>

namespace lockscope::deadlock {

/// The entries in a piece of a log that still grows.
struct LogPiece {
    struct Found {
        ReportPtr report;
        qsizetype begin = 0; ///< its place in the piece: bytes
    };
    QList<Found> found; ///< whole ones only
    /// The number of bytes that need not be read again. The rest may be the beginning of an entry; entries
    /// that were found in it already are found again by the next piece.
    qsizetype consumed = 0;
    bool isWaiting = false; ///< a report at the end was left for the next piece, by which it may be longer
};

/// The text behind a piece.
enum class Behind : quint8 {
    More, ///< something, or it is being written just now
    Quiet, ///< nothing, and nothing was written for a while: what ends with a line is whole
    Nothing, ///< nor will anything be written: the log goes on in another file
};

/// Reads a piece of PostgreSQL's log, which begins with a line: `format` is PostgresText, PostgresCsv or
/// PostgresJson. An entry at its end that may not be whole yet is not read. Any thread.
LogPiece readLogPiece(const QByteArray& bytes, SourceFormat format, const QString& place, Behind behind);

/// Returns the start of the first line of a log entry, in a piece that begins anywhere; the size of the piece
/// if there is none.
qsizetype firstEntryOf(const QByteArray& bytes, SourceFormat format);

} // namespace lockscope::deadlock
