// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/LockStrategy.h"

namespace lockscope::locks {

/// What every strategy refuses before anything is sent.
Result<void> checkRequest(const AcquireRequest& request, const db::Dialect& dialect);
/// The owner of an application lock, which must be there.
Result<void> checkOwner(const AcquireRequest& request, const db::Connection& connection);

} // namespace lockscope::locks
