// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/BiographyView.h"

#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/domain/SnapshotNames.h"
#include "ui/kit/charts/TimeScale.h"
#include "ui/kit/theme/Theme.h"

#include <QFont>
#include <QHash>
#include <QPainter>
#include <QPalette>
#include <QRect>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

bool isOfLock(const record::Biography& biography)
{
    return std::holds_alternative<record::RecordedLock>(biography.subject);
}

QString handOverText(const record::Biography& biography, const record::HandOver& handOver)
{
    const auto title = [&](qsizetype line) { return biography.lines[line].recordedParty().title(); };
    QString text = u"At %1 %2 got it"_s.arg(clockText(handOver.at), title(handOver.to));
    if (handOver.from)
        text += u" after %1"_s.arg(title(*handOver.from));
    if (handOver.wait)
        text += u", having waited %1"_s.arg(lengthOf(biography.lines[*handOver.wait]).toString());
    return text;
}

} // namespace

std::vector<BiographyLane> lanesOf(const record::Biography& biography)
{
    std::vector<BiographyLane> lanes;
    const bool ofLock = isOfLock(biography);
    for (const bool waited : {false, true}) {
        std::vector<BiographyLane> some;
        QHash<QString, std::size_t> places;
        for (qsizetype i = 0; i < biography.lines.size(); ++i) {
            const record::HistoryLine& line = biography.lines[i];
            if (line.waited != waited)
                continue;
            const record::RecordedParty party = line.recordedParty();
            const QString key = ofLock ? u"%1 %2 %3 %4 %5"_s.arg(party.session.value)
                                             .arg(party.started.us)
                                             .arg(party.user, party.program, party.host)
                                       : line.recordedLock().key();
            const auto place = places.constFind(key);
            if (place == places.cend()) {
                places.insert(key, some.size());
                some.push_back(
                    {.name = inOneLine(ofLock ? party.title() : line.lock), .waited = waited, .lines = {i}});
            } else {
                some[*place].lines.append(i);
            }
        }
        if (some.empty())
            continue;
        lanes.push_back({.name = waited ? (ofLock ? u"Waited for it"_s : u"It waited for"_s)
                                        : (ofLock ? u"Held it"_s : u"It held"_s),
            .isHeading = true,
            .waited = waited});
        lanes.insert(lanes.end(), some.begin(), some.end());
    }
    return lanes;
}

QString describeTime(
    const record::Biography& biography, const BiographyLane& lane, ServerTime at, microseconds reach)
{
    QStringList texts;
    for (const qsizetype each : lane.lines) {
        const record::HistoryLine& line = biography.lines[each];
        if (line.from <= at + reach && line.gone.value_or(line.to) + reach >= at)
            texts << inOneLine(describe(line, biography.subject));
        constexpr qsizetype maximum = 4;
        if (texts.size() == maximum)
            break;
    }
    for (const record::HandOver& handOver : biography.handOvers) {
        if (handOver.at >= at - reach && handOver.at <= at + reach && lane.lines.contains(handOver.to))
            texts << inOneLine(handOverText(biography, handOver));
    }
    for (const record::Coverage::Gap& gap : biography.coverage.gaps) {
        if (at >= gap.from && at <= gap.to)
            texts << inOneLine(gap.toString());
    }
    return texts.join(u'\n');
}

QString describeBiography(const record::Biography& biography)
{
    qsizetype waits = 0;
    for (const record::HistoryLine& line : biography.lines)
        waits += line.waited ? 1 : 0;
    return u"%1 from %2 to %3: held %4 times, waited for %5 times, handed over %6 times. %7"_s
        .arg(inOneLine(biography.title), dateTimeText(biography.from), dateTimeText(biography.to))
        .arg(biography.lines.size() - waits)
        .arg(waits)
        .arg(biography.handOvers.size())
        .arg(biography.coverage.toString());
}

namespace {

constexpr int widestGutter = 190;
constexpr int laneTickSpace = 76;
constexpr double minBar = 2; // pixels: what was seen once is seen
constexpr auto middleLeft = static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);

} // namespace

/// Draws the history of a lock or a session: holders above, waiters below. Colour is never alone: waiting is
/// hatched, what nobody saw is crossed, hand-overs are arrows.
class BiographyPainter {
public:
    BiographyPainter(const record::Biography& biography, const std::vector<BiographyLane>& lanes,
        const QPalette& palette, const QFont& font)
        : m_biography(biography)
        , m_lanes(lanes)
        , m_palette(palette)
        , m_font(font)
        , m_small(theme::scaled(font, 0.85))
    {
        const QFontMetrics metrics(m_font);
        m_axis = QFontMetrics(m_small).height() + 10;
        m_lane = metrics.height() + 8;
        int widest = 0;
        for (std::size_t i = 0; i < m_lanes.size(); ++i) {
            QFont written = m_font;
            written.setWeight(m_lanes[i].isHeading ? QFont::DemiBold : QFont::Normal);
            widest = std::max(widest, QFontMetrics(written).horizontalAdvance(m_lanes[i].name));
            for (const qsizetype line : m_lanes[i].lines)
                m_laneOf.insert(line, static_cast<int>(i));
        }
        m_gutter = std::min(widest + 20, widestGutter);
    }

    int gutter() const { return m_gutter; } ///< the width of the names
    int axisHeight() const { return m_axis; }
    int laneHeight() const { return m_lane; }

    /// Names and lanes; `top` is where lane 0 begins; only what meets `area` is drawn.
    void paintLanes(QPainter& painter, const QRect& area, int top, const TimeScale& scale) const
    {
        const ThemeColors& colors = theme::colors(m_palette);
        painter.save();
        painter.setClipRect(area);
        const QRect lanes(area.left() + m_gutter, std::max(area.top(), top), scale.width,
            std::min(
                area.bottom() - std::max(area.top(), top) + 1, static_cast<int>(m_lanes.size()) * m_lane));
        painter.setClipRect(QRect(area.left() + m_gutter, area.top(), scale.width, area.height()));
        paintGaps(painter, lanes, scale);
        for (std::size_t i = 0; i < m_lanes.size(); ++i) {
            const int y = top + static_cast<int>(i) * m_lane;
            if (y + m_lane < area.top() || y > area.bottom())
                continue;
            for (const qsizetype each : m_lanes[i].lines) {
                const record::HistoryLine& line = m_biography.lines[each];
                if (line.from.us <= scale.to && line.gone.value_or(line.to).us >= scale.from)
                    paintLine(painter, line, y, scale);
            }
        }
        painter.setRenderHint(QPainter::Antialiasing);
        paintHandOvers(painter, area, top, scale);
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setClipRect(area);
        for (std::size_t i = 0; i < m_lanes.size(); ++i) {
            const BiographyLane& lane = m_lanes[i];
            const int y = top + static_cast<int>(i) * m_lane;
            if (y + m_lane < area.top() || y > area.bottom())
                continue;
            painter.setPen(colors.grid);
            painter.drawLine(
                area.left(), y + m_lane - 1, area.left() + m_gutter + scale.width, y + m_lane - 1);
            QFont font = m_font;
            if (lane.isHeading)
                font.setWeight(QFont::DemiBold);
            painter.setFont(font);
            painter.setPen(lane.isHeading ? colors.muted : m_palette.color(QPalette::Text));
            const QRect name(area.left() + (lane.isHeading ? 6 : 12), y, m_gutter - 16, m_lane);
            theme::paintText(painter, name, lane.name, Qt::ElideMiddle);
        }
        painter.restore();
    }
    /// Paints a mark at `around`, where the history was requested.
    void paintAxis(QPainter& painter, const QRect& area, const TimeScale& scale, ServerTime around) const
    {
        const ThemeColors& colors = theme::colors(m_palette);
        painter.fillRect(area, m_palette.color(QPalette::Base));
        painter.setFont(m_small);
        painter.setPen(colors.muted);
        paintTicks(painter, area, m_gutter, scale, axisTicks(scale, laneTickSpace));
        if (around.us >= scale.from && around.us <= scale.to) {
            const double x = area.left() + m_gutter + scale.xOf(around.us);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(Qt::NoPen);
            painter.setBrush(colors.red);
            const QPointF mark[] = {{x, double(area.bottom()) + 1}, {x - 5, double(area.bottom()) - 6},
                {x + 5, double(area.bottom()) - 6}};
            painter.drawPolygon(mark, 3);
            painter.setRenderHint(QPainter::Antialiasing, false);
        }
        painter.setPen(colors.border);
        painter.drawLine(area.left(), area.bottom(), area.right(), area.bottom());
    }
    /// The place of a line in its lane.
    QRectF barOf(const record::HistoryLine& line, int laneTop, const TimeScale& scale) const
    {
        const double left = std::max(scale.xOf(line.from.us), -double(scale.width));
        const double right = std::min(scale.xOf(line.to.us), 2.0 * scale.width);
        return {m_gutter + left, double(laneTop) + 4, std::max(right - left, minBar), double(m_lane) - 8};
    }

private:
    void paintGaps(QPainter& painter, const QRect& area, const TimeScale& scale) const
    {
        const ThemeColors& colors = theme::colors(m_palette);
        for (const record::Coverage::Gap& gap : m_biography.coverage.gaps) {
            const auto shown = scale.visible(gap.from.us, gap.to.us);
            if (!shown)
                continue;
            const QRectF band(
                area.left() + shown->left, area.top(), std::max(1.0, shown->width()), area.height());
            painter.fillRect(band, QBrush(colors.border, Qt::DiagCrossPattern));
            painter.setFont(m_small);
            const QString text = u"not recorded"_s;
            if (const QFontMetrics metrics(m_small); metrics.horizontalAdvance(text) + 10 < band.width()) {
                const QRectF label(band.left() + 4, area.top() + 2, metrics.horizontalAdvance(text) + 4,
                    metrics.height() + 2);
                painter.fillRect(label, m_palette.color(QPalette::Base));
                painter.setPen(colors.muted);
                painter.drawText(label, static_cast<int>(Qt::AlignCenter), text);
            }
        }
    }
    void paintLine(
        QPainter& painter, const record::HistoryLine& line, int laneTop, const TimeScale& scale) const
    {
        const ThemeColors& colors = theme::colors(m_palette);
        const QRectF bar = barOf(line, laneTop, scale);
        if (line.gone) {
            // Between the last poll that saw it and the first that did not.
            const double end = m_gutter + std::min(scale.xOf(line.gone->us), 2.0 * scale.width);
            painter.setPen(QPen(colors.muted, 1, Qt::DotLine));
            painter.drawLine(QPointF(bar.right(), bar.center().y()), QPointF(end, bar.center().y()));
            painter.drawLine(QPointF(end, bar.top() + 3), QPointF(end, bar.bottom() - 3));
        }
        if (line.waited) {
            painter.fillRect(bar, colors.amberFill);
            painter.fillRect(bar, QBrush(colors.amber, Qt::BDiagPattern));
            painter.setPen(colors.amber);
        } else {
            QColor fill = colors.series[0];
            fill.setAlphaF(colors.dark ? 0.55F : 0.35F);
            painter.fillRect(bar, fill);
            painter.setPen(colors.series[0]);
        }
        painter.drawLine(bar.topLeft(), bar.topRight());
        painter.drawLine(bar.bottomLeft(), bar.bottomRight());
        if (line.fromExact)
            painter.drawLine(bar.topLeft(), bar.bottomLeft());
        if (line.gone)
            painter.drawLine(bar.topRight(), bar.bottomRight());
        // A mode is of use where it can be read.
        const double left = std::max(bar.left(), double(m_gutter));
        const QRectF space(left + 4, bar.top(), bar.right() - left - 8, bar.height());
        painter.setFont(m_small);
        if (!line.mode.isEmpty() && QFontMetrics(m_small).horizontalAdvance(line.mode) < space.width()) {
            if (line.waited)
                painter.fillRect(
                    QRectF(space.left() - 2, space.top() + 1,
                        QFontMetrics(m_small).horizontalAdvance(line.mode) + 4, space.height() - 2),
                    colors.amberFill);
            painter.setPen(m_palette.color(QPalette::Text));
            painter.drawText(space, middleLeft, line.mode);
        }
    }
    /// Paints each from the lane of the former holder down, or up, to that of the new one.
    void paintHandOvers(QPainter& painter, const QRect& area, int top, const TimeScale& scale) const
    {
        const ThemeColors& colors = theme::colors(m_palette);
        for (const record::HandOver& handOver : m_biography.handOvers) {
            const double x = m_gutter + scale.xOf(handOver.at.us);
            if (x < m_gutter || x > m_gutter + scale.width)
                continue;
            const qsizetype before = handOver.from.value_or(handOver.wait.value_or(handOver.to));
            const double from = top + m_laneOf.value(before) * m_lane + m_lane / 2.0;
            const double to = top + m_laneOf.value(handOver.to) * m_lane + m_lane / 2.0;
            if (std::max(from, to) < area.top() || std::min(from, to) > area.bottom())
                continue;
            painter.setPen(QPen(colors.accent, 1.5));
            painter.drawLine(QPointF(x, from), QPointF(x, to));
            const double way = to >= from ? -1 : 1;
            painter.setBrush(colors.accent);
            painter.setPen(Qt::NoPen);
            const QPointF head[] = {{x, to}, {x - 4, to + way * 6}, {x + 4, to + way * 6}};
            painter.drawPolygon(head, 3);
        }
    }

    const record::Biography& m_biography;
    const std::vector<BiographyLane>& m_lanes;
    const QPalette m_palette;
    const QFont m_font;
    const QFont m_small;
    QHash<qsizetype, int> m_laneOf; ///< by line
    int m_gutter = 0;
    int m_axis = 0;
    int m_lane = 0;
};

namespace {

constexpr qint64 closestUs = 1'000'000; // microseconds on view

} // namespace

BiographyView::BiographyView(QWidget* parent)
    : TimeLanesView(u"History of a lock"_s, closestUs, parent)
{
    setObjectName(u"biography"_s);
    setAccessibleName(u"Who held it and who waited, drawn"_s);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    addKeys();
}

BiographyView::~BiographyView() = default;

void BiographyView::addKeys()
{
    m_previous = add(u"The hand-over before"_s, {Qt::Key_P}, [this] { goToHandOver(-1); });
    m_next = add(u"The next hand-over"_s, {Qt::Key_N}, [this] { goToHandOver(1); });
    addZooming(u"All of it"_s);
    add(u"What began before"_s, {Qt::Key_Left}, [this] { step(-1); });
    add(u"What began next"_s, {Qt::Key_Right}, [this] { step(1); });
    add(u"The lane above"_s, {Qt::Key_Up}, [this] { goToLane(-1); });
    add(u"The lane below"_s, {Qt::Key_Down}, [this] { goToLane(1); });
    addPaging();
    add(u"The first"_s, {Qt::Key_Home}, [this] { step(-static_cast<int>(m_biography->lines.size())); });
    add(u"The last"_s, {Qt::Key_End}, [this] { step(static_cast<int>(m_biography->lines.size())); });
    add(u"Show that time"_s, {Qt::Key_Return, Qt::Key_Enter}, [this] {
        if (m_line >= 0)
            Q_EMIT timeTravelRequested(timeOfLine(m_biography->lines[m_line], m_biography->from));
    });
}

void BiographyView::show(BiographyPtr biography, ServerTime around)
{
    m_painter.reset(); // refers to both
    m_biography = std::move(biography);
    m_lanes = m_biography ? lanesOf(*m_biography) : std::vector<BiographyLane>();
    m_around = around;
    m_line = -1;
    showContents(m_lanes.empty() ? QString() : describeBiography(*m_biography), true);
    const bool some = m_biography && !m_biography->handOvers.isEmpty();
    m_previous->setEnabled(some);
    m_next->setEnabled(some);
}

void BiographyView::makePainter()
{
    m_painter = m_lanes.empty()
        ? nullptr
        : std::make_unique<BiographyPainter>(*m_biography, m_lanes, palette(), font());
}

std::optional<TimeLanesView::Measures> BiographyView::measures() const
{
    if (!m_painter)
        return std::nullopt;
    return Measures{.gutter = m_painter->gutter(),
        .axisHeight = m_painter->axisHeight(),
        .laneHeight = m_painter->laneHeight(),
        .lanes = static_cast<int>(m_lanes.size()),
        .from = m_biography->from.us,
        .to = m_biography->to.us};
}

std::optional<qint64> BiographyView::markedTime() const
{
    if (m_line < 0)
        return std::nullopt;
    return timeOfLine(m_biography->lines[m_line], m_biography->from).us;
}

int BiographyView::laneWith(qsizetype line) const
{
    const auto lane = std::ranges::find_if(
        m_lanes, [line](const BiographyLane& each) { return each.lines.contains(line); });
    return lane == m_lanes.end() ? -1 : static_cast<int>(lane - m_lanes.begin());
}

qsizetype BiographyView::lineAt(const Place& place) const
{
    const ServerTime at{place.at};
    const microseconds near(reach());
    qsizetype found = -1;
    for (const qsizetype each : laneOf(place.lane).lines) {
        const record::HistoryLine& line = m_biography->lines[each];
        if (line.from <= at + near && line.to + near >= at)
            found = each; // the later one, which is drawn above
    }
    return found;
}

void BiographyView::choose(qsizetype line)
{
    if (!m_painter || line == m_line || line >= m_biography->lines.size())
        return;
    m_line = line;
    if (line >= 0)
        reveal(line);
    viewport()->update();
    Q_EMIT lineChosen(line);
}

/// Scrolls to it if it is out of sight.
void BiographyView::reveal(qsizetype line)
{
    const int lane = laneWith(line);
    if (lane < 0)
        return;
    revealLane(lane);
    const record::HistoryLine& which = m_biography->lines[line];
    if (which.to.us < scale().from || which.from.us > scale().to)
        moveBy(timeOfLine(which, m_biography->from).us - (scale().from + scale().to) / 2);
}

QPoint BiographyView::placeOf(qsizetype line) const
{
    const int lane = laneWith(line);
    if (lane < 0)
        return {};
    const QRectF bar =
        m_painter->barOf(m_biography->lines[line], top() + lane * m_painter->laneHeight(), scale());
    const double left = std::max(bar.left(), double(m_painter->gutter()));
    const double right = std::min(bar.right(), double(m_painter->gutter() + scale().width));
    return QPointF((left + right) / 2, bar.center().y()).toPoint();
}

void BiographyView::step(int lines)
{
    const auto last = static_cast<qsizetype>(m_biography->lines.size()) - 1;
    choose(m_line < 0 ? (lines < 0 ? last : 0) : std::clamp<qsizetype>(m_line + lines, 0, last));
}

/// The line of the next lane that is nearest in time.
void BiographyView::goToLane(int way)
{
    const int now = laneWith(m_line);
    if (now < 0)
        return step(way);
    const int lanes = static_cast<int>(m_lanes.size());
    int lane = now + way;
    while (lane >= 0 && lane < lanes && !isLane(lane))
        lane += way;
    if (lane < 0 || lane >= lanes)
        return;
    const ServerTime at = m_biography->lines[m_line].from;
    choose(*std::ranges::min_element(laneOf(lane).lines, {},
        [&](qsizetype each) { return std::abs((m_biography->lines[each].from - at).count()); }));
}

void BiographyView::goToHandOver(int way)
{
    const ServerTime at = m_line >= 0 ? m_biography->lines[m_line].from
        : way > 0                     ? ServerTime{m_biography->from.us - 1}
                                      : ServerTime{m_biography->to.us + 1};
    const auto& all = m_biography->handOvers;
    if (way > 0) {
        const auto next =
            std::ranges::find_if(all, [&](const record::HandOver& each) { return each.at > at; });
        if (next != all.end())
            choose(next->to);
    } else {
        const auto before = std::find_if(
            all.rbegin(), all.rend(), [&](const record::HandOver& each) { return each.at < at; });
        if (before != all.rend())
            choose(before->to);
    }
}

void BiographyView::clicked(const Place& place)
{
    choose(lineAt(place));
    Q_EMIT timeTravelRequested({place.at});
}

QString BiographyView::describe(const Place& place) const
{
    return describeTime(*m_biography, laneOf(place.lane), {place.at}, microseconds(reach()));
}

void BiographyView::paint(QPainter& painter, const QRect& axis, const QRect& lanes) const
{
    m_painter->paintLanes(painter, lanes, top(), scale());
    if (const int lane = laneWith(m_line); lane >= 0) {
        painter.save();
        painter.setClipRect(QRect(m_painter->gutter(), lanes.top(), scale().width + 2, lanes.height()));
        painter.setPen(QPen(palette().color(hasFocus() ? QPalette::Highlight : QPalette::Mid), 2));
        painter.setBrush(Qt::NoBrush);
        const int y = top() + lane * m_painter->laneHeight();
        painter.drawRect(m_painter->barOf(m_biography->lines[m_line], y, scale()).adjusted(-2, -2, 2, 2));
        painter.restore();
    }
    m_painter->paintAxis(painter, axis, scale(), m_around);
}

} // namespace lockscope::ui
