// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/order/OrderOfGrants.h"

#include <Lockscope/Lock.h>

namespace lockscope {

/// Finds locks that threads of this program take in opposite orders, before a deadlock happens: give
/// listener() to each lock as LockOptions::stepListener, and call potentialDeadlocks() at any time. Any
/// thread.
using order::OrderOfGrants;
using order::PotentialDeadlock;
// A PotentialDeadlock has `legs`, each with a witness. These two return sentences about it:
using order::explanation;
using order::legText;

} // namespace lockscope
