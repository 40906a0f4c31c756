// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/frameworks/FrameworkCheck.h"

namespace lockscope::frameworks {

/// Reads "row": how a lock that is a row is read and freed. `engines`: those of the lock.
FrameworkRow readRow(FrameworkCheck& check, const JsonNode& node, const QList<Engine>& engines);

} // namespace lockscope::frameworks
