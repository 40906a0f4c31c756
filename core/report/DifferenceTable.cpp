// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/report/DifferenceTable.h"

namespace lockscope::report {

using namespace Qt::StringLiterals;

Section differenceSection()
{
    return {.key = u"differences"_s,
        .columns = {{.key = u"what"_s, .title = u"What"_s}, {.key = u"change"_s, .title = u"Change"_s},
            {.key = u"who"_s, .title = u"Who"_s, .share = 2},
            {.key = u"lock"_s, .title = u"Lock"_s, .share = 3},
            {.key = u"mode"_s, .title = u"Mode"_s, .yields = 1},
            {.key = u"before"_s,
                .title = u"First"_s,
                .meaning = u"How it was in the first snapshot"_s,
                .share = 2},
            {.key = u"after"_s,
                .title = u"Second"_s,
                .meaning = u"How it was in the second snapshot"_s,
                .share = 2}},
        .whenEmpty = u"Sessions, locks and waits are the same."_s};
}

Report toReport(
    const Snapshot& before, const Snapshot& after, const std::vector<SnapshotDifference>& differences)
{
    Report report{.title = u"%1: %2, compared with %3"_s.arg(
                      before.server, timeText(before.takenAt), timeText(after.takenAt)),
        .facts = {{{.key = u"before"_s, .type = Type::Time}, before.takenAt},
            {{.key = u"after"_s, .type = Type::Time}, after.takenAt}},
        .sections = {differenceSection()}};
    std::vector<Row>& rows = report.sections.front().rows;
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
