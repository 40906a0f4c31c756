// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

namespace lockscope::deadlock {

/// Returns the resource of a lock of PostgreSQL, by the words of its log in any language: "transaction 742",
/// "relation 16385 of database 5", "Tupel (0, 1) von Relation …". Numbers and signs decide; where two kinds
/// are alike (a page and another object), known words of the languages do, else it is kept with its text.
LockedThing postgresThing(const QString& words);

} // namespace lockscope::deadlock
