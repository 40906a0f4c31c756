// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Notice.h"

#include "core/base/Duration.h"
#include "core/base/EnumTable.h"

#include <QJsonArray>

#include <algorithm>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

QString noticeKindName(Notice::Kind kind)
{
    static constexpr EnumTable<Notice::Kind> names({u"fired", u"escalated", u"resolved", u"test"});
    return names[kind].toString();
}

QString subjectOf(const Notice& notice)
{
    const Incident& incident = notice.incident;
    const QString where = incident.cause.server;
    switch (notice.kind) {
    case Notice::Kind::Fired:
    case Notice::Kind::Escalated:
        return u"%1 %2: %3"_s.arg(severityName(incident.severity).toUpper(), where, incident.title);
    case Notice::Kind::Resolved:
        return u"Resolved %1 after %2: %3"_s.arg(where, durationInWords(incident.lasted()), incident.title);
    case Notice::Kind::Test:
        break;
    }
    return u"Test %1: %2"_s.arg(where, incident.title);
}

QJsonObject toJson(const Notice& notice, bool withStatements)
{
    return {{u"key"_s, notice.key}, {u"kind"_s, noticeKindName(notice.kind)}, {u"server"_s, notice.server},
        {u"subject"_s, subjectOf(notice)}, {u"id"_s, notice.incident.id},
        {u"incident"_s, toJson(notice.incident, withStatements)}, {u"advice"_s, notice.text},
        {u"look"_s, inspectCommand(notice.incident, notice.server)},
        {u"channels"_s, QJsonArray::fromStringList(notice.channels)}};
}

Result<Notice> noticeFromJson(const QJsonObject& json)
{
    auto incident = incidentFromJson(json.value(u"incident"_s).toObject());
    if (!incident)
        return Failure(incident.error());
    const auto kind = enumeratorNamed(json.value(u"kind"_s).toString(), noticeKindName);
    if (!kind)
        return failure(ErrorKind::BadInput, u"This is no notice of Lockscope's."_s);
    Notice notice{.key = json.value(u"key"_s).toString(),
        .kind = *kind,
        .server = json.value(u"server"_s).toString(),
        .incident = std::move(*incident),
        .text = json.value(u"advice"_s).toString()};
    notice.incident.id = json.value(u"id"_s).toInteger();
    for (const auto& channel : json.value(u"channels"_s).toArray())
        notice.channels << channel.toString();
    return notice;
}

} // namespace lockscope::alert
