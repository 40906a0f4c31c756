// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "core/db/credentials/Keychain.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockscope::ui {

class PasswordPlace;

/// Asks for the password of one server, and where to keep it.
class LogInForm : public QWidget {
    Q_OBJECT

public:
    explicit LogInForm(db::KeychainPtr keychain, QWidget* parent = nullptr);

    /// Empties the field if it was another server's.
    void setServer(const db::ServerProfile& profile);
    void focusPassword();
    /// A password is being tried: the button says so, and no other is sent meanwhile.
    void setTrying(bool trying);

Q_SIGNALS:
    /// Tried at once; kept only when the server has taken it.
    void entered(const QString& password, bool keep);

private:
    void submit();
    void updateButton();

    QLabel* m_who;
    QLineEdit* m_password;
    QCheckBox* m_keep;
    QPushButton* m_logIn;
    PasswordPlace* m_place;
    QString m_url;
    bool m_isTrying = false;
};

} // namespace lockscope::ui
