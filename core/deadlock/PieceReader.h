// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

#include <QList>
#include <QSet>
#include <QString>

namespace lockscope::deadlock {

/// A line that speaks of a deadlock, of which no report could be read.
struct Mention {
    qint64 line = 0; ///< of the file, from 1
    QString text{}; ///< of the line, cut
    QString why; ///< no report was read of it: a sentence
    QString where{}; ///< the report is to be found: a sentence; empty: there is none

    bool operator==(const Mention&) const = default;
};

/// Returns whether the line is PostgreSQL's message, in any of the languages of its server, or a client's of
/// it.
bool isDeadlockMessage(const QString& line);

/// Returns the lines of `text` that speak of a deadlock, at most `maxMentions`. Those of `quoted` are a
/// statement's; so is in csvlog what has no code of a deadlock. Lines count from 1.
QList<Mention> mentionsIn(const QString& text, const QSet<qint64>& quoted, bool isCsvlog);
inline constexpr qsizetype maxMentions = 1'000;

/// The first part of a text, to be read by itself.
struct PieceCut {
    qsizetype size = 0; ///< 0: no place to cut was found
    bool isWhole = false; ///< no report can go on behind it
};
/// Finds where to cut a text that goes on: behind a line; behind a record of CSV; in a text without lines
/// behind an element of XML or an object of JSON.
PieceCut cutOf(const QString& text);

enum class TextEnd : quint8 { Whole, Torn };
struct PieceRead {
    QList<ReportPtr> reports;
    QList<Mention> mentions;
    /// Characters that need not be read again: a report near a torn end is left for the next piece. 0:
    /// nothing of it is whole.
    qsizetype consumed = 0;
};
/// Reads a piece of a file in whatever form it is. Lines count from 1 in the piece.
PieceRead readPieceOf(const QString& text, const QString& place, TextEnd end);

} // namespace lockscope::deadlock
