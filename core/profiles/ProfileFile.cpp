// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/profiles/ProfileFile.h"

#include "core/base/Duration.h"
#include "core/base/ShownText.h"
#include "core/json/FileCheck.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::profiles {

using namespace Qt::StringLiterals;

using json::JsonNode;

namespace {

const QStringList environments{u"development"_s, u"test"_s, u"production"_s};

QJsonObject tableJson(const db::AttachedTable& table)
{
    QJsonObject json{{u"staleAge"_s, durationText(table.staleAge)}};
    for (const auto& [key, text] : db::attachedTexts)
        if (!(table.*text).isEmpty())
            json.insert(key, table.*text);
    if (!table.utc)
        json.insert(u"localTime"_s, true);
    return json;
}

QJsonObject serverJson(const db::ServerProfile& profile)
{
    db::ServerUrl url = profile.url;
    url.options.remove(u"schema_owner"_s);
    QJsonObject json{{u"name"_s, profile.display()}, {u"url"_s, url.toString()}};
    if (const QString environment = db::environmentName(profile.environment); !environment.isEmpty())
        json.insert(u"environment"_s, environment);
    if (!profile.tags.isEmpty())
        json.insert(u"tags"_s, QJsonArray::fromStringList(profile.tags));
    if (profile.readOnly)
        json.insert(u"readOnly"_s, true);
    QJsonArray tables;
    for (const db::AttachedTable& table : profile.attached)
        tables.append(tableJson(table));
    if (!tables.isEmpty())
        json.insert(u"attached"_s, tables);
    return json;
}

class ProfileReader {
public:
    explicit ProfileReader(json::FileCheck& check)
        : m_check(check)
    {
    }

    FoundServers read(const JsonNode& root)
    {
        FoundServers found;
        if (!m_check.isObject(root, {u"$schema"_s, u"comment"_s, u"servers"_s}))
            return found;
        if (const JsonNode* servers = m_check.need(root, u"servers"_s);
            servers && m_check.isList(*servers, u"a list of servers"_s))
            for (const JsonNode& node : servers->items)
                addServer(node, found);
        return found;
    }

private:
    void addServer(const JsonNode& node, FoundServers& found)
    {
        if (!m_check.isObject(node,
                {u"comment"_s, u"name"_s, u"url"_s, u"environment"_s, u"tags"_s, u"readOnly"_s,
                    u"attached"_s}))
            return;
        db::ServerProfile profile;
        const JsonNode* const name = m_check.need(node, u"name"_s);
        const JsonNode* const address = m_check.need(node, u"url"_s);
        if (!name || !address)
            return;
        profile.name = m_check.text(*name);
        if (const JsonNode* environment = node.find(u"environment"))
            profile.environment = db::environmentFromName(m_check.word(*environment, environments));
        profile.readOnly = m_check.optionalFlag(node, u"readOnly"_s);
        if (const JsonNode* tags = node.find(u"tags"))
            profile.tags = readTags(*tags);
        if (const JsonNode* tables = node.find(u"attached");
            tables && m_check.isList(*tables, u"a list of lock tables"_s))
            for (const JsonNode& table : tables->items)
                profile.attached << readTable(table);
        // One bad address does not lose the others; a password in it is not repeated.
        const auto url = db::ServerUrl::parse(m_check.text(*address));
        if (!url) {
            leaveOut(found, profile.name, url.error().what);
            return;
        }
        profile.url = *url;
        addFound(found, std::move(profile), true);
    }

    QStringList readTags(const JsonNode& node)
    {
        QStringList tags;
        if (m_check.isList(node, u"a list of words"_s))
            for (const JsonNode& each : node.items)
                tags << m_check.text(each).remove(u',');
        return db::tagsFromText(tags.join(u','));
    }

    db::AttachedTable readTable(const JsonNode& node)
    {
        db::AttachedTable table;
        if (!m_check.isObject(node,
                {u"comment"_s, u"schema"_s, u"table"_s, u"nameColumn"_s, u"timeColumn"_s, u"localTime"_s,
                    u"staleAge"_s, u"holderColumn"_s, u"expiresColumn"_s, u"heldColumn"_s, u"heldValue"_s}))
            return table;
        const QStringList needed{u"table"_s, u"nameColumn"_s, u"timeColumn"_s};
        for (const auto& [name, text] : db::attachedTexts) {
            const QString key = name.toString();
            table.*text =
                needed.contains(key) ? m_check.neededText(node, key) : m_check.optionalText(node, key);
        }
        table.utc = !m_check.optionalFlag(node, u"localTime"_s);
        if (const JsonNode* age = node.find(u"staleAge")) {
            if (const auto read = parseDuration(m_check.text(*age)))
                table.staleAge = *read;
            else
                m_check.note(*age, u"'%1' is no duration."_s.arg(age->text), u"10m, 1h30m"_s);
        }
        return table;
    }

    json::FileCheck& m_check;
};

} // namespace

QByteArray writeProfiles(const QList<db::ServerProfile>& profiles)
{
    QJsonArray servers;
    for (const db::ServerProfile& profile : profiles)
        if (!profile.url.sandbox)
            servers.append(serverJson(profile));
    return QJsonDocument(QJsonObject{{u"$schema"_s, u"profiles.schema.json"_s}, {u"servers"_s, servers}})
        .toJson();
}

tl::expected<FoundServers, json::FileFaults> readProfiles(const QString& name, const QByteArray& text)
{
    json::FileCheck check(text, name);
    return check.parsed([&check](const JsonNode& root) { return ProfileReader(check).read(root); });
}

} // namespace lockscope::profiles
