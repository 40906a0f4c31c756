// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/AuditRecord.h"

namespace lockscope::admin {

using namespace Qt::StringLiterals;

report::Report toReport(const QList<AuditRecord>& records, bool hasServers)
{
    using report::Shown;
    report::Section section{.key = {},
        .columns = {{.key = u"id"_s, .title = u"No."_s, .type = report::Type::Count, .yields = 2},
            {.key = u"at"_s,
                .title = u"At"_s,
                .type = report::Type::Time,
                .meaning = u"By the server's clock"_s},
            {.key = u"act"_s, .title = u"Act"_s}, {.key = u"target"_s, .title = u"Acted on"_s, .share = 3},
            {.key = u"reason"_s, .title = u"Reason"_s, .share = 2},
            {.key = u"outcome"_s, .title = u"Outcome"_s, .share = 2},
            {.key = u"who"_s,
                .title = u"Who"_s,
                .meaning = u"Account of the person and the database role used"_s,
                .share = 1},
            {.key = u"from"_s, .title = u"From"_s, .meaning = u"Host and program"_s, .share = 1, .yields = 1},
            {.key = u"before"_s, .title = u"State before"_s, .shown = Shown::OnRequest, .share = 3},
            {.key = u"server"_s,
                .title = u"Server"_s,
                .shown = hasServers ? Shown::Always : Shown::ToPrograms,
                .share = 1}},
        .whenEmpty = u"Nothing is recorded."_s};
    for (const AuditRecord& record : records) {
        const bool isDone = record.outcome.startsWith(u"done"_s);
        section.rows.push_back(
            {.cells = {record.id, record.at, record.act, record.target, record.reason,
                 report::Value(record.outcome, isDone ? report::Mark::Done : report::Mark::Alarm), record.who,
                 record.from, record.before, record.server},
                .key = QString::number(record.id),
                .about = record});
    }
    return {.title = {}, .sections = {std::move(section)}};
}

} // namespace lockscope::admin
