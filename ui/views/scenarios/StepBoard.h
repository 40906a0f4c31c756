// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/StepRun.h"
#include "ui/views/scenarios/ScenarioRunner.h"

#include <QFrame>
#include <QScrollArea>
#include <QStackedWidget>

class QHBoxLayout;
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

/// Shows the tables of a stepped run, one below the other; the last step's changes are highlighted.
class TableBoard : public QScrollArea {
    Q_OBJECT

public:
    explicit TableBoard(QWidget* parent = nullptr);

    /// Hidden while there are none.
    void show(const std::vector<scenario::TableState>& tables);
    /// Letters that much larger than usual.
    void setMagnification(double factor);
    QString text() const; ///< "account: id, balance; 1, 5"

private:
    void render();

    std::vector<scenario::TableState> m_tables;
    std::vector<scenario::TableState> m_before;
    QLabel* m_words;
    double m_factor = 1;
};

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
