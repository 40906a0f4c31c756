// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/Rule.h"

#include <QWidget>

#include <optional>

class QLabel;
class QPushButton;
class QSettings;

namespace lockscope {
struct Error;
}

namespace lockscope::ui {

class ReportModel;
class TableView;

/// The rules that find incidents: which are on, their levels and what they apply to; each can be turned off
/// and edited.
class RulesView : public QWidget {
    Q_OBJECT

public:
    explicit RulesView(QWidget* parent = nullptr);

    /// `error`: why the account's rules file can't be read. Then nothing can be edited.
    void show(const alert::RuleSet& rules, const std::optional<Error>& error);
    TableView& table() const { return *m_table; }

    void saveLayout(QSettings& settings) const;
    void restoreLayout(QSettings& settings);

Q_SIGNALS:
    void editRequested(const lockscope::alert::Rule& rule);
    /// The rule is to be saved so.
    void changed(const lockscope::alert::Rule& rule);

private:
    void updateButtons();
    const alert::Rule* chosen() const; ///< null: none is

    ReportModel* m_model;
    TableView* m_table;
    QLabel* m_place;
    QPushButton* m_turn;
    QPushButton* m_edit;
    bool m_isReadable = true;
};

} // namespace lockscope::ui
