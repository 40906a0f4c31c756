// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QList>
#include <QStringList>

#include <optional>

namespace lockscope {

struct LockTableEntry;

namespace db {
class Connection;
}

namespace admin {

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
/// "constraint told on table public.shedlock (audit.note(text))". Triggers and rules that fire, also those of
/// partitions and of the tables that change with it, and functions, other than the system's, that
/// constraints, conditions, indexes, generated columns, defaults, policies and types lead to. Of our lock
/// table only code that Lockscope did not install. Empty where the engine does not show it (not PostgreSQL).
/// One round trip; changes nothing.
Result<QStringList> firedByFreeing(db::Connection& connection, const LockTableEntry& entry);

} // namespace admin
} // namespace lockscope
