// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/alert/rules/RuleFile.h"

#include <QDialog>

#include <array>
#include <optional>

class QBoxLayout;
class QCheckBox;
class QDateTimeEdit;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockscope::ui {

/// The form of an item of the rules file. It stays open until the item is saved: what was typed is not lost
/// if it can't be.
class ItemDialog : public QDialog {
    Q_OBJECT

public:
    /// Returns the change that the form stands for; else the first thing that is wrong there.
    virtual Result<alert::RuleFileChange> change() const = 0;
    /// Takes the answer to saveRequested(): closes, or says why it is not saved.
    void takeAnswer(const Result<void>& saved);

Q_SIGNALS:
    void saveRequested(const lockscope::alert::RuleFileChange& change);

protected:
    /// `id` is "rule": the form is named "ruleDialog", the button "saveRule".
    ItemDialog(const QString& id, const QString& title, const QString& chapter, QWidget* parent);

    QLineEdit* addLine(QFormLayout& form, const QString& label, const char* name, const QString& text,
        const QString& example);
    static QStringList namesIn(const QLineEdit& line); ///< between commas
    /// Adds a line for each list of the scope.
    void addScope(QFormLayout& form, const alert::Scope& scope);
    void takeScope(alert::Scope& scope) const; ///< what the lines have now
    /// Adds what is wrong, and the buttons; each change of a line is checked from now on.
    void finish(QBoxLayout& column);
    /// Shows what is wrong with the form, and enables the button.
    void showCheck(const std::optional<Error>& error, bool hasChanged);
    virtual void check() = 0;
    /// Returns the change of an item from `before`, if it is there already, to the one that the form makes.
    template <class Item>
    static Result<alert::RuleFileChange> changeTo(Result<Item> made, const std::optional<Item>& before)
    {
        if (!made)
            return Failure(made.error());
        alert::RuleFileChange change{.after = std::move(*made)};
        if (before)
            change.before = *before;
        return change;
    }
    virtual void save(); ///< the button was pressed, and change() has one

private:
    const QString m_id;
    std::array<QLineEdit*, alert::scopeLists.size()> m_scope{};
    QLabel* m_trouble;
    QPushButton* m_save = nullptr;
};

/// The form of a maintenance window: why, when and of what nothing is sent, with its next times.
class MaintenanceDialog : public ItemDialog {
    Q_OBJECT

public:
    /// Nothing: a new one.
    explicit MaintenanceDialog(
        const std::optional<alert::MaintenanceWindow>& window, QWidget* parent = nullptr);

    /// Returns the window as it stands in the form; else the first thing that is wrong there.
    Result<alert::MaintenanceWindow> window() const;
    Result<alert::RuleFileChange> change() const override;

protected:
    void check() override;

private:
    struct End {
        QCheckBox* isSet;
        QDateTimeEdit* time; ///< by the local clock
    };
    End addEnd(QFormLayout& form, const QString& label, const char* name,
        const std::optional<QDateTime>& time, const QDateTime& otherwise);

    const std::optional<alert::MaintenanceWindow> m_before;
    QLineEdit* m_why = nullptr;
    QLineEdit* m_times = nullptr;
    End m_from{};
    End m_to{};
    QLabel* m_next;
};

} // namespace lockscope::ui
