// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/TimelinePanel.h"

#include "ui/scenario/TimelinePainter.h"
#include "ui/scenario/TimelineView.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

namespace lockscope::ui {

/// What colours, patterns and letters mean: of those that occur.
class TimelineLegend : public QWidget {
public:
    explicit TimelineLegend(QWidget* parent)
        : QWidget(parent)
    {
        QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
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

TimelinePanel::TimelinePanel(QWidget* parent)
    : QWidget(parent)
    , m_view(new TimelineView(this))
    , m_legend(new TimelineLegend(this))
    , m_words(new QLabel(this))
{
    m_words->setObjectName(QStringLiteral("timelineWords"));
    m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_words->setTextFormat(Qt::PlainText);
    m_words->setForegroundRole(QPalette::PlaceholderText);
    m_words->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(8, 2, 4, 2);
    foot->setSpacing(2);
    foot->addWidget(m_words, 1);
    const auto add = [&](const QString& text, const QString& tip, int key) {
        auto* button = new QToolButton(this);
        button->setText(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QToolButton::clicked, this, [this, key] {
            QKeyEvent press(QEvent::KeyPress, key, Qt::NoModifier);
            QCoreApplication::sendEvent(m_view, &press);
        });
        foot->addWidget(button);
        m_buttons << button;
    };
    add(QStringLiteral("◀!"), tr("Previous overlap (P)"), Qt::Key_P);
    add(QStringLiteral("!▶"), tr("Next overlap (N)"), Qt::Key_N);
    add(QStringLiteral("−"), tr("Further away (−)"), Qt::Key_Minus);
    add(QStringLiteral("+"), tr("Closer (+ or the mouse wheel)"), Qt::Key_Plus);
    add(tr("All"), tr("Show the whole run (0)"), Qt::Key_0);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_view, 1);
    column->addWidget(m_legend);
    column->addLayout(foot);
    connect(m_view, &TimelineView::chosen, m_words, &QLabel::setText);
    connect(m_view, &TimelineView::locksRequested, this, &TimelinePanel::locksRequested);
    show(nullptr);
}

void TimelinePanel::show(const TimelinePtr& timeline)
{
    const bool isSame = timeline && m_view->timeline() && timeline->runId == m_view->timeline()->runId;
    m_view->show(timeline);
    m_legend->show(timeline);
    for (QToolButton* button : m_buttons)
        button->setVisible(timeline != nullptr);
    if (!isSame)
        m_words->setText(timeline ? tr("Click, or go with the arrow keys: what a session did, waited for and "
                                       "held. Enter shows its locks.")
                                  : QString());
}

} // namespace lockscope::ui
