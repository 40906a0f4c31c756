// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/credentials/Keychain.h"

#include <QObject>

class QCheckBox;
class QLineEdit;

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

} // namespace lockscope::ui
