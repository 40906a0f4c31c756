// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/DeadlockExport.h"

#include "core/deadlock/PostgresReport.h"
#include "core/domain/Redaction.h"

#include <QHash>
#include <QXmlStreamWriter>

#include <algorithm>

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
        && std::all_of(name.cbegin(), name.cend(), [](QChar c) { return c.isLetterOrNumber(); });
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
    const bool hasUnder = std::any_of(thing.attributes.cbegin(), thing.attributes.cend(),
        [](const auto& attribute) { return attribute.first.startsWith(under); });
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

} // namespace lockscope::deadlock
