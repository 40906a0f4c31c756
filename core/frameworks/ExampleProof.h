// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Framework.h"

#include <QStringList>

namespace lockscope::frameworks {

/// Returns why the example is not true: what is recognised in it instead. Empty: it is true. Keys and
/// resources as in a database that has the tables of the lock and no other framework; rows by the conditions,
/// the pattern and the clocks of the lock, on each of its engines. Nothing is asked of a server.
QString whyFalse(const FrameworkPtr& framework, const FrameworkLock& lock, const FrameworkExample& example);

/// The columns of its own table that reading or freeing such a row uses.
QStringList columnsUsed(const FrameworkRow& row);

/// Returns the clock by which that column of the row, or of its table of processes, gives a time; nothing: it
/// gives none.
std::optional<FrameworkClock> clockOfColumn(const FrameworkRow& row, const QString& column, Engine engine);
std::optional<FrameworkClock> clockOfProcess(const FrameworkRow& row, const QString& column, Engine engine);

/// Returns a time as a column keeps it by that clock: digits, or "2026-01-31 10:00:00.000" in UTC.
QString storedTime(qint64 us, FrameworkClock clock);

} // namespace lockscope::frameworks
