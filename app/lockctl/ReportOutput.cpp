// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ReportOutput.h"

#include "app/lockctl/Console.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

report::Form formOf(const CommandLine& line)
{
    if (line.json())
        return report::Form::Json;
    return static_cast<report::Form>(
        report::formNames.toString().split(u'|').indexOf(line.value(u"format"_s)));
}

} // namespace

void addForms(Command& command, const QStringList& tables)
{
    command.addValue(u"format"_s, report::formNames.toString(),
        u"Print it in this form; --json is --format json. CSV has the tables alone."_s, u"text"_s);
    if (!tables.isEmpty())
        command.addValue(u"table"_s, tables.join(u'|'), u"Print this table alone."_s);
}

ReportPrinter::ReportPrinter(const CommandLine& line, qsizetype maxRows)
    : Writer(
        formOf(line), {.width = screenSize().columns, .colours = useColours(), .maxRows = maxRows}, print)
{
}

void printReport(const CommandLine& line, report::Report report, qsizetype maxRows)
{
    if (line.has(u"table"_s)) {
        const bool isForPrograms = formOf(line) == report::Form::Json || formOf(line) == report::Form::Csv;
        std::erase_if(report.sections,
            [&line](const report::Section& each) { return each.key != line.value(u"table"_s); });
        for (report::Section& each : report.sections) {
            if (each.shown == report::Shown::ToPrograms && !isForPrograms)
                each = {.key = each.key, .whenEmpty = u"This table is for programs: --format json or csv."_s};
            else if (each.whenEmpty.isEmpty())
                each.whenEmpty = u"There is nothing in this table."_s;
        }
    }
    ReportPrinter(line, maxRows).write(report);
}

} // namespace lockscope::ctl
