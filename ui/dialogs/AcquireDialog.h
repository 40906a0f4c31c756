// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/locks/LockStrategy.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockscope::ui {

/// Asks for a name to lock from this window, to test or to block others on purpose.
class AcquireDialog : public QDialog {
    Q_OBJECT

public:
    explicit AcquireDialog(const QString& name, QWidget* parent = nullptr);

    locks::LockKind kind() const;
    locks::AcquireRequest request() const;

Q_SIGNALS:
    void wanted(lockscope::locks::LockKind kind, const lockscope::locks::AcquireRequest& request);

private:
    void updateButton();

    QLineEdit* m_name;
    QComboBox* m_kind;
    QCheckBox* m_wait;
    QLabel* m_complaint;
    QPushButton* m_acquire = nullptr;
};

} // namespace lockscope::ui
