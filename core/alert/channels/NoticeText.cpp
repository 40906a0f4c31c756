// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/channels/NoticeText.h"

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
    const auto count = [&](auto&& isMeant) { return std::count_if(notices.begin(), notices.end(), isMeant); };
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
