// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/Secrets.h"
#include "core/db/ServerProfile.h"

#include <QDialog>

#include <memory>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace lockscope::ui {

/// A server's profile: where it is, as whom, and which foreign lock tables to show. The password goes to the
/// desktop keychain and nowhere else. "Test" runs on another thread and says which step failed.
class ConnectDialog : public QDialog {
    Q_OBJECT

public:
    explicit ConnectDialog(const db::ServerProfile& profile, QWidget* parent = nullptr);

    /// What the fields say now; an error names the field.
    Result<db::ServerProfile> profile() const;
    /// From the password field if it was filled in, else the keychain's.
    db::PasswordProvider passwords() const;
    QString testReport() const;

public Q_SLOTS:
    void accept() override;
    void runTest();

Q_SIGNALS:
    void testFinished(bool good);

private:
    void showEngine();
    void showStep(int generation, const QString& text, bool good);
    void finishTest(int generation, bool good);
    Engine engine() const;
    void fill(const db::ServerProfile& profile);
    Result<QList<db::AttachedTable>> attachedTables() const;

    QFormLayout* m_form;
    QLineEdit* m_name;
    QComboBox* m_engine;
    QLabel* m_engineNote;
    QLineEdit* m_host;
    QSpinBox* m_port;
    QLineEdit* m_database;
    QLineEdit* m_user;
    QLineEdit* m_password;
    QLineEdit* m_options;
    QLineEdit* m_attached;
    QCheckBox* m_readOnly;
    QLabel* m_report;
    QPushButton* m_test;
    QPushButton* m_save;
    QStringList m_steps;
    int m_generation = 0; ///< answers to an earlier test are dropped
};

} // namespace lockscope::ui
