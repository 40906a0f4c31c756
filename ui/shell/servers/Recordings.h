// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/shell/servers/ServerSession.h"
#include "ui/views/settings/Preferences.h"
#include "ui/views/settings/RecordingFields.h"

#include <QHash>
#include <QObject>
#include <QTimer>

class QSettings;
class QWidget;

namespace lockscope::ui {

class Servers;
class TypedPassword;

/// Records each of the open servers: as the settings say for all, or in its own way. GUI thread.
class Recordings : public QObject {
    Q_OBJECT

public:
    Recordings(QSettings& settings, Servers& servers, const Preferences& preferences, QObject* parent,
        db::KeychainPtr keychain = db::desktopKeychain());

    /// Sets them for all servers from now on, also those that are open.
    void setPreferences(const Preferences& preferences);
    /// Returns the recording of a server that is about to be opened.
    ServerSession::Recording of(const db::ServerProfile& server) const;
    void turn(const ServerSession& session, bool on);
    /// Asks how this server is to be recorded.
    void edit(const ServerSession& session, QWidget& window);
    /// A password was typed for a team's history: from now on, until the program ends; kept in the keychain
    /// as soon as the history has taken it.
    void logIn(const HistoryPassword& typed);
    /// Returns the passwords for reading or writing a history: the typed one, else the keychain's.
    db::PasswordProvider historyPasswords(const QString& url) const;
    /// Puts an act into the recording of its server, if that is open.
    void noteAct(const db::ServerProfile& server, const QString& what, qint64 auditId);

private:
    void keep(const QString& server, const std::optional<RecordingSettings>& recording);
    void apply();
    void keepTakenPasswords();
    std::shared_ptr<record::HistoryConnections> connectionsTo(const db::Server& history) const;

    QSettings& m_settings;
    Servers& m_servers;
    RecordingSettings m_ofAll;
    db::KeychainPtr m_keychain;
    mutable QHash<QString, std::shared_ptr<TypedPassword>> m_typed; ///< by the history's URL
    mutable QHash<QString, std::weak_ptr<record::HistoryConnections>> m_histories; ///< in use, the same
    QHash<QString, QString> m_keepIfTaken; ///< passwords that no history has taken yet
    QTimer m_pollWhetherTaken;
};

} // namespace lockscope::ui
