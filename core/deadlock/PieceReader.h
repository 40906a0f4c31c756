// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"
#include "core/deadlock/Mention.h"

namespace lockscope::deadlock {

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
