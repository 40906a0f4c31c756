// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Result.h"
#include "core/db/ServerProfile.h"
#include "core/db/credentials/Keychain.h"
#include "core/monitor/ServerMonitor.h"

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
    /// Asks for the password if that may be what is wrong. `failures`: so often it went wrong, and when last;
    /// with one more than before, what was tried from here has failed.
    void showError(const db::ServerProfile& profile, const Error& error,
        const monitor::ServerMonitor::Failures& failures);
    void showSilent(const db::ServerProfile& profile);
    /// Shows that a recording is being opened.
    void showOpening(const QString& place);
    void showRecording(const QString& place, const Error& error);
    /// Sets whether there are recorded snapshots of the server, although it can't be read now.
    void setRecorded(bool isRecorded);
    QString text() const; ///< all that it says

Q_SIGNALS:
    void retryRequested();
    void pastRequested(); ///< the last recorded snapshot
    void editRequested();
    void passwordEntered(const QString& password, bool keep);

private:
    void tell(const QString& sign, const QColor& color, const QString& title, const QString& body);
    void offer(bool retry, bool logIn);
    void beginTrying();
    void setTrying(bool trying);

    QLabel* m_sign;
    QLabel* m_title;
    QLabel* m_when;
    QLabel* m_body;
    LogInForm* m_logIn;
    QPushButton* m_retry;
    QPushButton* m_edit;
    QPushButton* m_past;
    QString m_url; ///< the page is about it
    monitor::ServerMonitor::Failures m_failures; ///< of it
    bool m_isTrying = false; ///< the user has asked for an attempt, whose end is not known yet
};

} // namespace lockscope::ui
