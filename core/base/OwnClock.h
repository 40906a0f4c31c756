// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"

namespace lockscope {

/// This machine's clock, in the form of a server's: for what is noted beside the server's own times, never
/// instead of them.
ServerTime ownClock();

} // namespace lockscope
