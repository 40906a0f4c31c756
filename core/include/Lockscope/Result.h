// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

/// Result<T> is a value or an Error: lockscope::Result, lockscope::Error, lockscope::ErrorKind,
/// lockscope::Failure. Nothing here throws.
