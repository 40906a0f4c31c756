// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/charts/Card.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

Card::Card(const QString& title, QWidget* parent)
    : QFrame(parent)
    , m_title(demiBold(1.0, new QLabel(title, this)))
    , m_note(faint(new QLabel(this)))
    , m_head(new QHBoxLayout)
    , m_body(new QVBoxLayout)
{
    m_note->setFont(theme::scaled(0.92));
    addAll(*m_head, {m_title, stretch(1), m_note});
    addAll(*withMargins(new QVBoxLayout(this), {12, 9, 12, 8}, 4), {m_head, {m_body, 1}});
    m_body->setSpacing(2);
}

void Card::addToHead(QWidget* widget)
{
    addAll(*m_head, {spacer(8), widget});
}

void Card::setTitle(const QString& title)
{
    m_title->setText(inOneLine(title));
}

void Card::setNote(const QString& note)
{
    m_note->setText(inOneLine(note));
}

void Card::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = theme::colors(palette());
    theme::paintCard(*this, colors.border, colors.card);
}

Legend::Legend(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void Legend::setEntries(const QList<Entry>& entries)
{
    m_entries = entries;
    for (Entry& entry : m_entries)
        entry.name = inOneLine(entry.name);
    const auto line = [](const Entry& entry) { return entry.name + QStringLiteral(": ") + entry.value; };
    setToolTip(toolTipText(textOfEach(m_entries, line).join(QLatin1Char('\n'))));
    update();
}

void Legend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QFont font = theme::scaled(0.92);
    const QFontMetrics metrics(font);
    painter.setFont(font);
    const int line = metrics.height() + 5;
    const qsizetype space = std::max(1, height() / line);
    const qsizetype shown = m_entries.size() <= space ? m_entries.size() : space - 1;
    int top = 0;
    for (const Entry& entry : m_entries.first(shown)) {
        painter.fillRect(QRect(0, top + line / 2 - 5, 10, 10), entry.color);
        const int valueWidth = metrics.horizontalAdvance(entry.value) + 6;
        painter.setPen(palette().color(QPalette::WindowText));
        theme::paintText(
            painter, QRect(18, top, width() - 18 - valueWidth, line), entry.name, Qt::ElideMiddle);
        painter.drawText(QRect(width() - valueWidth, top, valueWidth, line),
            Qt::AlignRight | Qt::AlignVCenter, entry.value);
        top += line;
    }
    if (shown < m_entries.size()) {
        painter.setPen(theme::colors(palette()).muted);
        painter.drawText(QRect(18, top, width() - 18, line), Qt::AlignLeft | Qt::AlignVCenter,
            QStringLiteral("and %1 more").arg(m_entries.size() - shown));
    }
}

MetricTile::MetricTile(const QString& title, QWidget* parent)
    : QAbstractButton(parent)
    , m_number(QStringLiteral("–"))
{
    setText(title);
    setCursor(Qt::PointingHandCursor);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MetricTile::show(const QString& number, const QString& note, AgeLevel level)
{
    if (number == m_number && note == m_note && level == m_level)
        return;
    m_number = number;
    m_note = note;
    m_level = level;
    setAccessibleName(QStringLiteral("%1: %2, %3").arg(text(), number, note));
    setToolTip(QStringLiteral("%1: %2\n%3").arg(text(), number, note));
    update();
}

void MetricTile::setOld(bool old)
{
    if (m_old == old)
        return;
    m_old = old;
    update();
}

QSize MetricTile::sizeHint() const
{
    return {
        150, QFontMetrics(theme::scaled(0.92)).height() * 2 + QFontMetrics(theme::scaled(2.5)).height() + 22};
}

void MetricTile::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = theme::colors(palette());
    const AgeLevel level = m_old ? AgeLevel::Normal : m_level;
    QPainter painter(this);
    const bool hot = underMouse() || hasFocus();
    QColor edge = level == AgeLevel::Normal ? colors.border : colors.text(level, palette());
    if (hot)
        edge = colors.accent;
    theme::paintBox(painter, QRectF(rect()).adjusted(1, 1, -1, -1), 7,
        QPen(edge, level == AgeLevel::Normal && !hasFocus() ? 1.0 : 1.5), colors.fill(level));

    const QRect area = rect().adjusted(14, 9, -10, -9);
    const QColor ink = m_old ? colors.muted : colors.text(level, palette());
    const QFont small = theme::scaled(0.92);
    const int line = QFontMetrics(small).height();
    painter.setFont(small);
    painter.setPen(colors.muted);
    theme::paintText(painter, QRect(area.left(), area.top(), area.width(), line), text());

    QFont big = theme::scaled(2.5, QFont::DemiBold);
    while (QFontMetrics(big).horizontalAdvance(m_number) > area.width() && big.pointSizeF() > 9)
        big.setPointSizeF(big.pointSizeF() - 1);
    painter.setFont(big);
    painter.setPen(ink);
    painter.drawText(QRect(area.left(), area.top() + line, area.width(), area.height() - 2 * line),
        Qt::AlignLeft | Qt::AlignVCenter, m_number);

    painter.setFont(small);
    painter.setPen(level == AgeLevel::Normal ? colors.muted : ink);
    const QString note = theme::withSign(level, m_note);
    QFont fitting = small; // there may be an age or a count in it
    while (QFontMetrics(fitting).horizontalAdvance(note) > area.width() - 2 && fitting.pointSizeF() > 6.5)
        fitting.setPointSizeF(fitting.pointSizeF() - 0.5);
    painter.setFont(fitting);
    theme::paintText(painter, QRect(area.left(), area.bottom() - line + 1, area.width(), line), note);
}

} // namespace lockscope::ui
