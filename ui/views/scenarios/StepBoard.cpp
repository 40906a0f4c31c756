// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/StepBoard.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/scenarios/StepColumn.h"
#include "ui/views/scenarios/TableBoard.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>

namespace lockscope::ui {

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
