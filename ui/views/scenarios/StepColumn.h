// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/StepRun.h"

#include <QFrame>

class QLabel;
class QListWidget;
class QPushButton;

namespace lockscope::ui {

/// One session of a stepped run: who it is, how it stands, its statements with the next one marked and what
/// those before have read, and the button that runs it.
class StepColumn : public QFrame {
    Q_OBJECT

public:
    explicit StepColumn(int number, QWidget* parent = nullptr);

    void show(const scenario::SteppedView& session, const std::vector<scenario::ProgramLine>& program,
        bool mayStep);
    QString standing() const; ///< in words
    /// Returns the text for the values that line `line` has read: "balance = 5".
    QString read(int line) const;
    /// Letters that much larger than usual.
    void setMagnification(double factor);

Q_SIGNALS:
    void stepRequested(int number);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const int m_number;
    QLabel* m_name;
    QLabel* m_standing;
    QListWidget* m_lines;
    QPushButton* m_step;
    int m_line = -1;
};

} // namespace lockscope::ui
