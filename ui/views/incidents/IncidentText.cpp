// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/IncidentText.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/views/page/DateTimeText.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// A person does not read more, and laying it out would stop the window.
constexpr qsizetype maxStatement = 4'000;
constexpr qsizetype maxChainLines = 200;
constexpr qsizetype maxPendingLines = 20;

QString asLine(const QString& text)
{
    return htmlText(inOneLine(text));
}

QString sectionOf(const QString& title, const QString& html)
{
    return html.isEmpty() ? QString() : u"<h4>%1</h4>"_s.arg(title) + html;
}

QString paragraph(const QString& text)
{
    return text.isEmpty() ? QString() : u"<p>%1</p>"_s.arg(asLine(text));
}

QString codeOf(const QString& html)
{
    return u"<pre style=\"white-space:pre-wrap\">%1</pre>"_s.arg(html);
}

QString listOf(const QStringList& items)
{
    return items.isEmpty() ? QString() : u"<ul><li>%1</li></ul>"_s.arg(items.join(u"</li><li>"_s));
}

QString chainText(const QStringList& chain)
{
    QStringList lines;
    for (const QString& line : chain.first(std::min(chain.size(), maxChainLines)))
        lines << asLine(line);
    if (chain.size() > maxChainLines)
        lines << u"… and %1 more"_s.arg(chain.size() - maxChainLines);
    return lines.isEmpty() ? QString() : codeOf(lines.join(u'\n'));
}

QString headText(const alert::IncidentHead& head)
{
    if (head.title.isEmpty())
        return {};
    const QString who =
        paragraph(sentences({head.doing.isEmpty() ? head.title : head.title + u": "_s + head.doing}));
    const QString statement = head.statement.trimmed();
    if (statement.isEmpty())
        return who;
    const QString shown = statement.size() > maxStatement ? statement.left(maxStatement) + u'…' : statement;
    return who + codeOf(htmlText(inLines(shown)));
}

QString ruleText(const alert::Symptom& symptom)
{
    const QString state = symptom.isFiring ? alert::severityName(symptom.severity) : u"cleared"_s;
    return u"<b>%1</b> (%2): %3"_s.arg(asLine(symptom.rule), state, asLine(symptom.text));
}

QString similarText(const IncidentPast::Similar& past)
{
    const alert::Incident& similar = past.incident;
    return u"%1, for %2: %3"_s.arg(shortDateTimeText(similar.since), durationInWords(similar.lasted()),
        asLine(sentences(QStringList{similar.title} + past.acts + QStringList{similar.clearedBy})));
}

} // namespace

QString incidentFacts(const alert::Incident& incident)
{
    const QString severity = incident.isFiring()
        ? alert::severityName(incident.severity)
        : u"resolved, at worst %1"_s.arg(alert::severityName(incident.worst));
    QStringList facts{severity.left(1).toUpper() + severity.mid(1), incident.cause.server,
        u"since %1, for %2"_s.arg(shortDateTimeText(incident.since), durationInWords(incident.lasted()))};
    if (incident.worstWaiting > 0)
        facts << (incident.isFiring()
                ? u"%L1 wait now, %L2 at worst"_s.arg(incident.waiting).arg(incident.worstWaiting)
                : u"%L1 waited at worst"_s.arg(incident.worstWaiting));
    if (incident.waited.count() > 0)
        facts << u"cost: at least %1 of waiting"_s.arg(durationInWords(incident.waited));
    if (!incident.acknowledgedBy.isEmpty())
        facts << u"acknowledged by %1%2"_s.arg(incident.acknowledgedBy,
            incident.acknowledgedWhy.isEmpty() ? QString() : u": "_s + incident.acknowledgedWhy);
    return inOneLine(facts.join(u" · "_s));
}

QString incidentStory(const alert::Incident& incident, const QStringList& advice)
{
    QStringList rules;
    for (const alert::Symptom& symptom : incident.symptoms)
        rules << ruleText(symptom);
    QString story = paragraph(incident.reason);
    if (!incident.isFiring())
        story += sectionOf(u"How it ended"_s, paragraph(incident.clearedBy));
    QStringList remedies;
    for (const QString& text : QStringList{incident.head.elsewhere, incident.head.remedy} + advice)
        if (!text.isEmpty())
            remedies << paragraph(text);
    story += sectionOf(u"What resolves it"_s, incident.isFiring() ? remedies.join(QString()) : QString());
    story += sectionOf(u"Head blocker"_s, headText(incident.head));
    const QString at =
        incident.worstAt.isValid() ? u" (%1)"_s.arg(shortDateTimeText(incident.worstAt)) : QString();
    story += sectionOf(u"The chain at its worst"_s + at, chainText(incident.chain));
    return story + sectionOf(u"Rules"_s, listOf(rules));
}

QString incidentHistory(const alert::Incident& incident, const IncidentPast& past)
{
    QStringList steps;
    for (const watch::IncidentStep& step : past.steps)
        steps << u"%1: %2"_s.arg(shortDateTimeText(step.at), asLine(step.what));
    QStringList similar;
    for (const IncidentPast::Similar& each : past.similar)
        similar << similarText(each);
    const QString none =
        incident.isFiring() ? u"None is on record: this cause is new."_s : u"No other one is on record."_s;
    return sectionOf(u"What happened"_s, listOf(steps))
        + sectionOf(
            u"Similar incidents of the past"_s, similar.isEmpty() ? paragraph(none) : listOf(similar));
}

QString recordedFacts(const FoundIncident& found)
{
    const record::RecordedIncident& incident = found.incident;
    const QString fired = incident.fired
        ? u"fired %1"_s.arg(shortDateTimeText(*incident.fired))
        : u"fired before %1, which is not recorded"_s.arg(shortDateTimeText(found.at()));
    QStringList facts{incident.isCritical ? u"At worst critical"_s : u"At worst warning"_s, found.server,
        fired,
        incident.resolved ? u"resolved %1"_s.arg(shortDateTimeText(*incident.resolved))
                          : u"no end is recorded"_s};
    if (incident.waiting > 0)
        facts << u"at least %L1 waited at once, the longest for at least %2"_s.arg(incident.waiting)
                     .arg(durationInWords(incident.longest));
    return inOneLine(facts.join(u" · "_s));
}

QString recordedStory(const FoundIncident& found)
{
    const record::RecordedIncident& incident = found.incident;
    return sectionOf(u"How it ended"_s, paragraph(incident.end))
        + sectionOf(u"Head blocker"_s, paragraph(incident.head))
        + sectionOf(u"Not kept in a recording"_s,
            paragraph(
                u"The chain at its worst, the statement of the head blocker, the rules that fired, and who has acknowledged or muted it. Show in past has the locks and statements of that second."_s));
}

QString recordedHistory(const FoundIncident& found)
{
    QStringList steps;
    for (const record::Event& each : found.incident.steps)
        steps << u"%1: %2"_s.arg(shortDateTimeText(each.at), asLine(each.what));
    return sectionOf(u"What happened"_s, listOf(steps));
}

QString reasonAgainstHandling(const FoundIncident& found)
{
    return inOneLine(u"Found by %1: acknowledge and mute it there."_s.arg(found.finder));
}

QString pendingText(const QList<alert::PendingAlert>& pending)
{
    if (pending.isEmpty())
        return {};
    const alert::PendingAlert& next = pending.first();
    const QString when =
        next.left > milliseconds(0) ? u"in %1"_s.arg(durationInWords(next.left)) : u"at the next poll"_s;
    const QString text =
        u"Pending: “%1” on %2 fires %3 unless it clears."_s.arg(next.rule, next.cause.server, when);
    return inOneLine(pending.size() == 1 ? text : text + u" %1 more."_s.arg(pending.size() - 1));
}

QString pendingList(const QList<alert::PendingAlert>& pending)
{
    QStringList lines;
    for (const alert::PendingAlert& each : pending)
        lines << inOneLine(u"%1, in %2: %3 (%4, %5)"_s.arg(each.cause.server, durationInWords(each.left),
            each.text, each.rule, alert::severityName(each.severity)));
    return lines.mid(0, maxPendingLines).join(u'\n');
}

} // namespace lockscope::ui
