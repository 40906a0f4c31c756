// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

#include <optional>

namespace lockscope::deadlock {

/// A line without what docker, Kubernetes, journald, syslog, mail and Markdown write before each.
struct LinePrefix {
    QString text;
    QString writer; ///< container, pod or host, as far as given
    QString time; ///< the carrier's
    bool isPiece = false; ///< syslog numbers it: it may be the next piece of a long line
};
LinePrefix withoutPrefix(const QString& line);

/// Counts the ends of lines.
qint64 countLines(QStringView text);
/// Returns whether "03:12:07" stands near the begin of a line that no blank begins: then it begins a message.
bool hasClock(QStringView line);

/// The beginning that grep -n and -A give each line: the name of the file, if there are several, and a
/// number.
struct GrepForm {
    QString name;
    bool hasNumbers = false;
};

/// Returns the separator behind `name` and the number; -1: the line has none.
qsizetype endOfGrepPrefix(QStringView line, const GrepForm& form);

/// A line of a report and the one below it tell: their numbers follow each other, or the name stands before
/// the tab that continues a message.
std::optional<GrepForm> grepFormOf(const QString& text);

} // namespace lockscope::deadlock
