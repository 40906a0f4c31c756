// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/TimelinePanel.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/KeyAction.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/scenarios/TimelinePainter.h"
#include "ui/views/scenarios/TimelineView.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

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
    connect(m_view, &TimelineView::chosen, this, &TimelinePanel::chosen);
    connect(m_view, &TimelineView::locksRequested, this, &TimelinePanel::locksRequested);
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
