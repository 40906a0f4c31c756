// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/FieldTexts.h"

#include "core/base/Duration.h"

#include <QRegularExpression>
#include <QUrlQuery>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

QString attachedText(const QList<db::AttachedTable>& tables)
{
    QStringList parts;
    for (const db::AttachedTable& table : tables) {
        QString text = QStringLiteral("%1(%2,%3)").arg(table.display(), table.nameColumn, table.timeColumn);
        if (!table.utc)
            text += QStringLiteral(" local");
        if (table.staleAge != db::AttachedTable().staleAge)
            text += QStringLiteral(" stale ") + durationText(table.staleAge);
        parts << text;
    }
    return parts.join(QStringLiteral("; "));
}

Result<QList<db::AttachedTable>> attachedFromText(const QString& text)
{
    static const QRegularExpression form(QStringLiteral(
        "^(?:([^.()]+)\\.)?([^.()]+)\\(([^,()]+),([^,()]+)\\)(\\s+local)?(?:\\s+stale\\s+(\\S+))?$"));
    QList<db::AttachedTable> tables;
    for (const QString& part : text.split(QLatin1Char(';'), Qt::SkipEmptyParts)) {
        const auto match = form.match(part.trimmed());
        if (!match.hasMatch()) {
            return failure(ErrorKind::BadInput, u"“%1” does not name a lock table."_s.arg(part.trimmed()),
                u"Write it as schema.table(NameColumn,TimeColumn), then “local” and “stale 5m” as "
                "needed."_s);
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
                    u"“%1” is not a time after which a lock is stale."_s.arg(match.captured(6)),
                    u"Write it as 90s, 5m or 1h30m."_s);
            }
            table.staleAge = *age;
        }
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
        parts << it.key() + QLatin1Char('=') + it.value();
    return parts.join(QLatin1Char('&'));
}

QMap<QString, QString> optionsFromText(const QString& text)
{
    QMap<QString, QString> options;
    const QUrlQuery query(text.trimmed());
    for (const auto& [key, value] : query.queryItems(QUrl::FullyDecoded))
        options.insert(key.toLower(), value);
    return options;
}

} // namespace lockscope::ui
