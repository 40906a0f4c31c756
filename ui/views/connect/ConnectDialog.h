// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/Server.h"

#include <QDialog>

#include <optional>

class QFormLayout;
class QLabel;
class QPushButton;

namespace lockscope::ui {

class ConnectionTest;
class ServerFields;

/// Edits a server's profile: its address, its user, and which foreign lock tables to show. The caller keeps
/// the password, in the keychain and nowhere else. "Test" runs on another thread, can be stopped, and says
/// which step failed.
class ConnectDialog : public QDialog {
    Q_OBJECT

public:
    /// `typed`: what was typed as its password in this run, and is used unless another one is typed now.
    explicit ConnectDialog(const db::ServerProfile& profile, QWidget* parent = nullptr,
        db::KeychainPtr keychain = db::desktopKeychain(), const std::optional<QString>& typed = {});
    ~ConnectDialog() override;

    /// Returns the profile in the fields; an error names the field.
    Result<db::ServerProfile> profile() const;
    /// Returns the password in its field if it was filled in, else the one typed before, else the keychain's.
    db::PasswordProvider passwords() const;
    QString newPassword() const; ///< empty: the one that is known stays
    bool keepsPassword() const; ///< the new one is to go into the keychain
    QString testReport() const;

public Q_SLOTS:
    void accept() override;
    /// Starts the test, or stops the one that runs.
    void runTest();

Q_SIGNALS:
    void testFinished(bool good);

private:
    void orderTabs(QWidget* last);
    void fitHeight();
    void chooseTable();

    db::ServerUrl m_before;
    std::optional<QString> m_typed;
    db::KeychainPtr m_keychain;
    QFormLayout* m_form;
    ServerFields* m_fields;
    QLabel* m_note;
    ConnectionTest* m_test;
    QPushButton* m_testButton;
};

} // namespace lockscope::ui
