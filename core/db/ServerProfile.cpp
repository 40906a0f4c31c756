// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ServerProfile.h"

#include "core/domain/LockTable.h"

#include <QSettings>

#include <algorithm>
#include <array>
#include <utility>

namespace lockscope::db {

namespace {

const QString servers = QStringLiteral("servers");
const QString attachedTables = QStringLiteral("attached");
const QString approvedTables = QStringLiteral("approvedTables");
const QString frameworkSettingsKey = QStringLiteral("frameworkSettings");
constexpr qsizetype maxTags = 20;
constexpr qsizetype tagLength = 40;
constexpr std::array environments{std::pair{Environment::Development, "development"},
    std::pair{Environment::Test, "test"}, std::pair{Environment::Production, "production"}};

QList<AttachedTable> loadAttached(QSettings& settings)
{
    QList<AttachedTable> tables;
    const int count = settings.beginReadArray(attachedTables);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        AttachedTable table;
        for (const auto& [key, text] : attachedTexts)
            table.*text = settings.value(key, table.*text).toString();
        table.utc = settings.value(QStringLiteral("utc"), table.utc).toBool();
        table.staleAge = milliseconds(
            settings.value(QStringLiteral("staleAgeMs"), qlonglong(table.staleAge.count())).toLongLong());
        if (!table.table.isEmpty())
            tables << table;
    }
    settings.endArray();
    return tables;
}

void saveAttached(QSettings& settings, const QList<AttachedTable>& tables)
{
    settings.beginWriteArray(attachedTables, static_cast<int>(tables.size()));
    for (int i = 0; i < tables.size(); ++i) {
        const AttachedTable& table = tables[i];
        settings.setArrayIndex(i);
        for (const auto& [key, text] : attachedTexts)
            settings.setValue(key, table.*text);
        settings.setValue(QStringLiteral("utc"), table.utc);
        settings.setValue(QStringLiteral("staleAgeMs"), qlonglong(table.staleAge.count()));
    }
    settings.endArray();
}

QList<ApprovedTable> loadApproved(QSettings& settings)
{
    QList<ApprovedTable> tables;
    const int count = settings.beginReadArray(approvedTables);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        const auto text = [&settings](
                              const char* key) { return settings.value(QLatin1String(key)).toString(); };
        tables << ApprovedTable{text("schema"), text("table"), text("owner")};
    }
    settings.endArray();
    return tables;
}

void saveApproved(QSettings& settings, const QList<ApprovedTable>& tables)
{
    settings.beginWriteArray(approvedTables, static_cast<int>(tables.size()));
    for (int i = 0; i < tables.size(); ++i) {
        settings.setArrayIndex(i);
        settings.setValue(QStringLiteral("schema"), tables[i].schema);
        settings.setValue(QStringLiteral("table"), tables[i].table);
        settings.setValue(QStringLiteral("owner"), tables[i].owner);
    }
    settings.endArray();
}

/// A setting as it is kept: the server is its URL.
struct StoredSetting {
    QString server;
    FrameworkSetting setting;
};

QList<StoredSetting> loadSettings(QSettings& settings)
{
    QList<StoredSetting> stored;
    const int count = settings.beginReadArray(frameworkSettingsKey);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        const auto text = [&settings](
                              const char* key) { return settings.value(QLatin1String(key)).toString(); };
        stored << StoredSetting{text("server"), {text("framework"), text("name"), text("value")}};
    }
    settings.endArray();
    return stored;
}

void saveSettings(QSettings& settings, const QList<StoredSetting>& stored)
{
    settings.remove(frameworkSettingsKey);
    settings.beginWriteArray(frameworkSettingsKey, static_cast<int>(stored.size()));
    for (int i = 0; i < stored.size(); ++i) {
        settings.setArrayIndex(i);
        settings.setValue(QStringLiteral("server"), stored[i].server);
        settings.setValue(QStringLiteral("framework"), stored[i].setting.framework);
        settings.setValue(QStringLiteral("name"), stored[i].setting.name);
        settings.setValue(QStringLiteral("value"), stored[i].setting.value);
    }
    settings.endArray();
}

/// A server's settings are the same for every user of it.
QString serverOf(ServerUrl url)
{
    url.user.clear();
    url.options.clear();
    return url.toString();
}

QList<FrameworkSetting> ofServer(const QList<StoredSetting>& stored, const ServerUrl& url)
{
    QList<FrameworkSetting> settings;
    for (const StoredSetting& one : stored)
        if (one.server == serverOf(url))
            settings << one.setting;
    return settings;
}

} // namespace

qsizetype maxFrameworkTables(const ServerUrl& url)
{
    constexpr qsizetype usually = 200;
    const QString option = url.options.value(QStringLiteral("frameworks"));
    if (option == QLatin1String("off"))
        return 0;
    bool isNumber = false;
    const qsizetype maximum = option.toInt(&isNumber);
    return isNumber && maximum >= 0 ? maximum : usually;
}

QString readerRole(const ServerUrl& url)
{
    const bool canBe = url.engine == Engine::Postgres && !url.sandbox;
    return canBe ? url.options.value(QStringLiteral("reader")) : QString();
}

QString environmentName(Environment environment)
{
    for (const auto& [one, name] : environments)
        if (one == environment)
            return QLatin1String(name);
    return {};
}

Environment environmentFromName(const QString& name)
{
    for (const auto& [one, known] : environments)
        if (name == QLatin1String(known))
            return one;
    return Environment::Unmarked;
}

QStringList tagsFromText(const QString& text)
{
    QStringList tags;
    for (const QString& part : text.split(u','))
        if (const QString tag = part.simplified().left(tagLength);
            !tag.isEmpty() && !tags.contains(tag, Qt::CaseInsensitive) && tags.size() < maxTags)
            tags << tag;
    return tags;
}

QString tagsText(const QStringList& tags)
{
    return tags.join(QStringLiteral(", "));
}

const AttachedTable* ServerProfile::attachedOf(const LockTableEntry& entry) const
{
    const auto found = std::find_if(attached.begin(), attached.end(),
        [&entry](const AttachedTable& table) { return table.display() == entry.table; });
    return found == attached.end() ? nullptr : &*found;
}

QString AttachedTable::display() const
{
    return schema.isEmpty() ? table : schema + u'.' + table;
}

QList<ServerProfile> ProfileStore::load() const
{
    QList<ServerProfile> profiles;
    const QList<StoredSetting> settings = loadSettings(m_settings);
    const int count = m_settings.beginReadArray(servers);
    for (int i = 0; i < count; ++i) {
        m_settings.setArrayIndex(i);
        const Result<ServerUrl> url = ServerUrl::parse(m_settings.value(QStringLiteral("url")).toString());
        if (!url) // somebody edited the file; the other servers are still of use
            continue;
        const QVariant localAudit = m_settings.value(QStringLiteral("localAudit"));
        profiles << ServerProfile{.name = m_settings.value(QStringLiteral("name")).toString(),
            .url = *url,
            .readOnly = m_settings.value(QStringLiteral("readOnly"), false).toBool(),
            .attached = loadAttached(m_settings),
            .environment = environmentFromName(m_settings.value(QStringLiteral("environment")).toString()),
            .approvedTables = loadApproved(m_settings),
            .localAudit = localAudit.isValid() ? std::optional(localAudit.toBool()) : std::nullopt,
            .frameworkSettings = ofServer(settings, *url),
            .tags = tagsFromText(m_settings.value(QStringLiteral("tags")).toString())};
    }
    m_settings.endArray();
    return profiles;
}

void ProfileStore::save(const QList<ServerProfile>& profiles)
{
    m_settings.remove(servers);
    m_settings.beginWriteArray(servers, static_cast<int>(profiles.size()));
    for (int i = 0; i < profiles.size(); ++i) {
        m_settings.setArrayIndex(i);
        m_settings.setValue(QStringLiteral("name"), profiles[i].name);
        m_settings.setValue(QStringLiteral("url"), profiles[i].url.toString());
        m_settings.setValue(QStringLiteral("readOnly"), profiles[i].readOnly);
        m_settings.setValue(QStringLiteral("environment"), environmentName(profiles[i].environment));
        if (!profiles[i].tags.isEmpty())
            m_settings.setValue(QStringLiteral("tags"), tagsText(profiles[i].tags));
        if (profiles[i].localAudit)
            m_settings.setValue(QStringLiteral("localAudit"), *profiles[i].localAudit);
        saveAttached(m_settings, profiles[i].attached);
        saveApproved(m_settings, profiles[i].approvedTables);
    }
    m_settings.endArray();
}

QList<FrameworkSetting> ProfileStore::frameworkSettings(const ServerUrl& url) const
{
    return ofServer(loadSettings(m_settings), url);
}

void ProfileStore::setFrameworkSettings(const ServerUrl& url, const QList<FrameworkSetting>& settings)
{
    QList<StoredSetting> all = loadSettings(m_settings);
    all.removeIf([server = serverOf(url)](const StoredSetting& one) { return one.server == server; });
    for (const FrameworkSetting& setting : settings)
        all << StoredSetting{serverOf(url), setting};
    saveSettings(m_settings, all);
}

} // namespace lockscope::db
