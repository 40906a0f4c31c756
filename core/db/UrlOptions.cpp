// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/UrlOptions.h"

#include "core/db/UrlText.h"

#include <algorithm>
#include <utility>

namespace lockscope::db::urls {

namespace {

Result<void> parseOption(QStringView text, QMap<QString, QString>& options)
{
    const qsizetype equals = text.indexOf(u'=');
    if (equals <= 0)
        return refuse(QStringLiteral("An option of the server URL has no value."),
            QStringLiteral("Write options as ?name=value&name=value."));
    const Result<QString> key = percentDecoded(text.left(equals), true);
    if (!key)
        return Failure(key.error());
    const QString name = key->trimmed().toLower();
    if (name.isEmpty())
        return refuse(QStringLiteral("The server URL has an option without a name."));
    if (isSecretKey(name))
        return refuse(QStringLiteral("The server URL contains a password."), passwordHint());
    const Result<QString> value = percentDecoded(text.mid(equals + 1), true);
    if (!value)
        return Failure(value.error());
    if (options.contains(name))
        return refuse(QStringLiteral("The option '%1' appears twice in the server URL.").arg(name));
    options.insert(name, *value);
    return {};
}

Result<void> moveOption(ServerUrl& url, const QString& key, QString& field)
{
    const auto option = url.options.find(key);
    if (option == url.options.end())
        return {};
    if (!field.isEmpty())
        return refuse(QStringLiteral("The server URL names the %1 twice.").arg(key));
    field = *option;
    url.options.erase(option);
    return {};
}

Result<void> takePorts(QList<ServerUrl::Host>& hosts, const QString& text)
{
    if (std::any_of(hosts.begin(), hosts.end(), [](const ServerUrl::Host& host) { return host.port != 0; }))
        return refuse(QStringLiteral("The server URL names the port twice."));
    const QStringList ports = text.split(u',');
    if (ports.size() != 1 && ports.size() != hosts.size())
        return refuse(QStringLiteral("The server URL names %1 hosts and %2 ports.")
                          .arg(QString::number(hosts.size()), QString::number(ports.size())),
            QStringLiteral("Name one port for all, or one for each host."));
    for (qsizetype i = 0; i < hosts.size(); ++i) {
        const QString& one = ports[ports.size() == 1 ? 0 : i];
        if (one.isEmpty() && ports.size() > 1)
            continue; // the default
        const Result<int> port = parsePort(one);
        if (!port)
            return Failure(port.error());
        hosts[i].port = *port;
    }
    return {};
}

} // namespace

Result<QMap<QString, QString>> parseOptions(QStringView query)
{
    QMap<QString, QString> options;
    for (const QStringView part : query.split(u'&', Qt::SkipEmptyParts))
        if (const Result<void> parsed = parseOption(part, options); !parsed)
            return Failure(parsed.error());
    return options;
}

Result<int> parsePort(const QString& text)
{
    bool isNumber = false;
    const int port = text.toInt(&isNumber);
    const bool digitsOnly =
        std::all_of(text.begin(), text.end(), [](QChar c) { return c >= u'0' && c <= u'9'; });
    if (!isNumber || !digitsOnly || port < 1 || port > 65535)
        return refuse(QStringLiteral("The port in the server URL is not a number from 1 to 65535."),
            // The text behind a colon may be a password with a slash in it: it is not repeated.
            QStringLiteral("If this is a password, leave it out; a literal : is written %3A."));
    return port;
}

void setHosts(ServerUrl& url, QList<ServerUrl::Host> hosts)
{
    url.host = hosts.first().name;
    url.port = hosts.first().port;
    hosts.removeFirst();
    url.moreHosts = std::move(hosts);
}

Result<void> moveLibpqOptions(ServerUrl& url)
{
    QString names;
    QString ports;
    for (auto [key, field] : {std::pair("host", &names), std::pair("user", &url.user),
             std::pair("dbname", &url.database), std::pair("port", &ports)})
        if (Result<void> moved = moveOption(url, QString::fromLatin1(key), *field); !moved)
            return moved;
    QList<ServerUrl::Host> hosts = url.hosts();
    if (!names.isEmpty()) {
        if (hosts.size() > 1 || !hosts.first().name.isEmpty())
            return refuse(QStringLiteral("The server URL names the host twice."));
        const int port = hosts.first().port;
        hosts.clear();
        for (const QString& name : names.split(u','))
            hosts.append({name, port});
    }
    if (!ports.isEmpty())
        if (Result<void> taken = takePorts(hosts, ports); !taken)
            return taken;
    setHosts(url, std::move(hosts));
    return {};
}

} // namespace lockscope::db::urls
