// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/report/DifferenceTable.h"

namespace lockscope::report {

using namespace Qt::StringLiterals;

Section differenceSection()
{
    return {.key = u"differences"_s,
        .columns = {{u"what"_s, u"What"_s}, {u"change"_s, u"Change"_s}, Column(u"who"_s, u"Who"_s).wide(2),
            Column(u"lock"_s, u"Lock"_s).wide(3), Column(u"mode"_s, u"Mode"_s).yield(1),
            Column(u"before"_s, u"First"_s, u"How it was in the first snapshot"_s).wide(2),
            Column(u"after"_s, u"Second"_s, u"How it was in the second snapshot"_s).wide(2)},
        .whenEmpty = u"Sessions, locks and waits are the same."_s};
}

Report toReport(
    const Snapshot& before, const Snapshot& after, const std::vector<SnapshotDifference>& differences)
{
    using enum Type;
    Report report{.title = u"%1: %2, compared with %3"_s.arg(
                      before.server, timeText(before.takenAt), timeText(after.takenAt)),
        .facts = {{{Time, u"before"_s}, before.takenAt}, {{Time, u"after"_s}, after.takenAt}},
        .sections = {differenceSection()}};
    std::vector<ReportRow>& rows = report.sections.front().rows;
    for (const SnapshotDifference& each : differences) {
        using Change = SnapshotDifference::Change;
        const Mark mark = each.change == Change::New ? Mark::Warning
            : each.change == Change::Gone            ? Mark::Muted
                                                     : Mark::None;
        QStringList more{each.before, each.after};
        more.removeAll(QString());
        rows.push_back({.cells = {whatName(each.what), Value(changeName(each.change), mark), each.who,
                            each.lock, each.mode, each.before, each.after},
            .key = QString::number(rows.size()),
            .more = more});
    }
    return report;
}

} // namespace lockscope::report
