// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ActOptions.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/Locking.h"
#include "app/lockctl/NamedSnapshot.h"
#include "core/admin/ServerAdmin.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SnapshotJson.h"
#include "core/report/Report.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

// All of them are stale by the server's own violations: there is no later time to compare with.
QJsonArray entriesJson(const QList<LockTableEntry>& entries)
{
    QJsonArray array;
    for (const LockTableEntry& entry : entries)
        array.append(toJson(entry, entry.expiresAt.value_or(ServerTime())));
    return array;
}

QString entriesText(const QList<LockTableEntry>& entries)
{
    TextTable table(
        {{u"NAME"_s, TextTable::Fit::Flexible}, {u"TABLE"_s, TextTable::Fit::Flexible}, {u"STALE SINCE"_s},
            {u"HOLDER"_s, TextTable::Fit::Flexible}, {u"EVIDENCE"_s, TextTable::Fit::Flexible}});
    for (const LockTableEntry& entry : entries)
        table.add({printable(entry.name), printable(entry.table),
            entry.expiresAt ? report::timeText(*entry.expiresAt) : QString(), describe(entry.party),
            printable(verdictText(entry.holderLife))});
    return table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n';
}

int runPurge(const CommandLine& line)
{
    const auto server = serverToActOn(line, u"purge stale entries"_s);
    const auto connection = server ? server->connect(db::Purpose::Admin) : Failure(server.error());
    if (!connection)
        return fail(connection.error());
    admin::ServerAdmin admin(**connection, server->profile);
    admin.recordLocally(localAuditFrom(line));
    auto stale = admin.previewPurge();
    if (!stale)
        return fail(stale.error());
    const auto snapshot = snapshotNow(*server);
    if (!snapshot)
        return fail(snapshot.error());
    for (LockTableEntry& entry : *stale)
        entry.holderLife = lifeIn(**snapshot, entry);
    const auto fired = admin.codeFiredBy(*stale);
    if (!fired)
        return fail(fired.error());
    if (!line.json()) {
        print(stale->isEmpty() ? u"No entry is stale.\n"_s : entriesText(*stale));
        if (!stale->isEmpty())
            sayLine(u"That a lease has expired does not prove that its holder has ended."_s);
        for (const QString& text : firedText(*fired))
            sayLine(text);
    }
    QJsonObject json{
        {u"dry_run"_s, line.has(u"dry-run"_s)}, {u"entries"_s, entriesJson(*stale)}, {u"purged"_s, 0}};
    addFired(json, *fired);
    const auto end = [&](int code) {
        if (line.json())
            printJson(json);
        return code;
    };
    if (stale->isEmpty())
        return end(exitOk);
    const QString question = stale->size() == 1 ? u"Delete it?"_s : u"Delete these %1?"_s.arg(stale->size());
    if (const auto code = codeAgainstActing(line, question))
        return end(*code);
    const auto done = admin.purgeStale(*stale, line.value(u"reason"_s));
    if (!done)
        return fail(done.error());
    json[u"purged"_s] = done->count;
    json[u"audit_id"_s] = done->auditId;
    json[u"message"_s] = done->message;
    if (!line.json())
        sayLine(done->message);
    return end(exitOk);
}

} // namespace

Command purgeCommand()
{
    Command command(u"purge"_s, u"delete the stale entries of the lock table"_s, runPurge,
        u"Deletes the stale entries of the lock table: those whose lease has expired, or that are older than the stale age of an attached table. Lists them first; asks at the terminal, and needs --yes without one. Of the listed ones those are deleted that are still stale then, by the server."_s);
    command.examples = {u"lockctl purge --dry-run"_s};
    addActOptions(command, u"purged with lockctl"_s);
    return command;
}

} // namespace lockscope::ctl
