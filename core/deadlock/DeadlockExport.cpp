// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/DeadlockExport.h"

#include "core/base/ShownText.h"
#include "core/deadlock/Finding.h"
#include "core/deadlock/PostgresReport.h"
#include "core/domain/SqlLexer.h"
#include "core/report/Report.h"
#include "core/report/Writer.h"

#include <QHash>
#include <QXmlStreamWriter>

#include <algorithm>
#include <numbers>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// Gives each text a number of its own: "host 1".
class Numbered {
public:
    explicit Numbered(const QString& word)
        : m_word(word)
    {
    }
    void replace(QString& text)
    {
        if (text.isEmpty())
            return;
        if (!m_known.contains(text))
            m_known.insert(text, u"%1 %2"_s.arg(m_word).arg(m_known.size() + 1));
        text = m_known.value(text);
    }

private:
    const QString m_word;
    QHash<QString, QString> m_known;
};

/// XML has no place for most control characters.
QString writable(QString text)
{
    for (QChar& c : text)
        if ((c < u' ' && c != u'\n' && c != u'\t' && c != u'\r') || c == QChar(0xfffe) || c == QChar(0xffff)
            || c.isSurrogate())
            c = c.isSurrogate() ? c : QChar(0xfffd);
    return text;
}

void writeAttribute(QXmlStreamWriter& xml, const QString& name, const QString& value)
{
    if (!value.isEmpty())
        xml.writeAttribute(name, writable(value));
}

void writeProcess(QXmlStreamWriter& xml, const Participant& one)
{
    xml.writeStartElement(u"process"_s);
    writeAttribute(xml, u"id"_s, one.key);
    const auto number = [&xml](const QString& name, const auto& value) {
        if (value)
            xml.writeAttribute(name, QString::number(*value));
    };
    number(u"logused"_s, one.logUsed);
    writeAttribute(xml, u"waitresource"_s, one.waitResource);
    if (one.waited)
        xml.writeAttribute(u"waittime"_s, QString::number(one.waited->count()));
    writeAttribute(xml, u"transactionname"_s, one.transaction);
    writeAttribute(xml, u"lasttranstarted"_s, one.transactionStarted.sourceText);
    writeAttribute(xml, u"status"_s, one.state);
    if (one.session.isValid())
        xml.writeAttribute(u"spid"_s, QString::number(one.session.value));
    number(u"ecid"_s, one.thread);
    number(u"priority"_s, one.priority);
    number(u"trancount"_s, one.openTransactions);
    writeAttribute(xml, u"lastbatchstarted"_s, one.batchStarted.sourceText);
    writeAttribute(xml, u"clientapp"_s, one.program);
    writeAttribute(xml, u"hostname"_s, one.host);
    writeAttribute(xml, u"loginname"_s, one.user);
    writeAttribute(xml, u"isolationlevel"_s, one.isolation);
    writeAttribute(xml, u"currentdbname"_s, one.database);
    xml.writeStartElement(u"executionStack"_s);
    for (const StackFrame& frame : one.frames) {
        if (frame.isNative)
            continue;
        xml.writeStartElement(u"frame"_s);
        writeAttribute(xml, u"procname"_s, frame.procedure);
        xml.writeAttribute(u"line"_s, QString::number(frame.line));
        writeAttribute(xml, u"sqlhandle"_s, frame.handle);
        xml.writeCharacters(writable(frame.statement));
        xml.writeEndElement();
    }
    xml.writeEndElement();
    xml.writeTextElement(u"inputbuf"_s, writable(one.inputBuffer));
    xml.writeEndElement();
}

/// Reports write their elements' names so; the model keeps them in small letters.
QString elementName(const LockedThing& thing)
{
    static const QHash<QString, QString> spellings{{u"exchangeevent"_s, u"exchangeEvent"_s},
        {u"syncpoint"_s, u"SyncPoint"_s}, {u"resourcewait"_s, u"resourceWait"_s}};
    const QString name = spellings.value(thing.element, thing.element);
    // A key of other sources need not be a name.
    const bool isName = !name.isEmpty() && name[0].isLetter()
        && std::ranges::all_of(name, [](QChar c) { return c.isLetterOrNumber(); });
    return isName ? name : u"keylock"_s;
}

void writeParties(QXmlStreamWriter& xml, const DeadlockReport& report, int resource, bool owners)
{
    xml.writeStartElement(owners ? u"owner-list"_s : u"waiter-list"_s);
    for (const Edge& edge : report.edges) {
        const bool isOwner = edge.kind == Edge::Kind::Holds || edge.isAmongOwners;
        if (edge.resource != resource || isOwner != owners)
            continue;
        xml.writeStartElement(owners ? u"owner"_s : u"waiter"_s);
        writeAttribute(xml, u"id"_s, report.participants[edge.participant].key);
        writeAttribute(xml, u"mode"_s, edge.mode);
        if (edge.kind == Edge::Kind::WaitsFor)
            xml.writeAttribute(u"requestType"_s, edge.converts ? u"convert"_s : u"wait"_s);
        xml.writeEndElement();
    }
    xml.writeEndElement();
}

void writeResource(QXmlStreamWriter& xml, const DeadlockReport& report, int resource)
{
    static const QString under = u"UnderlyingResource."_s;
    const LockedThing& thing = report.resources[resource];
    xml.writeStartElement(elementName(thing));
    QStringList written;
    const auto write = [&](const QString& name, const QString& value) {
        if (!written.contains(name))
            xml.writeAttribute(name, writable(value));
        written << name;
    };
    for (const auto& [name, value] : thing.attributes)
        if (!name.startsWith(under))
            write(name, value);
    const bool hasUnder = std::ranges::any_of(
        thing.attributes, [](const auto& attribute) { return attribute.first.startsWith(under); });
    if (hasUnder) {
        written.clear();
        xml.writeStartElement(u"UnderlyingResource"_s);
        xml.writeStartElement(thing.index.isEmpty() ? u"ridlock"_s : u"keylock"_s);
        for (const auto& [name, value] : thing.attributes)
            if (name.startsWith(under))
                write(name.mid(under.size()), value);
        xml.writeEndElement();
        xml.writeEndElement();
    }
    writeParties(xml, report, resource, true);
    writeParties(xml, report, resource, false);
    xml.writeEndElement();
}

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

DeadlockReport redacted(const DeadlockReport& report)
{
    DeadlockReport copy = report;
    copy.raw = {};
    // A list that begins within a text would take values for SQL, and SQL for values.
    const auto withoutValues = [&](QString& statement) {
        const bool isGuess = report.complaints.contains(guessedStatements());
        statement = isGuess && !statement.isEmpty() ? u"?"_s : withoutLiterals(statement, report.engine);
    };
    Numbered users(u"account"_s);
    Numbered hosts(u"host"_s);
    Numbered programs(u"program"_s);
    for (Participant& one : copy.participants) {
        users.replace(one.user);
        hosts.replace(one.host);
        programs.replace(one.program);
        withoutValues(one.statement);
        withoutValues(one.listedStatement);
        withoutValues(one.inputBuffer);
        for (StackFrame& frame : one.frames)
            withoutValues(frame.statement);
    }
    return copy;
}

Result<QByteArray> toXdl(const QList<ReportPtr>& reports)
{
    QByteArray bytes;
    QXmlStreamWriter xml(&bytes);
    xml.setAutoFormatting(true);
    xml.setAutoFormattingIndent(1);
    xml.writeStartElement(u"deadlock-list"_s);
    bool isEmpty = true;
    for (const ReportPtr& report : reports) {
        if (report->engine != Engine::SqlServer || report->kind == ReportKind::Blocked)
            continue;
        isEmpty = false;
        xml.writeStartElement(u"deadlock"_s);
        if (!report->victims.isEmpty())
            writeAttribute(xml, u"victim"_s, report->participants[report->victims.first()].key);
        xml.writeStartElement(u"victim-list"_s);
        for (const int victim : report->victims) {
            xml.writeStartElement(u"victimProcess"_s);
            writeAttribute(xml, u"id"_s, report->participants[victim].key);
            xml.writeEndElement();
        }
        xml.writeEndElement();
        xml.writeStartElement(u"process-list"_s);
        for (const Participant& one : report->participants)
            if (one.isListed)
                writeProcess(xml, one);
        xml.writeEndElement();
        xml.writeStartElement(u"resource-list"_s);
        for (int i = 0; i < report->resources.size(); ++i)
            writeResource(xml, *report, i);
        xml.writeEndElement();
        xml.writeEndElement();
    }
    xml.writeEndElement();
    if (isEmpty)
        return failure(ErrorKind::Unsupported, u"Only deadlocks of SQL Server can be written as .xdl."_s,
            u"Write JSON or HTML instead."_s);
    return bytes.trimmed() + '\n'; // formatting begins with a line's end
}

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
    // Only if there is space for all of it.
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
