// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/servers/Servers.h"

#include "core/base/PostToThread.h"
#include "core/db/Dialect.h"
#include "ui/views/page/ActAdvice.h"

#include <QPointer>
#include <QSettings>

#include <algorithm>
#include <chrono>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

const QString openKey = QStringLiteral("window/open");
/// The end waits at most so long for the keychain, which may ask its owner first.
constexpr std::chrono::seconds maxLastWrites(60);

/// The settings for servers that are not in the list hold for none of the list.
db::ServerProfile asSaved(db::ServerProfile profile)
{
    profile.localAudit = profile.localAudit.value_or(false);
    return profile;
}

} // namespace

Servers::Servers(QSettings& settings, bool readOnly, db::KeychainPtr keychain, QObject* parent)
    : QObject(parent)
    , m_settings(settings)
    , m_readOnly(readOnly)
    , m_keychain(std::move(keychain))
{
    for (const db::ServerProfile& profile : db::ProfileStore(m_settings).load())
        m_items.append({.profile = profile, .saved = true});
    keepFormerConsent();
}

/// Consent was once given for all servers: those that were there then keep it, later ones ask again.
void Servers::keepFormerConsent()
{
    bool isNew = false;
    for (Item& item : m_items) {
        if (!item.profile.localAudit) {
            item.profile.localAudit = allowsLocalAudit(m_settings);
            isNew = true;
        }
    }
    if (isNew)
        save();
}

Servers::~Servers()
{
    for (const Item& item : m_items)
        delete item.session;
    static_cast<void>(finishKeychain(maxLastWrites));
}

int Servers::rowOf(const ServerSession* session) const
{
    for (int row = 0; session && row < count(); ++row)
        if (m_items[row].session == session)
            return row;
    return -1;
}

int Servers::rowOf(const db::ServerProfile& profile) const
{
    for (int row = 0; row < count(); ++row)
        if (m_items[row].profile == profile && !isRecording(m_items[row]))
            return row;
    for (int row = 0; row < count(); ++row)
        if (m_items[row].profile.url == profile.url && !isRecording(m_items[row]))
            return row;
    return -1;
}

int Servers::rowFor(const db::ServerProfile& profile)
{
    if (const int row = rowOf(profile); row >= 0)
        return row;
    m_items.append({.profile = profile});
    Q_EMIT changed();
    return count() - 1;
}

int Servers::rowOfRecording(const QString& place) const
{
    for (int row = 0; row < count(); ++row)
        if (isRecording(m_items[row]) && m_items[row].session->recording()->place == place)
            return row;
    return -1;
}

ServerSession* Servers::open(int row, ServerSession::Options options)
{
    Item& item = m_items[row];
    if (!item.session) {
        db::ServerProfile profile = item.profile;
        profile.readOnly = profile.readOnly || m_readOnly;
        // As it stands now, and also of a server that was not saved.
        profile.frameworkSettings = db::ProfileStore(m_settings).frameworkSettings(profile.url);
        options.passwords =
            TypedPassword::provider(item.typed, item.passwords ? item.passwords : options.passwords);
        options.places = m_places;
        item.session = new ServerSession(profile, options, this);
        watch(item.session);
    }
    return item.session;
}

void Servers::openWhenFound(int row, const OptionsOf& optionsOf,
    const std::function<void(ServerSession*)>& opened, const IdentityOf& identityOf)
{
    const db::ServerProfile& profile = m_items[row].profile;
    if (m_items[row].session || !profile.url.isFile())
        return opened(open(row, optionsOf(row)));
    const QString url = profile.url.toString();
    const bool isBeingFound = m_openings.contains(url);
    m_openings[url].append({profile, optionsOf, opened});
    if (isBeingFound)
        return;
    findIdentity(*this, profile, identityOf, [url](Servers& servers, const record::Identity& identity) {
        const QList<Opening> openings = servers.m_openings.take(url);
        for (const Opening& each : openings) {
            const int at = servers.rowOf(each.profile);
            if (at < 0 || servers.profile(at) != each.profile)
                continue;
            ServerSession::Options options = each.optionsOf(at);
            options.place = identity.place;
            each.opened(servers.open(at, options));
        }
    });
}

bool Servers::isOpening(int row) const
{
    const QList<Opening> openings = m_openings.value(m_items[row].profile.url.toString());
    return !m_items[row].session
        && std::ranges::find(openings, m_items[row].profile, &Opening::profile) != openings.end();
}

void Servers::setPasswords(int row, db::PasswordProvider passwords)
{
    m_items[row].passwords = std::move(passwords);
}

void Servers::logIn(int row, const QString& password, bool keep)
{
    Item& item = m_items[row];
    item.typed->set(password);
    item.keepIfTaken = keep ? password : QString();
    if (item.session)
        item.session->refreshNow();
}

/// One that is wrong would replace the one that is right.
void Servers::keepTakenPassword(const ServerSession* session)
{
    const int row = rowOf(session);
    if (row >= 0)
        keepPassword(row, std::exchange(m_items[row].keepIfTaken, {}));
}

void Servers::allowLocalAudit(ServerSession* session)
{
    const int row = rowOf(session);
    if (row < 0)
        return;
    m_items[row].profile.localAudit = true;
    session->allowLocalAudit();
    save();
}

ServerSession* Servers::adopt(ServerSession* session)
{
    session->setParent(this);
    m_items.append({.profile = session->profile(), .session = session});
    Q_EMIT changed();
    watch(session);
    return session;
}

void Servers::add(const db::ServerProfile& profile)
{
    m_items.append({.profile = asSaved(profile), .saved = true});
    save();
    Q_EMIT changed();
}

void Servers::replace(int row, const db::ServerProfile& profile)
{
    close(m_items[row]);
    const Item before = std::exchange(m_items[row], Item{.profile = asSaved(profile), .saved = true});
    if (before.profile.url == profile.url) {
        m_items[row].passwords = before.passwords;
        m_items[row].typed = before.typed;
    }
    moveRecordingSettings(m_settings, before.profile.display(), profile.display());
    save();
    Q_EMIT changed();
    forgetPassword(before);
}

void Servers::approve(int row, const db::ApprovedTable& table)
{
    close(m_items[row]);
    QList<db::ApprovedTable>& tables = m_items[row].profile.approvedTables;
    if (!tables.contains(table))
        tables << table;
    save();
    Q_EMIT changed();
}

void Servers::remove(int row)
{
    const bool wasRecording = isRecording(m_items[row]);
    close(m_items[row]);
    const Item gone = m_items.takeAt(row);
    // A recording has the name of its server, which may be on the list as well.
    const bool isStillThere = std::any_of(m_items.cbegin(), m_items.cend(), [&gone](const Item& other) {
        return !isRecording(other) && other.profile.display() == gone.profile.display();
    });
    if (!wasRecording && !isStillThere)
        setRecordingSettingsOf(m_settings, gone.profile.display(), std::nullopt);
    save();
    Q_EMIT changed();
    forgetPassword(gone);
}

/// Forgets the password of a row that is gone, or has another URL now.
void Servers::forgetPassword(const Item& gone)
{
    const bool used = std::any_of(m_items.cbegin(), m_items.cend(),
        [&gone](const Item& other) { return other.profile.url == gone.profile.url; });
    // A row of this run only never had a password kept by us.
    if (gone.saved && !used)
        writePassword(gone.profile.url, {});
}

void Servers::keepPassword(int row, const QString& password)
{
    if (!password.isEmpty())
        writePassword(m_items[row].profile.url, password);
}

/// The keychain may ask its owner first: not on this thread; one after the other, so that the last one
/// counts.
void Servers::writePassword(const db::ServerUrl& url, const QString& password)
{
    if (url.sandbox || !db::Dialect::of(url.engine).can(db::Capability::LogIn))
        return;
    const auto done = std::make_shared<std::promise<void>>();
    m_lastWrite = done->get_future();
    m_keychainWorker.post([to = QPointer(this), key = url.toString(), password, keychain = m_keychain, done](
                              const std::stop_token&) {
        if (const auto written = db::writeKeychain(key, password, keychain); !written)
            postTo(
                to, [text = written.error().toString()](Servers& servers) { Q_EMIT servers.message(text); });
        done->set_value();
    });
}

bool Servers::finishKeychain(milliseconds atMost) const
{
    return !m_lastWrite.valid() || m_lastWrite.wait_for(atMost) == std::future_status::ready;
}

void Servers::setProbes(const monitor::ProbeSelection& probes)
{
    for (const Item& item : m_items)
        if (item.session)
            item.session->monitor().setProbes(probes);
}

void Servers::watch(ServerSession* session)
{
    connect(session, &ServerSession::snapshotChanged, this, [this, session] { keepTakenPassword(session); });
    connect(session, &ServerSession::demoFailed, this, [this](const QString& reason) {
        Q_EMIT message(u"The demo workload did not start: %1"_s.arg(reason));
    });
    // It need not be the one on view.
    connect(
        session, &ServerSession::remainsRemoved, this, [this, name = session->profile().display()](int runs) {
            Q_EMIT message(runs == 1
                    ? u"%1: removed what a scenario had left behind that was killed."_s.arg(name)
                    : u"%1: removed what %2 scenarios had left behind that were killed."_s.arg(
                        name, QString::number(runs)));
        });
    Q_EMIT opened(session); // the rows are the same
}

void Servers::rememberOpen(const ServerSession* shown, const QList<db::ServerProfile>& others)
{
    QList<db::ServerProfile> open;
    for (int row = 0; row < count(); ++row) {
        const Item& item = m_items[row];
        if ((item.session ? item.session != shown : isOpening(row)) && !item.profile.url.sandbox
            && !isRecording(item))
            open << item.profile;
    }
    for (const db::ServerProfile& profile : others)
        if (const int row = rowOf(profile); // it was removed, or is open
            row >= 0 && !m_items[row].session && !isOpening(row))
            open << profile;
    if (const int row = rowOf(shown);
        row >= 0 && !m_items[row].profile.url.sandbox && !isRecording(m_items[row]))
        open << m_items[row].profile;
    m_settings.remove(openKey);
    m_settings.beginGroup(openKey);
    db::ProfileStore(m_settings).save(open);
    m_settings.endGroup();
}

QList<db::ServerProfile> Servers::openBefore()
{
    m_settings.beginGroup(openKey);
    const QList<db::ServerProfile> open = db::ProfileStore(m_settings).load();
    m_settings.endGroup();
    return open;
}

void Servers::close(Item& item)
{
    if (!item.session)
        return;
    Q_EMIT aboutToClose(item.session);
    delete std::exchange(item.session, nullptr);
}

QList<db::ServerProfile> Servers::saved() const
{
    QList<db::ServerProfile> saved;
    for (const Item& item : m_items)
        if (item.saved)
            saved.append(item.profile);
    return saved;
}

void Servers::import(const QList<profiles::ImportItem>& items)
{
    for (const profiles::ImportItem& item : items) {
        int row = 0;
        while (row < count() && (!m_items[row].saved || m_items[row].profile.name != item.name))
            ++row;
        if (item.kind == profiles::ImportItem::Kind::Changed && row < count())
            replace(row, item.profile);
        else
            add(item.profile);
    }
}

void Servers::save()
{
    db::ProfileStore(m_settings).save(saved());
}

} // namespace lockscope::ui
