// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Thresholds.h"

class QSettings;

namespace lockscope::alert {

/// The user's thresholds. Values that make no sense are the defaults.
LockThresholds loadThresholds(const QSettings& settings);
void saveThresholds(QSettings& settings, const LockThresholds& thresholds);

} // namespace lockscope::alert
