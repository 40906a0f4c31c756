// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/TourPanel.h"

#include "ui/kit/help/Chapter.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

QLabel* makeLabel(QWidget* parent, const char* name)
{
    return named(name, wrapped(new QLabel(parent)));
}

} // namespace

TourPanel::TourPanel(QWidget* parent)
    : QFrame(parent)
    , m_where(faint(makeLabel(this, "tourWhere")))
    , m_title(demiBold(1.25, makeLabel(this, "tourTitle")))
    , m_text(selectable(makeLabel(this, "tourText"), Qt::TextSelectableByMouse))
    , m_act(named("tourAct", demiBold(1.0, pushButton(this))))
    , m_back(named("tourBack", pushButton(u"&Back"_s, this)))
    , m_next(named("tourNext", pushButton(u"Ne&xt"_s, this)))
    , m_end(named("tourEnd", pushButton(u"End &tour"_s, this)))
{
    setObjectName(QStringLiteral("tour"));
    setChapter(*this, QStringLiteral("tour.md"));
    m_text->setFont(theme::scaled(1.05));
    QHBoxLayout* buttons = withSpacing(rowOf({m_act, stretch(1)}), 8);
    for (QPushButton* each : {m_back, m_next, m_end})
        buttons->addWidget(each);
    addAll(*withMargins(new QVBoxLayout(this), {14, 10, 14, 10}, 5), {m_where, m_title, m_text, buttons});
    connect(m_act, &QPushButton::clicked, this, [this] { Q_EMIT actRequested(stop()); });
    connect(m_back, &QPushButton::clicked, this, [this] { go(m_at - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] { go(m_at + 1); });
    connect(m_end, &QPushButton::clicked, this, &TourPanel::end);
    hide();
}

void TourPanel::begin()
{
    m_isOn = true;
    m_isBusy = false;
    show();
    go(0);
    m_act->setFocus();
}

void TourPanel::end()
{
    if (!std::exchange(m_isOn, false))
        return;
    hide();
    Q_EMIT ended();
}

void TourPanel::go(std::size_t to)
{
    m_at = std::min(to, theTour().stops.size() - 1);
    m_isDone = false;
    update();
    Q_EMIT stopChanged();
}

void TourPanel::setReasonAgainst(const QString& reason)
{
    m_reasonAgainst = reason;
    update();
}

void TourPanel::setBusy()
{
    m_isBusy = true;
    update();
}

void TourPanel::setDone(bool isFine)
{
    if (!m_isOn || !std::exchange(m_isBusy, false))
        return;
    m_isDone = isFine;
    update();
    if (isFine)
        m_next->setFocus();
}

void TourPanel::update()
{
    const Tour& tour = theTour();
    const bool isLast = m_at + 1 == tour.stops.size();
    m_where->setText(u"%1  ·  %2 of %3"_s.arg(tour.title).arg(m_at + 1).arg(tour.stops.size()));
    m_title->setText(stop().title);
    QString text = m_isDone ? stop().textWhenDone : stop().text;
    if (stop().act != TourStop::Act::None && !m_reasonAgainst.isEmpty())
        text += QLatin1Char('\n') + m_reasonAgainst;
    m_text->setText(text);
    m_act->setText(m_isDone ? u"&Again"_s : stop().button);
    m_act->setVisible(stop().act != TourStop::Act::None);
    m_act->setEnabled(m_reasonAgainst.isEmpty() && !m_isBusy);
    m_back->setEnabled(m_at > 0 && !m_isBusy);
    m_next->setEnabled(!isLast && !m_isBusy);
    m_next->setVisible(!isLast);
    fitText();
    QFrame::update();
}

/// Keeps the whole text in sight where the page is short: other parts give way.
void TourPanel::fitText()
{
    m_text->setMinimumHeight(std::max(0, m_text->heightForWidth(m_text->width())));
}

void TourPanel::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    fitText();
}

void TourPanel::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = theme::colors(palette());
    theme::paintCard(*this, colors.accent, colors.infoFill);
}

} // namespace lockscope::ui
