// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/sqlserver/SqlServerFindings.h"

#include "core/db/ConnectionCheck.h"
#include "core/db/sqlserver/OdbcLink.h"
#include "core/db/sqlserver/SqlServerConnection.h"

#include <algorithm>
#include <array>

namespace lockscope::db {

using namespace Qt::StringLiterals;

namespace {

using Outcome = CheckStep::Outcome;

/// The answers of check/session, check/encryption and check/database; their errors.
struct Answers {
    QString login;
    QString user;
    QString authentication;
    QString transport;
    QStringList roles; ///< of the server and of our schema
    QString encrypted; ///< "TRUE", "FALSE"; empty: unknown
    QString database;
    QString collation;
    int compatibility = 0;
    bool readCommittedSnapshot = false;
    QString snapshotIsolation;
    std::optional<bool> optimizedLocking;
    QString updateability;
    std::optional<Error> sessionError;
    std::optional<Error> databaseError;
};

QString sorted(const QSet<QString>& words)
{
    QStringList list(words.begin(), words.end());
    std::ranges::sort(list);
    return list.join(u", "_s);
}

QString reason(const Error& error)
{
    return u"could not be read: "_s + error.reason();
}

void readSession(const Row& row, Answers& answers)
{
    answers.login = row.text(0);
    answers.user = row.text(1);
    answers.authentication = row.text(2);
    answers.transport = row.text(3);
    static constexpr std::array names{
        u"sysadmin", u"lockscope_reader", u"lockscope_operator", u"lockscope_admin"};
    for (size_t i = 0; i < names.size(); ++i) {
        if (row.int64(4 + static_cast<int>(i)) == 1)
            answers.roles << QString::fromUtf16(names[i]);
    }
}

void readDatabase(const Row& row, Answers& answers)
{
    answers.database = row.text(0);
    answers.collation = row.text(1);
    answers.compatibility = static_cast<int>(row.int64(2));
    answers.readCommittedSnapshot = row.int64(3) != 0;
    answers.snapshotIsolation = row.text(4);
    if (!row.isNull(5))
        answers.optimizedLocking = row.int64(5) != 0;
    answers.updateability = row.text(6);
}

Answers ask(Connection& connection, const std::stop_token& stop)
{
    Answers answers;
    const std::array items{
        BatchItem{.statement = &Statement::get("sqlserver/check/session"),
            .sink = [&answers](const Row& row) { readSession(row, answers); }},
        BatchItem{.statement = &Statement::get("sqlserver/check/database"),
            .sink = [&answers](const Row& row) { readDatabase(row, answers); }},
        BatchItem{.statement = &Statement::get("sqlserver/check/encryption"),
            .sink = [&answers](const Row& row) { answers.encrypted = row.text(0); }},
    };
    const auto results = connection.executeBatch(items, stop);
    if (!results[0])
        answers.sessionError = results[0].error();
    if (!results[1])
        answers.databaseError = results[1].error();
    return answers;
}

CheckStep serverStep(const SqlServerFacts& facts)
{
    QString text = facts.display();
    if (!facts.edition.isEmpty())
        text += u", "_s + facts.edition;
    if (facts.isOtherEngine())
        text += u" (says to be SQL Server %1)"_s.arg(facts.productVersion);
    return {.key = u"server"_s,
        .name = u"Server"_s,
        .finding = text + u", engine edition %1"_s.arg(facts.engineEdition)};
}

CheckStep sessionStep(Connection& connection, const Answers& answers)
{
    CheckStep step{.key = u"session"_s, .name = u"Session"_s};
    const QString driver = u"driver %1"_s.arg(OdbcLink::driverText(connection.nativeHandle()));
    if (answers.sessionError) {
        step.outcome = Outcome::Note;
        step.finding = reason(*answers.sessionError) + u"; "_s + driver;
        return step;
    }
    QStringList parts{u"login %1"_s.arg(answers.login), u"user %1"_s.arg(answers.user)};
    if (!answers.authentication.isEmpty())
        parts << u"authentication %1"_s.arg(answers.authentication);
    if (!answers.transport.isEmpty())
        parts << u"transport %1"_s.arg(answers.transport);
    if (!answers.encrypted.isEmpty())
        parts << (answers.encrypted.compare(u"TRUE"_s, Qt::CaseInsensitive) == 0
                ? u"encrypted, says the server"_s
                : u"not encrypted, says the server"_s);
    step.finding = (parts << driver).join(u", "_s);
    return step;
}

CheckStep databaseStep(const Answers& answers)
{
    if (answers.databaseError)
        return {.key = u"database"_s,
            .name = u"Database"_s,
            .outcome = Outcome::Note,
            .finding = reason(*answers.databaseError)};
    QStringList parts{answers.database, u"compatibility level %1"_s.arg(answers.compatibility)};
    if (!answers.collation.isEmpty())
        parts << u"collation %1"_s.arg(answers.collation);
    const bool readOnly = answers.updateability == u"READ_ONLY";
    if (readOnly)
        parts << u"read-only"_s;
    return {.key = u"database"_s,
        .name = u"Database"_s,
        .outcome = readOnly ? Outcome::Note : Outcome::Good,
        .finding = parts.join(u", "_s)};
}

QString onOff(bool on)
{
    return on ? u"on"_s : u"off"_s;
}

void reportLocking(const Answers& answers, const CheckSink& tell)
{
    if (answers.databaseError)
        return;
    tell({.key = u"read_committed_snapshot"_s,
        .name = u"Read committed snapshot"_s,
        .finding = onOff(answers.readCommittedSnapshot)
            + (answers.readCommittedSnapshot ? u": readers do not wait for writers"_s
                                             : u": readers wait for writers, and writers for readers"_s)});
    tell({.key = u"snapshot_isolation"_s,
        .name = u"Snapshot isolation"_s,
        .finding = answers.snapshotIsolation.isEmpty() ? u"unknown"_s : answers.snapshotIsolation.toLower()});
    tell({.key = u"optimized_locking"_s,
        .name = u"Optimized locking"_s,
        .finding = !answers.optimizedLocking ? u"not known to this version"_s
            : *answers.optimizedLocking      ? u"on: row locks end early, a lock on the transaction stays"_s
                                             : u"off"_s});
}

CheckStep rightsStep(const Connection& connection, const SqlServerFacts& facts, const Answers& answers)
{
    CheckStep step{.key = u"rights"_s, .name = u"Rights"_s, .outcome = Outcome::Note};
    QStringList held;
    if (!facts.rights.isEmpty())
        held << sorted(facts.rights);
    if (!answers.roles.isEmpty())
        held << u"member of %1"_s.arg(answers.roles.join(u", "_s));
    const QString list = held.isEmpty() ? u"none of those that Lockscope uses"_s : held.join(u"; "_s);
    if (facts.isOtherEngine() && !facts.hasView(u"dm_tran_locks"_s)) {
        step.finding = list + u". "_s + connection.dialect().reasonAgainst(Capability::LockView);
        return step;
    }
    const Dialect& dialect = connection.dialect();
    const QString whom = facts.isAzureDatabase() ? answers.user : answers.login;
    const auto granted = [&](const QString& right) {
        return facts.grantOf(right, whom.isEmpty() ? QString() : dialect.quoted(whom));
    };
    if (!facts.maySeeOthers()) {
        step.finding = list + u": you see your own sessions and the lock table only"_s;
        step.remedy = granted(facts.viewStateRight());
    } else if (!facts.hasRight(facts.endSessionRight())) {
        step.finding = list + u": may see all sessions and locks, may not end sessions"_s;
        step.remedy = granted(facts.endSessionRight());
    } else {
        step.outcome = Outcome::Good;
        step.finding = list + u": may see all sessions and locks, and end sessions"_s;
    }
    return step;
}

CheckStep viewsStep(const SqlServerFacts& facts)
{
    const QStringList missing = facts.missingViews();
    CheckStep step{.key = u"views"_s, .name = u"Views"_s, .finding = u"there are "_s + sorted(facts.views)};
    if (facts.views.isEmpty())
        step.finding = u"none of those that Lockscope reads"_s;
    if (!missing.isEmpty()) {
        step.outcome = Outcome::Note;
        step.finding += u"; missing: "_s + missing.join(u", "_s);
    }
    return step;
}

} // namespace

bool reportFindings(Connection& connection, const CheckSink& tell, const std::stop_token& stop)
{
    const SqlServerFacts& facts = SqlServerConnection::factsOf(connection);
    tell(serverStep(facts));
    const Answers answers = ask(connection, stop);
    if (stop.stop_requested())
        return false;
    tell(sessionStep(connection, answers));
    tell(databaseStep(answers));
    reportLocking(answers, tell);
    tell(rightsStep(connection, facts, answers));
    tell(viewsStep(facts));
    const CheckStep schema = checkSchema(connection);
    if (stop.stop_requested())
        return false;
    tell(schema);
    return schema.outcome != Outcome::Failed;
}

} // namespace lockscope::db
