// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/format/ScenarioFile.h"

#include <QScrollArea>

class QLabel;

namespace lockscope::ui {

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
