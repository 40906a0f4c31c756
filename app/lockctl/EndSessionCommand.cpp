// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ActOptions.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/NamedSnapshot.h"
#include "core/admin/ByHand.h"
#include "core/admin/ServerAdmin.h"
#include "core/domain/DangerText.h"
#include "core/domain/Engine.h"

#include <QUuid>

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

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
    const auto snapshot = snapshotNow(server);
    if (!snapshot)
        return Failure(snapshot.error());
    const auto& sessions = (*snapshot)->sessions;
    if (name == anyOrphan[server.engine()])
        return onlyOrphan(sessions).map([&snapshot](const Session& orphan) {
            return FoundSession{*snapshot, orphan};
        });
    const auto session = std::find_if(
        sessions.begin(), sessions.end(), [&name](const Session& each) { return isCalled(each, name); });
    if (session == sessions.end())
        return failure(ErrorKind::Changed, u"There is no session %1."_s.arg(name),
            u"`lockctl list` shows those that hold or wait for a lock."_s);
    if (!started.isEmpty() && session->loggedIn().toIsoString() != started)
        return failure(ErrorKind::Changed,
            u"Session %1 is another one by now: it began at %2."_s.arg(name).arg(
                session->loggedIn().toIsoString()),
            u"Nothing was done. `lockctl list --json` shows when the present ones began."_s);
    return FoundSession{*snapshot, *session};
}

DangerText textOf(const FoundSession& found, Engine engine, bool isCancelled)
{
    const auto describe = isCancelled ? describeCancel : describeEnd;
    DangerText text = describe(found.session, found.snapshot.get(), found.snapshot->takenAt);
    text.statement =
        isCancelled ? admin::cancelByHand(engine, found.session) : admin::endByHand(engine, found.session);
    return text;
}

int actOn(const db::Server& server, const FoundSession& found, const CommandLine& line)
{
    const bool isCancelled = line.has(u"cancel"_s);
    const Session& session = found.session;
    if (const QString refusal = reasonAgainstEnding(server.engine(), session); !refusal.isEmpty())
        return fail(ErrorKind::Unsupported, refusal, u"Nothing was done."_s);
    const DangerText text = textOf(found, server.engine(), isCancelled);
    QJsonObject json{{u"session"_s, session.id.value}, {u"started"_s, session.loggedIn().toIsoString()},
        {u"act"_s, admin::actName(isCancelled ? admin::Act::CancelSession : admin::Act::EndSession)},
        {u"dry_run"_s, line.has(u"dry-run"_s)}};
    addDanger(json, text);
    if (!line.json())
        printDanger(text);
    if (const auto code = codeAgainstActing(line, text.title + u'?')) {
        if (line.json())
            printJson(json);
        else if (line.has(u"dry-run"_s) && !text.statement.isEmpty())
            say(u"  by hand:\n"_s + text.statement + u'\n');
        return *code;
    }
    const auto connection = server.connect(db::Purpose::Admin);
    if (!connection)
        return fail(connection.error());
    admin::ServerAdmin admin(**connection, server.profile);
    admin.recordLocally(localAuditFrom(line));
    const QString reason = line.value(u"reason"_s).trimmed();
    const auto done = isCancelled ? admin.cancelSession(session, reason) : admin.endSession(session, reason);
    if (!done)
        return fail(done.error());
    json[u"audit_id"_s] = done->auditId;
    json[u"rolling_back"_s] = done->rollingBack;
    json[u"still_there"_s] = done->lingers;
    json[u"message"_s] = done->message;
    answer(line, done->toString(text.afterwards), json);
    return exitOk;
}

int runEndSession(const CommandLine& line)
{
    bool isNumber = false;
    const QString name = line.positional(0);
    const qint64 number = name.toLongLong(&isNumber);
    if (isNumber ? number == 0 : QUuid::fromString(name).isNull())
        return fail(ErrorKind::BadInput, u"\"%1\" is not a session's number."_s.arg(name));
    if (line.value(u"reason"_s).trimmed().isEmpty() && !line.has(u"dry-run"_s))
        return fail(ErrorKind::BadInput, u"end-session needs a --reason; it is recorded in the audit."_s);
    const auto server = serverToActOn(line, u"end a session or its statement"_s);
    if (!server)
        return fail(server.error());
    const auto found =
        sessionToEnd(*server, isNumber ? QString::number(number) : name, line.value(u"started"_s));
    return found ? actOn(*server, *found, line) : fail(found.error());
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

} // namespace lockscope::ctl
