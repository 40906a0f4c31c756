// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/scenarios/Timeline.h"

namespace lockscope::ui {

/// "3 visitor", "C visitor".
QString laneName(const TimelineLane& lane);
/// Describes what a session did at a time, the lock that it waited for or held, for how long, by which
/// statement; with the events within `reach` microseconds of it and the other sessions in its critical
/// section. Several lines.
QString describeTime(const Timeline& timeline, const TimelineLane& lane, qint64 at, qint64 reach);
/// The whole in a few sentences, for those who can't see it.
QString describeTimeline(const Timeline& timeline);
/// The statement or lock by which a session of that role gets `subject`; empty if it is not known.
QString lockingStep(const Timeline& timeline, const QString& role, const QString& subject);

} // namespace lockscope::ui
