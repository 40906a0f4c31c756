// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/Worker.h"
#include "core/db/ServerProfile.h"
#include "core/db/credentials/Secrets.h"
#include "ui/shell/servers/Servers.h"

#include <QDialog>
#include <QObject>

#include <optional>

class QWidget;

namespace lockscope::ui {

class ConnectDialog;

/// Asks for the password of a server that was open and does not take the one it had.
class LogInDialog : public QDialog {
    Q_OBJECT

public:
    LogInDialog(
        const db::ServerProfile& profile, db::KeychainPtr keychain, const QString& why, QWidget* parent);

Q_SIGNALS:
    void entered(const QString& password, bool keep);
};

/// Asks the user for servers: adds, edits, removes, opens files. None of its dialogs is waited for.
class ServerDialogs : public QObject {
    Q_OBJECT

public:
    ServerDialogs(Servers& servers, db::KeychainPtr keychain, QWidget& window);

    void add() { ask({}, {}); }
    void edit(int row);
    void remove(int row);
    void importServers(); ///< of a file, after a preview
    void exportServers(); ///< all saved ones, without passwords
    /// A lock table in a file, a recording, or reports of deadlocks; several at once.
    void openFile();
    /// Recordings and reports of deadlocks.
    void openRecording();
    /// Asks for the password of an open server that has refused the one it got.
    void logIn(ServerSession& session);

Q_SIGNALS:
    void openRequested(int row);
    void recordingChosen(const QString& path);
    void reportsChosen(const QStringList& paths);
    void said(const QString& text);
    /// Work that the user began goes on or has ended: shown at once, because a later text takes its place.
    void progressed(const QString& text);

private:
    void ask(const db::ServerProfile& before, const std::optional<QString>& typed);
    QStringList takeFiles(const QStringList& files);
    void takeAnyFiles(const QStringList& files);
    void take(const db::ServerProfile& before, const ConnectDialog& dialog);

    Servers& m_servers;
    db::KeychainPtr m_keychain;
    QWidget& m_window;
    Worker m_files; ///< looks into those of unknown names
};

} // namespace lockscope::ui
