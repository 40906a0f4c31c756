// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/rules/RuleFile.h"
#include "ui/views/incidents/ItemListView.h"

class QMenu;

namespace lockscope::ui {

/// The rules that find incidents: which are on, their levels and what they apply to. Each can be turned off
/// and edited; own ones are added and removed.
class RulesView : public ItemListView {
    Q_OBJECT

public:
    explicit RulesView(QWidget* parent = nullptr);

    /// `error`: why the account's rules file can't be used. Then nothing can be edited.
    void show(const alert::RuleSet& rules, const std::optional<Error>& error);

Q_SIGNALS:
    void editRequested(const lockscope::alert::Rule& rule);
    /// A new rule, with this one to begin with.
    void newRequested(const lockscope::alert::Rule& rule);
    void removeRequested(const lockscope::alert::Rule& rule);
    void changeRequested(const lockscope::alert::RuleFileChange& change);

protected:
    void updateButtons() override;
    void editChosen() override;

private:
    void fillNewMenu();

    QPushButton* m_remove;
    QPushButton* m_turn;
    QPushButton* m_edit;
    QPushButton* m_new;
    QMenu* m_newMenu;
    alert::RuleSet m_rules;
    QStringList m_own; ///< names of those that stand in the file
};

} // namespace lockscope::ui
