// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/Coverage.h"
#include "core/record/Recording.h"

#include <QList>

namespace lockscope::ui {

/// The data of a time bar for a range that it requested by visibleRangeChanged(from, to, columns).
struct TimeBarData {
    record::Span span; ///< `from` and `to` of that signal; `frames` does not matter
    QList<record::RecordedSnapshot> moments; ///< RecordingReader::moments(from, to, columns)
    QList<record::Event> events; ///< RecordingReader::events(from, to)
    QList<record::Coverage::Gap> gaps; ///< coverageOf(reader, from, to); those at the edges may reach beyond
};

} // namespace lockscope::ui
