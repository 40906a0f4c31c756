// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeBarPainter.h"

#include "core/base/EnumTable.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "ui/kit/theme/Theme.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using Kind = record::Event::Kind;

namespace {

constexpr double closest = 11; ///< pixels from mark to mark
constexpr double reach = 7; ///< round the pointer
constexpr double minIncident = 3; ///< a short one is seen, too
constexpr qsizetype maxIncidentLines = 8;
constexpr qsizetype maxEventLines = 6;

int gravity(Kind kind)
{
    static constexpr EnumTable<Kind, int> gravities({0, 0, 1, 3, 2, 0, 1});
    return gravities[kind];
}

QColor colorOf(Kind kind, const QPalette& palette)
{
    const ThemeColors& colors = theme::colors(palette);
    const std::array byGravity{palette.color(QPalette::Text), colors.accent, colors.amber, colors.red};
    return byGravity.at(gravity(kind));
}

} // namespace

QString incidentsText(const QList<TimeBarIncident>& incidents, const TimeScale& scale, double x)
{
    QStringList lines;
    for (const TimeBarIncident& each : incidents) {
        const double from = scale.xOf(each.from.us);
        if (x < from - 2 || x > std::max(scale.xOf(each.to.us), from + minIncident) + 2)
            continue;
        if (lines.size() < maxIncidentLines)
            lines << u"%1 %2: %3"_s.arg(clockText(each.from),
                each.isCritical ? u"critical incident"_s : u"incident"_s, inOneLine(each.title));
    }
    return lines.join(u'\n');
}

void paintIncidents(QPainter& painter, const QList<TimeBarIncident>& incidents, const TimeScale& scale,
    const QRect& lane, const QPalette& palette)
{
    const ThemeColors& colors = theme::colors(palette);
    // The critical ones last: they are not hidden.
    for (const bool isCritical : {false, true})
        for (const TimeBarIncident& each : incidents) {
            const auto shown = scale.visible(each.from.us, each.to.us);
            if (each.isCritical != isCritical || !shown)
                continue;
            painter.fillRect(QRectF(lane.x() + shown->left, lane.y(), std::max(shown->width(), minIncident),
                                 isCritical ? 4 : 2),
                isCritical ? colors.red : colors.amber);
        }
}

bool hasMark(Kind kind)
{
    return kind != Kind::Failure && kind != Kind::Gap;
}

std::vector<TimeBarMark> marksOf(const QList<record::Event>& events, const TimeScale& scale)
{
    std::vector<TimeBarMark> marks;
    double begin = 0; // of the one being filled
    for (qsizetype i = 0; i < events.size(); ++i) {
        const record::Event& event = events[i];
        if (!hasMark(event.kind) || event.at.us < scale.from || event.at.us > scale.to)
            continue;
        const double x = scale.xOf(event.at.us);
        if (marks.empty() || x - begin >= closest) {
            begin = x;
            marks.push_back({.x = x, .kind = event.kind, .first = i, .gravest = i});
            continue;
        }
        TimeBarMark& mark = marks.back();
        mark.count = i - mark.first + 1;
        if (gravity(event.kind) > gravity(mark.kind)) {
            mark.kind = event.kind;
            mark.gravest = i;
        }
    }
    return marks;
}

QString eventsText(const QList<record::Event>& events, qsizetype first, qsizetype count)
{
    QStringList lines;
    int others = 0;
    for (qsizetype i = first; i < first + count; ++i) {
        if (!hasMark(events[i].kind))
            continue;
        if (lines.size() < maxEventLines)
            lines << u"%1 %2: %3"_s.arg(
                clockText(events[i].at), record::eventKindName(events[i].kind), inOneLine(events[i].what));
        else
            ++others;
    }
    if (others > 0)
        lines << u"and %1 more"_s.arg(others);
    return lines.join(u'\n');
}

const TimeBarMark* markAt(const std::vector<TimeBarMark>& marks, double x)
{
    const auto nearest = std::min_element(marks.begin(), marks.end(),
        [x](const TimeBarMark& a, const TimeBarMark& b) { return std::abs(a.x - x) < std::abs(b.x - x); });
    return nearest == marks.end() || std::abs(nearest->x - x) > reach ? nullptr : &*nearest;
}

void paintMark(QPainter& painter, Kind kind, bool several, const QRectF& box, const QPalette& palette)
{
    const QColor color = colorOf(kind, palette);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF inner = box.adjusted(1.5, 1.5, -1.5, -1.5);
    switch (kind) {
    case Kind::Deadlock:
        painter.setPen(QPen(color, 2.8, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(inner.topLeft(), inner.bottomRight());
        painter.drawLine(inner.topRight(), inner.bottomLeft());
        break;
    case Kind::Alert:
        painter.setPen(QPen(color, 1, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(color);
        painter.drawPolygon(QPolygonF({QPointF(box.center().x(), box.top() + 0.5),
            inner.bottomRight() + QPointF(1, 1), inner.bottomLeft() + QPointF(-1, 1)}));
        break;
    case Kind::Act:
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRect(inner);
        break;
    case Kind::Mark: // a flag
        painter.setPen(QPen(color, 1.8));
        painter.drawLine(inner.topLeft() + QPointF(1, 0), inner.bottomLeft() + QPointF(1, 1));
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawPolygon(QPolygonF(
            {inner.topLeft() + QPointF(1, -1), QPointF(box.right(), inner.top() + inner.height() * 0.3),
                inner.topLeft() + QPointF(1, inner.height() * 0.65)}));
        break;
    case Kind::Note:
    case Kind::Failure:
    case Kind::Gap:
        painter.setPen(QPen(color, 1.8));
        painter.setBrush(palette.color(QPalette::Base));
        painter.drawEllipse(inner);
        break;
    }
    if (several) {
        const QPointF middle(box.right() + 2.5, box.top() + 3);
        painter.setPen(QPen(palette.color(QPalette::Text), 1.4));
        painter.drawLine(middle - QPointF(2.5, 0), middle + QPointF(2.5, 0));
        painter.drawLine(middle - QPointF(0, 2.5), middle + QPointF(0, 2.5));
    }
    painter.restore();
}

} // namespace lockscope::ui
