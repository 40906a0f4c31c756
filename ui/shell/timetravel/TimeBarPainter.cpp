// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeBarPainter.h"

#include "core/base/Duration.h"
#include "core/domain/Harm.h"
#include "ui/kit/theme/Theme.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int waitsLane = 18;
constexpr int waitersLane = 22;
constexpr int marksHeight = 13;
constexpr int between = 2;
constexpr int minBar = 3; ///< one waiter among hundreds is seen
constexpr int barEdge = 2; ///< a bar's top is drawn in full
constexpr double bodyOpacity = 0.4;
constexpr double minUnseen = 3; ///< so is a gap that is shorter than a pixel
constexpr int withoutCaptions = 420; ///< no space for captions
constexpr int tickPixels = 74;
constexpr double lineWidth = 2;
constexpr double beyond = 4; ///< pixels: the edges of what goes on off view are not seen

constexpr int centered = static_cast<int>(Qt::AlignCenter);

/// Returns where a bar of that part of a lane's height begins.
int topOf(const QRect& lane, double part)
{
    return lane.bottom() + 1 - std::clamp(int(std::lround(part * lane.height())), minBar, lane.height());
}

QFont smallFont(const QFont& font)
{
    return theme::scaled(font, 0.88);
}

constexpr std::size_t minPixels = 2; ///< of a poll that stands alone
constexpr double headroom = 1.2; ///< above the greatest value, so that its line is seen as such
constexpr double minTop = 4; ///< waiters: one alone does not fill the height

struct Pixel {
    int waiting = -1; ///< nothing seen
    milliseconds longest{0};
    bool operator==(const Pixel&) const = default;
};

} // namespace

std::vector<TimeBarPiece> piecesOf(const TimeBarRecord& known, const TimeScale& scale, microseconds slowest)
{
    std::vector<Pixel> pixels(static_cast<std::size_t>(std::max(scale.width, 1)));
    // A column of the data is a pixel: no snapshot may slip into the one before.
    const auto pixelOf = [&scale](ServerTime at) { return static_cast<std::size_t>(scale.pixelOf(at.us)); };
    const QList<record::RecordedSnapshot>& snapshots = known.snapshots();
    for (qsizetype i = 0; i < snapshots.size(); ++i) {
        const record::RecordedSnapshot& snapshot = snapshots[i];
        const ServerTime last = TimeBarRecord::lastPoll(snapshot);
        const record::RecordedSnapshot* const next = i + 1 < snapshots.size() ? &snapshots[i + 1] : nullptr;
        const bool lasts = next && !known.isGapBetween(snapshot, *next) && next->at - last <= slowest;
        const ServerTime end = lasts ? next->at : last;
        if (end.us < scale.from || snapshot.at.us >= scale.to)
            continue;
        const std::size_t first = pixelOf(snapshot.at);
        std::size_t behind = std::max(pixelOf(end) + (lasts ? 0 : minPixels), first + 1);
        // One that does not last stands in nobody's way.
        if (!lasts && next)
            behind = std::min(behind, std::max(pixelOf(next->at), first + 1));
        behind = std::min(behind, pixels.size());
        for (std::size_t x = first; x < behind; ++x) {
            pixels[x].waiting = std::max(pixels[x].waiting, snapshot.waiting);
            pixels[x].longest = std::max(pixels[x].longest, snapshot.longest.value);
        }
    }
    std::vector<TimeBarPiece> pieces;
    for (std::size_t x = 0; x < pixels.size(); ++x) {
        if (pixels[x].waiting < 0)
            continue;
        if (x > 0 && pixels[x] == pixels[x - 1])
            ++pieces.back().width;
        else
            pieces.push_back({.x = static_cast<int>(x),
                .width = 1,
                .waiting = pixels[x].waiting,
                .longest = pixels[x].longest});
    }
    return pieces;
}

double waitHeight(milliseconds wait, milliseconds longest, const AgeThresholds& thresholds)
{
    const double top = std::max(headroom * double(longest.count()), double(thresholds.amber.count()) * 2);
    return wait.count() <= 0 ? 0 : double(wait.count()) / top;
}

double waitersHeight(int waiting, int maxWaiting)
{
    return waiting / std::max(headroom * maxWaiting, minTop);
}

QString maximumText(const QString& value, AgeLevel level)
{
    return value.isEmpty() ? u"–"_s : theme::withSign(level, u"max "_s + value);
}

TimeBarGeometry::TimeBarGeometry(QSize size, const QFont& font)
{
    const QFontMetrics metrics(smallFont(font));
    const int captions = size.width() < withoutCaptions
        ? 0
        : metrics.horizontalAdvance(u"Wait  ■ max 59 min 59 s"_s) + 26; // of them a part is bold
    const QRect all(0, 0, size.width(), size.height());
    gutter = all.adjusted(0, 0, captions - size.width(), 0);
    plot = all.adjusted(captions, 0, 0, 0);
    int y = between;
    const auto lane = [&](int height) {
        const QRect area(plot.x(), y, plot.width(), height);
        y += height;
        return area;
    };
    waits = lane(waitsLane);
    y += between;
    waiters = lane(waitersLane);
    marks = lane(marksHeight);
    times = lane(std::max(metrics.height(), size.height() - y));
}

int TimeBarGeometry::height(const QFont& font)
{
    return between + waitsLane + between + waitersLane + marksHeight + QFontMetrics(smallFont(font)).height()
        + 1;
}

TimeBarPainter::TimeBarPainter(const QPalette& palette, const QFont& font)
    : m_palette(palette)
    , m_small(smallFont(font))
    , m_bold(theme::scaled(font, 1.0, QFont::Bold))
{
}

void TimeBarPainter::paintScene(
    QPainter& painter, const TimeBarGeometry& geometry, const TimeBarScene& scene) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    painter.fillRect(geometry.gutter.united(geometry.plot), m_palette.color(QPalette::Window));
    painter.save();
    painter.setClipRect(geometry.plot, Qt::IntersectClip);
    // Times that were not read, or not yet, do not appear as if nobody had waited.
    const QRect graph = geometry.waits.united(geometry.waiters);
    if (const auto known = scene.scale.visible(scene.from.us, scene.to.us))
        painter.fillRect(QRectF(graph.x() + known->left, graph.y(), known->width(), graph.height()),
            m_palette.color(QPalette::Base));
    paintUnseen(painter, geometry, scene);
    paintPieces(painter, geometry, scene);
    painter.setPen(colors.border);
    const int line = geometry.waiters.bottom() + 1;
    painter.drawLine(geometry.plot.x(), line, geometry.plot.right(), line);
    paintTimes(painter, geometry, scene);
    paintIncidents(painter, scene.incidents, scene.scale, geometry.marks, m_palette);
    constexpr int size = marksHeight - 2;
    for (const TimeBarMark& mark : scene.marks)
        paintMark(painter, mark.kind, mark.count > 1,
            QRectF(geometry.plot.x() + mark.x - size / 2.0, geometry.marks.y() + 2, size, size), m_palette);
    painter.restore();
    paintCaptions(painter, geometry, scene);
}

void TimeBarPainter::paintUnseen(
    QPainter& painter, const TimeBarGeometry& geometry, const TimeBarScene& scene) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    const QRect graph = geometry.waits.united(geometry.waiters);
    const QFontMetrics metrics(m_small);
    painter.setFont(m_small);
    for (const UnseenRange& unseenRange : scene.unseen) {
        const auto shown = scene.scale.visible(unseenRange.from.us, unseenRange.to.us, beyond);
        if (!shown)
            continue;
        const bool isNobody = unseenRange.why == UnseenRange::Why::Nobody;
        const double spare = isNobody ? std::max(minUnseen - shown->width(), 0.0) : 0;
        const QRectF area(
            geometry.plot.x() + shown->left - spare / 2, graph.y(), shown->width() + spare, graph.height());
        painter.fillRect(area, m_palette.color(isNobody ? QPalette::Window : QPalette::Base));
        painter.fillRect(area, QBrush(colors.border, isNobody ? Qt::BDiagPattern : Qt::Dense7Pattern));
        const QString words = u"not recorded"_s;
        QRectF box(0, 0, metrics.horizontalAdvance(words) + 10, metrics.height());
        const QRectF visible = area & QRectF(geometry.plot);
        if (!isNobody || visible.width() < box.width() + 8)
            continue; // the tooltip names slow polls
        box.moveCenter(visible.center());
        painter.fillRect(box, m_palette.color(QPalette::Window));
        painter.setPen(m_palette.color(QPalette::WindowText));
        painter.drawText(box, centered, words);
    }
}

/// Paints a line at the height of the greatest value on view, which stands beside it.
void TimeBarPainter::paintMaximum(QPainter& painter, const QRect& lane, double part) const
{
    if (part <= 0)
        return;
    painter.setPen(QPen(theme::colors(m_palette).muted, 1, Qt::DotLine));
    const int y = topOf(lane, part);
    painter.drawLine(lane.left(), y, lane.right(), y);
}

void TimeBarPainter::paintPieces(
    QPainter& painter, const TimeBarGeometry& geometry, const TimeBarScene& scene) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    for (const TimeBarPiece& piece : scene.pieces) {
        if (piece.waiting == 0 && piece.longest.count() <= 0)
            continue;
        const int x = geometry.plot.x() + piece.x;
        const auto bar = [&](const QRect& lane, double part, AgeLevel level) {
            const QColor color = level == AgeLevel::Normal ? colors.series[0] : colors.text(level, m_palette);
            QColor body = color;
            body.setAlphaF(bodyOpacity);
            const int top = topOf(lane, part);
            painter.fillRect(x, top, piece.width, lane.bottom() + 1 - top, body);
            painter.fillRect(x, top, piece.width, barEdge, color);
        };
        bar(geometry.waits, waitHeight(piece.longest, scene.longest, scene.thresholds),
            scene.thresholds.levelOf(piece.longest));
        bar(geometry.waiters, waitersHeight(piece.waiting, scene.maxWaiting),
            levelOf(Harm{.victims = piece.waiting, .longestWait = piece.longest}, scene.thresholds));
    }
    paintMaximum(painter, geometry.waits, waitHeight(scene.longest, scene.longest, scene.thresholds));
    paintMaximum(painter, geometry.waiters, waitersHeight(scene.maxWaiting, scene.maxWaiting));
    // Each poll, as far as there are pixels between them: between polls nothing is known.
    for (const double x : scene.pollTicks)
        painter.fillRect(QRectF(geometry.plot.x() + x, geometry.waiters.bottom() - 1, 1, 2),
            m_palette.color(QPalette::Text));
}

void TimeBarPainter::paintTimes(
    QPainter& painter, const TimeBarGeometry& geometry, const TimeBarScene& scene) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    const QFontMetrics metrics(m_small);
    QFont bold = m_small;
    bold.setWeight(QFont::Bold);
    int free = geometry.plot.x();
    // Without captions the day and the zone stand on the axis.
    if (geometry.gutter.isEmpty()) {
        const QString words = u"%1 UTC"_s.arg(dayText({scene.scale.from}));
        painter.setFont(m_small);
        painter.setPen(colors.muted);
        painter.drawText(geometry.times.adjusted(4, 0, 0, 0), int(Qt::AlignLeft | Qt::AlignVCenter), words);
        free += metrics.horizontalAdvance(words) + 12;
    }
    for (const AxisTick& tick : axisTicks(scene.scale, tickPixels)) {
        const int x = geometry.plot.x() + int(scene.scale.xOf(tick.at));
        painter.setPen(colors.border);
        painter.drawLine(
            x, geometry.waiters.bottom() + 1, x, geometry.waiters.bottom() + (tick.isDay ? 8 : 4));
        painter.setFont(tick.isDay ? bold : m_small);
        const int half = QFontMetrics(painter.font()).horizontalAdvance(tick.text) / 2 + 2;
        if (x - half < free || x + half > geometry.plot.right() + 1)
            continue;
        painter.setPen(tick.isDay ? m_palette.color(QPalette::WindowText) : colors.muted);
        painter.drawText(
            QRect(x - half, geometry.times.y(), half * 2, geometry.times.height()), centered, tick.text);
        free = x + half;
    }
}

void TimeBarPainter::paintCaptions(
    QPainter& painter, const TimeBarGeometry& geometry, const TimeBarScene& scene) const
{
    if (geometry.gutter.isEmpty())
        return;
    const ThemeColors& colors = theme::colors(m_palette);
    constexpr int flags = int(Qt::AlignLeft | Qt::AlignVCenter);
    const auto row = [&](const QRect& lane) {
        return QRect(geometry.gutter.x() + 5, lane.y(), geometry.gutter.width() - 7, lane.height());
    };
    // Whatever time is on view, it is the greatest of it.
    const auto caption = [&](const QRect& lane, const QString& what, const QString& value,
                             const QColor& ink) {
        painter.setFont(m_small);
        painter.setPen(colors.muted);
        painter.drawText(row(lane), flags, what);
        QFont strong = m_small;
        strong.setWeight(QFont::DemiBold);
        painter.setFont(strong);
        painter.setPen(ink);
        painter.drawText(row(lane).adjusted(0, 0, -6, 0), int(Qt::AlignRight | Qt::AlignVCenter), value);
    };
    const AgeLevel level = scene.thresholds.levelOf(scene.longest);
    caption(geometry.waits, u"Wait"_s,
        maximumText(scene.longest.count() > 0 ? formatDuration(scene.longest) : QString(), level),
        level == AgeLevel::Normal ? m_palette.color(QPalette::WindowText) : colors.text(level, m_palette));
    caption(geometry.waiters, u"Waiters"_s,
        maximumText(scene.maxWaiting > 0 ? QString::number(scene.maxWaiting) : QString(), AgeLevel::Normal),
        m_palette.color(QPalette::WindowText));
    painter.setFont(m_small);
    painter.setPen(colors.muted);
    painter.drawText(row(geometry.times), flags, u"%1 UTC"_s.arg(dayText({scene.scale.from})));
}

void TimeBarPainter::paintEmpty(
    QPainter& painter, const TimeBarGeometry& geometry, const QString& message) const
{
    const QRect all = geometry.gutter.united(geometry.plot);
    painter.fillRect(all, m_palette.color(QPalette::Window));
    painter.setPen(theme::colors(m_palette).muted);
    painter.setFont(m_small);
    painter.drawText(all.adjusted(6, 0, -6, 0), centered | int(Qt::TextWordWrap), message);
}

void TimeBarPainter::paintNote(
    QPainter& painter, const TimeBarGeometry& geometry, const QString& message) const
{
    const QFontMetrics metrics(m_small);
    const QString words = metrics.elidedText(
        theme::withSign(AgeLevel::Amber, message), Qt::ElideRight, geometry.plot.width() - 16);
    const QRect box(geometry.plot.x() + 4, geometry.plot.y() + 1, metrics.horizontalAdvance(words) + 10,
        metrics.height());
    painter.fillRect(box, theme::colors(m_palette).amberFill);
    painter.setFont(m_small);
    painter.setPen(theme::colors(m_palette).amber);
    painter.drawText(box, centered, words);
}

void TimeBarPainter::paintLabel(
    QPainter& painter, const QRect& box, const QString& words, const QColor& fill) const
{
    painter.save();
    theme::paintBox(painter, box, 3, Qt::NoPen, fill);
    painter.setFont(m_bold);
    painter.setPen(theme::colors(m_palette).dark ? m_palette.color(QPalette::Base) : QColor(Qt::white));
    painter.drawText(box, centered, words);
    painter.restore();
}

QRect TimeBarPainter::positionLabel(const TimeBarGeometry& geometry, double x, const QString& words) const
{
    const QFontMetrics metrics(m_bold);
    QRect box(0, geometry.times.bottom() + 1 - metrics.height(), metrics.horizontalAdvance(words) + 12,
        metrics.height());
    box.moveLeft(std::clamp(geometry.plot.x() + int(x) - box.width() / 2, geometry.plot.x(),
        std::max(geometry.plot.x(), geometry.plot.right() + 1 - box.width())));
    return box;
}

QRect TimeBarPainter::positionArea(const TimeBarGeometry& geometry, double x, const QString& words) const
{
    const QRect line(geometry.plot.x() + int(x) - 2, 0, 6, geometry.times.bottom() + 1);
    return line.united(positionLabel(geometry, x, words).adjusted(-tickPixels, 0, tickPixels, 0))
        .adjusted(-1, -1, 1, 1);
}

/// A time of the axis that the label covers in part can't be read: it goes as a whole.
void TimeBarPainter::clearTicksBelow(
    QPainter& painter, const TimeBarGeometry& geometry, const TimeScale& scale, const QRect& label) const
{
    const QFontMetrics metrics(m_bold);
    for (const AxisTick& tick : axisTicks(scale, tickPixels)) {
        const int half = metrics.horizontalAdvance(tick.text) / 2 + 2;
        const QRect words(geometry.plot.x() + int(scale.xOf(tick.at)) - half, geometry.times.y(), 2 * half,
            geometry.times.height());
        if (words.intersects(label))
            painter.fillRect(words & geometry.times, m_palette.color(QPalette::Window));
    }
}

void TimeBarPainter::paintPosition(QPainter& painter, const TimeBarGeometry& geometry, const TimeScale& scale,
    double x, const QString& words, bool isLive) const
{
    const ThemeColors& colors = theme::colors(m_palette);
    const QColor color = isLive ? colors.ok : colors.red;
    const QRect label = positionLabel(geometry, x, words);
    clearTicksBelow(painter, geometry, scale, label);
    const double left = std::clamp(geometry.plot.x() + x - lineWidth / 2, double(geometry.plot.x()),
        geometry.plot.right() + 1 - lineWidth);
    // On red bars, too, it is seen.
    painter.fillRect(QRectF(left - 1, 0, lineWidth + 2, label.top()), m_palette.color(QPalette::Base));
    painter.fillRect(QRectF(left, 0, lineWidth, label.top()), color);
    paintLabel(painter, label, words, color);
}

QRect TimeBarPainter::rangeLabel(
    const TimeBarGeometry& geometry, const TimeScale& scale, const Range& range) const
{
    const auto shown = scale.visible(range.first.us, range.second.us);
    if (!shown)
        return {};
    const QFontMetrics metrics(m_bold);
    const QString words = lengthInWords(range.second - range.first) + u" ▾"_s;
    QRect box(0, 1, metrics.horizontalAdvance(words) + 12, metrics.height());
    const int first = geometry.plot.x() + int(shown->left);
    const int last = geometry.plot.x() + int(shown->right);
    if (last - first >= box.width() + 4)
        box.moveLeft((first + last - box.width()) / 2);
    else if (last + 3 + box.width() <= geometry.plot.right())
        box.moveLeft(last + 3); // beside what is too narrow for it
    else
        box.moveLeft(std::max(geometry.plot.x(), first - 3 - box.width()));
    return box;
}

void TimeBarPainter::paintRange(
    QPainter& painter, const TimeBarGeometry& geometry, const TimeScale& scale, const Range& range) const
{
    const auto shown = scale.visible(range.first.us, range.second.us, beyond);
    if (!shown)
        return;
    painter.save();
    painter.setClipRect(geometry.plot, Qt::IntersectClip);
    const QColor color = theme::colors(m_palette).accent;
    QColor shade = color;
    shade.setAlphaF(0.2F);
    const double height = geometry.times.y();
    const double from = geometry.plot.x() + shown->left;
    const double to = geometry.plot.x() + shown->right;
    painter.fillRect(QRectF(from, 0, to - from, height), shade);
    // Brackets, open towards the range.
    for (const double edge : {from, to}) {
        const double inwards = edge == from ? 0 : -5;
        painter.fillRect(QRectF(edge - 1, 0, 2, height), color);
        painter.fillRect(QRectF(edge + inwards, height - 2, 5, 2), color);
        painter.fillRect(QRectF(edge + inwards, 0, 5, 2), color);
    }
    painter.restore();
    paintLabel(painter, rangeLabel(geometry, scale, range),
        lengthInWords(range.second - range.first) + u" ▾"_s, color);
}

} // namespace lockscope::ui
