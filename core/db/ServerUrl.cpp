// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/ServerUrl.h"

#include "core/base/ShownText.h"
#include "core/db/UrlText.h"
#include "core/domain/EngineFacts.h"

#include <QHostAddress>

#include <algorithm>

namespace lockscope::db {

using namespace urls;

namespace {

/// Socket directories have no place before the database.
bool haveDirectory(const QList<ServerUrl::Host>& hosts)
{
    return std::any_of(
        hosts.begin(), hosts.end(), [](const ServerUrl::Host& host) { return host.name.startsWith(u'/'); });
}

bool havePort(const QList<ServerUrl::Host>& hosts)
{
    return std::any_of(
        hosts.begin(), hosts.end(), [](const ServerUrl::Host& host) { return host.port != 0; });
}

QString hostText(const ServerUrl::Host& host)
{
    QString text =
        host.name.contains(u':') ? u'[' + percentEncoded(host.name, ":") + u']' : percentEncoded(host.name);
    if (host.port != 0)
        text += u':' + QString::number(host.port);
    return text;
}

QString authorityOf(const ServerUrl& url)
{
    const QString user = url.user.isEmpty() ? QString() : percentEncoded(url.user) + u'@';
    QList<ServerUrl::Host> hosts = url.hosts();
    if (haveDirectory(hosts))
        return hosts.size() > 1 || url.port == 0 ? user : user + u':' + QString::number(url.port);
    QStringList texts;
    for (const ServerUrl::Host& host : hosts)
        texts << hostText(host);
    return user + texts.join(u',');
}

QString queryOf(const ServerUrl& url)
{
    QStringList parts;
    const QList<ServerUrl::Host> hosts = url.hosts();
    if (haveDirectory(hosts)) {
        QStringList names;
        QStringList ports;
        for (const ServerUrl::Host& host : hosts) {
            names << percentEncoded(host.name, "/:");
            ports << (host.port == 0 ? QString() : QString::number(host.port));
        }
        parts << QStringLiteral("host=") + names.join(u',');
        if (hosts.size() > 1 && havePort(hosts))
            parts << QStringLiteral("port=") + ports.join(u',');
    }
    for (auto option = url.options.begin(); option != url.options.end(); ++option)
        parts << percentEncoded(option.key()) + u'=' + percentEncoded(option.value(), "/");
    return parts.isEmpty() ? QString() : u'?' + parts.join(u'&');
}

} // namespace

ServerUrl ServerUrl::ofFile(const QString& absolutePath)
{
    ServerUrl url;
    url.engine = Engine::Sqlite;
    url.database = absolutePath;
    return url;
}

QString ServerUrl::toString() const
{
    if (sandbox)
        return QStringLiteral("sandbox:") + queryOf(*this);
    const QString start = schemeOf(engine) + QStringLiteral("://");
    if (isFile()) {
        const QString slash = database.startsWith(u'/') ? QString() : QStringLiteral("/");
        return start + slash + percentEncoded(database, "/:") + queryOf(*this);
    }
    const QString path = database.isEmpty() ? QString() : u'/' + percentEncoded(database);
    return start + authorityOf(*this) + path + queryOf(*this);
}

QList<ServerUrl::Host> ServerUrl::hosts() const
{
    return QList<Host>{{host, port}} + moreHosts;
}

QString ServerUrl::display() const
{
    if (sandbox)
        return QStringLiteral("sandbox");
    if (isFile())
        return inOneLine(database.section(u'/', -1));
    QStringList places;
    for (const Host& one : hosts()) {
        QString place = one.name.startsWith(u'/') ? QStringLiteral("[local]")
            : one.name.isEmpty()                  ? QStringLiteral("localhost")
            : one.name.contains(u':')             ? u'[' + one.name + u']'
                                                  : one.name;
        if (one.port != 0)
            place += u':' + QString::number(one.port);
        places << place;
    }
    const QString text = (user.isEmpty() ? QString() : user + u'@') + places.join(u',');
    return inOneLine(database.isEmpty() ? text : text + u'/' + database);
}

int portOf(Engine engine, const ServerUrl::Host& host)
{
    return host.port != 0 || host.name.contains(u'\\') ? host.port : defaultPort[engine];
}

bool isThisHost(const QString& host)
{
    static const QStringList names{QString(), QStringLiteral("."), QStringLiteral("(local)"),
        QStringLiteral("localhost"), QStringLiteral("localhost.")};
    return names.contains(host, Qt::CaseInsensitive) || QHostAddress(host).isLoopback();
}

} // namespace lockscope::db
