// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Thresholds.h"
#include "core/record/Recording.h"
#include "ui/kit/charts/TimeScale.h"
#include "ui/shell/timetravel/TimeBarRecord.h"

#include <QFont>
#include <QList>
#include <QPalette>
#include <QRect>
#include <QRectF>

#include <optional>
#include <utility>
#include <vector>

class QPainter;

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

/// Pixels beside each other that are alike.
struct TimeBarPiece {
    int x = 0;
    int width = 1;
    int waiting = 0;
    milliseconds longest{0};
    bool operator==(const TimeBarPiece&) const = default;
};

/// Returns the worst of each pixel in which something was seen, in order of x: a snapshot lasts until the
/// next poll, unless that came later than `slowest` or there is a gap between. Where nothing was seen there
/// is no piece.
std::vector<TimeBarPiece> piecesOf(const TimeBarRecord& known, const TimeScale& scale, microseconds slowest);

/// Returns the height of a wait, 0 … 1, where `longest` is on view: in proportion, with a little space above
/// the longest one. A wait that does not matter yet never fills the height.
double waitHeight(milliseconds wait, milliseconds longest, const AgeThresholds& thresholds);
/// The same of a number of waiters.
double waitersHeight(int waiting, int maxWaiting);

/// "■ max 40 min": the greatest value on view with the sign of its level; "–" if it is empty.
QString maximumText(const QString& value, AgeLevel level);

/// The places of the parts in a strip of that size. From top to bottom: the longest wait, the waiters, the
/// axis with the events, the times. A value.
struct TimeBarGeometry {
    TimeBarGeometry(QSize size, const QFont& font);
    QRect gutter; ///< captions; empty if there is no space
    QRect plot;
    QRect waits;
    QRect waiters;
    QRect marks;
    QRect times;
    /// Returns where a drag makes a range; above, it moves the position.
    QRect axis() const { return marks.united(times); }

    static int height(const QFont& font); ///< that a strip should have
};

/// The contents of a strip, apart from position and range.
struct TimeBarScene {
    TimeScale scale;
    std::vector<TimeBarPiece> pieces;
    QList<UnseenRange> unseen;
    std::vector<TimeBarMark> marks;
    QList<TimeBarIncident> incidents;
    std::vector<double> pollTicks; ///< the polls, if they lie far enough apart to be drawn
    ServerTime from; ///< nothing is known of what was before
    ServerTime to; ///< nor of what was after
    AgeThresholds thresholds;
    int maxWaiting = 0;
    milliseconds longest{0};
};

class TimeBarPainter {
public:
    TimeBarPainter(const QPalette& palette, const QFont& font);

    /// All that stays as it is while the position moves.
    void paintScene(QPainter& painter, const TimeBarGeometry& geometry, const TimeBarScene& scene) const;
    /// Paints that there is nothing, and why.
    void paintEmpty(QPainter& painter, const TimeBarGeometry& geometry, const QString& message) const;
    void paintNote(QPainter& painter, const TimeBarGeometry& geometry, const QString& message) const;

    using Range = std::pair<ServerTime, ServerTime>;
    void paintRange(
        QPainter& painter, const TimeBarGeometry& geometry, const TimeScale& scale, const Range& range) const;
    /// Returns the place of the label with the range's length; it opens the menu. Null: it is not on view.
    QRect rangeLabel(const TimeBarGeometry& geometry, const TimeScale& scale, const Range& range) const;
    /// The line and the words below it: the time in red, or "live".
    void paintPosition(QPainter& painter, const TimeBarGeometry& geometry, const TimeScale& scale, double x,
        const QString& words, bool isLive) const;
    QRect positionLabel(const TimeBarGeometry& geometry, double x, const QString& words) const;
    /// All that paintPosition draws into.
    QRect positionArea(const TimeBarGeometry& geometry, double x, const QString& words) const;

private:
    void clearTicksBelow(
        QPainter& painter, const TimeBarGeometry& geometry, const TimeScale& scale, const QRect& label) const;
    void paintUnseen(QPainter& painter, const TimeBarGeometry& geometry, const TimeBarScene& scene) const;
    void paintPieces(QPainter& painter, const TimeBarGeometry& geometry, const TimeBarScene& scene) const;
    void paintMaximum(QPainter& painter, const QRect& lane, double part) const;
    void paintTimes(QPainter& painter, const TimeBarGeometry& geometry, const TimeBarScene& scene) const;
    void paintCaptions(QPainter& painter, const TimeBarGeometry& geometry, const TimeBarScene& scene) const;
    void paintLabel(QPainter& painter, const QRect& box, const QString& words, const QColor& fill) const;

    QPalette m_palette;
    QFont m_small;
    QFont m_bold;
};

} // namespace lockscope::ui
