// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/charts/TopList.h"

#include "core/base/ShownText.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QAbstractButton>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

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
