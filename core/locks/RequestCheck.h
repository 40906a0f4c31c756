// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/locks/LockStrategy.h"

namespace lockscope::locks {

/// What every strategy refuses before anything is sent.
Result<void> checkRequest(const AcquireRequest& request, const db::Dialect& dialect);

} // namespace lockscope::locks
