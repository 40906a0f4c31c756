// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/incidents/ItemDialog.h"

#include <optional>

class QDateTimeEdit;
class QCheckBox;

namespace lockscope::ui {

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
