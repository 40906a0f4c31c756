// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Acts.h"

#include "app/lockctl/CommandLine.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "core/admin/ByHand.h"
#include "core/admin/ServerAdmin.h"
#include "core/base/Sentences.h"
#include "core/domain/DangerText.h"
#include "core/domain/Engine.h"
#include "core/domain/HolderLife.h"
#include "core/domain/SnapshotJson.h"
#include "core/locks/LockBackend.h"
#include "core/report/Report.h"

#include <QUuid>

#include <algorithm>
#include <climits>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

void addActOptions(Command& command, const QString& reasonByDefault)
{
    command.addValue(u"reason"_s, u"TEXT"_s, u"Why, for the audit."_s, reasonByDefault);
    command.addFlag(u"dry-run"_s, u"Only show what would be done."_s);
    command.addFlag(u"yes"_s, u"Don't ask. Without a terminal nothing is done without it."_s);
    addLocalAudit(command);
}

void addLocalAudit(Command& command)
{
    command.addFlag(u"local-audit"_s,
        u"If the database has no audit table, record it in a file on this computer; else it is refused."_s);
}

std::optional<ExitStatus> codeAgainstActing(
    const CommandLine& line, const QString& question, const QJsonObject& json)
{
    const bool isDryRun = line.has(u"dry-run"_s);
    if (line.has(u"yes"_s) && !isDryRun)
        return std::nullopt;
    if (line.json())
        printJson(json);
    if (isDryRun)
        return exitOk;
    if (line.json() || !isTerminal(Stream::In)) {
        return fail({.kind = ErrorKind::BadInput,
            .what = u"Nothing was done: nobody can be asked \"%1\""_s.arg(question),
            .hint = u"Add --yes if it is to be done."_s});
    }
    if (agreed(printable(question) + u" [y/N] "_s))
        return std::nullopt;
    print(u"Nothing was done.\n"_s);
    return exitRefused;
}

QStringList dangerLines(const DangerText& text, int columns, bool colours)
{
    constexpr int indent = 14;
    constexpr qsizetype maxLines = 3; // of a statement of any length
    const int space = columns > 0 ? std::max(1, columns - indent) : 0;
    // In one line: a part of a name at the margin would look like a line of ours.
    const QString title = printable(text.title);
    QStringList lines{toned(columns > 0 ? fitted(title, columns) : title, TextTone::Bold, colours)};
    const auto add = [&](const QString& name, const QString& value, TextTone tone, qsizetype most) {
        QStringList parts = wrapped(printable(value).simplified(), space);
        if (parts.size() > most) {
            parts.resize(most);
            parts.last() = fitted(parts.last() + u" …"_s, space);
        }
        for (qsizetype i = 0; i < parts.size(); ++i) {
            const QString margin = i > 0 ? QString() : u"  "_s + fitted(printable(name), indent - 3);
            lines << toned(margin.leftJustified(indent) + parts[i], tone, colours);
        }
    };
    for (const DangerText::Fact& fact : text.facts)
        add(fact.name, fact.value, TextTone::Plain, maxLines);
    add(u"Then"_s, text.consequences.join(u' '), TextTone::Plain, INT_MAX);
    for (const QString& warning : text.warning.split(u'\n', Qt::SkipEmptyParts))
        add(u"Warning"_s, warning, TextTone::Warning, INT_MAX);
    if (!text.vendorCommand.isEmpty())
        add(u"Their way"_s, sentences({text.vendorCommand, text.vendorNote}), TextTone::Plain, INT_MAX);
    return lines;
}

void printDanger(const DangerText& text)
{
    print(dangerLines(text, screenSize().columns, useColours()).join(u'\n') + u'\n');
}

void addDanger(QJsonObject& json, const DangerText& text)
{
    json[u"facts"_s] = jsonOfEach(text.facts, [](const DangerText::Fact& fact) {
        return QJsonObject{{u"name"_s, fact.name}, {u"value"_s, fact.value}};
    });
    json[u"consequences"_s] = QJsonArray::fromStringList(text.consequences);
    json[u"warning"_s] = text.warning;
    json[u"statement"_s] = text.statement;
}

std::optional<admin::LocalAudit> localAuditFrom(const CommandLine& line)
{
    return line.has(u"local-audit"_s) ? std::optional(admin::LocalAudit()) : std::nullopt;
}

QStringList firedText(const admin::FiredCode& fired)
{
    QStringList lines;
    if (!fired.runs.isEmpty())
        lines << u"This also runs code of the database: "_s + printable(fired.runs.join(u", "_s));
    if (fired.isLeftAlone)
        lines << u"Left alone, since others' code could run with your rights: "_s
                + printable(fired.strangers.join(u"; "_s));
    return lines;
}

void addFired(QJsonObject& json, const admin::FiredCode& fired)
{
    json[u"runs"_s] = QJsonArray::fromStringList(fired.runs);
    json[u"strangers"_s] = QJsonArray::fromStringList(fired.strangers);
}

namespace {

/// SQL Server's id of every blocker that is a distributed transaction without a session.
constexpr PerEngine<QStringView> anyOrphan{.postgres = {}, .sqlServer = u"-2", .sqlite = {}};

/// The number in our lists, or the unit of work.
bool isCalled(const Session& session, const QString& name)
{
    return QString::number(session.id.value) == name
        || (!session.unitOfWork.isEmpty() && session.unitOfWork.compare(name, Qt::CaseInsensitive) == 0);
}

/// The only session-less transaction there is.
Result<Session> onlyOrphan(const std::vector<Session>& sessions)
{
    std::vector<Session> orphans;
    QStringList unitsOfWork;
    for (const Session& each : sessions) {
        if (each.unitOfWork.isEmpty())
            continue;
        orphans.push_back(each);
        unitsOfWork << each.unitOfWork;
    }
    if (orphans.size() == 1)
        return orphans.front();
    if (orphans.empty())
        return failure(ErrorKind::Changed, u"No distributed transaction without a session holds locks."_s,
            u"`lockctl list` shows what holds or waits for a lock."_s);
    return failure(ErrorKind::BadInput, u"%1 distributed transactions have no session."_s.arg(orphans.size()),
        u"Name the unit of work: %1."_s.arg(unitsOfWork.join(u", ")));
}

/// The session or transaction to end, as the snapshot shows it.
struct FoundSession {
    SnapshotPtr snapshot;
    Session session;
};

/// `name`: a session's number, or the unit of work of a distributed transaction that has no session.
Result<FoundSession> sessionToEnd(const db::Server& server, const QString& name, const QString& started)
{
    LOCKSCOPE_TRY_GET(const auto snapshot, snapshotNow(server));
    const auto& sessions = snapshot->sessions;
    if (name == anyOrphan[server.engine()])
        return onlyOrphan(sessions).map([&snapshot](const Session& orphan) {
            return FoundSession{snapshot, orphan};
        });
    const auto session =
        std::ranges::find_if(sessions, [&name](const Session& each) { return isCalled(each, name); });
    if (session == sessions.end())
        return failure(ErrorKind::Changed, u"There is no session %1."_s.arg(name),
            u"`lockctl list` shows those that hold or wait for a lock."_s);
    if (!started.isEmpty() && session->loggedIn().toIsoString() != started)
        return failure(ErrorKind::Changed,
            u"Session %1 is another one by now: it began at %2."_s.arg(name).arg(
                session->loggedIn().toIsoString()),
            u"Nothing was done. `lockctl list --json` shows when the present ones began."_s);
    return FoundSession{snapshot, *session};
}

DangerText textOf(const FoundSession& found, Engine engine, bool isCancelled)
{
    const auto describe = isCancelled ? describeCancel : describeEnd;
    DangerText text = describe(found.session, found.snapshot.get(), found.snapshot->takenAt);
    text.statement =
        isCancelled ? admin::cancelByHand(engine, found.session) : admin::endByHand(engine, found.session);
    return text;
}

Result<ExitStatus> actOn(const db::Server& server, const FoundSession& found, const CommandLine& line)
{
    const bool isCancelled = line.has(u"cancel"_s);
    const Session& session = found.session;
    if (const QString refusal = reasonAgainstEnding(server.engine(), session); !refusal.isEmpty())
        return failure(ErrorKind::Unsupported, refusal, u"Nothing was done."_s);
    const DangerText text = textOf(found, server.engine(), isCancelled);
    QJsonObject json{{u"session"_s, session.id.value}, {u"started"_s, session.loggedIn().toIsoString()},
        {u"act"_s, admin::actName(isCancelled ? admin::Act::CancelSession : admin::Act::EndSession)},
        {u"dry_run"_s, line.has(u"dry-run"_s)}};
    addDanger(json, text);
    if (!line.json())
        printDanger(text);
    if (const auto code = codeAgainstActing(line, text.title + u'?', json)) {
        if (!line.json() && line.has(u"dry-run"_s) && !text.statement.isEmpty())
            say(u"  by hand:\n"_s + text.statement + u'\n');
        return *code;
    }
    LOCKSCOPE_TRY_GET(const auto connection, server.connect(db::Purpose::Admin));
    admin::ServerAdmin admin(*connection, server.profile);
    admin.recordLocally(localAuditFrom(line));
    const QString reason = line.value(u"reason"_s).trimmed();
    LOCKSCOPE_TRY_GET(const auto done,
        isCancelled ? admin.cancelSession(session, reason) : admin.endSession(session, reason));
    json[u"audit_id"_s] = done.auditId;
    json[u"rolling_back"_s] = done.rollingBack;
    json[u"still_there"_s] = done.lingers;
    json[u"message"_s] = done.message;
    return answer(line, done.toString(text.afterwards), json);
}

Result<ExitStatus> runEndSession(const CommandLine& line)
{
    bool isNumber = false;
    const QString name = line.positional(0);
    const qint64 number = name.toLongLong(&isNumber);
    if (isNumber ? number == 0 : QUuid::fromString(name).isNull())
        return failure(ErrorKind::BadInput, u"\"%1\" is not a session's number."_s.arg(name));
    if (line.value(u"reason"_s).trimmed().isEmpty() && !line.has(u"dry-run"_s))
        return failure(ErrorKind::BadInput, u"end-session needs a --reason; it is recorded in the audit."_s);
    LOCKSCOPE_TRY_GET(const auto server, serverToActOn(line, u"end a session or its statement"_s));
    LOCKSCOPE_TRY_GET(const auto found,
        sessionToEnd(server, isNumber ? QString::number(number) : name, line.value(u"started"_s)));
    return actOn(server, found, line);
}

Result<ExitStatus> releaseOwn(const db::Server& server, const QString& token, const CommandLine& line)
{
    const QString name = line.positional(0);
    LOCKSCOPE_TRY_GET(const auto connection, server.connect(db::Purpose::Lock));
    const auto released = locks::LockBackend::create(*connection)->release(name, token, {});
    if (!released) {
        Error error = released.error();
        if (error.kind == ErrorKind::Changed)
            error.hint.prepend(
                u"Compare the token with the one that `lockctl acquire` printed: is it right? "_s);
        if (error.kind == ErrorKind::Connection)
            error.hint =
                u"If the server did not get to it, the entry stays until its lease ends: try again."_s;
        return Failure(error);
    }
    return answer(line, u"Lock '%1' released."_s.arg(name), {{u"name"_s, name}, {u"released"_s, true}});
}

Result<LockTableEntry> entryCalled(const QString& name, const Snapshot& snapshot)
{
    const auto& entries = snapshot.entries;
    const auto named = [&name](const LockTableEntry& entry) { return entry.name == name; };
    const auto shown = std::ranges::find_if(entries, named);
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
Result<ExitStatus> releaseByForce(const db::Server& server, const QString& reason, const CommandLine& line)
{
    const QString name = line.positional(0);
    LOCKSCOPE_TRY_GET(const auto snapshot, snapshotNow(server));
    LOCKSCOPE_TRY_GET(const auto shown, entryCalled(name, *snapshot));
    LOCKSCOPE_TRY_GET(const auto connection, server.connect(db::Purpose::Admin));
    admin::ServerAdmin admin(*connection, server.profile);
    admin.recordLocally(localAuditFrom(line));
    LOCKSCOPE_TRY_GET(const auto fired, admin.codeFiredBy({shown}));
    DangerText text = describeRelease(shown, snapshot.get(), snapshot->takenAt);
    if (fired.strangers.isEmpty())
        text.statement = admin::releaseByHand(server.profile, shown);
    QJsonObject json{{u"name"_s, name}, {u"released"_s, false}, {u"held_by"_s, describe(shown.party)},
        {u"dry_run"_s, line.has(u"dry-run"_s)}};
    addFired(json, fired);
    addDanger(json, text);
    if (!line.json()) {
        printDanger(text);
        for (const QString& fires : firedText(fired))
            sayLine(fires);
    }
    if (const auto code = codeAgainstActing(line, text.title + u'?', json))
        return *code;
    LOCKSCOPE_TRY_GET(const auto done, admin.releaseEntry(shown, reason));
    json[u"released"_s] = true;
    json[u"audit_id"_s] = done.auditId;
    json[u"message"_s] = done.message;
    return answer(line, done.message, json);
}

Result<ExitStatus> runRelease(const CommandLine& line)
{
    const QString token = line.value(u"token"_s);
    const QString reason = line.value(u"reason"_s).trimmed();
    if (line.has(u"force"_s) == !token.isEmpty())
        return failure(ErrorKind::BadInput,
            u"Either --token TOKEN, to release your own lock, or --force --reason TEXT."_s);
    if (line.has(u"force"_s) && reason.isEmpty() && !line.has(u"dry-run"_s))
        return failure(ErrorKind::BadInput, u"--force needs a --reason; it is recorded in the audit."_s);
    LOCKSCOPE_TRY_GET(const auto server, serverToActOn(line, u"release a lock"_s));
    return token.isEmpty() ? releaseByForce(server, reason, line) : releaseOwn(server, token, line);
}

// All of them are stale by the server's own violations: there is no later time to compare with.
QJsonArray entriesJson(const QList<LockTableEntry>& entries)
{
    return jsonOfEach(entries,
        [](const LockTableEntry& entry) { return toJson(entry, entry.expiresAt.value_or(ServerTime())); });
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

Result<ExitStatus> runPurge(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto server, serverToActOn(line, u"purge stale entries"_s));
    LOCKSCOPE_TRY_GET(const auto connection, server.connect(db::Purpose::Admin));
    admin::ServerAdmin admin(*connection, server.profile);
    admin.recordLocally(localAuditFrom(line));
    LOCKSCOPE_TRY_GET(auto stale, admin.previewPurge());
    LOCKSCOPE_TRY_GET(const auto snapshot, snapshotNow(server));
    for (LockTableEntry& entry : stale)
        entry.holderLife = lifeIn(*snapshot, entry);
    LOCKSCOPE_TRY_GET(const auto fired, admin.codeFiredBy(stale));
    QJsonObject json{
        {u"dry_run"_s, line.has(u"dry-run"_s)}, {u"entries"_s, entriesJson(stale)}, {u"purged"_s, 0}};
    addFired(json, fired);
    if (stale.isEmpty())
        return answer(line, u"No entry is stale."_s, json);
    if (!line.json()) {
        print(entriesText(stale));
        sayLine(u"That a lease has expired does not prove that its holder has ended."_s);
        for (const QString& text : firedText(fired))
            sayLine(text);
    }
    const QString question = stale.size() == 1 ? u"Delete it?"_s : u"Delete these %1?"_s.arg(stale.size());
    if (const auto code = codeAgainstActing(line, question, json))
        return *code;
    LOCKSCOPE_TRY_GET(const auto done, admin.purgeStale(stale, line.value(u"reason"_s)));
    json[u"purged"_s] = done.count;
    json[u"audit_id"_s] = done.auditId;
    json[u"message"_s] = done.message;
    return answer(line, done.message, json);
}

} // namespace

Command endSessionCommand()
{
    Command command(u"end-session"_s, u"end a session, or cancel what it runs"_s, runEndSession,
        u"Ends a session of the server, with all its locks, or only cancels what it is running. Refused for the server's own sessions. A distributed transaction that has lost its session (SQL Server) is named by its unit of work, by the negative number that `list` shows, or, if there is one only, by "
        "-2. First shows what it is, who goes on and who stays blocked, and warns if the session is itself blocked; asks at the terminal, and needs --yes without one. Done only if the session is still the one that was shown, cancelled only if its statement is. Recorded in the audit."_s);
    command.arguments = u"ID (--reason TEXT | --dry-run)"_s;
    command.examples = {u"lockctl end-session 4711 --reason \"idle in transaction since noon\""_s,
        u"lockctl end-session 4711 --cancel --reason \"it blocks the backup\""_s,
        u"lockctl end-session 4711 --dry-run"_s};
    addActOptions(command);
    command.addFlag(u"cancel"_s, u"Only cancel the running statement."_s);
    command.addValue(u"started"_s, u"TIME"_s,
        u"Only if the session began then (\"started\" of `list --json`): ids are used again."_s);
    return command;
}

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

Command purgeCommand()
{
    Command command(u"purge"_s, u"delete the stale entries of the lock table"_s, runPurge,
        u"Deletes the stale entries of the lock table: those whose lease has expired, or that are older than the stale age of an attached table. Lists them first; asks at the terminal, and needs --yes without one. Of the listed ones those are deleted that are still stale then, by the server."_s);
    command.examples = {u"lockctl purge --dry-run"_s};
    addActOptions(command, u"purged with lockctl"_s);
    return command;
}

} // namespace lockscope::ctl
