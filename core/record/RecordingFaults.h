// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/record/Database.h"

#include <QStringList>

namespace lockscope::record {

/// Lists as sentences what is wrong with a recording's file, except with the data of its frames. Reads all of
/// it.
Result<QStringList> faultsBesideFrames(Database& file);

} // namespace lockscope::record
