// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

namespace lockscope::monitor {

/// Adds a limitation for each lock table that has bad rows among those that the snapshot shows.
void reportBadRows(Snapshot& snapshot);

} // namespace lockscope::monitor
