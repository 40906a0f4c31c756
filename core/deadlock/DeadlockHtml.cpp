// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/ShownText.h"
#include "core/deadlock/DeadlockExport.h"
#include "core/deadlock/DeadlockTable.h"
#include "core/deadlock/Words.h"
#include "core/report/Report.h"
#include "core/report/Writer.h"

#include <algorithm>
#include <numbers>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

QString htmlLine(const QString& text)
{
    return report::htmlText(inOneLine(text));
}

QString cut(const QString& text, qsizetype maximum)
{
    return text.size() <= maximum ? text : text.left(maximum - 1) + u'…';
}

QString number(double value)
{
    return QString::number(value, 'f', 1);
}

/// One ring round a circle, below `top`.
struct RingDrawing {
    static constexpr double boxWidth = 220;
    static constexpr double boxHeight = 46;

    RingDrawing(const Deadlock& ofDeadlock, QList<Link> ofRing, double below)
        : deadlock(ofDeadlock)
        , links(std::move(ofRing))
        , top(below)
        , radius(std::max(130.0, boxWidth * double(links.size()) / (2 * std::numbers::pi) * 1.5))
    {
    }
    double width() const { return 2 * radius + boxWidth + 300; }
    double height() const { return 2 * radius + boxHeight + 60; }
    std::pair<double, double> at(double step) const
    {
        const double angle = 2 * std::numbers::pi * step / double(links.size()) - std::numbers::pi / 2;
        return {width() / 2 + radius * std::cos(angle), top + height() / 2 + radius * std::sin(angle)};
    }
    QString svg() const
    {
        QString svg;
        for (qsizetype i = 0; i < links.size(); ++i)
            svg += edge(i);
        for (qsizetype i = 0; i < links.size(); ++i)
            svg += node(i);
        return svg;
    }

private:
    QString edge(qsizetype i) const
    {
        // A part of the circle with its arrow in the middle; boxes lie over its ends.
        const auto [x1, y1] = at(double(i));
        const auto [x2, y2] = at(double(i) + 1);
        const auto [xm, ym] = at(double(i) + 0.5);
        const LockedThing& thing = deadlock.resource(links[i].resource);
        const QString arc = u"A%1 %1 0 0 1 %2 %3"_s;
        QString svg = u"<path class=\"edge\" marker-mid=\"url(#a)\" d=\"M%1 %2"_s.arg(number(x1), number(y1))
            + arc.arg(number(radius), number(xm), number(ym))
            + arc.arg(number(radius), number(x2), number(y2)) + u"\"/>"_s;
        // Outside of the circle, on its side.
        const double side = (xm - width() / 2) / radius;
        const double below = (ym - top - height() / 2) / radius;
        const QString anchor = side > 0.3 ? u"start"_s : side < -0.3 ? u"end"_s : u"middle"_s;
        return svg
            + u"<text text-anchor=\"%1\" x=\"%2\" y=\"%3\">%4<title>%5</title></text>"_s.arg(anchor,
                number(xm + 14 * side), number(ym + 4 + 18 * below),
                htmlLine(cut((links[i].awaited + u' ' + thing.name).trimmed(), 34)), htmlLine(thing.name));
    }
    QString node(qsizetype i) const
    {
        const auto [x, y] = at(double(i));
        const bool ended = deadlock.isVictim(links[i].waiter);
        const QString& statement = deadlock.participant(links[i].waiter).statement;
        return u"<rect class=\"node%1\" x=\"%2\" y=\"%3\" width=\"%4\" height=\"%5\" rx=\"6\"/>"_s.arg(
                   ended ? u" ended"_s : QString(), number(x - boxWidth / 2), number(y - boxHeight / 2),
                   number(boxWidth), number(boxHeight))
            + u"<text text-anchor=\"middle\" x=\"%1\" y=\"%2\">%3</text><text text-anchor=\"middle\" x=\"%1\" y=\"%4\">%5</text>"_s
                  .arg(number(x), number(y - 5),
                      htmlLine(
                          participantName(deadlock, links[i].waiter) + (ended ? u" (victim)"_s : QString())),
                      number(y + 14), htmlLine(cut(statement.simplified(), 26)));
    }

    const Deadlock& deadlock;
    const QList<Link> links;
    const double top;
    const double radius;
};

} // namespace

QString pictureOf(const Deadlock& deadlock)
{
    double width = 0;
    double height = 0;
    QString rings;
    for (const Cycle& ring : drawnRings(deadlock)) {
        const RingDrawing drawing(deadlock, ring.links, height);
        rings += drawing.svg();
        width = std::max(width, drawing.width());
        height += drawing.height();
    }
    return u"<svg viewBox=\"0 0 %1 %2\" role=\"img\" aria-label=\"%3\"><defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"currentColor\"/></marker></defs>%4</svg>\n"_s
        .arg(number(width), number(height), htmlLine(summaryOf(deadlock)), rings);
}

QByteArray toHtml(const QList<ReportPtr>& reports, Disclosure disclosure, const QList<ProofSection>& proofs)
{
    report::Report page{.title = u"Deadlocks"_s};
    if (disclosure == Disclosure::Redacted)
        page.notes
            << u"Values in statements are left out; users, hosts and programs are numbered. Names of databases, tables, indexes and locks stay."_s;
    constexpr qsizetype forTheEnd = 400;
    QByteArray html;
    QString piece;
    report::Writer writer(report::Form::Html, {}, [&piece](const QString& text) { piece += text; });
    // Only if there is room for all of it.
    const auto add = [&](const std::vector<report::Section>& sections) {
        for (const report::Section& each : sections)
            if (each.shown != report::Shown::ToPrograms)
                writer.write(each);
        const QByteArray more = std::exchange(piece, {}).toUtf8();
        const bool hasSpace = html.size() + more.size() + forTheEnd <= maxPageBytes;
        if (hasSpace)
            html += more;
        return hasSpace;
    };
    int leftOut = 0;
    writer.begin(page);
    for (const ReportPtr& each : reports) {
        const ReportPtr shown = disclosure == Disclosure::Redacted
            ? std::make_shared<const DeadlockReport>(redacted(*each))
            : each;
        for (const Deadlock& deadlock : deadlocksOf(shown)) {
            const ProofSection* const proof = proofOf(proofs, deadlock);
            const bool isThere = add(sectionsOf(deadlock, 0, familyTitle(deadlock)));
            const bool isProofThere =
                !isThere || !proof || add(sectionsOf(*proof, 0)) || add(sectionsOf(*proof, 0, false));
            leftOut += isThere && isProofThere ? 0 : 1;
        }
    }
    page.closing << u"Findings follow from the report alone."_s;
    if (leftOut > 0)
        page.closing << u"%1 more are left out: the page would be too long."_s.arg(leftOut);
    writer.end();
    return html + piece.toUtf8();
}

} // namespace lockscope::deadlock
