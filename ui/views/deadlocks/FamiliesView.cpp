// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/FamiliesView.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/domain/SnapshotNames.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCheckBox>
#include <QDateTimeEdit>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QSettings>
#include <QSignalBlocker>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int maxBars = 60;
constexpr double widestBar = 48;

struct AxisStep {
    microseconds length;
    QLatin1StringView name;
};
constexpr std::array axisSteps{AxisStep{std::chrono::minutes(1), "minute"_L1},
    AxisStep{std::chrono::hours(1), "hour"_L1}, AxisStep{std::chrono::days(1), "day"_L1},
    AxisStep{std::chrono::days(7), "week"_L1}, AxisStep{std::chrono::days(30), "30 days"_L1},
    AxisStep{std::chrono::days(365), "365 days"_L1}};

/// "2026-11-21 03:12 UTC".
QString minuteText(ServerTime time)
{
    return dateTimeText(time).remove(16, 3);
}

const QString settingsGroup = u"pages/deadlocks/families"_s;

/// "By application: Shop 4, Import 2 and 3 more. By host: …"
QString totalsText(const QList<deadlock::Total>& totals)
{
    QStringList kinds;
    for (qsizetype i = 0; i < totals.size();) {
        const QString by = totals[i].by;
        QStringList names;
        for (; i < totals.size() && totals[i].by == by; ++i)
            names << u"%1 %2"_s.arg(inOneLine(totals[i].name)).arg(totals[i].deadlocks);
        kinds << u"By %1: %2."_s.arg(by, nameList(names));
    }
    return kinds.join(u' ');
}

/// Returns the time of its first or last one; without a zone it is the server's own time.
report::Value timeOf(const deadlock::Family& family, const std::optional<ServerTime>& at)
{
    if (!at)
        return {};
    const bool isZoneKnown =
        std::none_of(family.members.cbegin(), family.members.cend(), [&at](const deadlock::Deadlock& each) {
            return each.report->time.at == at && !each.report->time.isZoneKnown;
        });
    report::Value time(isZoneKnown ? dateTimeText(*at) : dateTimeText(*at).left(19) + u" (server's time)"_s);
    time.order = at->us;
    return time;
}

/// `date`: what Before and From then on are about.
report::Section familiesSection(
    const QList<deadlock::Family>& families, const std::optional<ServerTime>& date)
{
    using enum report::Type;
    report::Section section{.key = u"families"_s,
        .columns = {report::Column(u"what"_s, u"What"_s, u"Tables, and which modes wait for which"_s).wide(3),
            {Count, u"count"_s, u"How often"_s, u"Deadlocks of this family in the list"_s},
            report::Column(Time, u"first"_s, u"First seen"_s, u"As the reports say"_s).yield(1),
            {Time, u"last"_s, u"Last seen"_s, u"As the reports say"_s},
            {Count, u"before"_s, u"Before"_s, u"How many were before the date"_s},
            {Count, u"after"_s, u"From then on"_s, u"How many were at the date or later"_s},
            report::Column(
                u"family"_s, u"Family"_s, u"Equal for deadlocks of the same statements, modes and tables"_s)
                .show(report::Shown::OnRequest)}};
    for (const deadlock::Family& family : families) {
        report::Value before{QString()};
        report::Value after{QString()};
        if (date) {
            before = qint64(family.around(*date).first);
            after = qint64(family.around(*date).second);
            if (before != report::Value(qint64(0)) && after == report::Value(qint64(0)))
                after.mark = report::Mark::Good; // never since
        }
        section.rows.push_back(
            {.cells = {family.title, qint64(family.members.size()), timeOf(family, family.first),
                 timeOf(family, family.last), before, after, family.id},
                .key = family.id,
                .about = family});
    }
    return section;
}

} // namespace

FamilySpan FamilySpan::of(const QList<deadlock::Family>& families)
{
    std::optional<ServerTime> first;
    std::optional<ServerTime> last;
    for (const deadlock::Family& family : families) {
        if (family.first)
            first = first ? std::min(*first, *family.first) : *family.first;
        if (family.last)
            last = last ? std::max(*last, *family.last) : *family.last;
    }
    FamilySpan span;
    if (!first)
        return span;
    for (const AxisStep& step : axisSteps) {
        span.step = step.length;
        // Bars begin at whole minutes, hours and days.
        span.from = {floorTo(first->us, step.length.count())};
        span.count = int(std::min<qint64>((*last - span.from) / step.length + 1, maxBars));
        if (*last < span.from + step.length * maxBars)
            break;
    }
    return span;
}

QString FamilySpan::stepName() const
{
    const auto found = std::find_if(
        axisSteps.begin(), axisSteps.end(), [this](const AxisStep& each) { return each.length == step; });
    return found == axisSteps.end() ? QString() : QString(found->name);
}

FamilyChart::FamilyChart(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(u"familyChart"_s);
    setAccessibleName(u"Deadlocks of the family over time"_s);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setCursor(Qt::PointingHandCursor);
}

void FamilyChart::show(const std::optional<deadlock::Family>& family, const FamilySpan& span)
{
    m_family = family;
    m_span = span;
    m_counts = family ? deadlock::countsOver(*family, span.from, span.step, span.count) : QList<int>();
    describe();
    update();
}

void FamilyChart::setDate(const std::optional<ServerTime>& date)
{
    m_date = date;
    describe();
    update();
}

void FamilyChart::describe()
{
    QString text;
    if (m_family && m_date) {
        const auto [before, after] = m_family->around(*m_date);
        text = u"Before %1: %2, from then on: %3."_s.arg(dateTimeText(*m_date)).arg(before).arg(after);
    } else if (m_family) {
        text = u"%1 in all."_s.arg(m_family->members.size());
    }
    setAccessibleDescription(text);
}

QRectF FamilyChart::plot() const
{
    const int line = fontMetrics().height();
    return QRectF(rect()).adjusted(6, line + 6, -6, -line - 6);
}

int FamilyChart::barAt(double x) const
{
    const QRectF area = plot();
    if (m_counts.isEmpty() || x < area.left() || x > area.right())
        return -1;
    const ServerTime at{timeScale().at(x - area.left())};
    return std::min(int((at - m_span.from) / m_span.step), int(m_counts.size()) - 1);
}

void FamilyChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ThemeColors& colors = theme::colors(palette());
    const QRectF area = plot();
    painter.setPen(colors.muted);
    if (!m_family || m_counts.isEmpty()) {
        painter.drawText(rect(), Qt::AlignCenter,
            m_family ? u"None of its reports names a time."_s : u"Select a family: it is drawn over time."_s);
        return;
    }
    const int highest = std::max(1, *std::max_element(m_counts.cbegin(), m_counts.cend()));
    painter.drawText(QRectF(area.left(), 0, area.width(), area.top()), Qt::AlignLeft | Qt::AlignVCenter,
        u"for each %1, at most %2"_s.arg(m_span.stepName()).arg(highest));
    const double width = area.width() / double(m_counts.size());
    for (qsizetype bar = 0; bar < m_counts.size(); ++bar) {
        const double height = area.height() * m_counts[bar] / highest;
        const double drawn = std::min(width, widestBar);
        const QRectF shape(
            area.left() + width * double(bar) + (width - drawn) / 2, area.bottom() - height, drawn, height);
        painter.fillRect(width > 3 ? shape.adjusted(1, 0, -1, 0) : shape, colors.series[0]);
    }
    painter.setPen(colors.border);
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.setPen(colors.muted);
    const QRectF foot(area.left(), area.bottom(), area.width(), height() - area.bottom());
    painter.drawText(foot, Qt::AlignLeft | Qt::AlignVCenter, minuteText(m_span.from));
    painter.drawText(foot, Qt::AlignRight | Qt::AlignVCenter, minuteText(startOf(int(m_counts.size()))));
    paintDate(painter, area);
    theme::paintFocus(painter, *this);
}

void FamilyChart::paintDate(QPainter& painter, const QRectF& area) const
{
    if (!m_date)
        return;
    const ThemeColors& colors = theme::colors(palette());
    const auto [before, after] = m_family->around(*m_date);
    const double x = area.left() + std::clamp(timeScale().xOf(m_date->us), 0.0, area.width());
    painter.setPen(QPen(colors.accent, 2, Qt::DashLine));
    painter.drawLine(QPointF(x, area.top() - 4), QPointF(x, area.bottom()));
    painter.drawText(QRectF(area.left(), 0, area.width(), area.top()), Qt::AlignRight | Qt::AlignVCenter,
        u"before: %1, from then on: %2"_s.arg(before).arg(after));
}

void FamilyChart::mousePressEvent(QMouseEvent* event)
{
    if (const int bar = barAt(event->position().x()); bar >= 0 && event->button() == Qt::LeftButton)
        Q_EMIT dateChosen(startOf(bar));
}

void FamilyChart::mouseMoveEvent(QMouseEvent* event)
{
    if (const int bar = barAt(event->position().x()); bar >= 0 && event->buttons().testFlag(Qt::LeftButton))
        Q_EMIT dateChosen(startOf(bar));
}

void FamilyChart::keyPressEvent(QKeyEvent* event)
{
    const bool isLeft = event->key() == Qt::Key_Left;
    if (m_counts.isEmpty() || (!isLeft && event->key() != Qt::Key_Right)) {
        QWidget::keyPressEvent(event);
        return;
    }
    const int last = int(m_counts.size());
    int bar = isLeft ? last : 0; // without a date: from the other end
    if (m_date)
        bar = std::clamp(int((*m_date - m_span.from) / m_span.step) + (isLeft ? -1 : 1), 0, last);
    Q_EMIT dateChosen(startOf(bar));
}

bool FamilyChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const int bar = barAt(help->pos().x());
    if (bar < 0)
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(),
            u"%1 from %2 on, for one %3. A click divides before and after here."_s.arg(m_counts[bar])
                .arg(dateTimeText(startOf(bar)), m_span.stepName()),
            this);
    return true;
}

FamiliesView::FamiliesView(QWidget* parent)
    : QWidget(parent)
    , m_table(new ReportTable(u"familyTable"_s, u"Families of deadlocks"_s, familiesSection({}, {}), this))
    , m_chart(new FamilyChart(this))
    , m_divides(named("familiesDivide", new QCheckBox(u"&Before and after"_s, this)))
    , m_date(named("familiesDate", u"The date that divides before and after, UTC"_s, new QDateTimeEdit(this)))
    , m_says(plain(new QLabel(this)))
    , m_totals(named("familyTotals", wrapped(new QLabel(this))))
{
    setObjectName(u"families"_s);
    m_table->setEmptyState(
        u"No family yet"_s, u"Deadlocks of the same kinds of statements, modes and tables are one family."_s);
    m_divides->setToolTip(u"Counts before a date and from it on: before and after a release, say"_s);
    m_date->setToolTip(u"UTC, or the server's own time where its reports name no zone"_s);
    m_date->setTimeSpec(Qt::UTC);
    m_date->setDisplayFormat(u"yyyy-MM-dd HH:mm 'UTC'"_s);
    m_date->setCalendarPopup(true);
    m_date->setDateTime(QDateTime(QDateTime::currentDateTimeUtc().date(), QTime(0, 0), Qt::UTC));
    m_date->setEnabled(false);
    m_totals->setToolTip(u"In how many deadlocks each took part"_s);

    QHBoxLayout* row = rowOf({m_divides, m_date, {m_says, 1}});
    addAll(*withoutMargins(new QVBoxLayout(this)), {{m_table, 3}, m_totals, row, {m_chart, 1}});
    setFocusProxy(m_table);
    setChapter(*this, u"deadlocks.md#families"_s);

    connect(m_divides, &QCheckBox::toggled, this, [this](bool divides) {
        m_date->setEnabled(divides);
        showFamilies();
    });
    connect(m_date, &QDateTimeEdit::dateTimeChanged, this, &FamiliesView::showFamilies);
    connect(m_chart, &FamilyChart::dateChosen, this, &FamiliesView::setDate);
    connect(m_table, &TableView::currentRowChanged, this, &FamiliesView::showChosen);
    connect(m_table, &TableView::detailRequested, this, [this] {
        if (const report::ReportRow* family = m_table->chosenRow())
            Q_EMIT familyChosen(family->key);
    });
    showFamilies();
}

std::optional<ServerTime> FamiliesView::date() const
{
    if (!m_divides->isChecked())
        return {};
    return ServerTime::fromDateTime(m_date->dateTime());
}

void FamiliesView::setDate(const std::optional<ServerTime>& date)
{
    {
        const QSignalBlocker quiet(m_divides);
        const QSignalBlocker still(m_date);
        m_divides->setChecked(date.has_value());
        m_date->setEnabled(date.has_value());
        if (date)
            m_date->setDateTime(date->toDateTime());
    }
    showFamilies();
}

void FamiliesView::show(const std::vector<DeadlockRow>& rows)
{
    QList<deadlock::FamilyMember> members;
    QList<deadlock::Deadlock> deadlocks;
    for (const DeadlockRow& row : rows) {
        members.append({row.deadlock, row.family, row.title});
        deadlocks.append(row.deadlock);
    }
    m_families = deadlock::familiesOf(members);
    m_totals->setText(totalsText(deadlock::totals(deadlocks)));
    m_totals->setVisible(!m_totals->text().isEmpty());
    showFamilies();
}

void FamiliesView::showFamilies()
{
    m_table->showRows(familiesSection(m_families, date()));
    for (const QString& column : {u"before"_s, u"after"_s})
        m_table->setColumnEmpty(column, !date());
    m_table->chooseFirst();
    int before = 0;
    int after = 0;
    for (const deadlock::Family& family : std::as_const(m_families)) {
        if (date()) {
            before += family.around(*date()).first;
            after += family.around(*date()).second;
        }
    }
    m_says->setText(date()
            ? u"Deadlocks of all families before: %1, from then on: %2"_s.arg(before).arg(after)
            : QString());
    showChosen();
}

void FamiliesView::showChosen()
{
    const auto* family = m_table->chosen<deadlock::Family>();
    m_chart->setDate(date());
    m_chart->show(family ? std::optional(*family) : std::nullopt, FamilySpan::of(m_families));
}

void FamiliesView::saveLayout(QSettings& settings) const
{
    m_table->saveLayout(settings, settingsGroup + u"/table"_s);
    settings.setValue(settingsGroup + u"/date"_s, date() ? QVariant(m_date->dateTime()) : QVariant());
}

void FamiliesView::restoreLayout(QSettings& settings)
{
    m_table->restoreLayout(settings, settingsGroup + u"/table"_s);
    if (const QDateTime date = settings.value(settingsGroup + u"/date"_s).toDateTime(); date.isValid())
        setDate(ServerTime::fromDateTime(date));
}

} // namespace lockscope::ui
