// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/db/Dialect.h"
#include "core/db/ServerProfile.h"
#include "core/db/Statement.h"
#include "core/domain/LockTable.h"
#include "core/domain/Session.h"

#include <QHash>
#include <QList>

#include <vector>

namespace lockscope::admin {

// Acts as statements for psql, sqlcmd or the sqlite3 shell, for people who can't or may not act from here.
// They compare as our own do and touch nothing but what was shown; values are quoted so that neither the
// server nor the shell finds anything else in them. They record nothing. Empty where no statement does it:
// for sessions of the server itself and prepared transactions, where the start is not known, and for tables
// whose names can't be written safely. Nobody judges there whose code the row's table leads to: don't offer
// them where ServerAdmin::codeFiredBy finds strangers, or could not be asked.

QString endByHand(Engine engine, const Session& shown);
QString cancelByHand(Engine engine, const Session& shown);
QString releaseByHand(const db::ServerProfile& profile, const LockTableEntry& shown);
/// Returns one statement a row; each checks again whether it is stale, but for rows whose end is compared.
QString purgeByHand(const db::ServerProfile& profile, const QList<LockTableEntry>& shown);

/// `text` as a literal of the engine. Control characters are written as escapes or codes: what is pasted into
/// a terminal can't steer it, and no line of it begins a command of the shell.
QString textLiteral(Engine engine, const QString& text);

using StatementParts = QHash<QString, QString>;
/// A statement of schema/ as it is written for persons, with its end; in one pass: what is filled in may
/// itself contain braces.
QString statementByHand(Engine engine, const char* name, const StatementParts& parts);

/// The statement that frees a row of a framework's table: composed of its file and of what was shown, nothing
/// else. The conditions compare each column of FrameworkRow::compare with LockTableEntry::stored.
struct RowAct {
    /// A condition of a statement, with its values.
    struct Comparison {
        QString condition;
        std::vector<db::Param> params;
    };
    QString table; ///< quoted
    Comparison asShown; ///< the row is exactly that which was shown
    Comparison sameKey; ///< it is the lock that was shown, with any holder
    QStringList values; ///< expressions of what is compared, in the order of `stored`
    QString changes; ///< "column" = value, …; empty: the row is deleted
    QString fields; ///< of the row as JSON, where the engine needs them by name

    db::Statement rows(const db::Dialect& dialect) const;
    db::Statement act(const db::Dialect& dialect) const;
    db::Statement rowNow(const db::Dialect& dialect) const;
};

/// BadInput if the row must never be touched (with the danger), or if too little is known of it.
Result<RowAct> rowAct(const db::Dialect& dialect, const LockTableEntry& shown);

/// The same as one statement for psql, sqlcmd or the sqlite3 shell: nothing is done if several rows are
/// alike. Empty where rowAct refuses, and where names can't be written safely.
QString rowActByHand(const db::Dialect& dialect, const LockTableEntry& shown);

/// "Liquibase lock 'changelog lock' of public.databasechangeloglock".
QString rowTitle(const LockTableEntry& entry);
/// Returns those of the compared columns that have other values now: "lockedby is 'b' (was 'a')".
QString differences(const LockTableEntry& shown, const QStringList& now);

} // namespace lockscope::admin
