// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/NamedSnapshot.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/SnapshotText.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/Diagnosis.h"
#include "core/domain/SessionName.h"
#include "core/domain/SnapshotJson.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

QJsonObject blockingJson(const Snapshot& snapshot)
{
    const BlockingGraph& graph = snapshot.blocking();
    const Diagnoser diagnoser(snapshot);
    QJsonArray heads;
    for (const auto& head : graph.heads())
        heads.append(QJsonObject{{u"session"_s, head.session.value},
            {u"name"_s, sessionName(snapshot, head.session)}, {u"victims"_s, head.victims},
            {u"depth"_s, head.depth}, {u"longest_wait_ms"_s, qint64(head.longestWait.count())},
            {u"longest_wait_exact"_s, head.longestExact}, {u"joined_last_minute"_s, head.joined},
            {u"harm_ms"_s, qint64(weightOf(head).count())},
            {u"advice"_s, diagnoser.of(head.session).remedy}});
    QJsonArray rings;
    for (const auto& ring : graph.cycles()) {
        QJsonArray members;
        for (const SessionId session : ring)
            members.append(session.value);
        rings.append(members);
    }
    const QJsonObject whole = toJson(snapshot);
    return {{u"format"_s, whole[u"format"]}, {u"server"_s, whole[u"server"]},
        {u"taken_at"_s, whole[u"taken_at"]}, {u"heads"_s, heads}, {u"deadlocks"_s, rings},
        {u"waits"_s, whole[u"waits"]}, {u"limitations"_s, whole[u"limitations"]}};
}

int runTree(const CommandLine& line)
{
    const auto probes = probesFrom(line);
    if (!probes)
        return fail(probes.error());
    const auto snapshot = snapshotOfNamed(line, *probes);
    if (!snapshot)
        return fail(snapshot.error());
    if (line.json()) {
        printJson(blockingJson(**snapshot));
        return exitCodeOf(**snapshot);
    }
    SnapshotText text(**snapshot, screenSize().columns, useColours());
    SnapshotText::Choice choice;
    choice.folds = !line.has(u"all"_s);
    text.choose(choice);
    QStringList lines = text.heads();
    if (lines.isEmpty())
        lines = text.blocking();
    else if (!line.has(u"heads"_s))
        lines << QString() << text.blocking();
    print((lines + text.limitations()).join(u'\n') + u'\n');
    return exitCodeOf(**snapshot);
}

} // namespace

Command treeCommand()
{
    Command command{u"tree"_s, u"who blocks whom, worst first"_s, runTree,
        u"Shows who blocks whom: sessions that block and don't wait themselves first, the one that hurts "
        "most on top: by its victims, how long they wait, and how many came within the last minute. "
        "Begins with a line for each of these, and which command frees those behind it; then the tree. A "
        "session that waits for several stands below one and names the others; of waiters that are alike "
        "the first three are shown."_s};
    command.examples = QStringList{u"lockctl --server sqlserver://ann@db1/shop tree"_s};
    command.addFlag(u"heads"_s, u"Only the lines of the heads, without the tree."_s);
    command.addFlag(u"all"_s, u"Show each waiter, also those that are like others."_s);
    command.apart = {{{u"heads"_s}, {u"all"_s}}};
    addLimit(command);
    addRecording(command);
    return command;
}

} // namespace lockscope::ctl
