// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/scenarios/StepRunner.h"

#include <QStackedWidget>

class QHBoxLayout;
class QLabel;

namespace lockscope::ui {

class StepColumn;
class TableBoard;

/// The sessions that are gone through step by step, a column each, and beside them what the tables hold;
/// before there are any, what to do.
class StepBoard : public QStackedWidget {
    Q_OBJECT

public:
    explicit StepBoard(QWidget* parent = nullptr);

    void setHint(const QString& text);
    void showHint() { setCurrentIndex(0); } ///< instead of the sessions
    /// Letters that much larger than usual.
    void setMagnification(double factor);
    void showSessions(const StepRunner::State& state, bool canStep);

Q_SIGNALS:
    void stepRequested(int number);

private:
    QLabel* m_hint;
    QHBoxLayout* m_row;
    QList<StepColumn*> m_columns;
    TableBoard* m_tables;
    double m_factor = 1;
};

} // namespace lockscope::ui
