// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeBarStrip.h"

#include "core/base/ServerTime.h"
#include "ui/kit/charts/TimeScale.h"
#include "ui/kit/theme/Theme.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QPaintEvent>
#include <QPainter>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto askPause = 25ms; ///< while somebody zooms: one question for several steps
constexpr auto minTail = 300ms;
constexpr auto maxTailLength = 2'000ms;
constexpr microseconds lateEvents = 30s; ///< deadlocks and acts are recorded after they happened
constexpr microseconds minSlow = 5s;
constexpr double pollPixels = 8; ///< closer polls are not drawn one by one
constexpr double marginOfIncident = 0.25;
constexpr microseconds minIncidentRange = 20s;

/// For screen readers the strip is a slider whose value is the position, in words, and which they can move.
/// Its value in numbers: seconds since the recording began.
class StripForReaders : public QAccessibleWidget, public QAccessibleValueInterface {
public:
    explicit StripForReaders(TimeBarStrip* strip)
        : QAccessibleWidget(strip, QAccessible::Slider)
        , m_strip(*strip)
    {
    }

    void* interface_cast(QAccessible::InterfaceType type) override
    {
        if (type == QAccessible::ValueInterface)
            return static_cast<QAccessibleValueInterface*>(this);
        return QAccessibleWidget::interface_cast(type);
    }
    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Value ? m_strip.positionWords() : QAccessibleWidget::text(kind);
    }

    QVariant currentValue() const override { return secondsTo(m_strip.shownTime()); }
    QVariant maximumValue() const override { return secondsTo(m_strip.visibleRange().last()); }
    QVariant minimumValue() const override { return 0.0; }
    QVariant minimumStepSize() const override { return 1.0; }
    void setCurrentValue(const QVariant& value) override
    {
        m_strip.choose(m_strip.visibleRange().first() + microseconds(qint64(value.toDouble() * 1e6)));
    }

private:
    double secondsTo(ServerTime at) const
    {
        return double((at - m_strip.visibleRange().first()).count()) / 1e6;
    }

    TimeBarStrip& m_strip;
};

QAccessibleInterface* interfaceOf(const QString&, QObject* object)
{
    auto* const strip = qobject_cast<TimeBarStrip*>(object);
    return strip ? new StripForReaders(strip) : nullptr;
}

/// The position is another one.
void valueChanged(TimeBarStrip& strip)
{
    if (!QAccessible::isActive())
        return;
    QAccessibleValueChangeEvent event(&strip, strip.positionWords());
    QAccessible::updateAccessibility(&event);
}

/// Pauses in which a wait that matters to the user comes and goes.
microseconds slowestPoll(const AgeThresholds& thresholds)
{
    return std::max<microseconds>(thresholds.amber, minSlow);
}

} // namespace

TimeBarStrip::TimeBarStrip(QWidget* parent)
    : QWidget(parent)
    , m_painter(std::make_unique<TimeBarPainter>(palette(), font()))
{
    setObjectName(QStringLiteral("timeStrip"));
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(u"Time of the recording"_s);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAttribute(Qt::WA_OpaquePaintEvent);
    // With the mouse the menu comes on release, as a press moves the range; the keys are actions.
    setContextMenuPolicy(Qt::PreventContextMenu);
    m_askAll.setSingleShot(true);
    m_askAll.setInterval(askPause);
    connect(&m_askAll, &QTimer::timeout, this, &TimeBarStrip::askAll);
    m_askTail.setSingleShot(true);
    connect(&m_askTail, &QTimer::timeout, this, &TimeBarStrip::askTail);
    QAccessible::installFactory(interfaceOf); // once, however many strips there are
    emitPosition();
}

// --- what is known --------------------------------------------------------------------------------------

void TimeBarStrip::setSpan(ServerTime first, ServerTime last)
{
    if (first == m_visibleRange.first() && last == m_visibleRange.last())
        return;
    const qint64 column = m_visibleRange.perColumn();
    const bool wasEmpty = m_visibleRange.isEmpty();
    const bool isGrown = last > m_visibleRange.last();
    const bool isOther = m_visibleRange.setSpan(first, last, !m_position && m_drag == Drag::None);
    if (wasEmpty || (isOther && column != m_visibleRange.perColumn()))
        showMoved(true);
    else if (isOther || (isGrown && m_visibleRange.isLastShown())) {
        if (!m_askTail.isActive())
            m_askTail.start(std::clamp(
                std::chrono::duration_cast<milliseconds>(microseconds(m_visibleRange.perColumn() / 4)),
                milliseconds(minTail), milliseconds(maxTailLength)));
    }
    if (isOther || wasEmpty) {
        makeScene();
        dirty(rect());
    }
    if (!m_position)
        updatePosition();
}

void TimeBarStrip::clear()
{
    m_visibleRange = TimeBarRange();
    m_visibleRange.setWidth(geometryNow().plot.width());
    m_known = TimeBarRecord();
    m_knownColumn = 0;
    m_knownLast = {};
    m_asked.clear();
    m_askAll.stop();
    m_askTail.stop();
    m_drag = Drag::None;
    m_position = m_timeInText = std::nullopt;
    if (std::exchange(m_range, std::nullopt))
        Q_EMIT rangeChanged();
    makeScene();
    dirty(rect());
    emitPosition();
}

void TimeBarStrip::showMoved(bool isOther)
{
    if (!isOther)
        return;
    m_askAll.start();
    makeScene();
    dirty(rect());
    updatePosition();
}

void TimeBarStrip::ask(ServerTime from, bool isPart)
{
    constexpr qsizetype maximum = 8; // a recording that does not answer does not keep us
    const TimeScale& scale = m_visibleRange.scale();
    const qint64 column = m_visibleRange.perColumn();
    m_asked.append({.from = from,
        .to = {scale.to},
        .perColumn = column,
        .last = m_visibleRange.last(),
        .isPart = isPart});
    while (m_asked.size() > maximum)
        m_asked.removeFirst();
    Q_EMIT visibleRangeChanged(from, {scale.to}, int((scale.to - from.us) / column));
}

void TimeBarStrip::askAll()
{
    m_askTail.stop();
    if (!m_visibleRange.isEmpty())
        ask({m_visibleRange.scale().from}, false);
}

void TimeBarStrip::askTail()
{
    const qint64 column = m_visibleRange.perColumn();
    const ServerTime from = m_knownLast - lateEvents;
    if (m_visibleRange.isEmpty() || m_askAll.isActive())
        return;
    // Only the last request must be answered: no part stands for a whole that is still missing.
    const bool isAllMissing =
        std::any_of(m_asked.cbegin(), m_asked.cend(), [](const Asked& each) { return !each.isPart; });
    if (isAllMissing || column != m_knownColumn || from.us <= m_visibleRange.scale().from)
        return askAll();
    ask({floorTo(from.us, column)}, true);
}

void TimeBarStrip::setData(const TimeBarData& answer)
{
    const auto asked = std::find_if(m_asked.cbegin(), m_asked.cend(), [&answer](const Asked& each) {
        return each.from == answer.span.first && each.to == answer.span.last;
    });
    const bool isKnown = asked != m_asked.cend();
    const Asked answered =
        isKnown ? *asked : Asked{.from = answer.span.first, .to = answer.span.last, .last = answer.span.last};
    if (isKnown)
        m_asked.erase(m_asked.cbegin(), asked + 1);
    if (answered.isPart && answered.perColumn != m_knownColumn)
        return; // of a range that is not on view any more
    m_known.take(answer, answered.isPart);
    m_knownColumn = answered.perColumn;
    m_knownLast = answered.last;
    if (answered.isPart)
        m_known.forgetBefore({m_visibleRange.scale().from});
    const TimeBarScene before = m_scene;
    makeScene();
    const bool isTail = answered.isPart && before.scale == m_scene.scale
        && before.maxWaiting == m_scene.maxWaiting && before.longest == m_scene.longest;
    const QRect plot = geometryNow().plot;
    // Pieces that reach over the edge of a pixel, and marks, begin a little before.
    const int left = isTail ? plot.x() + int(m_visibleRange.x(answer.span.first)) - 16 : 0;
    dirty(QRect(left, 0, width() - left, height()));
    emitPosition();
}

void TimeBarStrip::makeScene()
{
    const microseconds slowest = slowestPoll(m_thresholds);
    m_scene.scale = m_visibleRange.scale();
    m_scene.from = std::max(m_known.from(), m_visibleRange.first());
    m_scene.to = m_known.lastSeen();
    m_scene.thresholds = m_thresholds;
    m_scene.pieces = piecesOf(m_known, m_scene.scale, slowest);
    m_scene.unseen = m_known.unseen(m_visibleRange.first(), m_visibleRange.last(), slowest);
    m_scene.marks = marksOf(m_known.events(), m_scene.scale);
    m_scene.maxWaiting = 0;
    m_scene.longest = milliseconds(0);
    for (const TimeBarPiece& piece : m_scene.pieces) {
        m_scene.maxWaiting = std::max(m_scene.maxWaiting, piece.waiting);
        m_scene.longest = std::max(m_scene.longest, piece.longest);
    }
    m_scene.pollTicks.clear();
    for (const record::RecordedSnapshot& snapshot : m_known.snapshots()) {
        const double x = m_visibleRange.x(snapshot.at);
        if (!m_scene.pollTicks.empty() && x - m_scene.pollTicks.back() < pollPixels) {
            m_scene.pollTicks.clear();
            break;
        }
        m_scene.pollTicks.push_back(x);
    }
}

// --- position and range ---------------------------------------------------------------------------------

void TimeBarStrip::setPosition(std::optional<ServerTime> position, std::optional<ServerTime> shown)
{
    m_timeInText = shown ? shown : position;
    if (position == m_position)
        return updatePosition();
    m_position = position;
    showMoved(
        position ? m_drag == Drag::None && m_visibleRange.reveal(*position, true) : m_visibleRange.showEnd());
    updatePosition();
    emitPosition();
}

void TimeBarStrip::setLiveAvailable(bool available)
{
    m_isLiveAvailable = available;
    updatePosition();
}

QString TimeBarStrip::shownWords() const
{
    if (!m_position)
        return u"live"_s;
    const double x = m_visibleRange.x(*m_position);
    const QString words = clockText(m_timeInText.value_or(*m_position));
    return x < 0 ? u"‹ "_s + words : x > m_visibleRange.scale().width ? words + u" ›"_s : words;
}

std::optional<double> TimeBarStrip::shownX() const
{
    if (m_visibleRange.isEmpty() || (!m_position && (!m_isLiveAvailable || !m_visibleRange.isLastShown())))
        return {};
    return std::clamp(m_visibleRange.x(shownTime()), 0.0, double(m_visibleRange.scale().width));
}

void TimeBarStrip::updatePosition()
{
    const auto x = shownX();
    const QString words = shownWords();
    if (x == m_positionDrawn && words == m_wordsDrawn)
        return;
    m_positionDrawn = x;
    m_wordsDrawn = words;
    const QRect now = x ? m_painter->positionArea(geometryNow(), *x, words) : QRect();
    update(m_positionArea);
    update(now);
    m_positionArea = now;
}

QString TimeBarStrip::positionWords() const
{
    if (m_visibleRange.isEmpty())
        return m_message.isEmpty() ? u"Nothing recorded yet"_s : m_message;
    return positionText(m_known, m_scene.unseen, m_position);
}

void TimeBarStrip::emitPosition()
{
    const QString words = positionWords();
    if (words == accessibleDescription())
        return;
    setAccessibleDescription(words);
    valueChanged(*this);
}

void TimeBarStrip::choose(ServerTime at)
{
    if (!m_visibleRange.isEmpty())
        Q_EMIT positionChosen(std::clamp(at, m_visibleRange.first(), m_visibleRange.last()));
}

void TimeBarStrip::setRange(std::optional<Range> range)
{
    if (range && range->first > range->second)
        std::swap(range->first, range->second);
    if (range == m_range)
        return;
    m_range = range;
    update();
    if (m_drag == Drag::None)
        Q_EMIT rangeChanged();
}

void TimeBarStrip::markRangeBegin(ServerTime at)
{
    const ServerTime end = std::min(m_visibleRange.last(), ServerTime{m_visibleRange.scale().to});
    const ServerTime other = m_range && m_range->second > at ? m_range->second : end;
    if (at < other)
        setRange(Range(at, other));
}

void TimeBarStrip::markRangeEnd(ServerTime at)
{
    const ServerTime begin = std::max(m_visibleRange.first(), ServerTime{m_visibleRange.scale().from});
    const ServerTime other = m_range && m_range->first < at ? m_range->first : begin;
    if (other < at)
        setRange(Range(other, at));
}

QRect TimeBarStrip::rangeLabelNow() const
{
    return m_range && !m_visibleRange.isEmpty()
        ? m_painter->rangeLabel(geometryNow(), m_visibleRange.scale(), *m_range)
        : QRect();
}

// --- what is on view ------------------------------------------------------------------------------------

void TimeBarStrip::zoom(double factor, std::optional<double> x)
{
    showMoved(m_visibleRange.zoom(factor, x.value_or(m_visibleRange.x(shownTime()))));
}

void TimeBarStrip::showIncidentAt(ServerTime at)
{
    const auto incident = m_known.incidentAt(at);
    if (!incident)
        return zoom(4, m_visibleRange.x(at));
    const microseconds length = std::max(incident->second - incident->first, minIncidentRange);
    const microseconds margin(qint64(double(length.count()) * marginOfIncident));
    const ServerTime middle = incident->first + (incident->second - incident->first) / 2;
    showRange(middle - length / 2 - margin, middle + length / 2 + margin);
}

// --- drawing --------------------------------------------------------------------------------------------

void TimeBarStrip::setIncidents(const QList<TimeBarIncident>& incidents)
{
    if (incidents == m_scene.incidents)
        return;
    m_scene.incidents = incidents;
    dirty(geometryNow().marks);
}

void TimeBarStrip::setThresholds(const AgeThresholds& wait)
{
    if (wait == m_thresholds)
        return;
    m_thresholds = wait;
    makeScene();
    dirty(rect());
}

void TimeBarStrip::setMessage(const QString& message)
{
    if (message == m_message)
        return;
    m_message = message;
    dirty(rect());
    emitPosition();
}

void TimeBarStrip::dirty(const QRect& area)
{
    m_dirty |= area & rect();
    update(area);
}

void TimeBarStrip::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    showMoved(m_visibleRange.setWidth(geometryNow().plot.width()));
    makeScene();
    dirty(rect());
}

void TimeBarStrip::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_painter = std::make_unique<TimeBarPainter>(palette(), font());
        updateGeometry();
        dirty(rect());
    }
    QWidget::changeEvent(event);
}

void TimeBarStrip::paintEvent(QPaintEvent* event)
{
    const TimeBarGeometry geometry = geometryNow();
    const double ratio = devicePixelRatioF();
    if (m_still.size() != size() * ratio) {
        m_still = QPixmap(size() * ratio);
        m_still.setDevicePixelRatio(ratio);
        m_dirty = rect();
    }
    if (!m_dirty.isEmpty()) {
        QPainter painter(&m_still);
        painter.setClipRect(m_dirty);
        if (m_visibleRange.isEmpty()) {
            m_painter->paintEmpty(
                painter, geometry, m_message.isEmpty() ? u"Nothing recorded yet"_s : m_message);
        } else {
            m_painter->paintScene(painter, geometry, m_scene);
            if (!m_message.isEmpty())
                m_painter->paintNote(painter, geometry, m_message);
        }
        m_dirty = {};
    }
    QPainter painter(this);
    painter.setClipRegion(event->region());
    painter.drawPixmap(0, 0, m_still);
    if (!m_visibleRange.isEmpty()) {
        if (const auto& marked = m_zoom ? m_zoom : m_range)
            m_painter->paintRange(painter, geometry, m_visibleRange.scale(), *marked);
        if (const auto x = shownX())
            m_painter->paintPosition(
                painter, geometry, m_visibleRange.scale(), *x, shownWords(), !m_position);
    }
    theme::paintFocus(painter, *this);
}

} // namespace lockscope::ui
