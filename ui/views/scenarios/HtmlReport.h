// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/scenarios/ScenarioRunner.h"

namespace lockscope::ui {

/// Returns one page that needs nothing else, and lets nothing else in: verdicts, figures side by side, every
/// session, and timelines to zoom into. In the reader's brightness. Below a megabyte: of runs with very many
/// events, the shortest ones are summed up.
QByteArray htmlReport(const std::vector<ScenarioRunner::Ran>& runs);

struct PackedTimelines {
    QByteArray data;
    int width = 0; ///< spans shorter than a pixel at this width are summed up; 0: everything is there,
                   ///< -1: nothing
};

/// Returns timelines as resources/report/report.js reads them: JSON, deflated, in base64, at most
/// `maxBytes`. If it takes that, spans too short to be seen at some width are summed up, as on the screen;
/// if even that is too much, there are none.
PackedTimelines packedTimelines(const std::vector<TimelinePtr>& timelines, qsizetype maxBytes);
/// The same before it is packed. `width` in pixels: the finest part that is told apart; 0 = everything.
QByteArray timelineData(const std::vector<TimelinePtr>& timelines, int width);

} // namespace lockscope::ui
