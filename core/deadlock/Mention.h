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

} // namespace lockscope::deadlock
