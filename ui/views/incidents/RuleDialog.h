// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/Rule.h"
#include "core/base/Result.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QTimer;

namespace lockscope::ui {

/// The form of a rule: on or off, its levels, what it applies to, what it advises. All else of the rule stays
/// as it is.
class RuleDialog : public QDialog {
    Q_OBJECT

public:
    explicit RuleDialog(const alert::Rule& rule, QWidget* parent = nullptr);

    /// Returns the rule as it stands in the form; else the first thing that is wrong there.
    Result<alert::Rule> rule() const;
    /// Says what the rule of the form would have found.
    void showPreview(const QString& text);

Q_SIGNALS:
    void saveRequested(const lockscope::alert::Rule& rule);
    /// The form has changed, and no key was pressed since for a while.
    void previewRequested(const lockscope::alert::Rule& rule);

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
    void check();
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
    QLabel* m_preview;
    QPushButton* m_save;
    QTimer* m_previewSoon;
};

} // namespace lockscope::ui
