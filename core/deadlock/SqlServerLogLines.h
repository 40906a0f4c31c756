// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

namespace lockscope::deadlock {

/// A line of SQL Server's error log.
struct LogLine {
    qint64 number = 0; ///< in the file, from 1
    QString whole;
    QString text; ///< without time and session
    QString session; ///< the line's writer, "spid26s"; empty if unknown
    ReportTime time; ///< by the server's own clock
};

/// "2026-11-22 03:12:07.12 spid26s     text" of the file itself, "11/22/2026 03:12:07,spid26s,Unknown,text"
/// of a viewer's export, the columns of sp_readerrorlog with tabs between them, or text without anything
/// before it.
QList<LogLine> logLinesOf(const QString& text);

/// The reports of trace flag 1204 among them.
QList<QList<LogLine>> split1204(const QList<LogLine>& lines);
DeadlockReport read1204(const QList<LogLine>& lines);

} // namespace lockscope::deadlock
