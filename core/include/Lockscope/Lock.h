// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/Lock.h"

#include <Lockscope/Server.h>

namespace lockscope {

// acquire(server, options) gives a Lock or an AcquireError; see there what each can do.
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
