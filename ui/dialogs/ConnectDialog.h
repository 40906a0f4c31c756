// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/CheckStep.h"
#include "core/db/Server.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QSpinBox;

namespace lockscope::ui {

class SqlServerFields;

/// A server's profile: where it is, as whom, and which foreign lock tables to show. Whoever opens it keeps
/// the password, in the keychain and nowhere else. "Test" runs on another thread, can be stopped, and says
/// which step failed.
class ConnectDialog : public QDialog {
    Q_OBJECT

public:
    explicit ConnectDialog(const db::ServerProfile& profile, QWidget* parent = nullptr,
        db::KeychainPtr keychain = db::desktopKeychain());
    ~ConnectDialog() override;

    /// What the fields say now; an error names the field.
    Result<db::ServerProfile> profile() const;
    /// From the password field if it was filled in, else the keychain's.
    db::PasswordProvider passwords() const;
    QString newPassword() const; ///< empty: the one in the keychain stays
    QString testReport() const;

public Q_SLOTS:
    void accept() override;
    /// Starts the test, or stops the one that runs.
    void runTest();
    void forgetTest();

Q_SIGNALS:
    void testFinished(bool good);

private:
    void showEngine();
    void orderTabs(QWidget* last);
    void fitHeight();
    void showStep(int generation, const QString& text, db::CheckStep::Outcome outcome);
    void finishTest(int generation, bool good);
    Engine engine() const;
    bool isFile() const;
    bool isSqlServer() const;
    void fill(const db::ServerProfile& profile);
    Result<QList<db::AttachedTable>> attachedTables() const;

    db::KeychainPtr m_keychain;
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
    SqlServerFields* m_sqlServer;
    QLineEdit* m_attached;
    QCheckBox* m_readOnly;
    QLabel* m_report;
    QScrollArea* m_reportArea; ///< a whole report may be longer than the screen
    QPushButton* m_test;
    QPushButton* m_save;
    QStringList m_steps;
    int m_generation = 0; ///< answers to an earlier test are dropped
    Worker m_worker; ///< tests
    bool m_testing = false;
};

} // namespace lockscope::ui
