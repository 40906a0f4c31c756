// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/StepBoard.h"

#include "ui/scenario/StepColumn.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>

namespace lockscope::ui {

StepBoard::StepBoard(QWidget* parent)
    : QStackedWidget(parent)
    , m_hint(new QLabel(this))
{
    m_hint->setWordWrap(true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setForegroundRole(QPalette::PlaceholderText);
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
    addWidget(scroll);
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
        m_row->addWidget(column);
        m_columns << column;
    }
    for (qsizetype i = 0; i < m_columns.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        m_columns[i]->show(state.sessions[at], state.programs[at], canStep);
    }
}

} // namespace lockscope::ui
