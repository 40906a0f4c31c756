// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/ServerProfile.h"
#include "core/db/credentials/Secrets.h"

#include <QObject>
#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lockscope::ui {

/// Finds out where the password of a server is now and where a typed one can go, and says so in a password
/// field and in the box “keep it” beside it. The keychain is asked on another thread.
class PasswordPlace : public QObject {
    Q_OBJECT

public:
    enum class State {
        Unknown, ///< not asked, or no answer yet
        Kept, ///< in the keychain
        NotKept, ///< there is a keychain, which has none
        NoKeychain,
        Refused, ///< locked, or it does not answer
    };

    PasswordPlace(db::KeychainPtr keychain, QLineEdit& field, QCheckBox& keep);

    /// Searches the keychain for the password of `url`; `typed`: one was typed for it in this run.
    void search(const QString& url, bool typed);
    /// Sets whether it is still the same server: findings for another one mean nothing.
    void setSameServer(bool same);
    State state() const { return m_state; }
    /// True if the typed password is to be kept in the keychain.
    bool keeps() const;

Q_SIGNALS:
    void found();

private:
    void show();

    db::KeychainPtr m_keychain;
    QLineEdit& m_field;
    QCheckBox& m_keep;
    State m_state = State::Unknown;
    bool m_typed = false;
    bool m_same = true;
    Worker m_worker;
};

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
