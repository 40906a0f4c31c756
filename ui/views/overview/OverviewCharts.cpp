// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/overview/OverviewCharts.h"

#include "core/base/Duration.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "ui/kit/charts/Card.h"
#include "ui/kit/charts/TimeChart.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using monitor::HistorySample;

namespace {

constexpr int chartNames = 5;
const QString notRead = u"not read"_s;

QString titleOver(const QString& what, const ChartData& data)
{
    return (data.isPast ? u"%1, %2 minutes before"_s : u"%1, last %2 minutes"_s)
        .arg(what, QString::number(data.shown.count() / 60));
}

} // namespace

OverviewCharts::OverviewCharts(QWidget* parent)
    : QWidget(parent)
    , m_greatCard(new Card(u"Waiters by table or lock"_s, this))
    , m_choice(named("chartChoice", u"What the chart shows"_s, new QComboBox(this)))
    , m_waitersChart(new TimeChart(
          TimeChart::Kind::Stacked, TimeChart::Unit::Count, u"Waiters by table or lock"_s, this))
    , m_sessionsChart(new TimeChart(
          TimeChart::Kind::Stacked, TimeChart::Unit::Count, u"Active sessions by what they wait for"_s, this))
    , m_transactionsChart(
          new TimeChart(TimeChart::Kind::Line, TimeChart::Unit::Count, u"Transactions per minute"_s, this))
    , m_lagChart(new TimeChart(TimeChart::Kind::Line, TimeChart::Unit::Duration, u"Replication lag"_s, this))
    , m_countedChart(new TimeChart(
          TimeChart::Kind::Stacked, TimeChart::Unit::Count, u"Waits counted by the server"_s, this))
    , m_legend(new Legend(this))
    , m_slots(chartNames)
    , m_classSlots(chartNames)
    , m_kindSlots(chartNames)
{
    m_greatCard->body()->addLayout(greatChart());
    addAll(*withoutMargins(new QVBoxLayout(this), 10), {{m_greatCard, 4}, {chartsRow(), 3}});
    for (const auto& [chart, which] :
        {std::pair(m_waitersChart, Chart::Waiters), std::pair(m_sessionsChart, Chart::Sessions),
            std::pair(m_transactionsChart, Chart::Sessions), std::pair(m_lagChart, Chart::Sessions),
            std::pair(m_countedChart, Chart::Sessions), std::pair(m_longestChart, Chart::Longest),
            std::pair(m_staleChart, Chart::Stale), std::pair(m_holdersChart, Chart::Holders)}) {
        connect(chart, &TimeChart::timeChosen, this,
            [this, which = which](ServerTime time) { Q_EMIT timeChosen(which, time); });
    }
    showChosen();
    theme::whenRecolored(*this, [this] { refresh(); });
}

QLayout* OverviewCharts::greatChart()
{
    // In the order of Choice.
    m_choice->addItems({u"Waiters"_s, u"Active sessions"_s, u"Transactions"_s, u"Replication lag"_s,
        u"Waits counted by the server"_s});
    m_greatCard->addToHead(m_choice);
    connect(m_choice, &QComboBox::currentIndexChanged, this, &OverviewCharts::showChosen);
    auto* split = withSpacing(new QHBoxLayout, 12);
    for (TimeChart* chart : greatCharts())
        split->addWidget(chart, 1);
    split->addWidget(m_legend);
    return split;
}

void OverviewCharts::showChosen()
{
    for (TimeChart* chart : greatCharts())
        chart->setVisible(chart == greatOne());
    m_legend->setVisible(chosen() != Choice::Transactions && chosen() != Choice::Lag);
    refresh();
}

QLayout* OverviewCharts::chartsRow()
{
    auto* row = withSpacing(new QHBoxLayout, 10);
    const auto make = [&](const QString& title, TimeChart::Unit unit, TimeChart*& chart) {
        auto* card = new Card(title, this);
        chart = new TimeChart(TimeChart::Kind::Line, unit, title, this);
        card->body()->addWidget(chart);
        row->addWidget(card, 1);
        m_smaller.append(card);
    };
    make(u"Longest wait"_s, TimeChart::Unit::Duration, m_longestChart);
    make(u"Stale entries"_s, TimeChart::Unit::Count, m_staleChart);
    make(u"Locks held"_s, TimeChart::Unit::Count, m_holdersChart);
    return row;
}

void OverviewCharts::setSmallerShown(bool shown)
{
    for (Card* card : std::as_const(m_smaller))
        card->setVisible(shown);
    static_cast<QBoxLayout*>(layout())->setStretch(1, shown ? 3 : 0);
}

void OverviewCharts::setHistory(const monitor::History* history, bool isPast)
{
    m_history = history;
    m_isPast = isPast;
    for (SeriesSlots* places : {&m_slots, &m_classSlots, &m_kindSlots})
        places->clear();
    refresh();
}

void OverviewCharts::setStopped(bool stopped)
{
    if (std::exchange(m_isStopped, stopped) != stopped)
        refresh();
}

void OverviewCharts::refresh()
{
    if (!m_history)
        return;
    ChartData chartData;
    chartData.gaps = gapsOf(*m_history);
    chartData.isPast = m_isPast || m_isStopped;
    chartData.shown = shownTime(*m_history);
    chartData.newest = m_history->samples().empty() ? ServerTime() : m_history->samples().back().at;
    if (m_isStopped && chartData.newest.isValid())
        chartData.note = u"Last poll %1"_s.arg(clockText(chartData.newest));
    else if (m_history->isDamaged())
        chartData.note = u"A part is damaged"_s;
    const auto line = [&](TimeChart* chart, auto value) {
        chartData.series = {lineOf(*m_history, chartData.shown, chart->plotPixels(), QString(), value)};
        chart->setData(chartData);
    };
    line(m_longestChart,
        [](const HistorySample& s) { return static_cast<double>(s.longestWait.value.count()) / 1e3; });
    line(m_staleChart, [](const HistorySample& s) { return s.stale; });
    line(m_holdersChart, [](const HistorySample& s) { return s.holders; });
    if (chosen() == Choice::Waiters)
        showWaiters(chartData);
    else if (chosen() == Choice::Sessions)
        showSessions(chartData);
    else if (chosen() == Choice::Counted)
        showCounted(chartData);
    else
        showLine(chartData);
    greatOne()->setData(chartData);
}

void OverviewCharts::showWaiters(ChartData& chartData)
{
    const QStringList names = m_slots.place(mostWaitedFor(*m_history, chartNames));
    chartData.series =
        stackedWaiters(*m_history, chartData.shown, m_waitersChart->plotPixels(), names, u"all others"_s);
    showBands(chartData, names);
    m_greatCard->setTitle(titleOver(u"Waiters by table or lock"_s, chartData));
    m_greatCard->setNote(m_history->samples().empty()
            ? QString()
            : (chartData.isPast ? u"%1 then"_s : u"%1 now"_s).arg(m_history->samples().back().waiters));
}

void OverviewCharts::showSessions(ChartData& chartData)
{
    const MeasureBands sessions{monitor::measures::active, monitor::measures::waiting};
    const QStringList names = m_classSlots.place(greatestMeasures(sessions.part, *m_history, chartNames));
    chartData.series = stackedMeasures(sessions, *m_history, chartData.shown, names, u"all others"_s);
    chartData.nothing = u"no session was active"_s;
    showBands(chartData, names);
    m_greatCard->setTitle(titleOver(u"Active sessions by what they wait for"_s, chartData));
    const QList<QPointF>& whole = chartData.series.last().points;
    m_greatCard->setNote(whole.isEmpty() ? notRead : QString::number(whole.last().y()));
}

/// These are all waits, not those alone that a poll saw. The note tells how long they lasted.
void OverviewCharts::showCounted(ChartData& chartData)
{
    namespace measures = monitor::measures;
    const MeasureBands waits{measures::lockWaits, measures::lockWaits};
    const QStringList names = m_kindSlots.place(greatestMeasures(waits.part, *m_history, chartNames));
    chartData.series = stackedMeasures(waits, *m_history, chartData.shown, names, u"all others"_s);
    chartData.nothing = u"no wait ended"_s;
    showBands(chartData, names);
    m_greatCard->setTitle(titleOver(u"Waits counted by the server"_s, chartData));
    const qint64 count = sumOfMeasure(*m_history, chartData.shown, measures::lockWaits);
    const milliseconds waited(sumOfMeasure(*m_history, chartData.shown, measures::lockWaitTime));
    m_greatCard->setNote(chartData.series.last().points.isEmpty()
            ? notRead
            : u"%1, %2 in all"_s.arg(QString::number(count), durationInWords(waited)));
}

void OverviewCharts::showLine(ChartData& chartData)
{
    namespace measures = monitor::measures;
    const bool isLag = chosen() == Choice::Lag;
    const auto began = lineOfMeasure(*m_history, chartData.shown, {measures::transactions});
    const bool areCommits = began.points.isEmpty();
    chartData.series = {isLag ? lineOfMeasure(*m_history, chartData.shown, {measures::replicationLag}, 1e3)
            : areCommits      ? lineOfMeasure(*m_history, chartData.shown, {measures::commits})
                              : began};
    m_greatCard->setTitle(titleOver(isLag ? u"Replication lag"_s
            : areCommits                  ? u"Commits per minute"_s
                                          : u"Transactions begun per minute"_s,
        chartData));
    const ChartSeries& line = chartData.series.first();
    m_greatCard->setNote(line.points.isEmpty() ? notRead
            : isLag                            ? durationInWords(milliseconds(qRound64(line.latest * 1e3)))
                                               : QString::number(qRound64(line.latest)));
}

void OverviewCharts::showBands(const ChartData& chartData, const QStringList& names)
{
    const QList<ChartSeries>& shown = chartData.series;
    QList<Legend::Entry> entries;
    for (int i = 0; i < shown.size(); ++i) {
        const bool rest = i == shown.size() - 1;
        if (shown[i].name.isEmpty() || (rest && names.contains(QString())))
            continue;
        entries.append({greatOne()->seriesColor(i, static_cast<int>(shown.size())), shown[i].name,
            QString::number(shown[i].latest)});
    }
    m_legend->setEntries(entries);
}

void OverviewCharts::empty()
{
    for (TimeChart* chart : greatCharts() + QList<TimeChart*>{m_longestChart, m_staleChart, m_holdersChart})
        chart->setData({});
    m_legend->setEntries({});
    m_greatCard->setNote({});
}

void OverviewCharts::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    refresh();
}

class RankRow : public QAbstractButton {
public:
    explicit RankRow(QWidget* parent)
        : QAbstractButton(parent)
    {
        setCursor(Qt::PointingHandCursor);
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

    void setRow(const TopList::Row& row)
    {
        if (row == m_row)
            return;
        m_row = row;
        const QString whose = frameworkText(row.framework);
        const QString name = whose.isEmpty() ? row.name : whose + QStringLiteral(": ") + row.name;
        setAccessibleName(name + QStringLiteral(", ") + row.number);
        setToolTip(toolTipText(name + QLatin1Char('\n') + row.detail
            + (row.framework ? QLatin1Char('\n') + frameworkTip(*row.framework) : QString())));
        update();
    }

    void setFaded(bool faded)
    {
        m_faded = faded;
        update();
    }

    QSize sizeHint() const override { return {200, fontMetrics().height() + 8}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const ThemeColors& colors = theme::colors(palette());
        QPainter painter(this);
        painter.setOpacity(m_faded ? 0.5 : 1.0);
        if (underMouse() || hasFocus())
            painter.fillRect(rect(), colors.infoFill);
        const int barWidth = 54;
        const QRect area = rect().adjusted(4, 0, -2, 0);
        const QColor ink = colors.text(m_row.level, palette());
        const QString number = theme::withSign(m_row.level, m_row.number);
        painter.setFont(theme::scaled(1.0, QFont::DemiBold));
        painter.setPen(ink);
        const int numberWidth = std::max(fontMetrics().horizontalAdvance(QStringLiteral("≥ 00:00 ■ ")),
            painter.fontMetrics().horizontalAdvance(number) + 6);
        painter.drawText(QRect(area.right() - numberWidth, 0, numberWidth, height()),
            Qt::AlignRight | Qt::AlignVCenter, number);

        const QRect bar(area.right() - numberWidth - barWidth, height() / 2 - 3, barWidth, 6);
        painter.fillRect(bar, colors.grid);
        QRect filled = bar;
        filled.setWidth(std::clamp(static_cast<int>(bar.width() * m_row.part), 2, bar.width()));
        painter.fillRect(filled, m_row.level == AgeLevel::Normal ? colors.series[0] : ink);

        QRect texts(area.left(), 0, bar.left() - 8 - area.left(), height());
        painter.setFont(font());
        if (m_row.framework) {
            const QString whose = m_row.framework->badge();
            const int width = std::min(badgeWidth(whose, fontMetrics()) + 1, texts.width() / 2);
            paintBadge(painter, QRect(texts.left(), 0, width, height()), whose, m_row.framework->certain,
                badgeColors(palette()));
            texts.setLeft(texts.left() + width + 6);
        }
        const int textWidth = texts.width();
        painter.setPen(palette().color(QPalette::WindowText));
        // A part of a time would be another time: it is shown whole, or not at all.
        const int wholeDetail = QFontMetrics(theme::scaled(0.92)).horizontalAdvance(m_row.detail) + 12;
        const int wholeName = fontMetrics().horizontalAdvance(m_row.name);
        // The name comes first; one that is cut anyway leaves space for the time.
        const bool keepsDetail = m_row.isDetailTime
            && (wholeName + wholeDetail <= textWidth
                || (wholeName > textWidth && wholeDetail <= textWidth / 2));
        const QString name = fontMetrics().elidedText(
            m_row.name, Qt::ElideMiddle, keepsDetail ? textWidth - wholeDetail : textWidth);
        painter.drawText(texts, Qt::AlignLeft | Qt::AlignVCenter, name);
        const int used = fontMetrics().horizontalAdvance(name) + 10;
        if (m_row.isDetailTime ? keepsDetail : textWidth - used > 30) {
            painter.setPen(colors.muted);
            painter.setFont(theme::scaled(0.92));
            theme::paintText(
                painter, QRect(texts.left() + used, 0, textWidth - used, height()), m_row.detail);
        }
    }

private:
    TopList::Row m_row;
    bool m_faded = false;
};

TopList::TopList(int rows, QWidget* parent)
    : QWidget(parent)
    , m_empty(faint(new QLabel(this)))
{
    auto* column = withoutMargins(new QVBoxLayout(this), 0);
    m_empty->setWordWrap(true);
    column->addWidget(m_empty);
    for (int i = 0; i < rows; ++i) {
        auto* row = new RankRow(this);
        row->hide();
        connect(row, &QAbstractButton::clicked, this, [this, i] { Q_EMIT chosen(i); });
        column->addWidget(row);
        m_rows.append(row);
    }
    column->addStretch(1);
    setMost(rows);
}

void TopList::setMost(int rows)
{
    if (rows == m_most)
        return;
    m_most = rows;
    // Room for all rows from the start: the page must not jump when somebody begins to wait.
    setMinimumHeight(rows * rowHeight());
    showRows();
}

int TopList::rowHeight() const
{
    return m_rows.first()->sizeHint().height();
}

void TopList::showRows()
{
    for (int i = 0; i < m_rows.size(); ++i)
        m_rows[i]->setVisible(i < std::min(m_filled, m_most));
}

void TopList::setRows(const QList<Row>& rows, const QString& emptyText)
{
    m_filled = int(rows.size());
    for (int i = 0; i < std::min<int>(m_filled, int(m_rows.size())); ++i) {
        Row shown = rows[i];
        shown.name = inOneLine(shown.name);
        shown.detail = inOneLine(shown.detail);
        m_rows[i]->setRow(shown);
    }
    showRows();
    m_empty->setText(emptyText);
    m_empty->setVisible(rows.isEmpty());
}

void TopList::setFaded(bool faded)
{
    for (RankRow* row : std::as_const(m_rows))
        row->setFaded(faded);
}

} // namespace lockscope::ui
