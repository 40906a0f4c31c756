// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/TimelinePanel.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/scenarios/RunText.h"
#include "ui/views/scenarios/TimelinePainter.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

TimelineView::TimelineView(QWidget* parent)
    : TimeLanesView(u"Timeline"_s, TimeScale::shortest, parent)
{
    setObjectName(QStringLiteral("timeline"));
    setAccessibleName(u"Timeline of the sessions"_s);
    addKeys();
}

TimelineView::~TimelineView() = default;

void TimelineView::addKeys()
{
    m_previousLoss = add(u"The loss before"_s, {Qt::Key_P}, [this] { goToLoss(-1); });
    m_nextLoss = add(u"The next loss"_s, {Qt::Key_N}, [this] { goToLoss(1); });
    addZooming(u"The whole run"_s);
    add(u"What the session did before"_s, {Qt::Key_Left}, [this] { goToSpan(-1); });
    add(u"What it did next"_s, {Qt::Key_Right}, [this] { goToSpan(1); });
    add(u"The session above"_s, {Qt::Key_Up}, [this] { goToLane(m_lane - 1); });
    add(u"The session below"_s, {Qt::Key_Down}, [this] { goToLane(m_lane + 1); });
    addPaging();
    add(u"The beginning"_s, {Qt::Key_Home}, [this] { choose(std::max(m_lane, 0), 0); });
    add(u"The end"_s, {Qt::Key_End}, [this] { choose(std::max(m_lane, 0), m_timeline->end); });
    add(u"The locks of the session"_s, {Qt::Key_Return, Qt::Key_Enter}, [this] { requestLocks(); });
}

void TimelineView::goToLane(int lane)
{
    const int last = static_cast<int>(m_timeline->lanes.size()) - 1;
    choose(std::clamp(lane, 0, last), m_lane < 0 ? scale().from : m_at);
}

void TimelineView::show(TimelinePtr timeline)
{
    const bool isSame = timeline && m_timeline && timeline->runId == m_timeline->runId;
    m_painter.reset(); // refers to it
    m_timeline = std::move(timeline);
    if (!isSame) {
        m_lane = -1;
        m_at = 0;
    }
    showContents(m_timeline ? describeTimeline(*m_timeline) : QString(), !isSame);
}

void TimelineView::makePainter()
{
    m_painter = m_timeline ? std::make_unique<TimelinePainter>(*m_timeline, palette(), font()) : nullptr;
}

std::optional<TimeLanesView::Measures> TimelineView::measures() const
{
    if (!m_painter)
        return std::nullopt;
    return Measures{.gutter = m_painter->gutter(),
        .axisHeight = m_painter->axisHeight(),
        .laneHeight = m_painter->laneHeight(),
        .lanes = static_cast<int>(m_timeline->lanes.size()),
        .to = m_timeline->end};
}

void TimelineView::fitLanes(int space)
{
    m_painter->fitLanes(space);
}

std::optional<qint64> TimelineView::markedTime() const
{
    return m_lane >= 0 ? std::optional(m_at) : std::nullopt;
}

int TimelineView::neededHeight() const
{
    if (!m_timeline)
        return 0;
    const TimelinePainter least(*m_timeline, palette(), font());
    return least.axisHeight() + static_cast<int>(m_timeline->lanes.size()) * least.laneHeight();
}

QString TimelineView::describe(const Place& place) const
{
    return describeTime(*m_timeline, laneOf(place.lane), place.at, reach());
}

void TimelineView::choose(int lane, qint64 at)
{
    if (!m_timeline || lane < 0 || lane >= static_cast<int>(m_timeline->lanes.size()))
        return;
    m_lane = lane;
    m_at = std::clamp<qint64>(at, 0, m_timeline->end);
    revealLane(lane);
    if (m_at < scale().from || m_at > scale().to)
        moveBy(m_at - (scale().from + scale().to) / 2);
    const QString words = describe({m_lane, m_at});
    setAccessibleDescription(words);
    Q_EMIT chosen(words);
    viewport()->update();
}

/// Goes to the next or the previous span of the marked session.
void TimelineView::goToSpan(int step)
{
    if (!m_timeline || m_timeline->lanes.empty())
        return;
    const int lane = std::max(m_lane, 0);
    const auto& spans = m_timeline->lanes[static_cast<std::size_t>(lane)].spans;
    if (m_lane < 0 || spans.empty())
        return choose(lane, scale().from);
    const auto next = std::upper_bound(
        spans.begin(), spans.end(), m_at, [](qint64 at, const LaneSpan& span) { return at < span.from; });
    auto index = next - spans.begin() - 1; // the one that m_at is in or behind
    index = std::clamp<std::ptrdiff_t>(index + step, 0, std::ssize(spans) - 1);
    choose(lane, spans[static_cast<std::size_t>(index)].from);
}

void TimelineView::goToLoss(int step)
{
    if (!m_timeline)
        return;
    // All of them in order of time; the marked place is somewhere between.
    std::vector<Place> places;
    for (std::size_t lane = 0; lane < m_timeline->lanes.size(); ++lane) {
        for (const SectionSpan& overlap : m_timeline->lanes[lane].overlaps)
            places.push_back({int(lane), overlap.from});
        for (const LaneMark& mark : m_timeline->lanes[lane].marks)
            if (m_timeline->isLoss(mark.kind))
                places.push_back({int(lane), mark.at});
    }
    if (places.empty()) {
        Q_EMIT chosen(u"Nothing was lost that could be shown here."_s);
        return;
    }
    const auto before = [](const Place& a, const Place& b) {
        return std::tie(a.at, a.lane) < std::tie(b.at, b.lane);
    };
    std::sort(places.begin(), places.end(), before);
    const Place now{m_lane, m_lane < 0 ? -1 : m_at};
    auto found = step > 0 ? std::upper_bound(places.begin(), places.end(), now, before)
                          : std::lower_bound(places.begin(), places.end(), now, before);
    if (step > 0)
        found = found == places.end() ? places.begin() : found;
    else
        found = found == places.begin() ? std::prev(places.end()) : std::prev(found);
    choose(found->lane, found->at);
}

void TimelineView::openAtFirstLoss()
{
    constexpr qint64 share = 40; // of the run
    constexpr qint64 least = 40'000;
    if (!m_timeline || m_timeline->losses.empty())
        return;
    const qint64 length = std::min(std::max(m_timeline->end / share, least), m_timeline->end);
    const qint64 from = m_timeline->losses.front() - length * 3 / 5; // what led to it is the larger part
    const qint64 latest = m_timeline->end - length;
    showRange(std::clamp<qint64>(from, 0, latest), std::clamp<qint64>(from, 0, latest) + length);
    m_lane = -1;
    goToLoss(1);
}

void TimelineView::requestLocks()
{
    if (m_lane < 0)
        return;
    const TimelineLane& lane = laneOf(m_lane);
    const LaneSpan span = spanAt(lane, m_at, m_timeline->end);
    Q_EMIT locksRequested(lane.number, lane.subjects.value(static_cast<int>(span.subject)));
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const Place place = placeAt(event->position());
    if (place.lane < 0)
        return;
    choose(place.lane, place.at);
    requestLocks();
}

void TimelineView::paint(QPainter& painter, const QRect& axis, const QRect& lanes) const
{
    m_painter->paintLanes(painter, lanes, top(), scale());
    paintChosen(painter);
    m_painter->paintAxis(painter, axis, scale());
}

void TimelineView::paintChosen(QPainter& painter) const
{
    if (m_lane < 0)
        return;
    const LaneSpan span = spanAt(laneOf(m_lane), m_at, m_timeline->end);
    const int height = m_painter->laneHeight();
    const auto shown = scale().visible(span.from, span.to);
    if (!shown)
        return;
    painter.setPen(QPen(palette().color(hasFocus() ? QPalette::Highlight : QPalette::Mid), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(m_painter->gutter() + shown->left, top() + m_lane * height + 1,
        std::max(2.0, shown->width()), height - 2));
}

namespace {

constexpr int highestStrip = 132; ///< five lanes; others are scrolled to

} // namespace

/// Explains the colours, patterns and letters that occur.
class TimelineLegend : public QWidget {
public:
    explicit TimelineLegend(QWidget* parent)
        : QWidget(parent)
    {
        QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
        policy.setHeightForWidth(true);
        setSizePolicy(policy);
    }

    void show(TimelinePtr timeline)
    {
        m_timeline = std::move(timeline);
        setVisible(m_timeline != nullptr);
        updateGeometry();
        update();
    }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override
    {
        return m_timeline ? TimelinePainter(*m_timeline, palette(), font()).legendHeight(width) : 0;
    }
    QSize sizeHint() const override { return {400, heightForWidth(800)}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        if (!m_timeline)
            return;
        QPainter painter(this);
        TimelinePainter(*m_timeline, palette(), font()).paintLegend(painter, rect());
    }

private:
    TimelinePtr m_timeline;
};

TimelinePanel::TimelinePanel(Shape shape, QWidget* parent)
    : QWidget(parent)
    , m_shape(shape)
    , m_view(new TimelineView(this))
    , m_legend(new TimelineLegend(this))
{
    auto* column = withoutMargins(new QVBoxLayout(this), 0);
    addAll(*column, {{m_view, 1}, m_legend});
    if (shape == Shape::Page) {
        column->addWidget(makeFoot());
        m_emptyAction = named("timelineEmptyAction", pushButton(m_view));
        connect(m_emptyAction, &QPushButton::clicked, this, &TimelinePanel::emptyActionTriggered);
    }
    show(nullptr);
}

QWidget* TimelinePanel::makeFoot()
{
    m_foot = new QWidget(this);
    m_words = named(
        "timelineWords", yielding(faint(selectable(plain(new QLabel(m_foot)), Qt::TextSelectableByMouse))));
    connect(m_view, &TimelineView::chosen, m_words, &QLabel::setText);

    auto* row = withMargins(new QHBoxLayout(m_foot), {8, 2, 4, 2}, 2);
    row->addWidget(m_words, 1);
    const QStringList signs{
        QStringLiteral("◀!"), QStringLiteral("!▶"), QStringLiteral("−"), QStringLiteral("+"), u"All"_s};
    const QList<QAction*> actions = m_view->buttonActions();
    for (qsizetype i = 0; i < actions.size(); ++i)
        row->addWidget(buttonOf(*actions[i], signs[i], m_foot));
    return m_foot;
}

void TimelinePanel::setEmptyAction(const QString& text)
{
    m_emptyAction->setText(text);
    arrange();
}

void TimelinePanel::setMagnification(double factor)
{
    m_factor = factor;
    for (QWidget* each : std::initializer_list<QWidget*>{m_view, m_legend})
        each->setFont(theme::scaled(factor));
    m_legend->updateGeometry();
    if (m_shape == Shape::Strip)
        m_view->setFixedHeight(std::min(m_view->neededHeight(), qRound(highestStrip * factor)));
    arrange();
}

/// The buttons while there is something to go through; the one below the words of an empty view.
void TimelinePanel::arrange()
{
    if (m_shape == Shape::Strip)
        return;
    m_foot->setVisible(m_hasTimeline && m_factor <= 1);
    m_emptyAction->setVisible(!m_hasTimeline && m_factor <= 1 && !m_emptyAction->text().isEmpty());
    m_emptyAction->resize(m_emptyAction->sizeHint());
    // Below three lines of words round the middle.
    const int y = m_view->height() / 2 + m_view->fontMetrics().lineSpacing() * 5 / 2;
    m_emptyAction->move((m_view->width() - m_emptyAction->width()) / 2,
        std::clamp(y, 0, std::max(0, m_view->height() - m_emptyAction->height() - 2)));
}

void TimelinePanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void TimelinePanel::show(const TimelinePtr& timeline)
{
    m_hasTimeline = timeline != nullptr;
    const bool isSame = timeline && m_view->timeline() && timeline->runId == m_view->timeline()->runId;
    m_view->show(timeline);
    m_legend->show(timeline);
    if (m_shape == Shape::Strip) {
        setVisible(timeline != nullptr);
        m_view->setFixedHeight(std::min(m_view->neededHeight(), qRound(highestStrip * m_factor)));
        return;
    }
    arrange();
    if (!isSame)
        m_words->setText(u"Click, or use the arrow keys, to see what a session did. Enter: its locks."_s);
}

} // namespace lockscope::ui
