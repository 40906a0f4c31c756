// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/NamedSnapshot.h"

#include "app/lockctl/Command.h"
#include "app/lockctl/FrameworkLocks.h"
#include "app/lockctl/Recordings.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

void addLimit(Command& command)
{
    command.addValue(u"limit"_s, u"N"_s,
        u"Read so many locks at most; those that somebody waits for come first, the others are only counted."_s,
        QString::number(monitor::ProbeSelection().maxRequests));
    command.addFlag(u"no-frameworks"_s,
        u"Don't read the tables in which frameworks (Liquibase, ShedLock …) keep locks; attached tables are read all the same."_s);
}

Result<monitor::ProbeSelection> probesFrom(const CommandLine& line)
{
    const auto limit = line.number(u"limit"_s, 1);
    if (!limit)
        return Failure(limit.error());
    monitor::ProbeSelection probes;
    probes.maxRequests = *limit;
    probes.frameworkRows = !line.has(u"no-frameworks"_s);
    return probes;
}

Error withoutNextAttempt(Error error)
{
    error.hint = error.hint.section(u"Next attempt within"_s, 0, 0).trimmed();
    return error;
}

Result<SnapshotPtr> snapshotNow(const db::Server& server, const monitor::ProbeSelection& probes)
{
    return monitor::makeSnapshotSource(server, probes)->take();
}

Result<SnapshotPtr> snapshotOfNamed(const CommandLine& line, const monitor::ProbeSelection& probes)
{
    // A past time of a server stands in its own recording.
    const bool isRecorded = line.has(u"recording"_s) || line.has(u"at"_s);
    if (isRecorded && line.has(u"approve"_s))
        return failure(ErrorKind::BadInput,
            u"--approve is of a server: a recording has what was read when it was made."_s,
            u"Leave it out."_s);
    if (isRecorded)
        return snapshotAskedFor(line);
    auto server = serverToRead(line);
    if (!server)
        return Failure(server.error());
    if (const auto approved = approveTables(*server, line); !approved)
        return Failure(approved.error());
    return snapshotNow(*server, probes);
}

int exitCodeOf(const Snapshot& snapshot)
{
    return snapshot.isIncomplete() ? exitFailed : exitOk;
}

} // namespace lockscope::ctl
