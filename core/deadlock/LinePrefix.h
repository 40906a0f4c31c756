// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

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

} // namespace lockscope::deadlock
