// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/scenarios/ScenarioRunner.h"

namespace lockscope::ui {

/// Returns one page that needs nothing else, and lets nothing else in: verdicts, figures side by side, every
/// session, and timelines to zoom into. In the reader's brightness. Below a megabyte: of runs with very many
/// events, the shortest ones are summed up.
QByteArray htmlReport(const std::vector<ScenarioRunner::Ran>& runs);

} // namespace lockscope::ui
