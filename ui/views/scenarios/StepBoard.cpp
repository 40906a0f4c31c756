// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/StepBoard.h"

#include "core/base/Sentences.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using scenario::Standing;
using scenario::TableState;

namespace {

QString standingText(const scenario::SteppedView& session)
{
    switch (session.standing) {
    case Standing::Ready:
        break;
    case Standing::Running:
        return u"… its step takes its time"_s;
    case Standing::Over:
        return session.lastOutcome == scenario::StepOutcome::Done
            ? u"✔ at its end"_s
            : u"▲ at its end; its last step: %1"_s.arg(scenario::outcomeText(session.lastOutcome));
    case Standing::Blocked: {
        const QStringList who = textOfEach(session.blockers, scenario::sessionLetter) + session.otherBlockers;
        QString text =
            who.isEmpty() ? u"■ blocked"_s : u"■ blocked by %1"_s.arg(who.join(QStringLiteral(", ")));
        if (!session.blockedOn.isEmpty())
            text += u", on %1"_s.arg(session.blockedOn);
        return text;
    }
    }
    if (session.lastOutcome == scenario::StepOutcome::Done)
        return u"● ready"_s;
    return u"▲ ready; its last step: %1"_s.arg(scenario::outcomeText(session.lastOutcome));
}

AgeLevel levelOf(const scenario::SteppedView& session)
{
    if (session.standing == Standing::Blocked)
        return AgeLevel::Normal; // to wait is what locks are for
    const bool isOdd =
        session.standing == Standing::Running || session.lastOutcome != scenario::StepOutcome::Done;
    return isOdd ? AgeLevel::Amber : AgeLevel::Normal;
}

enum LineRole { StatementRole = Qt::UserRole, PlaceRole, ReadRole };
enum class LinePlace { Behind, Here, Blocked, Ahead }; ///< of a line, seen from where the session is

/// A step's name, below it its statement, in full, because what counts is often at its end, and what it read.
class LineDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void setMagnification(double factor) { m_factor = factor; }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const auto* view = static_cast<const QAbstractItemView*>(option.widget);
        const QRect space(0, 0, view->viewport()->width() - signWidth - rightMargin, 10'000);
        int height = QFontMetrics(labelFont(true)).height() + 2 * margin;
        if (const QString statement = index.data(StatementRole).toString(); !statement.isEmpty())
            height += QFontMetrics(statementFont()).boundingRect(space, wrapped, statement).height() + 1;
        if (const QString read = index.data(ReadRole).toString(); !read.isEmpty())
            height +=
                QFontMetrics(statementFont(QFont::DemiBold)).boundingRect(space, wrapped, read).height() + 1;
        return {0, height};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const ThemeColors& colors = theme::colors(option.palette);
        const auto place = static_cast<LinePlace>(index.data(PlaceRole).toInt());
        const bool isNow = place == LinePlace::Here || place == LinePlace::Blocked;
        const QColor ink = place == LinePlace::Behind ? colors.muted : option.palette.color(QPalette::Text);
        painter->save();
        if (isNow)
            painter->fillRect(option.rect, place == LinePlace::Blocked ? colors.grid : colors.infoFill);
        const QFont font = labelFont(isNow);
        const int line = QFontMetrics(font).height();
        const QRect area = option.rect.adjusted(signWidth, margin, -rightMargin, -margin);
        painter->setFont(font);
        if (isNow) {
            painter->setPen(place == LinePlace::Blocked ? colors.muted : colors.accent);
            painter->drawText(QRect(option.rect.x() + 4, area.y(), signWidth, line),
                static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                place == LinePlace::Blocked ? QStringLiteral("■") : QStringLiteral("▶"));
        }
        painter->setPen(ink);
        theme::paintText(*painter, QRect(area.x(), area.y(), area.width(), line), index.data().toString());
        painter->setFont(statementFont());
        QRect used(area.x(), area.y(), area.width(), line);
        if (const QString statement = index.data(StatementRole).toString(); !statement.isEmpty())
            painter->drawText(area.adjusted(0, line + 1, 0, margin), wrapped, statement, &used);
        if (const QString read = index.data(ReadRole).toString(); !read.isEmpty()) {
            painter->setFont(statementFont(QFont::DemiBold));
            painter->setPen(colors.accent);
            painter->drawText(QRect(area.x(), used.bottom() + 2, area.width(), 10'000), wrapped, read);
        }
        painter->restore();
    }

private:
    static constexpr int wrapped =
        static_cast<int>(Qt::AlignLeft | Qt::AlignTop) | static_cast<int>(Qt::TextWordWrap);
    static constexpr int signWidth = 24;
    static constexpr int rightMargin = 6;
    static constexpr int margin = 3;
    QFont labelFont(bool isNow) const
    {
        return theme::scaled(m_factor, isNow ? QFont::DemiBold : QFont::Normal);
    }
    QFont statementFont(QFont::Weight weight = QFont::Normal) const
    {
        return theme::scaled(theme::monospace(), 0.95 * m_factor, weight);
    }

    double m_factor = 1;
};

LineDelegate& delegateOf(const QListWidget& lines)
{
    return *static_cast<LineDelegate*>(lines.itemDelegate());
}

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

StepColumn::StepColumn(int number, QWidget* parent)
    : QFrame(parent)
    , m_number(number)
    , m_name(demiBold(1.1, plain(new QLabel(this))))
    , m_standing(named("standing", wrapped(new QLabel(this))))
    , m_lines(new QListWidget(this))
    , m_step(pushButton(this))
{
    setObjectName(QStringLiteral("stepColumn-%1").arg(number));
    m_standing->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_standing->setMinimumHeight(fontMetrics().height() * 2 + 2);
    m_lines->setFrameShape(QFrame::NoFrame);
    m_lines->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_lines->setSelectionMode(QAbstractItemView::NoSelection);
    m_lines->setItemDelegate(new LineDelegate(m_lines));
    m_lines->setResizeMode(QListView::Adjust); // statements wrap again
    m_lines->setFocusPolicy(Qt::NoFocus); // numbers and the button run steps
    m_lines->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_step->setObjectName(QStringLiteral("step-%1").arg(number));
    m_step->setText(number < 10 ? u"Run its next step (%1)"_s.arg(number) : u"Run its next step"_s);
    addAll(*withMargins(new QVBoxLayout(this), {9, 7, 9, 8}, 4), {m_name, m_standing, m_step, {m_lines, 1}});
    m_lines->setMinimumHeight(60);
    setMinimumWidth(200);
    connect(m_step, &QPushButton::clicked, this, [this] { Q_EMIT stepRequested(m_number); });
    connect(m_lines, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) {
        if (m_lines->row(item) == m_line && m_step->isEnabled())
            Q_EMIT stepRequested(m_number);
    });
}

void StepColumn::show(
    const scenario::SteppedView& session, const std::vector<scenario::ProgramLine>& program, bool mayStep)
{
    const ThemeColors& colors = theme::colors(palette());
    m_name->setText(QStringLiteral("%1  %2").arg(session.letter, session.role));
    m_standing->setText(standingText(session));
    m_standing->setToolTip(m_standing->text());
    const AgeLevel level = levelOf(session);
    theme::setInk(m_standing, colors.sign(level));
    m_line = session.line;
    while (m_lines->count() < static_cast<int>(program.size()))
        m_lines->addItem(QString());
    while (m_lines->count() > static_cast<int>(program.size()))
        delete m_lines->takeItem(m_lines->count() - 1);
    for (int i = 0; i < m_lines->count(); ++i) {
        const scenario::ProgramLine& line = program[static_cast<std::size_t>(i)];
        const bool isNow = i == session.line;
        const scenario::DoneLine done = static_cast<std::size_t>(i) < session.done.size()
            ? session.done[static_cast<std::size_t>(i)]
            : scenario::DoneLine();
        const QString text = (isNow && !session.text.isEmpty() ? session.text
                : !done.text.isEmpty()                         ? done.text
                                                               : line.text)
                                 .simplified();
        const LinePlace place = isNow
            ? (session.standing == Standing::Blocked ? LinePlace::Blocked : LinePlace::Here)
            : (session.line < 0 || i < session.line ? LinePlace::Behind : LinePlace::Ahead);
        QListWidgetItem* item = m_lines->item(i);
        item->setText(line.label + (line.isAtLast ? u" (at last)"_s : QString()));
        item->setData(StatementRole, text == line.label ? QString() : text);
        item->setData(PlaceRole, static_cast<int>(place));
        item->setData(ReadRole, done.read.isEmpty() || isNow ? QString() : QStringLiteral("→ ") + done.read);
    }
    if (session.line >= 0)
        m_lines->scrollToItem(m_lines->item(session.line));
    m_step->setEnabled(mayStep && session.standing == Standing::Ready);
    setAccessibleName(u"Session %1, %2: %3. Next: %4"_s.arg(
        session.letter, session.role, m_standing->text(), session.label));
}

QString StepColumn::standing() const
{
    return m_standing->text();
}

QString StepColumn::read(int line) const
{
    const QListWidgetItem* const item = m_lines->item(line);
    return item ? item->data(ReadRole).toString().mid(2) : QString();
}

void StepColumn::setMagnification(double factor)
{
    delegateOf(*m_lines).setMagnification(factor);
    m_name->setFont(theme::scaled(1.1 * factor, QFont::DemiBold));
    m_standing->setFont(theme::scaled(factor));
    m_standing->setMinimumHeight(m_standing->fontMetrics().height() * 2 + 2);
    m_step->setFont(theme::scaled(factor));
    m_lines->doItemsLayout();
}

void StepColumn::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = theme::colors(palette());
    theme::paintCard(*this, colors.border, colors.card);
}

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

StepBoard::StepBoard(QWidget* parent)
    : QStackedWidget(parent)
    , m_hint(faint(wrapped(new QLabel(this))))
    , m_tables(new TableBoard(this))
{
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setMargin(30);
    addWidget(m_hint);
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    auto* columns = new QWidget(scroll);
    m_row = new QHBoxLayout(columns);
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(8);
    scroll->setWidget(columns);
    auto* both = new QWidget(this);
    addAll(*withoutMargins(new QHBoxLayout(both), 8), {{scroll, 3}, {m_tables, 1}});
    addWidget(both);
}

void StepBoard::setHint(const QString& text)
{
    m_hint->setText(text);
}

void StepBoard::showSessions(const StepRunner::State& state, bool canStep)
{
    setCurrentIndex(1);
    while (m_columns.size() > std::ssize(state.sessions))
        delete m_columns.takeLast();
    while (m_columns.size() < std::ssize(state.sessions)) {
        auto* column = new StepColumn(static_cast<int>(m_columns.size()) + 1, this);
        connect(column, &StepColumn::stepRequested, this, &StepBoard::stepRequested);
        column->setMagnification(m_factor);
        m_row->addWidget(column);
        m_columns << column;
    }
    for (qsizetype i = 0; i < m_columns.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        m_columns[i]->show(state.sessions[at], state.programs[at], canStep);
    }
    m_tables->show(state.tables);
}

void StepBoard::setMagnification(double factor)
{
    m_factor = factor;
    m_hint->setFont(theme::scaled(factor));
    m_tables->setMagnification(factor);
    for (StepColumn* column : std::as_const(m_columns))
        column->setMagnification(factor);
}

} // namespace lockscope::ui
