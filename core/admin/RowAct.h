// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/db/Dialect.h"
#include "core/db/Statement.h"
#include "core/domain/LockTable.h"

#include <vector>

namespace lockscope::admin {

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
