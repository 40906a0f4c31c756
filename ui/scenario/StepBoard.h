// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/scenario/StepRunner.h"

#include <QStackedWidget>

class QHBoxLayout;
class QLabel;

namespace lockscope::ui {

class StepColumn;

/// The sessions that are gone through step by step, a column each; before there are any, what to do.
class StepBoard : public QStackedWidget {
    Q_OBJECT

public:
    explicit StepBoard(QWidget* parent = nullptr);

    void setHint(const QString& text);
    void showHint() { setCurrentIndex(0); } ///< instead of the sessions
    void showSessions(const StepRunner::State& state, bool canStep);

Q_SIGNALS:
    void stepRequested(int number);

private:
    QLabel* m_hint;
    QHBoxLayout* m_row;
    QList<StepColumn*> m_columns;
};

} // namespace lockscope::ui
