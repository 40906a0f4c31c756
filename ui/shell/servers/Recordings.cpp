// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/servers/Recordings.h"

#include "core/record/postgres/HistoryStore.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/Servers.h"
#include "ui/views/settings/RecordingFields.h"

#include <QDropEvent>
#include <QEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>
#include <QWidget>

#include <tuple>
#include <utility>

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

using namespace Qt::StringLiterals;

namespace {

Result<OpenedRecording> read(record::RecordingReader& reader, const QString& place)
{
    const auto span = reader.span();
    OpenedRecording recording{.place = place, .identity = reader.identity()};
    if (span)
        recording.span = *span;
    else
        recording.error = span.error();
    return recording;
}

} // namespace

RecordingOpener::RecordingOpener(QWidget& window)
    : QObject(&window)
{
    window.setAcceptDrops(true);
    window.installEventFilter(this);
}

bool RecordingOpener::isRecordingName(const QString& path)
{
    return path.endsWith(".lockscope"_L1, Qt::CaseInsensitive);
}

void RecordingOpener::open(const QString& place, const QString& at, const db::PasswordProvider& passwords)
{
    Q_EMIT opening(place);
    const bool isUrl = place.contains("://"_L1);
    const QString whole = isUrl ? place : QFileInfo(place).absoluteFilePath();
    m_clients.push_back(std::make_unique<record::RecordingClient>(whole, record::Identity(), passwords));
    record::RecordingClient* const client = m_clients.back().get();
    client->ask(
        this, [whole](record::RecordingReader& reader) { return read(reader, whole); },
        [this, whole, at, passwords, client](const Result<OpenedRecording>& recording) {
            std::erase_if(m_clients, [client](const auto& one) { return one.get() == client; });
            OpenedRecording result =
                recording ? *recording : OpenedRecording{.place = whole, .error = recording.error()};
            result.passwords = passwords;
            Q_EMIT opened(result, at);
        });
}

QStringList RecordingOpener::recordingsIn(const QMimeData& data)
{
    QStringList files;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile() && isRecordingName(url.toLocalFile()))
            files << url.toLocalFile();
    return files;
}

bool RecordingOpener::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::DragEnter && event->type() != QEvent::DragMove
        && event->type() != QEvent::Drop)
        return QObject::eventFilter(watched, event);
    auto* drop = static_cast<QDropEvent*>(event);
    const QStringList files = recordingsIn(*drop->mimeData());
    if (files.isEmpty())
        return QObject::eventFilter(watched, event);
    // Not the proposed action: a program that hears of a moved file may delete it.
    drop->setDropAction(Qt::CopyAction);
    drop->accept();
    if (event->type() == QEvent::Drop) {
        for (const QString& file : files)
            open(file);
    }
    return true;
}

namespace {

constexpr auto pauseBetween = 15ms; // a hundred servers within two seconds
constexpr auto latestStart = 1s; // a window that is minimized is not painted

} // namespace

Reopener::Reopener(QWidget& window)
    : QObject(&window)
    , m_window(window)
{
    m_next.setSingleShot(true);
    connect(&m_next, &QTimer::timeout, this, &Reopener::openNext);
}

void Reopener::start(const QList<db::ServerProfile>& profiles)
{
    m_rest = profiles;
    m_isFirst = true;
    if (m_rest.isEmpty())
        return;
    m_window.installEventFilter(this);
    m_next.start(latestStart);
}

bool Reopener::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Paint) {
        m_window.removeEventFilter(this);
        m_next.start(0ms);
    }
    return QObject::eventFilter(watched, event);
}

void Reopener::openNext()
{
    m_window.removeEventFilter(this);
    if (m_rest.isEmpty())
        return;
    const bool isOnView = std::exchange(m_isFirst, false);
    const db::ServerProfile profile = isOnView ? m_rest.takeLast() : m_rest.takeFirst();
    if (!m_rest.isEmpty())
        m_next.start(pauseBetween);
    Q_EMIT due(profile, isOnView);
}

} // namespace lockscope::ui
