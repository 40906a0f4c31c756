// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/ServerTime.h"
#include "core/monitor/Surroundings.h"

namespace lockscope::record {

/// A measure of a recording.
struct RecordedMeasure {
    ServerTime taken;
    monitor::Measure measure;
};

} // namespace lockscope::record
