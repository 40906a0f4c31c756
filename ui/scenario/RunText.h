// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/FreeRun.h"

namespace lockscope::ui {

/// "812 rounds/s  ·  waits: half below 3 ms, …  ·  4 denied". `withTitle`: says of which variant.
QString figuresText(const scenario::RunReport& report, bool withTitle);
/// "225 rounds  ·  6 of 8 sessions wait"; `wanted`: how many sessions there shall be.
QString progressText(const scenario::Progress& progress, int wanted);

/// Why it can't be run there; empty if it can.
QString reasonAgainst(const scenario::Scenario& scenario, Engine engine);
/// The server's own words about it, and what to do.
QString reasonOf(const Error& error);

} // namespace lockscope::ui
