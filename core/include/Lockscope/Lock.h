// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/Lock.h"

#include <Lockscope/Server.h>

namespace lockscope {

/// A lock of any kind: `acquire(server, {.name = u"nightly"_s, .wait = 10s})` returns a Lock, which is
/// released when it is destroyed, or an AcquireError. Any thread; blocks until the lock is granted or
/// refused. The headers below name errors, threads and the limits of each kind.
using locks::acquire;
using locks::AcquireError;
using locks::AcquireMode;
using locks::Lock;
using locks::LockKind;
using locks::LockOptions;
using locks::LossHandler;
using locks::LossReason;
using locks::Outcome;
using locks::Surrogates;

} // namespace lockscope
