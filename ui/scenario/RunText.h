// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/FreeRun.h"

namespace lockscope::ui {

/// "812 rounds/s  ·  waits: half below 3 ms, …  ·  4 denied". `withTitle`: says of which variant.
QString figuresText(const scenario::RunReport& report, bool withTitle);
/// "225 rounds  ·  6 of 8 sessions wait"; `wanted`: how many sessions there shall be.
QString progressText(const scenario::Progress& progress, int wanted);

} // namespace lockscope::ui
