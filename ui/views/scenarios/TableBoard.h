// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/StepRun.h"

#include <QScrollArea>

class QLabel;

namespace lockscope::ui {

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

} // namespace lockscope::ui
