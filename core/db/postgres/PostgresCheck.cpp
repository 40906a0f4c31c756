// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ConnectionCheck.h"
#include "core/db/postgres/PostgresLogin.h"

#include <QHostAddress>

#include <libpq-fe.h>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

using Outcome = CheckStep::Outcome;

/// Columns of postgres/check/session.
enum CheckColumn {
    SessionUser,
    CurrentUser,
    Superuser,
    MayReadAll,
    MaySignal,
    OwnRoles,
    Database,
    Encoding,
    Collation,
    Recovery,
    Address,
    Isolation,
    DeadlockTimeout,
    LogLockWaits,
    MaxLocks,
    MaxConnections,
    TrackActivities,
    QuerySize,
};

CheckStep loginStep(const Row& row)
{
    const QString user = row.text(CurrentUser);
    QString text = u"as %1"_s.arg(row.text(SessionUser));
    if (user != row.text(SessionUser))
        text += u", acting as %1"_s.arg(user);
    return {.key = u"login"_s, .name = u"Login"_s, .finding = text + u", at %1"_s.arg(row.text(Address))};
}

CheckStep databaseStep(const Row& row)
{
    const bool standby = row.boolean(Recovery);
    return {.key = u"database"_s,
        .name = u"Database"_s,
        .outcome = standby ? Outcome::Note : Outcome::Good,
        .finding = u"%1, encoding %2, collation %3%4"_s.arg(row.text(Database), row.text(Encoding),
            row.text(Collation), standby ? u"; a standby: it can be read only"_s : QString())};
}

void reportSettings(const Row& row, const CheckSink& tell)
{
    tell({.key = u"settings"_s,
        .name = u"Lock settings"_s,
        .finding =
            u"default isolation %1, deadlock_timeout %2, log_lock_waits %3, space for %4 × %5 locks"_s.arg(
                row.text(Isolation), row.text(DeadlockTimeout), row.text(LogLockWaits), row.text(MaxLocks),
                row.text(MaxConnections))});
    const bool tracked = row.text(TrackActivities) == u"on";
    tell({.key = u"statements"_s,
        .name = u"Statements"_s,
        .outcome = tracked ? Outcome::Good : Outcome::Note,
        .finding = tracked ? u"the server keeps the first %1 of each"_s.arg(row.text(QuerySize))
                           : u"the server keeps none: track_activities is off"_s,
        .remedy =
            tracked ? QString() : u"ALTER SYSTEM SET track_activities = on; SELECT pg_reload_conf();"_s});
}

CheckStep rightsStep(const Row& row, const Dialect& dialect)
{
    CheckStep step{.key = u"rights"_s, .name = u"Rights"_s};
    const bool superuser = row.boolean(Superuser);
    QStringList held;
    if (superuser)
        held << u"superuser"_s;
    if (row.boolean(MayReadAll) && !superuser)
        held << u"pg_read_all_stats"_s;
    if (row.boolean(MaySignal) && !superuser)
        held << u"pg_signal_backend"_s;
    if (!row.isNull(OwnRoles))
        held << row.text(OwnRoles);
    const QString list = held.isEmpty() ? u"none of the roles that Lockscope uses"_s : held.join(u", "_s);
    const QString grant = u"GRANT %1 TO %2;"_s;
    const QString user = dialect.quoted(row.text(CurrentUser));
    if (!row.boolean(MayReadAll)) {
        step.outcome = Outcome::Note;
        step.finding = list + u": states and statements of other roles' sessions are hidden"_s;
        step.remedy = grant.arg(u"pg_read_all_stats"_s, user);
    } else if (!row.boolean(MaySignal)) {
        step.outcome = Outcome::Note;
        step.finding = list + u": may see all sessions and locks, may end those of its own role only"_s;
        step.remedy = grant.arg(u"pg_signal_backend"_s, user);
    } else {
        step.finding = list + u": may see all sessions and locks, and end sessions"_s;
    }
    return step;
}

/// Judges by libpq's own connection: behind a pooler the server sees another one, perhaps by a socket of its
/// own machine. A program between them can also read and change unencrypted data; if only the certificate was
/// not verified, it must get between them first.
CheckStep encryptionStep(PGconn* pg)
{
    CheckStep step{.key = u"encryption"_s, .name = u"Encryption"_s};
    const QString mode = sslModeOf(PQconninfo(pg));
    const QString address = QString::fromUtf8(PQhostaddr(pg));
    if (PQhost(pg)[0] == '/') {
        step.finding = u"none needed: a local socket"_s;
    } else if (PQgssEncInUse(pg) != 0) {
        step.finding = u"on, by GSSAPI"_s;
    } else if (PQsslInUse(pg) == 0) {
        const bool isLoopback = QHostAddress(address).isLoopback();
        step.outcome = isLoopback ? Outcome::Note : Outcome::Failed;
        step.finding = isLoopback
            ? u"none, on the way to %1, which does not leave this machine"_s.arg(address)
            : u"none: who sits between reads everything, and can answer in the server's place"_s;
    } else {
        const QString used = u"%1, %2"_s.arg(QString::fromUtf8(PQsslAttribute(pg, "protocol")),
            QString::fromUtf8(PQsslAttribute(pg, "cipher")));
        const bool isVerified = mode == u"verify-full";
        step.outcome = isVerified ? Outcome::Good : Outcome::Note;
        step.finding = isVerified ? used + u", certificate verified"_s
            : mode == u"verify-ca"
            ? used + u", but another host of the same authority could answer: its name is not verified"_s
            : used + u", but the certificate is taken as it comes: who answers is not proven"_s;
    }
    if (step.outcome != Outcome::Good && !QHostAddress(address).isLoopback())
        step.remedy =
            u"Add sslmode=verify-full to the URL, and sslrootcert=FILE if the authority is your own."_s;
    return step;
}

} // namespace

bool checkPostgres(
    const Server& server, const ConnectOptions& options, const CheckSink& tell, const std::stop_token& stop)
{
    const auto connection = server.connect(options);
    if (!reportOpened(connection, tell, stop))
        return false;
    const Dialect& dialect = (*connection)->dialect();
    auto* const pg = static_cast<PGconn*>((*connection)->nativeHandle());
    tell(encryptionStep(pg));
    const auto asked = (*connection)
                           ->execute(
                               Statement::get("postgres/check/session"), {},
                               [&](const Row& row) {
                                   tell(loginStep(row));
                                   tell(databaseStep(row));
                                   reportSettings(row, tell);
                                   tell(rightsStep(row, dialect));
                               },
                               stop);
    if (stop.stop_requested())
        return false;
    if (!asked)
        reportUnread(u"session"_s, u"Session"_s, asked.error(), tell);
    return reportSchema(**connection, tell, stop);
}

} // namespace lockscope::db
