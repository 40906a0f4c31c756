// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Incident.h"

#include "core/base/Duration.h"
#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"

#include <QCryptographicHash>
#include <QJsonArray>

#include <algorithm>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

QString summaryOf(std::span<const Notice> notices)
{
    const auto count = [&](auto&& isMeant) { return std::ranges::count_if(notices, isMeant); };
    const auto isOver = [](const Notice& each) { return each.kind == Notice::Kind::Resolved; };
    const auto isCritical = [&](const Notice& each) {
        return !isOver(each) && each.incident.severity == Severity::Critical;
    };
    const auto isWarning = [&](const Notice& each) {
        return !isOver(each) && each.incident.severity == Severity::Warning;
    };
    QStringList parts;
    if (const auto critical = count(isCritical); critical > 0)
        parts << u"%1 critical"_s.arg(critical);
    if (const auto warnings = count(isWarning); warnings > 0)
        parts << counted(warnings, u"warning");
    if (const auto resolved = count(isOver); resolved > 0)
        parts << u"%1 resolved"_s.arg(resolved);
    return u"%1 notices from Lockscope: %2"_s.arg(notices.size()).arg(parts.join(u", "_s));
}

} // namespace

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
    LOCKSCOPE_TRY_GET(auto incident, incidentFromJson(json.value(u"incident"_s).toObject()));
    const auto kind = enumeratorNamed(json.value(u"kind"_s).toString(), noticeKindName);
    if (!kind)
        return failure(ErrorKind::BadInput, u"This is no notice of Lockscope's."_s);
    Notice notice{.key = json.value(u"key"_s).toString(),
        .kind = *kind,
        .server = json.value(u"server"_s).toString(),
        .incident = std::move(incident),
        .text = json.value(u"advice"_s).toString()};
    notice.incident.id = json.value(u"id"_s).toInteger();
    for (const auto& channel : json.value(u"channels"_s).toArray())
        notice.channels << channel.toString();
    return notice;
}

QString cutTo(const QString& text, qsizetype maxSize)
{
    if (text.size() <= maxSize)
        return text;
    qsizetype size = std::max<qsizetype>(maxSize - 1, 0);
    if (size > 0 && text.at(size - 1).isHighSurrogate())
        --size;
    return text.left(size) + u'…';
}

QString NoticeText::toString(qsizetype maxSize) const
{
    QString text = cutTo(subject, maxSize);
    for (const QString& line : lines) {
        if (text.size() + line.size() + 3 > maxSize)
            return text.size() + 2 <= maxSize ? text + u"\n…"_s : text;
        text += u'\n' + line;
    }
    return text;
}

NoticeText noticeText(std::span<const Notice> notices, bool withStatements)
{
    NoticeText text;
    if (notices.size() != 1) {
        text.subject = summaryOf(notices);
        for (const Notice& each : notices)
            text.lines << inOneLine(subjectOf(each));
        return text;
    }
    const Notice& notice = notices.front();
    text.subject = inOneLine(subjectOf(notice));
    for (const QString& line : linesOf(notice.incident, withStatements))
        text.lines << inOneLine(line);
    if (!notice.text.isEmpty())
        text.lines << u"Advice: "_s + inOneLine(notice.text);
    if (const QString command = inspectCommand(notice.incident, notice.server); !command.isEmpty())
        text.lines << u"To view it: "_s + inOneLine(command);
    return text;
}

QString messageKey(std::span<const Notice> notices)
{
    if (notices.size() == 1)
        return notices.front().key;
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const Notice& each : notices)
        hash.addData((each.key + u'\n').toUtf8());
    return QString::fromLatin1(hash.result().toHex().left(32));
}

QJsonObject noticeDocument(std::span<const Notice> notices, bool withStatements)
{
    QJsonArray list;
    for (const Notice& each : notices) {
        QJsonObject json = toJson(each, withStatements);
        const NoticeText text = noticeText({&each, 1}, withStatements);
        json.insert(u"lines"_s, QJsonArray::fromStringList(text.lines));
        list << json;
    }
    return {{u"notices"_s, list}};
}

} // namespace lockscope::alert
