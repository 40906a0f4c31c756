// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/record/Recording.h"
#include "ui/kit/charts/TimeScale.h"

#include <QList>
#include <QRectF>

#include <vector>

class QPainter;
class QPalette;

namespace lockscope::ui {

/// An incident: a line from its beginning to its end.
struct TimeBarIncident {
    ServerTime from;
    ServerTime to;
    bool isCritical = false; ///< at worst
    QString title;
    bool operator==(const TimeBarIncident&) const = default;
};
/// Returns the titles of the incidents at that place, one a line.
QString incidentsText(const QList<TimeBarIncident>& incidents, const TimeScale& scale, double x);
/// A critical one is thick, a warning thin. `lane`: of the marks, whose upper edge it is.
void paintIncidents(QPainter& painter, const QList<TimeBarIncident>& incidents, const TimeScale& scale,
    const QRect& lane, const QPalette& palette);

/// A mark on the axis: one event, or several that lie too close together to be drawn apart.
struct TimeBarMark {
    double x = 0; ///< its middle
    record::Event::Kind kind = record::Event::Kind::Note; ///< of the gravest
    qsizetype first = 0; ///< in the list of events
    qsizetype count = 1; ///< they follow each other
    qsizetype gravest = 0;
    bool operator==(const TimeBarMark&) const = default;
};

/// Returns them in order of x. Failures and gaps have none: they are drawn as what they are, unseen time.
std::vector<TimeBarMark> marksOf(const QList<record::Event>& events, const TimeScale& scale);
/// The one within reach of x; null: none.
const TimeBarMark* markAt(const std::vector<TimeBarMark>& marks, double x);
bool hasMark(record::Event::Kind kind);
/// Several events of a mark, one a line: "12:04:31 deadlock: …"; of more than a few, how many others there
/// are.
QString eventsText(const QList<record::Event>& events, qsizetype first, qsizetype count);

/// A shape of its own for each kind: cross (deadlock), triangle (alert), square (act), ring (note).
void paintMark(
    QPainter& painter, record::Event::Kind kind, bool several, const QRectF& box, const QPalette& palette);

} // namespace lockscope::ui
