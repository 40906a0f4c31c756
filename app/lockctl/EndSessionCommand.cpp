// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Look.h"
#include "core/admin/Admin.h"

#include "app/lockctl/Console.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

Result<Session> sessionToEnd(const Target& target, SessionId id, const QString& started)
{
    const auto snapshot = lookAt(target);
    if (!snapshot)
        return Failure(snapshot.error());
    const Session* session = (*snapshot)->session(id);
    if (!session)
        return failure(ErrorKind::Changed, u"There is no session %1."_s.arg(id.value),
            u"`lockctl list` shows those that hold or want a lock."_s);
    if (!started.isEmpty() && session->started.toIsoString() != started)
        return failure(ErrorKind::Changed,
            u"Session %1 is another one by now: it began at %2."_s.arg(id.value).arg(
                session->started.toIsoString()),
            u"Nothing was done."_s);
    return *session;
}

} // namespace

int runEndSession(const QStringList& arguments)
{
    CommandLine line(
        u"Ends a session of the server, with all its locks, or only cancels what it is running. Refused for "
        "the server's own sessions. Recorded in the audit."_s,
        u"ID --reason TEXT"_s);
    line.addValue(u"reason"_s, u"TEXT"_s, u"Why, for the audit."_s);
    line.addFlag(u"cancel"_s, u"Only cancel the running statement."_s);
    line.addValue(u"started"_s, u"TIME"_s,
        u"Only if the session began then (\"started\" of `list --json`): ids are used again."_s);
    if (const auto code = line.parse(arguments, 1, 1))
        return *code;
    bool isNumber = false;
    const SessionId id{line.positional(0).toLongLong(&isNumber)};
    const QString reason = line.value(u"reason"_s).trimmed();
    if (!isNumber || id.value <= 0) {
        complain(u"\"%1\" is not a session's number."_s.arg(line.positional(0)));
        return exitUsage;
    }
    if (reason.isEmpty()) {
        complain(u"end-session needs a --reason; it is recorded in the audit."_s);
        return exitUsage;
    }
    const auto target = Target::from(line);
    if (!target)
        return fail(target.error());
    const auto session = sessionToEnd(*target, id, line.value(u"started"_s));
    if (!session)
        return fail(session.error());
    const auto connection = target->connect(db::Purpose::Admin);
    if (!connection)
        return fail(connection.error());
    admin::Admin admin(**connection, target->profile);
    const auto done =
        line.has(u"cancel"_s) ? admin.cancelSession(*session, reason) : admin.endSession(*session, reason);
    if (!done)
        return fail(done.error());
    if (line.json())
        printJson(QJsonObject{{u"session"_s, id.value}, {u"started"_s, session->started.toIsoString()},
            {u"act"_s,
                admin::actName(line.has(u"cancel"_s) ? admin::Act::CancelSession : admin::Act::EndSession)},
            {u"audit_id"_s, done->auditId}, {u"message"_s, done->message}});
    else
        print(done->message + u'\n');
    return exitOk;
}

} // namespace lockscope::ctl
