// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QList>
#include <QSet>
#include <QString>

namespace lockscope::deadlock {

/// A line that speaks of a deadlock, of which no report could be read.
struct Mention {
    qint64 line = 0; ///< of the file, from 1
    QString text; ///< of the line, cut
    QString why; ///< no report was read of it: a sentence
    QString where; ///< the report is to be found: a sentence; empty: there is none

    bool operator==(const Mention&) const = default;
};

/// Returns whether the line is PostgreSQL's message, in any of the languages of its server, or a client's of
/// it.
bool isDeadlockMessage(const QString& line);

/// Lines of a text from which reports were read: first and last.
using LineRanges = QList<std::pair<qint64, qint64>>;
/// Counts the lines of a text from place to place, in ascending order, and knows those of `read`.
class LineCounter {
public:
    LineCounter(const QString& text, qint64 firstLine, LineRanges read);
    /// Returns the number of the line in which that place is.
    qint64 lineAt(qsizetype place);
    /// Returns whether a report was read from the line of the last place.
    bool isRead();

private:
    const QString& m_text;
    LineRanges m_read; ///< sorted
    qsizetype m_range = 0; ///< the first that begins behind the line
    qint64 m_line;
    qint64 m_readUpTo = 0;
    qsizetype m_place = 0;
};

/// Returns the lines of `text` that speak of a deadlock outside of `read`, at most `maxMentions`. Those of
/// `quoted` are a statement's; so is in csvlog what has no code of a deadlock. Lines count from `firstLine`.
QList<Mention> mentionsIn(
    const QString& text, qint64 firstLine, const LineRanges& read, const QSet<qint64>& quoted, bool isCsvlog);
inline constexpr qsizetype maxMentions = 1'000;

} // namespace lockscope::deadlock
