// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Look.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/SnapshotText.h"
#include "core/domain/SnapshotJson.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

int run(const CommandLine& line)
{
    auto probes = probesFrom(line);
    if (!probes)
        return fail(probes.error());
    probes->internalLocks = line.has(u"all"_s);
    const auto snapshot = lookAtWhatIsNamed(line, *probes);
    if (!snapshot)
        return fail(snapshot.error());
    if (line.json()) {
        printJson(toJson(**snapshot));
        return exitCodeOf(**snapshot);
    }
    const SnapshotText text(**snapshot, screenSize().columns, useColours(), line.has(u"all"_s));
    QStringList lines = text.locks();
    if (const QStringList entries = text.entries(); !entries.isEmpty())
        lines << QString() << entries;
    lines << text.limitations();
    print(lines.join(u'\n') + u'\n');
    return exitCodeOf(**snapshot);
}

} // namespace

Command listCommand()
{
    Command command{u"list"_s, u"every lock held or awaited, and the lock table"_s, run,
        u"Lists every lock that is held or awaited, contended ones first, and the lock table with its "
        "waiters."_s};
    command.examples = QStringList{
        u"lockctl list"_s, u"lockctl list --json | jq '.locks[] | select(.state != \"granted\")'"_s};
    command.addFlag(u"all"_s,
        u"Also this program's own sessions, and locks that nobody can wait for in practice: "
        "transactions on their own ids, the catalogue."_s);
    addLimit(command);
    addRecording(command);
    return command;
}

} // namespace lockscope::ctl
