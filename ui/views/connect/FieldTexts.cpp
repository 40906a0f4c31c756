// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/connect/FieldTexts.h"

#include "core/base/Duration.h"
#include "core/domain/Engine.h"

#include <QRegularExpression>
#include <QUrl>

#include <array>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

bool isPassword(const QString& option)
{
    return option == QLatin1String("password") || option == QLatin1String("pwd")
        || option == QLatin1String("sslpassword") || option == QLatin1String("pass");
}

/// Readable, but for the two signs that mean something in the field.
QString encoded(QString value)
{
    return value.replace(QLatin1Char('%'), QStringLiteral("%25"))
        .replace(QLatin1Char('&'), QStringLiteral("%26"));
}

} // namespace

QString attachedText(const QList<db::AttachedTable>& tables)
{
    QStringList parts;
    for (const db::AttachedTable& table : tables) {
        QString text = QStringLiteral("%1(%2,%3)").arg(table.display(), table.nameColumn, table.timeColumn);
        if (!table.utc)
            text += QStringLiteral(" local");
        if (table.staleAge != db::AttachedTable().staleAge)
            text += QStringLiteral(" stale ") + durationText(table.staleAge);
        if (!table.holderColumn.isEmpty())
            text += QStringLiteral(" holder ") + table.holderColumn;
        if (!table.expiresColumn.isEmpty())
            text += QStringLiteral(" until ") + table.expiresColumn;
        if (!table.heldColumn.isEmpty())
            text += QStringLiteral(" held %1=%2").arg(table.heldColumn, table.heldValue);
        parts << text;
    }
    return parts.join(QStringLiteral("; "));
}

Result<QList<db::AttachedTable>> attachedFromText(const QString& text)
{
    static const QRegularExpression form(QStringLiteral(
        "^(?:([^.()]+)\\.)?([^.()]+)\\(([^,()]+),([^,()]+)\\)(\\s+local)?(?:\\s+stale\\s+(\\S+))?(?:\\s+holder\\s+(\\S+))?(?:\\s+until\\s+(\\S+))?(?:\\s+held\\s+([^\\s=]+)=(.*))?$"));
    QList<db::AttachedTable> tables;
    for (const QString& part : text.split(QLatin1Char(';'), Qt::SkipEmptyParts)) {
        const auto match = form.match(part.trimmed());
        if (!match.hasMatch()) {
            return failure(ErrorKind::BadInput,
                u"Attached lock tables: “%1” does not name a lock table."_s.arg(part.trimmed()),
                u"Write it as schema.table(NameColumn,TimeColumn), then “local”, “stale 5m”, “holder Column”, “until Column” and “held Column=value” as needed, in this order."_s);
        }
        db::AttachedTable table;
        table.schema = match.captured(1).trimmed();
        table.table = match.captured(2).trimmed();
        table.nameColumn = match.captured(3).trimmed();
        table.timeColumn = match.captured(4).trimmed();
        table.utc = match.captured(5).isEmpty();
        if (match.hasCaptured(6)) {
            const auto age = parseDuration(match.capturedView(6));
            if (!age || age->count() == 0) {
                return failure(ErrorKind::BadInput,
                    u"Attached lock tables: “%1” is not a time after which a lock is stale."_s.arg(
                        match.captured(6)),
                    u"Write it as 90s, 5m or 1h30m."_s);
            }
            table.staleAge = *age;
        }
        table.holderColumn = match.captured(7);
        table.expiresColumn = match.captured(8);
        table.heldColumn = match.captured(9);
        table.heldValue = match.captured(10);
        tables.append(table);
    }
    return tables;
}

QString hostsText(const db::ServerUrl& url)
{
    if (url.moreHosts.isEmpty())
        return url.host;
    QStringList texts;
    for (const db::ServerUrl::Host& host : url.hosts()) {
        const QString name = host.name.contains(QLatin1Char(':'))
            ? QLatin1Char('[') + host.name + QLatin1Char(']')
            : host.name;
        texts << (host.port == 0 ? name : name + QLatin1Char(':') + QString::number(host.port));
    }
    return texts.join(QLatin1Char(','));
}

Result<void> takeHosts(db::ServerUrl& url)
{
    const bool areDirectories = url.host.startsWith(QLatin1Char('/'));
    const auto parsed = db::ServerUrl::parse(
        (areDirectories ? QStringLiteral("postgresql:///?host=") : QStringLiteral("postgresql://"))
        + url.host);
    if (!parsed)
        return Failure(parsed.error());
    const int common = url.port;
    url.host = parsed->host;
    url.port = parsed->port == 0 ? common : parsed->port;
    url.moreHosts = parsed->moreHosts;
    for (db::ServerUrl::Host& host : url.moreHosts)
        host.port = host.port == 0 ? common : host.port;
    return {};
}

QString optionsText(const QMap<QString, QString>& options)
{
    QStringList parts;
    for (auto it = options.cbegin(); it != options.cend(); ++it)
        parts << it.key() + QLatin1Char('=') + encoded(it.value());
    return parts.join(QLatin1Char('&'));
}

Result<QMap<QString, QString>> optionsFromText(const QString& text)
{
    QMap<QString, QString> options;
    for (const QString& part : text.trimmed().split(QLatin1Char('&'), Qt::SkipEmptyParts)) {
        const QString name = part.section(QLatin1Char('='), 0, 0).trimmed().toLower();
        if (name.isEmpty() || !part.contains(QLatin1Char('=')))
            return failure(ErrorKind::BadInput, u"Options: “%1” has no value."_s.arg(part),
                u"Write name=value, and & between several: sslmode=verify-full&connect_timeout=5"_s);
        if (isPassword(name))
            return failure(ErrorKind::BadInput, u"Options: a password does not belong there."_s,
                u"Type it into the field Password."_s);
        if (options.contains(name))
            return failure(ErrorKind::BadInput, u"Options: “%1” stands there twice."_s.arg(name));
        options.insert(name, QUrl::fromPercentEncoding(part.section(QLatin1Char('='), 1).toUtf8()));
    }
    return options;
}

std::optional<PastedUrl> pastedUrl(const QString& text)
{
    // To the last @ before the path: a password that was not encoded may have one, or else a ? or #.
    static const QRegularExpression withPassword(
        QStringLiteral("^([a-z]+://[^:/@?#]*):([^/?#]*|[^@/]*)@([^@/?#]*(?:[/?#].*)?)$"),
        QRegularExpression::CaseInsensitiveOption);
    const QString trimmed = text.trimmed();
    if (!trimmed.contains(QStringLiteral("://")))
        return std::nullopt;
    PastedUrl pasted;
    QString plain = trimmed;
    if (const auto match = withPassword.match(trimmed); match.hasMatch()) {
        pasted.password = QUrl::fromPercentEncoding(match.captured(2).toUtf8());
        plain = match.captured(1) + QLatin1Char('@') + match.captured(3);
    }
    const auto url = db::ServerUrl::parse(plain);
    if (!url || url->sandbox)
        return std::nullopt;
    pasted.url = *url;
    return pasted;
}

Suggestions suggestionsFor(Engine engine)
{
    static const PerEngine<Suggestions> suggestions{
        .postgres = {.name = u"as shown in the list, e.g. prod-pg01"_s,
            .host = u"name, address or socket directory"_s,
            .port = u"default (%1)"_s.arg(defaultPort.postgres),
            .database = u"same as the user"_s,
            .user = u"same as this account"_s,
            .attached = u"public.locks(name,since) stale 5m; …"_s},
        .sqlServer = {.name = u"as shown in the list, e.g. prod-sql01"_s,
            .host = u"name, address, or host\\instance"_s,
            .port = u"default (%1)"_s.arg(defaultPort.sqlServer),
            .database = u"the login's own"_s,
            .user = {},
            .attached = u"dbo.Locks(Name,SetTime) local stale 5m; …"_s},
        .sqlite = {.name = u"as shown in the list, e.g. app locks"_s,
            .host = {},
            .port = {},
            .database = u"/var/lib/app/locks.db"_s,
            .user = {},
            .attached = u"locks(name,since) stale 5m; …"_s}};
    return suggestions[engine];
}

QString inFieldWords(const QString& message)
{
    static const std::array words{
        std::pair{QStringLiteral("(dsn=)"), u"(chosen as “Driver”)"_s},
        std::pair{QStringLiteral("multisubnetfailover="), u"“Listener”"_s},
        std::pair{QStringLiteral("The server URL names"), u"The fields name"_s},
        std::pair{QStringLiteral("encrypt=strict"), u"“Encryption: Strict”"_s},
        std::pair{QStringLiteral("encrypt=yes"), u"“Encryption: Encrypt, and verify the certificate”"_s},
        std::pair{QStringLiteral("encrypt=no"), u"“Encryption: Do not encrypt”"_s},
        std::pair{QStringLiteral("trust=yes"), u"“Encryption: Encrypt, and take any certificate”"_s},
        std::pair{QStringLiteral("trust=no"), u"“Encryption: Encrypt, and verify the certificate”"_s},
        std::pair{QStringLiteral("auth=sql"), u"“Log in with: User and password of SQL Server”"_s},
        std::pair{QStringLiteral("auth=integrated"), u"“Log in with: Integrated”"_s},
        std::pair{QStringLiteral("intent=readonly"), u"“Intent: Only read”"_s},
        std::pair{QStringLiteral("certificate="), u"“Name in certificate”"_s},
        std::pair{QStringLiteral("driver="), u"“Driver”"_s},
        std::pair{QStringLiteral("in the server URL"), u"in “Options”"_s},
    };
    QString text = message;
    for (const auto& [option, field] : words)
        text.replace(option, field);
    return text;
}

} // namespace lockscope::ui
