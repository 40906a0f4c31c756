// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Acts.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/FrameworkLocks.h"
#include "app/lockctl/ServerOption.h"
#include "core/admin/ByHand.h"
#include "core/admin/ServerAdmin.h"
#include "core/base/Sentences.h"
#include "core/domain/Aftermath.h"
#include "core/domain/FrameworkText.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SnapshotJson.h"
#include "core/report/Writer.h"

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// The locks that `line` asks to free: "liquibase", "ShedLock:nightly".
struct RequestedLocks {
    QString framework;
    QString name; ///< null: whichever there is

    static RequestedLocks from(const QString& text)
    {
        const qsizetype colon = text.indexOf(u':');
        return colon < 0 ? RequestedLocks{text, {}}
                         : RequestedLocks{text.left(colon), u""_s + text.mid(colon + 1)};
    }
};

ExitStatus failAs(const Error& error)
{
    using enum ErrorKind;
    const auto refusals = {Permission, ReadOnly, MissingObject, BadInput, Unsupported};
    (void)fail(error);
    return error.kind == Changed                       ? exitChanged
        : std::ranges::count(refusals, error.kind) > 0 ? exitRefused
                                                       : exitFailed;
}

/// All that is said before the lock is freed, and what would free it.
struct Preview {
    const Snapshot& snapshot;
    const FrameworkLockSeen& lock;
    const Session* session = nullptr; ///< the owner of the lock; null: a row, or a session that can't be seen
    HolderLife life{}; ///< whether its holder works
    WhatHappens effects{};
    QStringList follows{}; ///< the consequences for others
    admin::FiredCode fired{}; ///< code of the database that runs then
    QString statement{}; ///< by hand; empty: there is none, or it could run others' code
    QString refusal{}; ///< why it can't be freed from here; empty: it can

    Preview(const Snapshot& from, const FrameworkLockSeen& of, const db::ServerProfile& profile,
        admin::FiredCode code);
    QString toString() const;
    QJsonObject toJson() const;
};

Preview::Preview(const Snapshot& from, const FrameworkLockSeen& of, const db::ServerProfile& profile,
    admin::FiredCode code)
    : snapshot(from)
    , lock(of)
    , life(lifeOf(from, of))
    , effects(of.entry ? whatHappens(*of.entry, from.takenAt) : whatHappens(*of.match))
    , fired(std::move(code))
{
    if (lock.entry) {
        if (fired.strangers.isEmpty())
            statement = admin::releaseByHand(profile, *lock.entry);
        refusal = reasonAgainstFreeing(*lock.entry);
        return;
    }
    const SessionId id = snapshot.leaderOf(lock.request->session);
    session = snapshot.session(id);
    if (session)
        statement = admin::endByHand(snapshot.engine, *session);
    else
        refusal = u"Its session can't be seen, and only with it the lock ends."_s;
    follows << u"It is freed by ending its session, whose transaction is rolled back."_s
            << otherLocksInWords(snapshot, id, lock.request->resource) << aftermathInWords(snapshot, id);
}

QString Preview::toString() const
{
    // Names are others': none makes a line that looks like one of ours.
    QStringList lines{printable(frameworkLockTitle(*lock.match))};
    const auto add = [&lines](const QString& name, const QString& text) {
        if (!text.isEmpty())
            lines << u"  %1%2"_s.arg((name + u':').leftJustified(13), printable(text));
    };
    if (lock.entry && lock.entry->name != lock.match->name)
        add(u"name"_s, lock.entry->name);
    add(u"where"_s, placeOf(snapshot, lock));
    add(u"holder"_s, holderOf(snapshot, lock));
    add(u"verdict"_s, verdictText(life));
    add(u"known by"_s, lock.match->evidence);
    if (!lock.match->certain)
        add(u"uncertain"_s, u"it may be another program's"_s);
    add(u"purpose"_s, effects.purpose);
    add(u"ends"_s, effects.ends);
    add(u"now"_s, effects.now.join(u' '));
    add(u"risk"_s, riskOfFreeing(life));
    add(u"follows"_s, follows.join(u' '));
    add(u"runs"_s, fired.runs.join(u", "_s));
    add(fired.isLeftAlone ? u"left alone"_s : u"no statement"_s, fired.strangers.join(u"; "_s));
    add(u"danger"_s, effects.danger);
    add(u"their way"_s,
        effects.vendorCommand.isEmpty() ? QString() : sentences({effects.vendorCommand, effects.vendorNote}));
    if (!statement.isEmpty())
        lines << u"  by hand:"_s << statement;
    return lines.join(u'\n') + u'\n';
}

QJsonObject Preview::toJson() const
{
    QJsonObject json = frameworkLocksJson(snapshot, {lock});
    const bool isRow = lock.entry != nullptr;
    const QJsonValue what = json[isRow ? u"entries"_s : u"locks"_s].toArray().first();
    QJsonArray others;
    if (session)
        for (const LockRequest* other : otherLocks(snapshot, session->id, lock.request->resource))
            others.append(QJsonObject{
                {u"mode"_s, other->mode.name()}, {u"resource"_s, snapshot.resourceOf(*other).name}});
    QJsonObject all{{u"framework"_s, what[u"framework"]}, {u"lock"_s, frameworkLockTitle(*lock.match)},
        {u"name"_s, lock.name()}, {isRow ? u"entry"_s : u"held"_s, what}, {u"other_locks"_s, others},
        {u"purpose"_s, effects.purpose}, {u"ends"_s, effects.ends}, {u"now"_s, effects.now.join(u' ')},
        {u"verdict"_s, verdictName(life.verdict)}, {u"evidence"_s, QJsonArray::fromStringList(life.evidence)},
        {u"overturned_by"_s, life.overturnedBy}, {u"risk"_s, riskOfFreeing(life)},
        {u"follows"_s, follows.join(u' ')}, {u"danger"_s, effects.danger},
        {u"vendor_command"_s, effects.vendorCommand}, {u"vendor_note"_s, effects.vendorNote},
        {u"statement"_s, statement}};
    addFired(all, fired);
    return all;
}

int printNone(const Snapshot& snapshot, const RequestedLocks& requested)
{
    if (!isFramework(snapshot, requested.framework)) {
        complain(u"No framework is called \"%1\". `lockctl frameworks` lists those that are known."_s.arg(
            requested.framework));
        return exitUsage;
    }
    const QString what = requested.name.isNull()
        ? u"No lock of %1 is held"_s.arg(requested.framework)
        : u"No lock of %1 that is called '%2' is held"_s.arg(requested.framework, requested.name);
    if (const QStringList unread = unreadTables(snapshot, requested.framework); !unread.isEmpty()) {
        for (const QString& table : unread)
            complain(table);
        return exitRefused;
    }
    if (snapshot.isIncomplete()) {
        complain(what
            + u", as far as can be seen: not everything could be read. `lockctl list` shows what is missing."_s);
        return exitFailed;
    }
    complain(what + u". `lockctl list --framework` shows those that are."_s);
    return exitNothingFound;
}

int printSeveral(const Snapshot& snapshot, const RequestedLocks& requested,
    const std::vector<FrameworkLockSeen>& locks, bool json)
{
    if (json)
        printJson(frameworkLocksJson(snapshot, locks));
    else
        print(rendered({.sections = {frameworkLocksSection(snapshot, locks)}}, report::Form::Text,
            {.width = screenSize().columns, .colours = useColours()}));
    const bool areAlike = std::ranges::all_of(
        locks, [&locks](const FrameworkLockSeen& each) { return each.name() == locks.front().name(); });
    const bool areRows =
        std::ranges::all_of(locks, [](const FrameworkLockSeen& each) { return each.entry != nullptr; });
    complain(u"%1 locks of %2 are held; nothing was done. %3"_s.arg(QString::number(locks.size()),
        requested.framework,
        !areAlike ? u"Say which: `lockctl free %1:NAME`."_s.arg(requested.framework)
            : areRows
            ? u"They have one name: free the right one in the window."_s
            : u"They have one name: free the right one in the window, or by its session (`lockctl end-session`)."_s));
    return exitAmbiguous;
}

Result<admin::FiredCode> whatFires(const db::Server& server, const FrameworkLockSeen& lock)
{
    if (!lock.entry)
        return admin::FiredCode();
    LOCKSCOPE_TRY_GET(const auto connection, server.connect(db::Purpose::Monitor));
    return admin::ServerAdmin(*connection, server.profile).codeFiredBy({*lock.entry});
}

Result<admin::Done> act(const db::Server& server, const Preview& preview, const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto connection, server.connect(db::Purpose::Admin));
    admin::ServerAdmin admin(*connection, server.profile);
    admin.recordLocally(localAuditFrom(line));
    const QString reason = line.value(u"reason"_s).trimmed();
    return preview.session ? admin.endSession(*preview.session, reason)
                           : admin.releaseEntry(*preview.lock.entry, reason);
}

int free(const db::Server& server, const Preview& preview, const CommandLine& line)
{
    QJsonObject json = preview.toJson();
    json[u"dry_run"] = line.has(u"dry-run"_s);
    json[u"freed"] = false;
    if (!line.json())
        say(preview.toString());
    if (!preview.refusal.isEmpty()) {
        if (line.json())
            printJson(json);
        complain(sentences({u"It is not freed from here"_s, preview.refusal}));
        return exitRefused;
    }
    if (const auto code = codeAgainstActing(line, u"Free it?"_s, json))
        return *code;
    const auto done = act(server, preview, line);
    if (!done) {
        json[u"message"] = errorText(done.error());
        if (line.json())
            printJson(json);
        return failAs(done.error());
    }
    json[u"freed"] = !done->lingers;
    json[u"audit_id"] = done->auditId;
    json[u"message"] = done->message;
    return answer(line, done->message, json);
}

Result<ExitStatus> runFree(const CommandLine& line)
{
    const RequestedLocks requested = RequestedLocks::from(line.positional(0));
    const bool isDryRun = line.has(u"dry-run"_s);
    if (requested.framework.isEmpty())
        return failure(
            ErrorKind::BadInput, u"Of which framework? `lockctl frameworks` lists those that are known."_s);
    if (!isDryRun && line.value(u"reason"_s).trimmed().isEmpty())
        return failure(ErrorKind::BadInput, u"free needs a --reason; it is recorded in the audit."_s);
    auto server = serverToActOn(line, u"free a lock"_s);
    if (!server)
        return server.error().kind == ErrorKind::ReadOnly ? failAs(server.error()) : fail(server.error());
    LOCKSCOPE_TRY(approveTables(*server, line));
    LOCKSCOPE_TRY_GET(const auto taken, snapshotNow(*server));
    const Snapshot& snapshot = *taken;
    auto locks = frameworkLocks(snapshot, requested.framework, requested.name);
    std::erase_if(locks, [](const FrameworkLockSeen& lock) { return lock.isWaiting(); });
    if (locks.empty())
        return printNone(snapshot, requested);
    if (locks.size() > 1)
        return printSeveral(snapshot, requested, locks, line.json());
    LOCKSCOPE_TRY_GET(const auto fired, whatFires(*server, locks.front()));
    return free(*server, Preview(snapshot, locks.front(), server->profile, fired), line);
}

} // namespace

Command freeCommand()
{
    Command command(u"free"_s, u"free a lock that a framework left behind"_s, runFree,
        u"Frees exactly one lock of a framework (Liquibase, ShedLock, Flyway …), named by the framework and, if it holds several, by the lock's name as `list --framework` shows it. First says what the lock is for, whether its holder works and how that is known, what can go wrong and what the framework's own "
        "command is; asks at the terminal, and needs --yes without one. A row is freed only if it is still exactly as it was read; a lock of a session by ending exactly that session. Recorded in the audit. Exit status: 0 freed, 1 failed, 2 wrong usage or --yes is missing, 4 no such "
        "lock is held, 5 several are, 6 it changed meanwhile, 7 refused."_s);
    command.arguments = u"FRAMEWORK[:NAME] (--reason TEXT | --dry-run)"_s;
    command.examples = {u"lockctl free liquibase --dry-run"_s,
        u"lockctl free liquibase --reason \"OPS-17 its pod is gone\""_s,
        u"lockctl free shedlock:nightly --yes --reason \"OPS-18\""_s};
    addApproval(command);
    addActOptions(command);
    return command;
}

} // namespace lockscope::ctl
