// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/TableBoard.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QLabel>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using scenario::TableState;

namespace {

const TableState* tableOf(const std::vector<TableState>& tables, const QString& name)
{
    const auto found = std::find_if(
        tables.begin(), tables.end(), [&name](const TableState& each) { return each.name == name; });
    return found == tables.end() ? nullptr : &*found;
}

/// The row with the same first column; else null.
const QStringList* sameRow(const TableState& before, const QStringList& row)
{
    const auto found = std::find_if(before.rows.begin(), before.rows.end(),
        [&row](const QStringList& each) { return each.value(0) == row.value(0); });
    return found == before.rows.end() ? nullptr : &*found;
}

QString tableHtml(const TableState& table, const TableState* before, const ThemeColors& colors)
{
    QString html =
        QStringLiteral("<p style=\"margin:6px 0 2px 0\"><b>%1</b></p>").arg(htmlText(inOneLine(table.name)));
    if (!table.fault.isEmpty())
        return html + QStringLiteral("<p style=\"margin:0\">%1</p>").arg(htmlText(inOneLine(table.fault)));
    html += QStringLiteral("<table cellspacing=\"0\" cellpadding=\"3\"><tr>");
    for (const QString& column : table.columns)
        html += QStringLiteral("<td style=\"color:%1\">%2</td>")
                    .arg(colors.muted.name(), htmlText(inOneLine(column)));
    html += QStringLiteral("</tr>");
    for (const QStringList& row : table.rows) {
        const QStringList* const was = before ? sameRow(*before, row) : nullptr;
        html += QStringLiteral("<tr>");
        for (qsizetype i = 0; i < row.size(); ++i) {
            const bool isNew = before && before->fault.isEmpty() && (!was || was->value(i) != row[i]);
            html += isNew ? QStringLiteral("<td style=\"background-color:%1\"><b>%2</b></td>")
                                .arg(colors.infoFill.name(), htmlText(inOneLine(row[i])))
                          : QStringLiteral("<td>%1</td>").arg(htmlText(inOneLine(row[i])));
        }
        html += QStringLiteral("</tr>");
    }
    html += QStringLiteral("</table>");
    if (table.rows.empty())
        html +=
            QStringLiteral("<p style=\"margin:0;color:%1\">%2</p>").arg(colors.muted.name(), u"no rows"_s);
    if (table.hasMore)
        html += QStringLiteral("<p style=\"margin:0;color:%1\">%2</p>")
                    .arg(colors.muted.name(), u"the first %1 rows"_s.arg(scenario::rowsOfTableState));
    return html;
}

} // namespace

TableBoard::TableBoard(QWidget* parent)
    : QScrollArea(parent)
    , m_words(selectable(new QLabel(this)))
{
    setObjectName(QStringLiteral("tableBoard"));
    setAccessibleName(u"What the tables hold"_s);
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setMinimumWidth(150);
    m_words->setTextFormat(Qt::RichText);
    m_words->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_words->setMargin(4);
    setWidget(m_words);
    hide();
    theme::whenRecolored(*this, [this] { render(); });
}

void TableBoard::show(const std::vector<TableState>& tables)
{
    if (tables != m_tables) {
        m_before = std::exchange(m_tables, tables);
        render();
    }
    setVisible(!m_tables.empty());
}

void TableBoard::render()
{
    const ThemeColors& colors = theme::colors(palette());
    QString html;
    for (const TableState& table : m_tables)
        html += tableHtml(table, tableOf(m_before, table.name), colors);
    m_words->setFont(theme::scaled(m_factor));
    m_words->setText(html);
    m_words->setAccessibleName(text());
}

void TableBoard::setMagnification(double factor)
{
    m_factor = factor;
    setMinimumWidth(qRound(150 * factor));
    render();
}

QString TableBoard::text() const
{
    QStringList tables;
    for (const TableState& table : m_tables) {
        QStringList lines{table.columns.join(QStringLiteral(", "))};
        for (const QStringList& row : table.rows)
            lines << row.join(QStringLiteral(", "));
        if (!table.fault.isEmpty())
            lines = QStringList{table.fault};
        tables << inOneLine(QStringLiteral("%1: %2").arg(table.name, lines.join(QStringLiteral("; "))));
    }
    return tables.join(QLatin1Char('\n'));
}

} // namespace lockscope::ui
