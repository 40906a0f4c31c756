// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/profiles/ProfileFile.h"

#include "core/base/Duration.h"
#include "core/base/PlainFile.h"
#include "core/db/sqlserver/SqlServerConnectionString.h"
#include "core/json/FileCheck.h"

#include <QDir>
#include <QFileInfo>
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

namespace {

struct FileSection {
    QString name;
    QMap<QString, QString> values; ///< keys in lower case
};

/// Both libpq and the ODBC driver manager write sections in brackets and `name=value` lines.
QList<FileSection> sectionsOf(const QString& text)
{
    QList<FileSection> sections;
    for (const QString& raw : text.split(u'\n')) {
        const QString line = raw.trimmed();
        if (line.isEmpty() || line.startsWith(u'#') || line.startsWith(u';'))
            continue;
        const qsizetype equals = line.indexOf(u'=');
        if (line.startsWith(u'[') && line.endsWith(u']'))
            sections.append({line.sliced(1, line.size() - 2).trimmed(), {}});
        else if (!sections.isEmpty() && equals > 0)
            sections.last().values.insert(
                line.left(equals).trimmed().toLower(), line.sliced(equals + 1).trimmed());
    }
    return sections;
}

/// The parser of URLs is the judge of what is possible.
void addUrl(FoundServers& found, const QString& name, const db::ServerUrl& url)
{
    const auto checked = db::ServerUrl::parse(url.toString());
    if (!checked) {
        leaveOut(found, name, checked.error().what);
        return;
    }
    db::ServerProfile profile;
    profile.name = name;
    profile.url = *checked;
    addFound(found, std::move(profile), false);
}

/// As libpq takes hosts and ports: one port for all, or one each.
QString setHosts(db::ServerUrl& url, const QString& hosts, const QString& ports)
{
    const QStringList names = hosts.split(u',');
    const QStringList numbers = ports.split(u',');
    for (qsizetype i = 0; i < names.size(); ++i) {
        const QString port = (numbers.size() == 1 ? numbers.first() : numbers.value(i)).trimmed();
        bool isNumber = port.isEmpty();
        const int number = isNumber ? 0 : port.toInt(&isNumber);
        if (!isNumber || number < 0 || number > 65'535)
            return u"Its port is none: %1"_s.arg(port);
        if (i == 0) {
            url.host = names[i].trimmed();
            url.port = number;
        } else {
            url.moreHosts.append({names[i].trimmed(), number});
        }
    }
    return {};
}

void addService(FoundServers& found, FileSection section)
{
    db::ServerUrl url;
    const QString fault = setHosts(url, section.values.take(u"host"_s), section.values.take(u"port"_s));
    url.database = section.values.take(u"dbname"_s);
    url.user = section.values.take(u"user"_s);
    section.values.remove(u"password"_s);
    section.values.remove(u"sslpassword"_s);
    url.options = section.values;
    if (section.values.contains(u"ldapurl"_s) || section.name.isEmpty() || !fault.isEmpty())
        leaveOut(found, section.name,
            fault.isEmpty() ? u"It has no name, or a directory server knows the rest of it."_s : fault);
    else
        addUrl(found, section.name, url);
}

/// The fields of a line of ~/.pgpass: a backslash takes the next character as it is.
QStringList passFields(const QString& line)
{
    QStringList fields{QString()};
    for (qsizetype i = 0; i < line.size(); ++i) {
        if (line[i] == u'\\' && i + 1 < line.size())
            fields.last() += line[++i];
        else if (line[i] == u':')
            fields << QString();
        else
            fields.last() += line[i];
    }
    return fields;
}

/// Only the first four fields are looked at.
void addPassLine(FoundServers& found, const QString& line, int number)
{
    const QStringList fields = passFields(line);
    const QString place = u"line %1"_s.arg(number);
    if (fields.size() < 5) {
        leaveOut(found, place, u"This line is not host:port:database:user:password."_s);
        return;
    }
    if (fields[0] == u"*" || fields[0].isEmpty()) {
        leaveOut(found, place, u"It is for any host."_s);
        return;
    }
    db::ServerUrl url;
    if (const QString fault = setHosts(url, fields[0], fields[1] == u"*" ? QString() : fields[1]);
        !fault.isEmpty()) {
        leaveOut(found, place, fault);
        return;
    }
    url.database = fields[2] == u"*" ? QString() : fields[2];
    url.user = fields[3] == u"*" ? QString() : fields[3];
    if (url.database == u"replication") {
        leaveOut(found, place, u"It is for replication only."_s);
        return;
    }
    addUrl(found, url.display(), url);
}

/// A data source keeps what else it says: the driver manager reads it there.
void addDataSource(FoundServers& found, const FileSection& section)
{
    if (section.name.compare(u"ODBC Data Sources"_s, Qt::CaseInsensitive) == 0
        || section.name.compare(u"ODBC"_s, Qt::CaseInsensitive) == 0)
        return;
    const QString driver = section.values.value(u"driver"_s);
    if (db::odbcDriver(driver).kind == db::OdbcDriverKind::Other) {
        leaveOut(found, section.name, u"Its driver is none of SQL Server: %1"_s.arg(driver));
        return;
    }
    db::ServerUrl url;
    url.engine = Engine::SqlServer;
    QString server = section.values.value(u"server"_s, section.values.value(u"address"_s));
    server = server.startsWith(u"tcp:"_s, Qt::CaseInsensitive) ? server.sliced(4) : server;
    const QString port =
        server.contains(u',') ? server.section(u',', 1).trimmed() : section.values.value(u"port"_s);
    const QString fault = setHosts(url, server.section(u',', 0, 0), port);
    url.database = section.values.value(u"database"_s);
    url.options.insert(u"dsn"_s, section.name);
    // The connection string names them in any case, and overrides the data source.
    url.user = section.values.value(u"uid"_s, section.values.value(u"user"_s));
    if (section.values.value(u"trusted_connection"_s).startsWith(u'y', Qt::CaseInsensitive))
        url.options.insert(u"auth"_s, u"integrated"_s);
    if (!fault.isEmpty() || url.host.isEmpty())
        leaveOut(found, section.name,
            fault.isEmpty() ? u"It names no server: only freetds.conf may know."_s : fault);
    else
        addUrl(found, section.name, url);
}

QString homeFile(const QString& name)
{
    return QDir::home().filePath(name);
}

void addServersIn(ClientFile kind, const QString& text, FoundServers& found)
{
    if (kind == ClientFile::Passwords) {
        int number = 0;
        for (const QString& raw : text.split(u'\n')) {
            ++number;
            const QString line = raw.endsWith(u'\r') ? raw.chopped(1) : raw;
            if (!line.trimmed().isEmpty() && !line.startsWith(u'#'))
                addPassLine(found, line, number);
        }
        return;
    }
    for (const FileSection& section : sectionsOf(text)) {
        if (kind == ClientFile::Services)
            addService(found, section);
        else
            addDataSource(found, section);
    }
}

} // namespace

FoundServers serversIn(ClientFile kind, const QString& text)
{
    FoundServers found;
    addServersIn(kind, text, found);
    return found;
}

QStringList pathsOf(ClientFile kind)
{
    const auto from = [](const char* variable, const QString& otherwise) {
        const QString path = qEnvironmentVariable(variable);
        return path.isEmpty() ? otherwise : path;
    };
    switch (kind) {
    case ClientFile::Services:
        return {from("PGSERVICEFILE", homeFile(u".pg_service.conf"_s)),
            QDir(from("PGSYSCONFDIR", u"/etc/postgresql-common"_s)).filePath(u"pg_service.conf"_s)};
    case ClientFile::Passwords:
        return {from("PGPASSFILE", homeFile(u".pgpass"_s))};
    case ClientFile::DataSources:
        return {from("ODBCINI", homeFile(u".odbc.ini"_s)),
            QDir(from("ODBCSYSINI", u"/etc"_s)).filePath(u"odbc.ini"_s)};
    }
    return {};
}

Result<FoundServers> readClientFiles(ClientFile kind)
{
    FoundServers all;
    bool isAny = false;
    for (const QString& path : pathsOf(kind)) {
        if (!QFileInfo::exists(path))
            continue;
        LOCKSCOPE_TRY_GET(const auto text, readTextFile(path));
        isAny = true;
        addServersIn(kind, QString::fromUtf8(text), all);
    }
    if (!isAny)
        return failure(ErrorKind::BadInput, u"There is no such file: %1"_s.arg(pathsOf(kind).join(u", "_s)));
    return all;
}

} // namespace lockscope::profiles
