// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/servers/Recordings.h"
#include "ui/kit/widgets/WidgetParts.h"

#include "core/record/postgres/HistoryStore.h"
#include "ui/shell/servers/Servers.h"
#include "ui/views/settings/RecordingFields.h"

#include <tuple>

namespace lockscope::ui {

using namespace std::chrono_literals;

namespace {

constexpr auto checkEvery = 500ms;

} // namespace

Recordings::Recordings(QSettings& settings, Servers& servers, const Preferences& preferences, QObject* parent,
    db::KeychainPtr keychain)
    : QObject(parent)
    , m_settings(settings)
    , m_servers(servers)
    , m_ofAll(preferences.recording)
    , m_keychain(std::move(keychain))
{
    m_pollWhetherTaken.setInterval(checkEvery);
    connect(&m_pollWhetherTaken, &QTimer::timeout, this, &Recordings::keepTakenPasswords);
}

void Recordings::setPreferences(const Preferences& preferences)
{
    m_ofAll = preferences.recording;
    apply();
}

ServerSession::Recording Recordings::of(const db::ServerProfile& server) const
{
    ServerSession::Recording recording{
        recordingSettingsOf(m_settings, server.display()).value_or(m_ofAll), {}};
    const QString& history = recording.settings.history;
    if (const auto place = record::HistoryPlace::parse(history); !history.isEmpty() && place)
        recording.history = connectionsTo(place->server);
    return recording;
}

/// All servers share those to a history.
std::shared_ptr<record::HistoryConnections> Recordings::connectionsTo(const db::Server& history) const
{
    const QString url = history.profile.url.toString();
    auto connections = m_histories.value(url).lock();
    if (!connections) {
        connections = std::make_shared<record::HistoryConnections>(
            db::Server::at(history.profile.url, historyPasswords(url), history.resolve));
        m_histories.insert(url, connections);
    }
    return connections;
}

db::PasswordProvider Recordings::historyPasswords(const QString& url) const
{
    std::shared_ptr<TypedPassword>& typed = m_typed[url];
    if (!typed)
        typed = std::make_shared<TypedPassword>();
    return TypedPassword::provider(typed, db::defaultPasswords(m_keychain));
}

void Recordings::logIn(const HistoryPassword& typed)
{
    std::ignore = historyPasswords(typed.url); // which makes the place for it
    m_typed[typed.url]->set(typed.password);
    if (typed.keep) {
        m_keepIfTaken[typed.url] = typed.password;
        m_pollWhetherTaken.start();
    }
    if (const auto connections = m_histories.value(typed.url).lock())
        connections->retry();
}

/// One that is wrong would replace the one that is right.
void Recordings::keepTakenPasswords()
{
    for (int row = 0; row < m_servers.count(); ++row) {
        const ServerSession* session = m_servers.session(row);
        const auto upload = session ? session->upload() : std::nullopt;
        const auto history = upload && upload->isUpToDate ? of(session->profile()).history : nullptr;
        if (!history)
            continue;
        const db::ServerUrl& url = history->server().profile.url;
        if (const QString password = m_keepIfTaken.take(url.toString()); !password.isEmpty())
            m_servers.keepPasswordOf(url, password);
    }
    if (m_keepIfTaken.isEmpty())
        m_pollWhetherTaken.stop();
}

void Recordings::turn(const ServerSession& session, bool on)
{
    RecordingSettings recording = of(session.profile()).settings;
    recording.on = on;
    keep(session.profile().display(), recording);
}

void Recordings::edit(const ServerSession& session, QWidget& window)
{
    const QString server = session.profile().display();
    auto* dialog = deletedOnClose(new RecordingDialog(
        session.profile(), recordingSettingsOf(m_settings, server), m_ofAll, &window, m_keychain));
    connect(dialog, &QDialog::accepted, this, [this, dialog, server] {
        if (const auto typed = dialog->historyPassword())
            logIn(*typed);
        keep(server, dialog->recording());
    });
    dialog->open();
}

void Recordings::keep(const QString& server, const std::optional<RecordingSettings>& recording)
{
    setRecordingSettingsOf(m_settings, server, recording);
    apply();
}

void Recordings::apply()
{
    for (int row = 0; row < m_servers.count(); ++row)
        if (ServerSession* session = m_servers.session(row))
            session->setRecording(of(session->profile()));
}

void Recordings::noteAct(const db::ServerProfile& server, const QString& what, qint64 auditId)
{
    for (int row = 0; row < m_servers.count(); ++row) {
        ServerSession* session = m_servers.session(row);
        if (session && session->profile().url == server.url && session->profile().name == server.name)
            session->noteAct(what, auditId);
    }
}

} // namespace lockscope::ui
