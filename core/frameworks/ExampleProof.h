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

} // namespace lockscope::frameworks
