// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "core/record/RecordingClient.h"
#include "ui/shell/servers/ServerSession.h"
#include "ui/views/settings/Preferences.h"
#include "ui/views/settings/RecordingFields.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <memory>
#include <vector>

class QSettings;
class QWidget;
class QMimeData;

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

/// Opens recordings for a window: those that are named, and those that are dropped on it. Reads on other
/// threads; what can't be read is opened all the same, with its error.
class RecordingOpener : public QObject {
    Q_OBJECT

public:
    explicit RecordingOpener(QWidget& window);

    /// A file that says by its name that it is one.
    static bool isRecordingName(const QString& path);
    /// `at`: the time to be shown first, given back with the answer; empty: the last one. `passwords`: of a
    /// history.
    void open(const QString& place, const QString& at = {}, const db::PasswordProvider& passwords = {});

Q_SIGNALS:
    void opening(const QString& place); ///< it is being read
    void opened(const lockscope::ui::OpenedRecording& recording, const QString& at);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    static QStringList recordingsIn(const QMimeData& data);

    std::vector<std::unique_ptr<record::RecordingClient>> m_clients; ///< of those that are being opened
};

/// Says when to open the servers again that were open when the window was closed the last time: one by one
/// and not before the window is painted, so that it answers meanwhile and they are not all polled at once.
class Reopener : public QObject {
    Q_OBJECT

public:
    explicit Reopener(QWidget& window);

    /// `profiles`: the one that was on view last; it is the first to be opened.
    void start(const QList<db::ServerProfile>& profiles);
    /// Returns those that are not due yet, in the order of start().
    const QList<db::ServerProfile>& rest() const { return m_rest; }

    bool eventFilter(QObject* watched, QEvent* event) override;

Q_SIGNALS:
    void due(const lockscope::db::ServerProfile& profile, bool isOnView);

private:
    void openNext();

    QWidget& m_window;
    QList<db::ServerProfile> m_rest;
    bool m_isFirst = true;
    QTimer m_next;
};

} // namespace lockscope::ui
