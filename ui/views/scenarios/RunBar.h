// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/FreeRun.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace lockscope::ui {

/// Starts and stops a run, and shows its progress.
class RunBar : public QWidget {
    Q_OBJECT

public:
    explicit RunBar(QWidget* parent = nullptr);

    enum class State { Idle, Running, Stopping };
    /// The tips say what would happen, or why it can't.
    void setState(
        State state, bool canRun, bool canCompare, const QString& runTip, const QString& compareTip);
    void showPreparing();
    /// Shows the progress of order `number` of `count`, from 1.
    void showProgress(const scenario::Progress& progress, int sessions, int number, int count);
    /// The progress is over; `words` stay.
    void showEnd(const QString& words = {});
    void tell(const QString& words);
    void focusStop();
    /// Moves the focus from Stop, if it is there, to Run.
    void passFocusOn();

Q_SIGNALS:
    void runRequested();
    void comparisonRequested();
    void stopRequested();

private:
    QPushButton* m_run;
    QPushButton* m_compare;
    QPushButton* m_stop;
    QProgressBar* m_progress;
    QLabel* m_live;
};

} // namespace lockscope::ui
