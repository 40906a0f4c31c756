// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/FreeRun.h"

#include <QWidget>

class QBoxLayout;
class QButtonGroup;
class QCheckBox;
class QDoubleSpinBox;
class QGridLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QToolButton;
class QVBoxLayout;

namespace lockscope::ui {

/// The fields of a run: the variant, the sessions, their pace and the scenario's parameters. Each editor
/// takes the values that the scenario allows, and no others. In a narrow window the variants are above the
/// rest, and fields that few change come on request.
class OrderForm : public QWidget {
    Q_OBJECT

public:
    explicit OrderForm(QWidget* parent = nullptr);

    /// Sets everything to its default; the unsafe variant first. Null = none.
    void setScenario(const scenario::ScenarioPtr& scenario);
    /// Variants that don't run there can't be chosen.
    void setEngine(std::optional<Engine> engine);

    /// False while a name is missing.
    bool isComplete() const;
    scenario::RunOrder order() const;
    /// Each variant that runs on the engine, with the same sessions, seed and parameters.
    QList<scenario::RunOrder> ordersOfAllVariants() const;
    const scenario::Variant* variant() const; ///< that is chosen
    void chooseVariant(const QString& id);

Q_SIGNALS:
    void changed();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void colorVariants();
    void makeVariants();
    void makeParameters();
    void showMeaning();
    struct Field {
        QLabel* label;
        QWidget* editor;
    };
    Field makeField(const QString& name, QWidget* editor, const QString& tip);
    void arrange();
    void place(const Field& field, int row, int column);

    scenario::ScenarioPtr m_scenario;
    std::optional<Engine> m_engine;
    QButtonGroup* m_variants = nullptr;
    QVBoxLayout* m_variantColumn;
    QLabel* m_meaning;
    QGridLayout* m_fields;
    QSpinBox* m_sessions;
    QDoubleSpinBox* m_duration;
    QSpinBox* m_think;
    QSpinBox* m_rate;
    QSpinBox* m_seed;
    QCheckBox* m_processes;
    QHash<QString, QWidget*> m_parameters; ///< their editors by name
    QList<Field> m_pace; ///< those that every scenario has
    QList<Field> m_parameterFields;
    QBoxLayout* m_halves;
    QToolButton* m_more;
    bool m_isNarrow = false;
};

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
