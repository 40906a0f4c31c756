// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Framework.h"
#include "core/frameworks/FrameworkCheck.h"

#include <QStringList>

namespace lockscope::frameworks {

/// Reads one of "examples". What it says is not compared with the lock here: that is ExampleProof's.
FrameworkExample readExample(FrameworkCheck& check, const JsonNode& node, const FrameworkLock& lock);

/// The time that stands in an example: "{now}", "{now-7min}", "{now+1h}"; how much later than now. Nothing if
/// the text is none.
std::optional<milliseconds> fromNow(const QString& text);

/// Returns why the example is not true: what is recognised in it instead. Empty: it is true. Keys and
/// resources as in a database that has the tables of the lock and no other framework; rows by the conditions,
/// the pattern and the clocks of the lock, on each of its engines. Nothing is asked of a server.
QString whyFalse(const FrameworkPtr& framework, const FrameworkLock& lock, const FrameworkExample& example);

/// The columns of its own table that reading or freeing such a row uses.
QStringList columnsUsed(const FrameworkRow& row);

} // namespace lockscope::frameworks
