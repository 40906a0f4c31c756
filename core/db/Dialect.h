// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/LockMode.h"

#include <QString>

#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace lockscope::db {

enum class Capability {
    LogIn, ///< a server that users log in to and that has roles; else a file
    Sessions, ///< there are sessions to see
    EndSession, ///< and to end
    CancelStatement, ///< of another session, which lives on
    LockView, ///< the engine shows its locks
    LockTables, ///< strategy 1
    ApplicationLocks, ///< strategy 3
    TransactionOwnedLocks, ///< application locks that end with the transaction
    SharedApplicationLocks,
    UpdateAndIntentModes, ///< application locks in modes Update, IntentShared, IntentExclusive
    SurrogateLocks, ///< strategy 2
    WorkQueues, ///< strategy 4
    Notifications, ///< the server can wake a waiter
    SessionLocks, ///< locks that belong to the session and end with it
    StatementPlans, ///< the plan by which another session's statement runs
    ExplainByHand, ///< an operator can plan another session's statement by EXPLAIN
    DriverChoice, ///< reached by one of several ODBC drivers
    WaitStartTimes, ///< ages of waits are exact
};

/// A line of an engine's table of errors.
struct ErrorMeaning {
    QStringView sign; ///< a native code or its beginning; in tables of texts, a piece of the text
    ErrorKind kind = ErrorKind::Server;
    QStringView hint = {};
};

// Hints that servers share.
inline constexpr QStringView loginHint =
    u"Check user and password: set LOCKSCOPE_PASSWORD, use --password-stdin, or store it in the keychain.";
inline constexpr QStringView lostHint =
    u"The connection is gone, and with it the locks of this session. Connect again.";
inline constexpr QStringView hostHint = u"Check the host name in the URL.";
inline constexpr QStringView silentHint =
    u"The server does not answer. Check that it runs, and that no firewall drops the connection.";

/// Returns the first line of `table` whose sign is in the text; more specific lines come first.
std::optional<ErrorMeaning> findInText(std::span<const ErrorMeaning> table, const QString& text);

/// The one place that knows a product: its SQL, its errors, what it can do.
class Dialect {
public:
    static std::unique_ptr<Dialect> create(Engine engine);
    /// Returns the dialect of an engine before any server was asked. Lives as long as the program; any
    /// thread.
    static const Dialect& of(Engine engine);
    virtual ~Dialect() = default;

    virtual Engine engine() const = 0;
    bool can(Capability capability) const { return reasonAgainst(capability).isEmpty(); }
    /// Returns why it can't, for a tooltip: "SQLite has no sessions that could be seen from outside."
    virtual QString reasonAgainst(Capability capability) const = 0;
    /// "public"."or""ders"; every identifier that we send goes through this.
    virtual QString quoted(const QString& identifier) const { return enclosed(u'"', identifier, u'"'); }
    /// Quotes the name; without a schema: in defaultSchema().
    QString quoted(const QString& schema, const QString& identifier) const;
    /// Returns the `number`th parameter's marker in a statement: "$1", "@P1", "?1".
    virtual QString parameterMarker(qsizetype number) const = 0;
    /// The statement by which an administrator makes `member` (quoted, or words for it) one of `role`; empty
    /// without roles.
    virtual QString grantOfRole(const QString& role, const QString& member) const;
    /// Returns the right to grant to an account that shall end others' sessions; empty without sessions.
    virtual QString rightToEndSessions() const { return {}; }
    /// Returns the schema in which names without one are searched; empty = the server decides.
    virtual QString defaultSchema() const { return {}; }
    /// An identifier or resource name that this engine can store; empty result = fine.
    virtual std::optional<Error> refuseLockName(const QString& name) const;
    /// Our meaning of a native error. `code` is a SQLSTATE or native number, `text` already scrubbed.
    Error mapError(const QString& code, const QString& text, const QString& whatFailed) const;
    /// The statement waited for a lock longer than it was to (PostgreSQL's lock_timeout, SQL Server's
    /// LOCK_TIMEOUT).
    static bool isLockTimeout(const Error& error);

protected:
    /// The code that decides, which becomes Error::nativeCode, and what it means.
    using Decision = std::pair<QString, ErrorMeaning>;
    virtual Decision decide(const QString& code, const QString& text) const = 0;
    /// Encloses it, with each `close` within doubled.
    static QString enclosed(QChar open, QString identifier, QChar close);
};

/// The one rule for the length of lock names, on every engine: 1 to 255 characters, of which one beyond
/// U+FFFF counts as two (UTF-16 code units, as QString::size() counts). Longer ones would be cut silently by
/// sp_getapplock, nvarchar(255), so we refuse them everywhere. The tables of PostgreSQL and SQLite let in 255
/// code points of any kind: what plain SQL puts there is shown and can be released.
inline constexpr int maxLockNameLength = 255;

} // namespace lockscope::db
