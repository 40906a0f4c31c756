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

/// Reads a list: `read` returns the present entry, or nothing if it can't be used.
template <class T, class Read> QList<T> loadList(QSettings& settings, const QString& name, Read read)
{
    QList<T> list;
    const int count = settings.beginReadArray(name);
    for (int i = 0; i < count; ++i) {
        settings.setArrayIndex(i);
        if (std::optional<T> entry = read())
            list << std::move(*entry);
    }
    settings.endArray();
    return list;
}

template <class T, class Write>
void saveList(QSettings& settings, const QString& name, const QList<T>& list, Write write)
{
    settings.beginWriteArray(name, static_cast<int>(list.size()));
    for (int i = 0; i < list.size(); ++i) {
        settings.setArrayIndex(i);
        write(list[i]);
    }
    settings.endArray();
}

QString textOf(const QSettings& settings, const char* key)
{
    return settings.value(QLatin1String(key)).toString();
}

QList<AttachedTable> loadAttached(QSettings& settings)
{
    return loadList<AttachedTable>(settings, attachedTables, [&settings] {
        AttachedTable table;
        for (const auto& [key, text] : attachedTexts)
            table.*text = settings.value(key, table.*text).toString();
        table.utc = settings.value(QStringLiteral("utc"), table.utc).toBool();
        table.staleAge = milliseconds(
            settings.value(QStringLiteral("staleAgeMs"), qlonglong(table.staleAge.count())).toLongLong());
        return table.table.isEmpty() ? std::nullopt : std::optional(table);
    });
}

void saveAttached(QSettings& settings, const QList<AttachedTable>& tables)
{
    saveList(settings, attachedTables, tables, [&settings](const AttachedTable& table) {
        for (const auto& [key, text] : attachedTexts)
            settings.setValue(key, table.*text);
        settings.setValue(QStringLiteral("utc"), table.utc);
        settings.setValue(QStringLiteral("staleAgeMs"), qlonglong(table.staleAge.count()));
    });
}

QList<ApprovedTable> loadApproved(QSettings& settings)
{
    return loadList<ApprovedTable>(settings, approvedTables, [&settings] {
        return ApprovedTable{
            textOf(settings, "schema"), textOf(settings, "table"), textOf(settings, "owner")};
    });
}

void saveApproved(QSettings& settings, const QList<ApprovedTable>& tables)
{
    saveList(settings, approvedTables, tables, [&settings](const ApprovedTable& table) {
        settings.setValue(QStringLiteral("schema"), table.schema);
        settings.setValue(QStringLiteral("table"), table.table);
        settings.setValue(QStringLiteral("owner"), table.owner);
    });
}

/// A setting as it is kept: the server is its URL.
struct StoredSetting {
    QString server;
    FrameworkSetting setting;
};

QList<StoredSetting> loadSettings(QSettings& settings)
{
    return loadList<StoredSetting>(settings, frameworkSettingsKey, [&settings] {
        return StoredSetting{textOf(settings, "server"),
            {textOf(settings, "framework"), textOf(settings, "name"), textOf(settings, "value")}};
    });
}

void saveSettings(QSettings& settings, const QList<StoredSetting>& stored)
{
    settings.remove(frameworkSettingsKey);
    saveList(settings, frameworkSettingsKey, stored, [&settings](const StoredSetting& one) {
        settings.setValue(QStringLiteral("server"), one.server);
        settings.setValue(QStringLiteral("framework"), one.setting.framework);
        settings.setValue(QStringLiteral("name"), one.setting.name);
        settings.setValue(QStringLiteral("value"), one.setting.value);
    });
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

QString serverMark(const ServerProfile& profile)
{
    QStringList words;
    if (profile.environment != Environment::Unmarked)
        words << environmentName(profile.environment).toUpper();
    if (profile.readOnly)
        words << QStringLiteral("READ-ONLY");
    return words.join(QStringLiteral(" · "));
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
    const QList<StoredSetting> settings = loadSettings(m_settings);
    return loadList<ServerProfile>(m_settings, servers, [&]() -> std::optional<ServerProfile> {
        const Result<ServerUrl> url = ServerUrl::parse(textOf(m_settings, "url"));
        if (!url) // somebody edited the file; the other servers are still of use
            return std::nullopt;
        const QVariant localAudit = m_settings.value(QStringLiteral("localAudit"));
        return ServerProfile{.name = textOf(m_settings, "name"),
            .url = *url,
            .readOnly = m_settings.value(QStringLiteral("readOnly"), false).toBool(),
            .attached = loadAttached(m_settings),
            .environment = environmentFromName(textOf(m_settings, "environment")),
            .approvedTables = loadApproved(m_settings),
            .localAudit = localAudit.isValid() ? std::optional(localAudit.toBool()) : std::nullopt,
            .frameworkSettings = ofServer(settings, *url),
            .tags = tagsFromText(textOf(m_settings, "tags"))};
    });
}

void ProfileStore::save(const QList<ServerProfile>& profiles)
{
    m_settings.remove(servers);
    saveList(m_settings, servers, profiles, [this](const ServerProfile& profile) {
        m_settings.setValue(QStringLiteral("name"), profile.name);
        m_settings.setValue(QStringLiteral("url"), profile.url.toString());
        m_settings.setValue(QStringLiteral("readOnly"), profile.readOnly);
        m_settings.setValue(QStringLiteral("environment"), environmentName(profile.environment));
        if (!profile.tags.isEmpty())
            m_settings.setValue(QStringLiteral("tags"), tagsText(profile.tags));
        if (profile.localAudit)
            m_settings.setValue(QStringLiteral("localAudit"), *profile.localAudit);
        saveAttached(m_settings, profile.attached);
        saveApproved(m_settings, profile.approvedTables);
    });
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
