// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Command.h"
#include "app/lockctl/CommandLine.h"
#include "core/report/Writer.h"

namespace lockscope::ctl {

/// --format, of commands that print a report; `tables`: what --table may name, if it has several.
void addForms(Command& command, const QStringList& tables = {});
/// Writes a report to standard output in the form that the options name. `maxRows` of each table for people;
/// 0: all.
class ReportPrinter : public report::Writer {
public:
    explicit ReportPrinter(const CommandLine& line, qsizetype maxRows = 0);
};
/// All of it, or the table that --table names.
void printReport(const CommandLine& line, report::Report report, qsizetype maxRows = 0);

} // namespace lockscope::ctl
