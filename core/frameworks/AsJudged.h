// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/db/Dialect.h"
#include "core/db/Statement.h"
#include "core/domain/LockTable.h"

#include <QMap>
#include <QStringList>

namespace lockscope::frameworks {

// Tables are judged a while before they are read by name. A table that was put in its place, or that somebody
// has altered since, has another print: see "print" in the statements that search for tables.

/// A statement with `{object_print}` in it. SQL Server.
db::Statement withPrint(const db::Dialect& dialect, const char* path);
/// Reads only if the tables are as they were judged, and else fails; each of `judged` is "name, print", both
/// as parameters, the name with its schema and quoted. SQL Server.
db::Statement asJudged(const db::Dialect& dialect, const db::Statement& read, const QStringList& judged);
/// The parameter of sqlite/frameworks/unchanged, by names of tables.
db::Param judgedTables(const QMap<QString, QString>& prints);
/// Returns whether it is the error of who found another table than was judged, as the server says it …
bool isNotAsJudged(const Error& error);
/// … and for people.
Error changedError(const Error& by);

/// The expression that gives a column's value as text, NULL for NULL: different values give different texts,
/// whatever the session's time zone. What `LockTableEntry::stored` is read with. Functions and types are
/// named with their schema.
QString storedText(const db::Dialect& dialect, const LockRowTable::Column& column);

/// The condition that the column still holds what storedText gave; it uses an index on the column where that
/// is possible. `value`: the stored text, as a parameter (of the type text) or a literal; a null string: NULL
/// was stored. For persons' sessions, too: nothing in it is looked for in their search path.
QString isAsStored(const db::Dialect& dialect, const LockRowTable::Column& column, const QString& value);

} // namespace lockscope::frameworks
