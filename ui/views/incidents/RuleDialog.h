// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/Rule.h"
#include "core/base/Result.h"
#include "ui/views/incidents/RuleTrial.h"

#include <QDialog>

#include <optional>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QBoxLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QTimer;

namespace lockscope::ui {

/// The form of a rule: on or off, its levels, what it applies to, what it advises. All else of the rule stays
/// as it is.
class RuleDialog : public QDialog {
    Q_OBJECT

public:
    /// `recording`: the place of the recording that the rule is tried on; empty: there is none.
    RuleDialog(const alert::Rule& rule, const QString& recording, QWidget* parent = nullptr);

    /// Returns the rule as it stands in the form; else the first thing that is wrong there.
    Result<alert::Rule> rule() const;
    /// Says what the rule of the form would have found.
    void showTrial(const Result<TrialResult>& result);

Q_SIGNALS:
    void saveRequested(const lockscope::alert::Rule& rule);
    /// Requests a past time: of an incident that the rule would have found.
    void timeTravelRequested(lockscope::ServerTime at);

private:
    struct LevelRow {
        QComboBox* severity;
        QLineEdit* from;
        QLineEdit* hold;
    };
    void addLevels(QFormLayout& form);
    void addScope(QFormLayout& form);
    QLineEdit* addLine(QFormLayout& form, const QString& label, const char* name, const QString& text,
        const QString& example);
    void addTrial(QBoxLayout& column);
    void check();
    void tryOut(microseconds length);
    Result<std::vector<alert::RuleLevel>> levels() const;

    const alert::Rule m_rule;
    QCheckBox* m_isOn;
    std::vector<LevelRow> m_levels;
    QLineEdit* m_clearBelow = nullptr;
    QLineEdit* m_keepFiring = nullptr;
    QLineEdit* m_servers = nullptr;
    QLineEdit* m_databases = nullptr;
    QLineEdit* m_locks = nullptr;
    QLineEdit* m_programs = nullptr;
    QLineEdit* m_users = nullptr;
    QLineEdit* m_text = nullptr;
    QLabel* m_trouble;
    RuleTrial* m_trial;
    QLabel* m_preview;
    QListWidget* m_found; ///< by the trial
    QPushButton* m_tryLonger;
    QPushButton* m_save;
    QTimer* m_trySoon; ///< once no key was pressed for a while
    std::optional<alert::Rule> m_triedRule;
    microseconds m_tried{0}; ///< the length of the trial that runs, or ran last
    bool m_isTrying = false;
};

} // namespace lockscope::ui
