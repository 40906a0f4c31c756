// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/DeadlockExport.h"
#include "core/deadlock/Family.h"
#include "core/deadlock/Finding.h"
#include "core/deadlock/Words.h"
#include "core/report/Cells.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;
using report::htmlText;

namespace {

constexpr qsizetype mostStatement = 4'000; ///< characters of one statement in a page

QString cut(const QString& text, qsizetype most)
{
    return text.size() <= most ? text : text.left(most - 1) + u'…';
}

/// Who waits for whom: an arrow from each to the next one, round a circle.
QString picture(const Deadlock& deadlock)
{
    const auto& links = deadlock.cycle().links;
    const auto count = double(links.size());
    constexpr double boxWidth = 220;
    constexpr double boxHeight = 46;
    const double radius = std::max(130.0, boxWidth * count / (2 * std::numbers::pi) * 1.5);
    const double width = 2 * radius + boxWidth + 300;
    const double height = 2 * radius + boxHeight + 60;
    const auto at = [&](double step) {
        const double angle = 2 * std::numbers::pi * step / count - std::numbers::pi / 2;
        return std::pair(width / 2 + radius * std::cos(angle), height / 2 + radius * std::sin(angle));
    };
    const auto number = [](double value) { return QString::number(value, 'f', 1); };
    QString svg = u"<svg viewBox=\"0 0 %1 %2\" role=\"img\" aria-label=\"%3\"><defs><marker id=\"a\" "
                  "viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
                  "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"currentColor\"/></marker></defs>"_s.arg(
                      number(width), number(height), htmlText(summaryOf(deadlock)));
    for (qsizetype i = 0; i < links.size(); ++i) {
        // A part of the circle with its arrow in the middle; boxes lie over its ends.
        const auto [x1, y1] = at(double(i));
        const auto [x2, y2] = at(double(i) + 1);
        const auto [xm, ym] = at(double(i) + 0.5);
        const LockedThing& thing = deadlock.resource(links[i].resource);
        const QString arc = u"A%1 %1 0 0 1 %2 %3"_s;
        svg += u"<path class=\"edge\" marker-mid=\"url(#a)\" d=\"M%1 %2"_s.arg(number(x1), number(y1))
            + arc.arg(number(radius), number(xm), number(ym))
            + arc.arg(number(radius), number(x2), number(y2)) + u"\"/>"_s;
        // Outside of the circle, on its side.
        const double side = (xm - width / 2) / radius;
        const double below = (ym - height / 2) / radius;
        const QString anchor = side > 0.3 ? u"start"_s : side < -0.3 ? u"end"_s : u"middle"_s;
        svg += u"<text text-anchor=\"%1\" x=\"%2\" y=\"%3\">%4<title>%5</title></text>"_s.arg(anchor,
            number(xm + 14 * side), number(ym + 4 + 18 * below),
            htmlText(cut((links[i].awaited + u' ' + thing.name).trimmed(), 34)), htmlText(thing.name));
    }
    for (qsizetype i = 0; i < links.size(); ++i) {
        const auto [x, y] = at(double(i));
        const bool ended = deadlock.isVictim(links[i].waiter);
        svg += u"<rect class=\"node%1\" x=\"%2\" y=\"%3\" width=\"%4\" height=\"%5\" rx=\"6\"/>"_s.arg(
            ended ? u" ended"_s : QString(), number(x - boxWidth / 2), number(y - boxHeight / 2),
            number(boxWidth), number(boxHeight));
        const QString& statement = deadlock.participant(links[i].waiter).statement;
        svg +=
            u"<text text-anchor=\"middle\" x=\"%1\" y=\"%2\">%3</text><text text-anchor=\"middle\" x=\"%1\" y=\"%4\">%5</text>"_s
                .arg(number(x), number(y - 5),
                    htmlText(
                        participantName(deadlock, links[i].waiter) + (ended ? u" (victim)"_s : QString())),
                    number(y + 14), htmlText(cut(statement.simplified(), 26)));
    }
    return svg + u"</svg>\n"_s;
}

QString row(const QString& name, const QString& value)
{
    return value.isEmpty() ? QString() : u"<tr><th>%1</th><td>%2</td></tr>\n"_s.arg(name, htmlText(value));
}

QString participantHtml(const Deadlock& deadlock, int at)
{
    const Participant& one = deadlock.participant(at);
    const bool ended = deadlock.isVictim(at);
    QString html =
        u"<h3%1>%2%3</h3>\n<div class=\"wide\"><table>\n"_s.arg(ended ? u" class=\"victim\""_s : QString(),
            htmlText(participantName(deadlock, at)), ended ? u": the victim"_s : QString());
    html += row(u"User"_s, one.user) + row(u"Program"_s, one.program) + row(u"Host"_s, one.host)
        + row(u"Database"_s, one.database) + row(u"Isolation"_s, one.isolation)
        + row(u"Log used"_s, one.logUsed ? u"%L1 bytes"_s.arg(*one.logUsed) : QString())
        + row(u"Priority"_s, one.priority ? QString::number(*one.priority) : QString())
        + row(u"Waited"_s, one.waited ? u"%L1 ms"_s.arg(one.waited->count()) : QString())
        + row(u"Transaction since"_s,
            one.transactionStarted.at ? one.transactionStarted.toString() : QString());
    for (const Edge& edge : deadlock.report->edges)
        if (edge.participant == at)
            html += row(edge.kind == Edge::Kind::Holds ? u"Had"_s : u"Wanted"_s,
                (edge.mode + u' ' + deadlock.resource(edge.resource).name).trimmed());
    html += u"</table></div>\n"_s;
    if (!one.statement.isEmpty())
        html += u"<pre>%1</pre>\n"_s.arg(htmlText(cut(one.statement, mostStatement)));
    return html;
}

QString sectionOf(const Deadlock& deadlock)
{
    QString html = u"<section>\n<h2>%1</h2>\n<p class=\"note\">%2. Family %3.</p>\n"_s.arg(
        htmlText(familyTitle(deadlock)), htmlText(deadlock.report->time.toString()), familyOf(deadlock));
    html += u"<p>%1</p>\n"_s.arg(htmlText(summaryOf(deadlock))) + picture(deadlock) + u"<ol>\n"_s;
    for (const QString& step : sequenceOf(deadlock))
        html += u"<li>%1</li>\n"_s.arg(htmlText(step));
    html += u"</ol>\n<h3>Findings</h3>\n<ul>\n"_s;
    for (const Finding& finding : findingsOf(deadlock)) {
        html += u"<li><b>%1</b> (%2): %3"_s.arg(
            finding.id, certaintyName(finding.certainty), htmlText(finding.says));
        for (const auto& [word, text] : {std::pair(u"Rests on: "_s, finding.restsOn),
                 std::pair(u"What would prove it: "_s, finding.wouldProve),
                 std::pair(u"But: "_s, finding.hedge)})
            if (!text.isEmpty())
                html += u"<br/><span class=\"note\">%1%2</span>"_s.arg(word, htmlText(text));
        html += u"</li>\n"_s;
    }
    html += u"</ul>\n"_s;
    for (const int participant : deadlock.cycle().participants())
        html += participantHtml(deadlock, participant);
    return html + u"</section>\n"_s;
}

/// `withScenario`: false where its text has no room.
QString proofHtml(const ProofSection& proof, bool withScenario)
{
    QString html = u"<section>\n<h3>The proof</h3>\n<p>%1</p>\n<p class=\"note\">Executed on %2.</p>\n"
                   "<div class=\"wide\"><table>\n<tr><th>Change</th><th>What all orders show</th>"
                   "<th>So</th></tr>\n"_s.arg(htmlText(proof.summary), htmlText(proof.where));
    for (const ProofSection::Change& change : proof.changes)
        html += u"<tr><td>%1</td><td>%2</td><td>%3</td></tr>\n"_s.arg(htmlText(change.title),
            htmlText(change.shown),
            change.cures ? u"<b>%1</b>"_s.arg(htmlText(change.so)) : htmlText(change.so));
    html += u"</table></div>\n<p>Not in it:</p>\n<ul>\n"_s;
    for (const QString& sentence : proof.leftOut)
        html += u"<li>%1</li>\n"_s.arg(htmlText(sentence));
    html += u"</ul>\n"_s;
    html += withScenario
        ? u"<details><summary>The scenario, to save, edit and run again</summary>\n<pre>%1</pre></details>\n"_s
              .arg(htmlText(proof.scenario))
        : u"<p class=\"note\">The scenario's text is left out: the page would be too long.</p>\n"_s;
    return html + u"</section>\n"_s;
}

/// Nothing: there is none of that deadlock.
const ProofSection* proofOf(const QList<ProofSection>& proofs, const ReportPtr& report, int index)
{
    const auto found = std::find_if(proofs.cbegin(), proofs.cend(), [&](const ProofSection& each) {
        return each.eventKey == report->source.eventKey && each.index == index;
    });
    return found == proofs.cend() ? nullptr : &*found;
}

} // namespace

QByteArray toHtml(const QList<ReportPtr>& reports, Disclosure disclosure, const QList<ProofSection>& proofs)
{
    QByteArray page = report::htmlPageHead(u"Deadlocks"_s);
    if (disclosure == Disclosure::Redacted)
        page += "<p class=\"note\">Values in statements are left out; users, hosts and programs are "
                "numbered. Names of databases, tables, indexes and locks stay.</p>\n";
    constexpr qsizetype forTheEnd = 400;
    int leftOut = 0;
    for (const ReportPtr& report : reports) {
        const ReportPtr shown =
            disclosure == Disclosure::Redacted ? std::make_shared<const Report>(redacted(*report)) : report;
        for (const Deadlock& deadlock : deadlocksOf(shown)) {
            const auto hasRoomFor = [&page](const QByteArray& more) {
                return page.size() + more.size() + forTheEnd <= mostPageBytes;
            };
            const QByteArray section = sectionOf(deadlock).toUtf8();
            if (!hasRoomFor(section)) {
                ++leftOut;
                continue;
            }
            page += section;
            const ProofSection* const proof = proofOf(proofs, report, deadlock.index);
            if (!proof)
                continue;
            const QByteArray whole = proofHtml(*proof, true).toUtf8();
            const QByteArray part = hasRoomFor(whole) ? whole : proofHtml(*proof, false).toUtf8();
            if (hasRoomFor(part))
                page += part;
            else
                ++leftOut;
        }
    }
    if (leftOut > 0)
        page += QByteArray::number(leftOut) + " more are left out: the page would be too long.\n";
    return page + report::htmlPageEnd(" Findings follow from the report alone.");
}

} // namespace lockscope::deadlock
