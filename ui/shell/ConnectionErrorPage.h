// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"
#include "core/db/ServerProfile.h"
#include "core/db/credentials/Keychain.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace lockscope::ui {

class LogInForm;

/// Stands in place of the pages while nothing was ever read from a server: connecting, or why not.
class ConnectionErrorPage : public QWidget {
    Q_OBJECT

public:
    explicit ConnectionErrorPage(db::KeychainPtr keychain, QWidget* parent = nullptr);

    void showConnecting(const db::ServerProfile& profile);
    /// Asks for the password if that may be what is wrong.
    void showError(const db::ServerProfile& profile, const Error& error);
    void showSilent(const db::ServerProfile& profile);
    QString text() const; ///< all that it says

Q_SIGNALS:
    void retryRequested();
    void editRequested();
    void passwordEntered(const QString& password, bool keep);

private:
    void tell(const QString& sign, const QColor& color, const QString& title, const QString& body);
    void offer(bool retry, bool logIn);

    QLabel* m_sign;
    QLabel* m_title;
    QLabel* m_body;
    LogInForm* m_logIn;
    QPushButton* m_retry;
    QPushButton* m_edit;
};

} // namespace lockscope::ui
