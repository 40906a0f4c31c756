// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/admin/LocalAudit.h"
#include "core/db/Connection.h"
#include "core/db/SchemaInstaller.h"
#include "core/db/ServerProfile.h"
#include "core/domain/LockTable.h"
#include "core/domain/Session.h"

#include <QList>
#include <QStringList>

#include <functional>
#include <optional>

namespace lockscope::admin {

/// The code of the database that freeing rows would run: for previews, the act judges again.
struct FiredCode {
    QStringList runs{}; ///< the result of firedByFreeing
    /// Code of somebody who is not trusted, which would run with our rights, and what else lets others have
    /// code run: "trigger t on table app.shedlock (mallory): it would run with your rights". A statement for
    /// another client, where nobody judges, must not be offered then.
    QStringList strangers{};
    bool isLeftAlone = false; ///< rows are left alone by the act because of that

    bool operator==(const FiredCode&) const = default;
};

/// The rights for acts that this login has or lacks, found out before anything is done (ServerAdmin::rights).
struct ActRights {
    enum class Audit {
        Open, ///< the server records what we do
        Closed, ///< there is an audit, but not for this login: grantToRecord
        Missing, ///< the database has none
    };
    Audit audit = Audit::Missing;
    QString grantToRecord; ///< a statement for an administrator; empty where none helps
    /// True if the session that was asked for may be ended, or its statement cancelled, or the rows deleted;
    /// nothing: none was asked for, the server does not tell, or the session has gone.
    std::optional<bool> mayAct;
    QString grantToAct; ///< a statement for an administrator; empty where none helps
    QString whyNot; ///< the reason where no grant helps: a sentence
    bool hasGone = false; ///< the session is not there any more (PostgreSQL)
    FiredCode fired{}; ///< of rows: the code of the database that runs when they are freed
    /// the reason, where the audit is missing, against a local file; empty: it can be used
    QString whyNoFile{};

    bool operator==(const ActRights&) const = default;
};

/// Code that runs by itself when this row is freed: "trigger kept on public.shedlock (audit.note())",
/// "constraint noted on table public.shedlock (audit.note(text))". Triggers and rules that fire, also those
/// of partitions and of the tables that change with it, and functions, other than the system's, that
/// constraints, conditions, indexes, generated columns, defaults, policies and types lead to. Of our lock
/// table only code that Lockscope did not install. Empty where the engine does not show it (not PostgreSQL).
/// One round trip; changes nothing.
Result<QStringList> firedByFreeing(db::Connection& connection, const LockTableEntry& entry);

enum class Act : quint8 { ReleaseEntry, PurgeStale, CancelSession, EndSession };
QString actName(Act act); ///< "release lock", "purge stale locks", "cancel statement", "end session"

struct Done {
    qint64 auditId = 0; ///< of the server's audit; 0 if it was recorded in a local file
    QString message{}; ///< for the status line: "Lock 'nightly' released; ann on app02 gets it next."
    int count = 1;
    bool lingers = false; ///< endSession: the session is there still, or nobody could check;
                          ///< ServerAdmin::rollbackProgress tells how far it is
    bool rollingBack = false; ///< and undoes its work, as far as that takes time on this engine

    /// The message, and what was predicted of others (aftermathInWords) before the act, said as such: nothing
    /// of it while the session is there still.
    QString toString(const QStringList& predicted) const;
};

/// The progress of an ended session in undoing its work.
struct RollbackProgress {
    bool gone = false; ///< the session is no more: all is undone and its locks are free
    bool rollingBack = false; ///< false and not gone: its end was requested and it is still there
    std::optional<int> percent; ///< nothing: the server gives none
    std::optional<milliseconds> left; ///< the server's estimate

    QString toString() const; ///< "rolling back, 40 % done, about 30 s left"
    bool operator==(const RollbackProgress&) const = default;
};

/// Dangerous acts, each compare-and-act on the server and audited there in the same transaction, in which the
/// row of the audit comes first: done, changed meanwhile or refused, it is on record. Thread-bound like its
/// connection; every call blocks for a few round trips at most, endSession up to a second more.
///
/// One rule for all of them: an act that can't be recorded is not done. A database without the audit table is
/// acted on only after recordLocally(): then the local file has the intention, on disk, before the act, and
/// the outcome after it; Done::auditId is 0 and the message names the file. Otherwise MissingObject. An audit
/// that is there but closed to the login is no missing one: Permission, whatever recordLocally() said.
class ServerAdmin {
public:
    /// Refuses everything but reading if `profile.readOnly`.
    ServerAdmin(db::Connection& connection, db::ServerProfile profile);

    /// Records acts on a database without an audit table there from now on; nothing: they are refused.
    void recordLocally(std::optional<LocalAudit> audit) { m_localAudit = std::move(audit); }
    /// Returns the rights of this login here, and for that session (null: for none); where there is no audit,
    /// also whether the local file could be written. Changes nothing; one or two round trips. The rights may
    /// have changed when the act comes: the act is checked again.
    Result<ActRights> rights(const Session* session = nullptr);
    /// The same for freeing these rows, of our lock table or of frameworks' tables, and the code that runs
    /// then: three round trips more for each table.
    Result<ActRights> rightsOnRows(const QList<LockTableEntry>& rows);
    /// The code of the database that freeing these rows would run, and whose. Two round trips for each table.
    Result<FiredCode> codeFiredBy(const QList<LockTableEntry>& rows);

    /// Deletes exactly the row that was shown: name and fencing number. Of a framework (attached tables are
    /// one): deletes or changes it as the framework's file says, if all that the file names
    /// for comparison is as it was shown. Changed if it is gone or somebody else's by now, with what is there
    /// instead; BadInput if several rows are alike, or if such a row must never be touched; Permission also
    /// where a stranger's trigger would run with our rights.
    Result<Done> releaseEntry(const LockTableEntry& shown, const QString& reason);
    /// Returns what purgeStale would delete now.
    Result<QList<LockTableEntry>> previewPurge();
    /// Deletes those of `shown` that are still there with the same fencing number and still stale. Changed if
    /// none is.
    Result<Done> purgeStale(const QList<LockTableEntry>& shown, const QString& reason);
    /// Cancels the statement that was shown; the session lives on. Changed if the session or its statement is
    /// another by now. Refused for own and system sessions.
    Result<Done> cancelSession(const Session& shown, const QString& reason);
    /// The same for several, each recorded by itself. Those that are another's by now, or can't be cancelled,
    /// are left alone; the message names them. An error if none was cancelled.
    Result<Done> cancelSessions(const QList<Session>& shown, const QString& reason);
    /// Ends the session (pg_terminate_backend, KILL) if id *and* start still match, checked in the same
    /// statement. Refused for own and system sessions, for prepared transactions (negative ids), and for a
    /// session that rolls back already. A distributed transaction without a session is ended by its unit of
    /// work. SQL Server can't end a session inside a transaction: there the intention is recorded before the
    /// act.
    Result<Done> endSession(const Session& shown, const QString& reason);
    /// Returns the progress; to call from time to time after endSession said that the session is still
    /// rolling back. Changes nothing.
    Result<RollbackProgress> rollbackProgress(const Session& shown);

    /// Newest first.
    Result<QList<AuditRecord>> audit(int limit = 500);
    /// ReadOnly like the acts, but not recorded: there may be no audit yet.
    Result<db::InstallReport> installSchema(const QStringList& adoptedRoles = {});
    /// Returns the members of that role of the server, direct ones or by another role: "app (by mallory)".
    /// Empty where the engine's roles are a database's own (not PostgreSQL).
    Result<QStringList> membersOf(const QString& role);
    /// Returns the server's name as shown to the user.
    QString server() const { return m_profile.display(); }

private:
    /// An act that is about to be done, in the words of the audit.
    struct AuditedAct {
        Act act;
        QString target;
        QString reason;
        QString shown; ///< the state that was shown, as JSON
        bool isLocal = false; ///< recorded in the local file, not on the server
    };

    const db::Statement& statement(const char* file) const;

    Result<void> checkWritable() const;
    Result<void> checkAllowed(const AuditedAct& act) const;
    Result<void> addTableRights(ActRights& rights, const LockTableEntry& row);
    Result<ActRights::Audit> auditHere();
    QString whyNoFile(ActRights::Audit audit) const;
    /// The role that acts, and the session that it acts on.
    struct Acting {
        QString role;
        QString member; ///< that can be put into a role
        bool ofSuperuser = false; ///< the session is
        bool isSeen = true; ///< the session's start, by which it is compared
    };
    void tellGrants(ActRights& rights, const Acting& acting) const;
    Result<Done> onRecord(AuditedAct act, const std::function<Result<Done>(const AuditedAct&)>& perform);
    Result<Done> onLocalRecord(
        const AuditedAct& act, const std::function<Result<Done>(const AuditedAct&)>& perform);
    Result<AuditRecord> localRecord(const AuditedAct& act);
    Result<qint64> record(const AuditedAct& act, const QString& before, const QString& outcome);
    Result<void> recordOutcome(
        const AuditedAct& act, qint64 id, const std::optional<QString>& before, const QString& outcome);
    static QString begun();
    Failure refused(const AuditedAct& act, Error error);
    bool isUndecided(const Error& error) const;
    QString outcomeOf(const Error& error) const;
    static Error undecided(Error error);

    struct Removed {
        std::optional<QString> before; ///< the row as JSON
        bool areAlike = false; ///< there are several such, and none was deleted
    };
    Result<Removed> deleteEntry(const LockTableEntry& entry, bool onlyStale);
    Result<Removed> freeRow(const LockTableEntry& entry, bool onlyStale);
    enum class Place : quint8 { Held, Movable }; ///< whether a table's name means this table until the end
    enum class Hold : quint8 { Nothing, Table, Schemas }; ///< the part that our transaction keeps as it is
    struct Strangers {
        QStringList faults;
        bool isPlace = false; ///< holding all schemas would mend them
    };
    Result<Strangers> strangersAt(const LockTableEntry& entry, Hold hold);
    Result<Place> checkStrangers(const LockTableEntry& entry, Hold hold);
    Result<QString> rowNow(const LockTableEntry& entry);
    Error ofRow(const LockTableEntry& entry, Error error) const;
    Result<Done> releaseInTransaction(const AuditedAct& act, const LockTableEntry& shown);
    Result<Done> releaseFailed(const AuditedAct& act, const LockTableEntry& shown, qint64 auditId);
    Result<QString> nextInLine(const LockTableEntry& entry);
    Result<Done> purgeInTransaction(const AuditedAct& act, const QList<LockTableEntry>& shown);

    std::optional<Error> untouchable(const Session& session) const;
    Result<Done> actOnSession(const AuditedAct& act, const Session& shown, std::vector<db::Param> more);
    Result<Done> runOnSession(const AuditedAct& act, const Session& shown, std::vector<db::Param> more);
    Result<Done> endUnitOfWork(const AuditedAct& act, const Session& shown);
    Result<Done> recordAndAct(
        const AuditedAct& act, const QString& name, const char* file, const std::vector<db::Param>& params);
    Result<Done> doneOrChanged(const QString& name, const QString& outcome, qint64 auditId) const;
    Result<Done> runOnServer(const AuditedAct& act, const QString& name, const char* file,
        std::vector<db::Param> params, const std::vector<db::Param>& more);
    Result<void> checkNotRollingBack(const Session& shown);
    QString grantToAudit() const;
    QString grantToEnd() const;
    QString ownRole() const;
    QString ownProgram() const { return m_self.host + QStringLiteral(", ") + m_self.program; }
    Error withSignalGrant(Error error) const;
    Result<bool> isGoneNow(const Session& session);
    Result<bool> isGoneSoon(const Session& session);

    db::Connection& m_connection;
    db::ServerProfile m_profile;
    LockOwnerInfo m_self;
    std::optional<LocalAudit> m_localAudit;
    struct Ending {
        std::optional<QString> before;
        QString outcome;
    };
    std::optional<Ending> m_ending; ///< of the act under way, if it is recorded locally
    bool m_isSent = false; ///< the act under way may be done from here on, also if no answer comes
};

} // namespace lockscope::admin
