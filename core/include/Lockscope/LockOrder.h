// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/order/OrderOfGrants.h"

#include <Lockscope/Lock.h>

namespace lockscope {

/// Finds locks that threads of this program take in opposite orders, before it becomes a deadlock: give
/// listener() to each lock as LockOptions::stepListener, and ask for potentialDeadlocks() whenever you like.
using order::OrderOfGrants;
using order::PotentialDeadlock;
// Each has `legs`, with a witness; in sentences:
using order::explanation;
using order::legText;

} // namespace lockscope
