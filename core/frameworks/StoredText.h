// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Dialect.h"
#include "core/domain/LockTable.h"

namespace lockscope::frameworks {

/// The expression that gives a column's value as text, NULL for NULL: different values give different texts,
/// whatever the session's time zone. What `LockTableEntry::stored` is read with. Functions and types are
/// named with their schema.
QString storedText(const db::Dialect& dialect, const LockRowTable::Column& column);

/// The condition that the column still holds what storedText gave; it uses an index on the column where that
/// is possible. `value`: the stored text, as a parameter (of the type text) or a literal; a null string: NULL
/// was stored. For persons' sessions, too: nothing in it is looked for in their search path.
QString isAsStored(const db::Dialect& dialect, const LockRowTable::Column& column, const QString& value);

} // namespace lockscope::frameworks
