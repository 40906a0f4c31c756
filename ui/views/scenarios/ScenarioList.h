// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/format/ScenarioFile.h"

#include <QListWidget>
#include <QScrollArea>

#include <optional>

class QLabel;

namespace lockscope::ui {

/// The scenarios that can be run, in groups by what is learnt, each with its story in a line and its engines;
/// below them the user's files that can't.
class ScenarioList : public QListWidget {
    Q_OBJECT

public:
    explicit ScenarioList(QWidget* parent = nullptr);

    /// Keeps the choice if it is still there, or its file.
    void show(const scenario::Library& library);
    /// Mutes those that don't run on it.
    void setEngine(std::optional<Engine> engine);

    scenario::ScenarioPtr scenario() const; ///< that is chosen; null = a bad file or none
    scenario::FileFaults faults() const; ///< of the bad file that is chosen
    bool choose(const QString& id); ///< false if there is no such

Q_SIGNALS:
    void chosen();

private:
    bool chooseFile(const QString& file);
    void addScenario(const scenario::ScenarioPtr& scenario, std::size_t index);
    void addFaults(const scenario::FileFaults& faults, std::size_t index);

    std::vector<scenario::ScenarioPtr> m_scenarios;
    std::vector<scenario::FileFaults> m_faults; ///< by file, below the scenarios
};

/// Shows the faults of a scenario file, line by line, and what was expected there.
class FaultView : public QScrollArea {
    Q_OBJECT

public:
    explicit FaultView(QWidget* parent = nullptr);

    /// Shows those of one file; at least one.
    void show(const scenario::FileFaults& faults);

private:
    QLabel* m_text;
};

} // namespace lockscope::ui
