// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/widgets/NoticeBar.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

BarNotice BarNotice::of(const Error& error, AgeLevel level, const QString& tip)
{
    return {.level = level, .text = error.what, .detail = sentences({error.detail, error.hint}), .tip = tip};
}

NoticeBar::NoticeBar(Shape shape, QWidget* parent)
    : QFrame(parent)
    , m_shape(shape)
    , m_sign(new QLabel(this))
    , m_words(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_text(selectable(new QLabel(this)))
    , m_code(selectable(wrapped(new QLabel(this))))
    , m_copy(named("copyRemedy", pushButton(u"Copy"_s, this)))
    , m_action(named("noticeAction", pushButton(this)))
    , m_dismiss(named("dismissNotice", flatButton(u"✕"_s, u"Dismiss this notice"_s, this)))
{
    auto* row = withMargins(new QHBoxLayout(this), {12, 6, 10, 6}, 8);
    addAll(*row, {m_sign, {m_words, 1}});
    m_words->setSpacing(4);
    m_words->addWidget(m_text, 1);
    m_words->addWidget(m_code);
    addAll(*row, {m_copy, m_action, m_dismiss});
    m_dismiss->setAccessibleName(m_dismiss->toolTip());
    m_dismiss->hide();
    connect(m_dismiss, &QToolButton::clicked, this, [this] {
        m_dismissedText = text();
        hide();
        Q_EMIT dismissed();
    });
    m_text->setTextFormat(Qt::RichText);
    m_text->setWordWrap(true);
    m_code->setFont(theme::monospace());
    connect(m_copy, &QPushButton::clicked, this, [this] { copyByButton(*m_copy, m_notice.copyable); });
    connect(m_action, &QPushButton::clicked, this, &NoticeBar::actionTriggered);
    m_action->hide();
    hide();
    theme::whenRecolored(*this, [this] { colorSign(); });
}

void NoticeBar::say(const BarNotice& notice)
{
    m_notice = notice;
    const QString html = notice.detail.isEmpty()
        ? htmlText(notice.text)
        : QStringLiteral("<b>%1</b> %2")
              .arg(htmlText(asSentence(notice.text)), htmlText(asSentence(notice.detail)));
    // Only on change: a selection in the text survives what is said again at each refresh.
    if (html != m_text->text())
        m_text->setText(html);
    setAccessibleName(inLines(this->text()));
    m_sign->setText(theme::levelSign(notice.level));
    m_text->setToolTip(toolTipText(notice.tip));
    m_code->setText(inOneLine(notice.copyable));
    m_code->setVisible(!notice.copyable.isEmpty());
    m_copy->setVisible(!notice.copyable.isEmpty());
    colorSign();
    arrangeWords();
    setVisible(!notice.text.isEmpty() && this->text() != m_dismissedText);
    update();
}

/// A statement follows the text where both fit in a line, else it is below it.
void NoticeBar::arrangeWords()
{
    const int requested = m_text->fontMetrics().horizontalAdvance(text())
        + m_code->fontMetrics().horizontalAdvance(m_notice.copyable) + 40;
    const bool fits = m_notice.copyable.isEmpty() || requested <= m_words->geometry().width();
    m_words->setDirection(fits ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    // More space than one line of it would gain nothing.
    m_code->setMinimumWidth(fits ? m_code->fontMetrics().horizontalAdvance(m_notice.copyable) + 4 : 0);
}

void NoticeBar::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    arrangeWords();
}

void NoticeBar::setDismissable(bool dismissable)
{
    m_dismiss->setVisible(dismissable);
}

void NoticeBar::clear()
{
    m_dismissedText.clear();
    say({});
}

void NoticeBar::setAction(const QString& text, const QString& reasonAgainst)
{
    m_action->setText(inOneLine(text));
    m_action->setEnabled(reasonAgainst.isEmpty());
    m_action->setToolTip(inLines(reasonAgainst));
    m_action->setVisible(!text.isEmpty());
}

QString NoticeBar::text() const
{
    return m_notice.detail.isEmpty() ? m_notice.text : sentences({m_notice.text, m_notice.detail});
}

void NoticeBar::colorSign()
{
    const ThemeColors& colors = theme::colors();
    theme::setInk(
        m_sign, m_notice.level == AgeLevel::Normal ? colors.accent : colors.text(m_notice.level, palette()));
}

void NoticeBar::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = theme::colors(palette());
    const QColor fill = m_notice.level == AgeLevel::Normal ? colors.infoFill : colors.fill(m_notice.level);
    QPainter painter(this);
    if (m_shape == Shape::Card)
        return theme::paintBox(painter, rect(), 5, Qt::NoPen, fill);
    painter.fillRect(rect(), fill);
    painter.setPen(colors.border);
    painter.drawLine(rect().topLeft(), rect().topRight());
}

} // namespace lockscope::ui
