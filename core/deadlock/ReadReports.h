// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/deadlock/Deadlock.h"

#include <QByteArray>

namespace lockscope::deadlock {

/// Above this a file is refused: 256 MB.
inline constexpr qint64 maxFileBytes = 256LL * 1024 * 1024;

/// All reports that stand in a file, whatever its form: .xdl and other XML of SQL Server (UTF-8, UTF-16 with
/// a mark or without), text of its error log, PostgreSQL's log (stderr with any prefix, csvlog, jsonlog).
/// Found by what is in it, not by its name; in the order of the file; an event that comes twice comes once.
/// Empty if none stands in it. BadInput if it is no text. `place` is what is shown of where it comes from.
/// Nothing in it is executed or fetched. Any thread; 100 MB take seconds.
Result<QList<ReportPtr>> readReports(const QByteArray& bytes, const QString& place);
/// The same of a file. Connection never; BadInput if it can't be read or is too large.
Result<QList<ReportPtr>> readReportFile(const QString& path);

/// Answers people's first question: "3 deadlocks in 2 reports", "no deadlock".
QString countText(const QList<ReportPtr>& reports);

} // namespace lockscope::deadlock
