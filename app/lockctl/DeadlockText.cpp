// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/DeadlockText.h"

#include "app/lockctl/Console.h"
#include "core/deadlock/Finding.h"
#include "core/deadlock/ReadReports.h"
#include "core/deadlock/Words.h"

#include <QJsonObject>

#include <algorithm>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;
using namespace deadlock;

namespace {

QString placeOf(const Report& report)
{
    const QString place =
        report.source.place.isEmpty() ? sourceFormatName(report.source.format) : report.source.place;
    return report.source.position > 0 ? u"%1:%2"_s.arg(place).arg(report.source.position) : place;
}

int width()
{
    const int columns = screenSize().columns;
    return columns == 0 ? 0 : std::max(columns - 6, 20);
}

/// `text` in lines below each other, the first one behind `head`.
QString indented(const QString& head, const QString& text)
{
    QStringList lines =
        wrapped(printable(text), width() == 0 ? 0 : std::max<int>(width() - int(head.size()), 20));
    return head + lines.join(u'\n' + QString(head.size(), u' ')) + u'\n';
}

QString partyText(const Deadlock& deadlock, int at)
{
    const Participant& one = deadlock.participant(at);
    QStringList about;
    for (const QString& each : {one.user, one.program, one.host, one.database, one.isolation})
        if (!each.isEmpty())
            about << each;
    if (one.logUsed)
        about << u"%L1 bytes of log"_s.arg(*one.logUsed);
    if (one.priority.value_or(0) != 0)
        about << u"priority %1"_s.arg(*one.priority);
    if (deadlock.isVictim(at))
        about << u"the victim"_s;
    QString text =
        u"  %1 %2\n"_s.arg(one.label(), about.isEmpty() ? QString() : u"(%1)"_s.arg(about.join(u", "_s)));
    for (const QString& line : one.statement.split(u'\n'))
        text += u"      "_s + printable(line) + u'\n';
    if (one.statement.isEmpty())
        text += u"      its statement is unknown\n"_s;
    return text;
}

QString deadlockText(const Deadlock& deadlock, const QString& heading)
{
    const Report& report = *deadlock.report;
    QString text = u"%1: %2, %3, %4\n"_s.arg(
        heading, report.time.toString(), engineName(report.engine), placeOf(report));
    text += u"family %1: %2\n\n"_s.arg(familyOf(deadlock), printable(familyTitle(deadlock)));
    for (const QString& line : drawingOf(deadlock))
        text += u"  "_s + printable(line) + u'\n';
    text += u"\nWhat happened\n"_s;
    int number = 0;
    for (const QString& step : sequenceOf(deadlock))
        text += indented(u"  %1. "_s.arg(++number), step);
    text += u"\nParticipants\n"_s;
    for (const int participant : deadlock.cycle().participants())
        text += partyText(deadlock, participant);
    text += u"\nFindings\n"_s;
    const QList<Finding> findings = findingsOf(deadlock);
    for (const Finding& finding : findings) {
        text += indented(u"  %1 (%2): "_s.arg(finding.id, certaintyName(finding.certainty)), finding.says);
        for (const auto& [word, what] : {std::pair(u"rests on: "_s, finding.restsOn),
                 std::pair(u"to be proved by: "_s, finding.wouldProve), std::pair(u"but: "_s, finding.hedge)})
            if (!what.isEmpty() && finding.id != u"capture"_s)
                text += indented(u"      "_s + word, what);
    }
    if (findings.isEmpty())
        text += u"  No rule fits; that does not mean that there is nothing to find.\n"_s;
    return text + u'\n';
}

/// A report without a ring: a blocked-process report, or one of which a part is missing.
QString otherText(const Report& report)
{
    QString text = report.kind == ReportKind::Blocked ? u"Blocked, no deadlock: "_s : u"Not whole: "_s;
    text += u"%1, %2\n"_s.arg(report.time.toString(), placeOf(report));
    for (const Link& link : report.links)
        text += u"  %1 waits for %2: %3\n"_s.arg(report.participants[link.waiter].label(),
            report.participants[link.blocker].label(),
            printable((link.awaited + u' ' + report.resources[link.resource].name).trimmed()));
    for (const QString& complaint : report.complaints)
        text += indented(u"  "_s, complaint);
    return text + u'\n';
}

} // namespace

QString reportsText(const QList<ReportPtr>& reports)
{
    QList<Deadlock> all;
    for (const ReportPtr& report : reports)
        all << deadlocksOf(report);
    QString text;
    for (qsizetype i = 0; i < all.size(); ++i)
        text += deadlockText(
            all[i], all.size() == 1 ? u"Deadlock"_s : u"Deadlock %1 of %2"_s.arg(i + 1).arg(all.size()));
    for (const ReportPtr& report : reports)
        if (!report->isWhole())
            text += otherText(*report);
    const QString count = countText(reports);
    return text + count[0].toUpper() + count.mid(1) + u".\n"_s;
}

QString familiesText(const QList<Family>& families)
{
    if (families.isEmpty())
        return u"No deadlock.\n"_s;
    TextTable table({{u"COUNT"_s, TextTable::Fit::Right}, {u"FAMILY"_s}, {u"FIRST"_s}, {u"LAST"_s},
        {u"WHAT"_s, TextTable::Fit::Flexible}});
    const auto shown = [](const std::optional<ServerTime>& at) {
        return at ? at->toIsoString().left(19).replace(u'T', u' ') : u"unknown"_s;
    };
    for (const Family& family : families)
        table.add({QString::number(family.members.size()), family.id, shown(family.first), shown(family.last),
            printable(family.title)});
    return table.lines(screenSize().columns, false).join(u'\n') + u'\n';
}

QJsonArray familiesJson(const QList<Family>& families)
{
    QJsonArray array;
    for (const Family& family : families) {
        QJsonArray places;
        for (const Deadlock& each : family.members)
            places.append(each.report->source.place);
        const auto time = [](const std::optional<ServerTime>& at) {
            return at ? QJsonValue(at->toIsoString()) : QJsonValue();
        };
        array.append(QJsonObject{{u"family"_s, family.id}, {u"title"_s, family.title},
            {u"count"_s, family.members.size()}, {u"first"_s, time(family.first)},
            {u"last"_s, time(family.last)}, {u"places"_s, places}});
    }
    return array;
}

} // namespace lockscope::ctl
