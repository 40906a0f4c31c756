// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ActOptions.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/Locking.h"
#include "app/lockctl/NamedSnapshot.h"
#include "core/admin/ByHand.h"
#include "core/admin/ServerAdmin.h"
#include "core/domain/DangerText.h"
#include "core/locks/LockBackend.h"

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

int releaseOwn(const db::Server& server, const QString& token, const CommandLine& line)
{
    const QString name = line.positional(0);
    const auto connection = server.connect(db::Purpose::Lock);
    if (!connection)
        return fail(connection.error());
    const auto released = locks::LockBackend::create(**connection)->release(name, token, {});
    if (!released) {
        Error error = released.error();
        if (error.kind == ErrorKind::Changed)
            error.hint.prepend(
                u"Compare the token with the one that `lockctl acquire` printed: is it right? "_s);
        if (error.kind == ErrorKind::Connection)
            error.hint =
                u"If the server did not get to it, the entry stays until its lease ends: try again."_s;
        return fail(error);
    }
    answer(line, u"Lock '%1' released."_s.arg(name), {{u"name"_s, name}, {u"released"_s, true}});
    return exitOk;
}

Result<LockTableEntry> entryCalled(const QString& name, const Snapshot& snapshot)
{
    const auto& entries = snapshot.entries;
    const auto named = [&name](const LockTableEntry& entry) { return entry.name == name; };
    const auto shown = std::find_if(entries.begin(), entries.end(), named);
    if (shown == entries.end() && snapshot.isIncomplete())
        return failure(ErrorKind::Permission,
            u"It is not known whether somebody holds the lock '%1': not everything could be read."_s.arg(
                name),
            u"Nothing was released. `lockctl list` says what could not be read, and why."_s);
    if (shown == entries.end())
        return failure(ErrorKind::Changed, u"Nobody holds the lock '%1'."_s.arg(name),
            u"There is nothing to release. `lockctl list` shows the entries of the lock table; locks of other kinds go with their session (`lockctl end-session`)."_s);
    QStringList tables;
    for (const LockTableEntry& entry : entries)
        if (named(entry))
            tables << entry.table;
    if (tables.size() > 1)
        return failure(ErrorKind::BadInput,
            u"Several locks are called '%1': in %2."_s.arg(name, tables.join(u", ")),
            u"Nothing was released. Release the right one in the window, where they can be told apart."_s);
    return *shown;
}

// Exactly what is there now is released: if it changes hands meanwhile, the server refuses.
int releaseByForce(const db::Server& server, const QString& reason, const CommandLine& line)
{
    const QString name = line.positional(0);
    const auto snapshot = snapshotNow(server);
    const auto shown = snapshot ? entryCalled(name, **snapshot) : Failure(snapshot.error());
    if (!shown)
        return fail(shown.error());
    const auto connection = server.connect(db::Purpose::Admin);
    if (!connection)
        return fail(connection.error());
    admin::ServerAdmin admin(**connection, server.profile);
    admin.recordLocally(localAuditFrom(line));
    const auto fired = admin.codeFiredBy({*shown});
    if (!fired)
        return fail(fired.error());
    DangerText text = describeRelease(*shown, snapshot->get(), (*snapshot)->takenAt);
    if (fired->strangers.isEmpty())
        text.statement = admin::releaseByHand(server.profile, *shown);
    QJsonObject json{{u"name"_s, name}, {u"released"_s, false}, {u"held_by"_s, describe(shown->party)},
        {u"dry_run"_s, line.has(u"dry-run"_s)}};
    addFired(json, *fired);
    addDanger(json, text);
    if (!line.json()) {
        printDanger(text);
        for (const QString& fires : firedText(*fired))
            sayLine(fires);
    }
    if (const auto code = codeAgainstActing(line, text.title + u'?')) {
        if (line.json())
            printJson(json);
        return *code;
    }
    const auto done = admin.releaseEntry(*shown, reason);
    if (!done)
        return fail(done.error());
    json[u"released"_s] = true;
    json[u"audit_id"_s] = done->auditId;
    json[u"message"_s] = done->message;
    answer(line, done->message, json);
    return exitOk;
}

int runRelease(const CommandLine& line)
{
    const QString token = line.value(u"token"_s);
    const QString reason = line.value(u"reason"_s).trimmed();
    if (line.has(u"force"_s) == !token.isEmpty())
        return fail(ErrorKind::BadInput,
            u"Either --token TOKEN, to release your own lock, or --force --reason TEXT."_s);
    if (line.has(u"force"_s) && reason.isEmpty() && !line.has(u"dry-run"_s))
        return fail(ErrorKind::BadInput, u"--force needs a --reason; it is recorded in the audit."_s);
    const auto server = serverToActOn(line, u"release a lock"_s);
    if (!server)
        return fail(server.error());
    return token.isEmpty() ? releaseByForce(*server, reason, line) : releaseOwn(*server, token, line);
}

} // namespace

Command releaseCommand()
{
    Command command(u"release"_s, u"give a lock-table entry back"_s, runRelease,
        u"Gives a lock-table entry back: your own with the token that `lockctl acquire` printed, anybody's with --force and a reason, which is recorded in the audit. With --force first shows who holds it and what follows; asks at the terminal, and needs --yes without one. Released only if the entry is "
        "still the one that was shown."_s);
    command.arguments = u"NAME (--token TOKEN | --force --reason TEXT)"_s;
    command.examples = {u"lockctl release nightly --token 5f0c9f6e"_s,
        u"lockctl release nightly --force --reason \"its machine is gone\""_s};
    command.addValue(u"token"_s, u"TOKEN"_s, u"The owner's token."_s);
    command.addFlag(u"force"_s, u"Release it, also if somebody else holds it."_s);
    addActOptions(command);
    command.apart = {{{u"token"_s}, {u"force"_s, u"dry-run"_s}}};
    return command;
}

} // namespace lockscope::ctl
