// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/locks/Lock.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockscope::ui {

/// Asks for a name to lock from this window, to test or to block others on purpose: by any kind of lock that
/// the engine has.
class AcquireDialog : public QDialog {
    Q_OBJECT

public:
    AcquireDialog(const QString& name, Engine engine, QWidget* parent = nullptr);

    locks::LockOptions lock() const;

Q_SIGNALS:
    void lockRequested(const lockscope::locks::LockOptions& lock);

private:
    void offer(Engine engine);
    locks::LockKind kind() const;
    void showWhatMatters();
    void updateButton();

    QLineEdit* m_name;
    QComboBox* m_kind;
    QComboBox* m_mode;
    QComboBox* m_owner;
    QCheckBox* m_wait;
    QLabel* m_complaint;
    QFormLayout* m_form;
    QPushButton* m_acquire = nullptr;
};

} // namespace lockscope::ui
