// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Search in recordings: `lockctl recordings search`.

#include "app/lockctl/Console.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ReportOutput.h"
#include "core/base/Sentences.h"
#include "core/record/RecordingSearch.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

int search(const CommandLine& line)
{
    const auto limit = line.number(u"limit"_s, 1);
    if (!limit)
        return fail(limit.error());
    const QStringList words = line.positionals();
    const QStringList files = words.size() > 1 ? words.mid(1) : ownRecordings();
    report::Report report{.sections = {record::foundSection(true)}};
    bool isCut = false;
    int code = exitFailed; // nothing is found
    for (const QString& file : files) {
        const auto reader = record::RecordingReader::open(file);
        const auto found =
            reader ? record::searchRecording(**reader, words.value(0), *limit) : Failure(reader.error());
        if (!found) {
            const int failed = fail(found.error());
            if (files.size() == 1)
                return failed;
            continue;
        }
        isCut = isCut || found->isCut;
        for (const record::FoundText& each : found->all) {
            code = exitOk;
            report.sections.front().rows.push_back(foundRow(each, file));
        }
    }
    if (code != exitOk && !line.json())
        complain(u"Nothing in %1 has '%2'."_s.arg(counted(files.size(), u"recording"), words.value(0)));
    printReport(line, std::move(report));
    if (isCut)
        complain(u"There is more: write more of the text, or raise --limit."_s);
    return code;
}

} // namespace

Command searchRecordingsCommand()
{
    Command command{u"recordings search"_s, u"find a text, user, program, table or lock"_s, search,
        u"Finds what has a text in it, in whatever case, in recordings, those in the account's folder if none is named: statements, locks and tables, users, programs, hosts, databases and events, each with when it was seen first and last. \"%\" stands for any text. Exits with 1 if nothing has it."_s};
    command.arguments = u"TEXT [FILE…]"_s;
    command.examples = QStringList{
        u"lockctl recordings search orders"_s, u"lockctl recordings search 'update%orders' shop.lockscope"_s};
    command.addValue(u"limit"_s, u"N"_s, u"So many lines of each recording at most."_s, u"50"_s);
    addForms(command);
    return command;
}

} // namespace lockscope::ctl
