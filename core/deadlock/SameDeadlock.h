// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

namespace lockscope::deadlock {

/// Whether a deadlock that a snapshot showed (ReportKind::Live) and one that the server recorded are one
/// event, as far as that can be known: a ring of the same sessions, the record from 2 s before the snapshot
/// to 10 s after it, and where both name transactions, not of others. Two of the same kind are one if their
/// event keys are equal. In whatever order; false where a time is not known. Any thread.
bool isSameDeadlock(const Report& one, const Report& other);

} // namespace lockscope::deadlock
