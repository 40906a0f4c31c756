// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Sentences.h"
#include "core/deadlock/SqlServerReport.h"

#include <QHash>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// A line of SQL Server's error log.
struct LogLine {
    qint64 number = 0; ///< in the file, from 1
    QString whole;
    QString text; ///< without time and session
    QString session; ///< the line's writer, "spid26s"; empty if unknown
    ReportTime time; ///< by the server's own clock
};

/// "2026-11-22 03:12:07.12 spid26s     text" of the file itself, "11/22/2026 03:12:07,spid26s,Unknown,text"
/// of a viewer's export, the columns of sp_readerrorlog with tabs between them, or text without anything
/// before it.
QList<LogLine> logLinesOf(const QString& text)
{
    static const QRegularExpression file(
        u"^(\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,7})?)[ \\t]+(spid\\d+s?|Server|Logon|Backup)[ \\t]+"_s);
    static const QRegularExpression exported(
        u"^(\\d{1,2}/\\d{1,2}/\\d{4} \\d{1,2}:\\d\\d:\\d\\d(?: ?[AP]M)?),(spid\\d+s?|Server|Logon|Backup),[^,]*,"_s);
    QList<LogLine> lines;
    QString session;
    ReportTime time;
    qint64 number = 0;
    for (const QString& whole : text.split(u'\n')) {
        LogLine line;
        line.number = ++number;
        line.whole = whole.endsWith(u'\r') ? whole.chopped(1) : whole;
        line.text = line.whole;
        if (const auto match = file.match(line.whole); match.hasMatch()) {
            time = readTime(match.captured(1).replace(u' ', u'T'), false);
            session = match.captured(2);
            line.text = line.whole.mid(match.capturedEnd());
        } else if (const auto other = exported.match(line.whole); other.hasMatch()) {
            time = {std::nullopt, false, other.captured(1)}; // month and day may stand in either order
            session = other.captured(2);
            line.text = line.whole.mid(other.capturedEnd());
            if (line.text.size() > 1 && line.text.startsWith(u'"') && line.text.endsWith(u'"'))
                line.text = line.text.mid(1, line.text.size() - 2).replace(u"\"\""_s, u"\""_s);
        }
        line.session = session; // lines without a time go on from the one before
        line.time = time;
        lines << line;
    }
    return lines;
}

/// Reads a report of trace flag 1204: nodes, each a lock with its holders and one waiter.
class Reader1204 {
public:
    DeadlockReport read(const QList<LogLine>& lines)
    {
        m_report.engine = Engine::SqlServer;
        for (const LogLine& line : lines)
            take(line.text.trimmed());
        for (Participant& one : m_report.participants)
            one.statement = one.inputBuffer;
        m_report.complaints
            << u"Trace flag 1204 reports neither the statements of procedures nor users, programs and isolation; trace flag 1222 and extended events do."_s;
        findCycles(m_report);
        if (m_report.cycles.isEmpty())
            m_report.complaints.prepend(u"No ring of waits stands in the report: a part of it is missing."_s);
        if (m_report.victims.isEmpty())
            m_report.complaints << u"The report names no victim."_s;
        return m_report;
    }

private:
    void take(const QString& line)
    {
        static const QRegularExpression lock(
            u"^(KEY|RID|PAG|PAGE|TAB|OBJECT|OBJ|APP|APPLICATION|DB|DATABASE|EXT|HOBT|METADATA|ALLOCUNIT|FIL|XACT): *(.*?)\\s*(?:CleanCnt:.*)?$"_s);
        if (line.startsWith(u"Node:"_s)) {
            m_resource = -1;
            m_part = Part::Node;
        } else if (const auto match = lock.match(line); match.hasMatch() && m_part == Part::Node) {
            m_resource = resource(match.captured(1), match.captured(2));
        } else if (line.startsWith(u"Grant List"_s)) {
            m_part = Part::Granted;
        } else if (line.startsWith(u"Convert List"_s)) {
            m_part = Part::Converting;
        } else if (line.startsWith(u"Requested By"_s)) {
            m_part = Part::Requested;
        } else if (line.startsWith(u"Victim Resource Owner"_s)) {
            m_part = Part::Victim;
        } else if (line.startsWith(u"Input Buf:"_s)) {
            if (m_last >= 0)
                m_report.participants[m_last].inputBuffer = buffer(line);
            m_isBuffer = m_last >= 0;
            return;
        } else if (line.contains(u"SPID:"_s) || line.contains(u"SPID :"_s)) {
            takeParty(line);
        } else if (m_isBuffer && !line.isEmpty()) {
            m_report.participants[m_last].inputBuffer += u'\n' + line;
            return;
        }
        m_isBuffer = false;
    }

    static QString buffer(const QString& line)
    {
        QString text = line.section(u':', 1).trimmed();
        for (const QString& kind : {u"Language Event:"_s, u"RPC Event:"_s, u"No Event:"_s})
            if (text.startsWith(kind))
                text = text.mid(kind.size()).trimmed();
        return text;
    }

    void takeParty(const QString& line)
    {
        static const QRegularExpression who(u"SPID ?: ?(\\d+)(?:.*?ECID ?: ?(\\d+))?"_s);
        static const QRegularExpression mode(u"Mode: *([A-Za-z-]+)"_s);
        const auto match = who.match(line);
        if (!match.hasMatch())
            return;
        const int party = participant(match.captured(1), match.captured(2));
        m_last = party;
        const auto found = mode.match(line);
        if (m_part == Part::Victim && !m_report.victims.contains(party))
            m_report.victims << party;
        if (m_resource < 0 || !found.hasMatch() || m_part == Part::Node || m_part == Part::Victim)
            return;
        Edge edge{.participant = party,
            .resource = m_resource,
            .kind = m_part == Part::Granted ? Edge::Kind::Holds : Edge::Kind::WaitsFor,
            .mode = found.captured(1)};
        edge.converts = m_part == Part::Converting;
        edge.isAmongOwners = edge.converts;
        constexpr qsizetype maxEdges = 5'000; // far above what any server writes
        if (m_report.edges.size() < maxEdges && !m_report.edges.contains(edge))
            m_report.edges << edge;
    }

    int participant(const QString& spid, const QString& ecid)
    {
        Participant one;
        one.session = SessionId{spid.toLongLong()};
        one.thread = ecid.toInt();
        one.key = spid + u':' + ecid;
        one.key = one.label();
        if (const auto known = m_participants.constFind(one.key); known != m_participants.cend())
            return *known;
        m_participants.insert(one.key, int(m_report.participants.size()));
        m_report.participants << one;
        return int(m_report.participants.size()) - 1;
    }

    int resource(const QString& type, const QString& text)
    {
        const QString key = type + u": "_s + text;
        if (const auto known = m_resources.constFind(key); known != m_resources.cend())
            return *known;
        LockedThing thing;
        thing.key = key;
        thing.element = type.toLower();
        thing.name = key;
        thing.kind = kindOfWaitResource(thing.element);
        m_resources.insert(key, int(m_report.resources.size()));
        m_report.resources << thing;
        return int(m_report.resources.size()) - 1;
    }

    enum class Part { Head, Node, Granted, Converting, Requested, Victim };
    Part m_part = Part::Head;
    int m_resource = -1;
    int m_last = -1; ///< the participant of the next input buffer
    bool m_isBuffer = false;
    QHash<QString, int> m_resources;
    QHash<QString, int> m_participants;
    DeadlockReport m_report;
};

/// The reports of trace flag 1204 among them.
QList<QList<LogLine>> split1204(const QList<LogLine>& lines)
{
    QList<QList<LogLine>> reports;
    QString writer;
    bool isOpen = false;
    int rest = 0; // lines after the victim's heading that still belong to it
    for (const LogLine& line : lines) {
        const QString words = line.text.trimmed();
        if (words.startsWith(u"Deadlock encountered"_s) || (!isOpen && words == u"Wait-for graph"_s)) {
            reports << QList<LogLine>();
            writer = line.session;
            isOpen = true;
            rest = 0;
        }
        if (!isOpen || line.session != writer)
            continue;
        reports.last() << line;
        if (words.startsWith(u"Victim Resource Owner"_s))
            rest = 2;
        else if (rest > 0 && --rest == 0)
            isOpen = false;
    }
    return reports;
}

/// All that trace flag 1222 writes as name=value. Values hold blanks and signs, so that only a known name
/// ends one.
const QRegularExpression& pairs()
{
    static const QRegularExpression names(
        u"(?:^| )(id|taskpriority|logused|waitresource|waittime|ownerId|transactionname|lasttranstarted|XDES|lockMode|schedulerid|kpid|status|spid|sbid|ecid|priority|trancount|transcount|lastbatchstarted|lastbatchcompleted|lastattention|clientapp|hostname|hostpid|loginname|isolationlevel|xactid|currentdb|"
        "currentdbname|lockTimeout|clientoption1|clientoption2|procname|line|stmtstart|stmtend|sqlhandle|hobtid|dbid|dbname|objectname|indexname|mode|associatedObjectId|fileid|pageid|subresource|lockPartition|objid|"
        "requestType|hash|databasePrincipalId|classid|xdesIdLow|xdesIdHigh|WaitType|waittype|nodeId|victim)="_s);
    return names;
}

void addPairs(XmlElement& element, const QString& text)
{
    auto found = pairs().globalMatch(text);
    QString name;
    qsizetype begin = 0;
    const auto end = [&](qsizetype at) {
        if (!name.isEmpty())
            element.attributes.append({name, text.mid(begin, at - begin).trimmed()});
    };
    while (found.hasNext()) {
        const auto match = found.next();
        end(match.capturedStart());
        name = match.captured(1);
        begin = match.capturedEnd();
    }
    end(text.size());
}

bool isWord(const QString& line, QStringView word)
{
    return line == word || (line.startsWith(word) && line[word.size()] == u' ');
}

/// Builds the tree that the XML of the same report would be.
class Tree1222 {
public:
    XmlElement build(const QList<LogLine>& lines)
    {
        m_deadlock.name = u"deadlock"_s;
        m_processes.name = u"process-list"_s;
        m_resources.name = u"resource-list"_s;
        for (const LogLine& line : lines)
            take(line.text);
        endProcess();
        endResource();
        if (m_sawProcesses)
            m_deadlock.children.push_back(m_processes);
        if (m_sawResources)
            m_deadlock.children.push_back(m_resources);
        return m_deadlock;
    }

private:
    enum class In { Head, Process, Stack, Frame, Buffer, Resource, Owners, Waiters };

    void take(const QString& line)
    {
        const QString words = line.trimmed();
        if (m_in == In::Head && isWord(words, u"deadlock"))
            addPairs(m_deadlock, words);
        else if (words == u"process-list"_s)
            m_sawProcesses = true;
        else if (words == u"resource-list"_s)
            beginResources();
        else if (words.startsWith(u"process id="_s))
            beginProcess(words);
        else if (m_sawResources)
            takeResource(words);
        else if (m_hasProcess)
            takeInProcess(words, line);
    }

    void takeInProcess(const QString& words, const QString& line)
    {
        if (words == u"executionStack"_s) {
            m_in = In::Stack;
        } else if (words == u"inputbuf"_s) {
            m_in = In::Buffer;
        } else if (words.startsWith(u"frame procname="_s) && m_in != In::Buffer) {
            XmlElement frame;
            frame.name = u"frame"_s;
            addPairs(frame, words);
            m_stack.children.push_back(frame);
            m_in = In::Frame;
        } else if (m_in == In::Frame) {
            m_stack.children.back().text += line + u'\n';
        } else if (m_in == In::Buffer) {
            m_buffer.text += line + u'\n';
        }
    }

    void takeResource(const QString& words)
    {
        if (words == u"owner-list"_s) {
            m_in = In::Owners;
            m_owners.name = words;
        } else if (words == u"waiter-list"_s) {
            m_in = In::Waiters;
            m_waiters.name = words;
        } else if (words.startsWith(u"owner id="_s) && m_in == In::Owners) {
            m_owners.children.push_back(named(u"owner"_s, words));
        } else if (words.startsWith(u"waiter id="_s) && m_in == In::Waiters) {
            m_waiters.children.push_back(named(u"waiter"_s, words));
        } else if (words.contains(u'=') && words.contains(u"id="_s)) {
            endResource();
            m_resource = named(words.section(u' ', 0, 0), words);
            m_hasResource = true;
            m_in = In::Resource;
        }
    }

    static XmlElement named(const QString& name, const QString& words)
    {
        XmlElement element;
        element.name = name;
        addPairs(element, words);
        return element;
    }

    void beginResources()
    {
        endProcess();
        m_sawResources = true;
    }
    void beginProcess(const QString& words)
    {
        endProcess();
        m_sawProcesses = true;
        m_hasProcess = true;
        m_process = named(u"process"_s, words);
        m_stack = {};
        m_stack.name = u"executionStack"_s;
        m_buffer = {};
        m_buffer.name = u"inputbuf"_s;
        m_in = In::Process;
    }
    void endProcess()
    {
        if (!m_hasProcess)
            return;
        m_process.children = {m_stack, m_buffer};
        m_processes.children.push_back(m_process);
        m_hasProcess = false;
    }
    void endResource()
    {
        if (!m_hasResource)
            return;
        m_resource.children = {m_owners, m_waiters};
        m_resources.children.push_back(m_resource);
        m_hasResource = false;
        m_owners = {};
        m_waiters = {};
    }

    XmlElement m_deadlock, m_processes, m_resources;
    XmlElement m_process, m_stack, m_buffer;
    XmlElement m_resource, m_owners, m_waiters;
    In m_in = In::Head;
    bool m_sawProcesses = false;
    bool m_sawResources = false;
    bool m_hasProcess = false;
    bool m_hasResource = false;
};

bool is1222Part(const QString& words)
{
    static const QStringList beginnings{u"owner id="_s, u"waiter id="_s, u"process id="_s,
        u"frame procname="_s, u"deadlock victim="_s, u"keylock "_s, u"ridlock "_s, u"pagelock "_s,
        u"objectlock "_s, u"exchangeEvent "_s};
    static const QSet<QString> whole{u"deadlock-list"_s, u"process-list"_s, u"resource-list"_s,
        u"owner-list"_s, u"waiter-list"_s, u"executionStack"_s, u"inputbuf"_s};
    return whole.contains(words) || std::ranges::any_of(beginnings, [&words](const QString& beginning) {
        return words.startsWith(beginning);
    });
}

/// Listed with the newest line first: then locks come before participants.
bool isReversed(const QList<LogLine>& lines)
{
    for (const LogLine& line : lines) {
        const QString words = line.text.trimmed();
        if (words == u"deadlock-list"_s || words == u"process-list"_s)
            return false;
        if (words == u"owner-list"_s || words == u"waiter-list"_s || words.startsWith(u"waiter id="_s)
            || words.startsWith(u"owner id="_s) || words == u"resource-list"_s)
            return true;
    }
    return false;
}

/// Splits lines in the order of time: from each "deadlock-list" to the next one, or to where the session that
/// writes it writes something else.
QList<QList<LogLine>> split1222(const QList<LogLine>& lines)
{
    QList<QList<LogLine>> reports;
    QString writer;
    bool isOpen = false;
    for (const LogLine& line : lines) {
        const QString words = line.text.trimmed();
        const bool begins = words == u"deadlock-list"_s;
        if (begins) {
            reports << QList<LogLine>();
            writer = line.session;
            isOpen = true;
        }
        if (isOpen && line.session == writer)
            reports.last() << line;
    }
    // Lines after the last part that belongs to it are something else that the same session wrote.
    for (QList<LogLine>& report : reports) {
        qsizetype end = report.size();
        while (end > 0 && !is1222Part(report[end - 1].text.trimmed()))
            --end;
        report.resize(std::max<qsizetype>(end, 1));
    }
    return reports;
}

ReportPtr finished(
    DeadlockReport report, const QList<LogLine>& lines, const QString& place, SourceFormat format)
{
    report.source.place = place;
    report.source.format = format;
    report.source.position = lines.first().number;
    for (const LogLine& line : lines)
        report.source.position = std::min(report.source.position, line.number);
    report.time = lines.first().time;
    report.raw = textOfEach(lines, &LogLine::whole).join(u'\n');
    if (!report.time.at)
        guessTime(report);
    nameEvent(report);
    return std::make_shared<const DeadlockReport>(std::move(report));
}

} // namespace

QList<ReportPtr> readSqlServerLog(const QString& text, const QString& place)
{
    QList<LogLine> lines = logLinesOf(text);
    const bool reversed = isReversed(lines);
    if (reversed)
        std::ranges::reverse(lines);
    QList<ReportPtr> reports;
    for (const QList<LogLine>& each : split1222(lines)) {
        DeadlockReport report = readDeadlockElement(Tree1222().build(each));
        if (report.participants.isEmpty() && report.resources.isEmpty())
            continue;
        if (reversed)
            report.complaints.prepend(u"The lines stand in the reverse order; they were turned round."_s);
        reports << finished(std::move(report), each, place, SourceFormat::TraceFlag1222);
    }
    for (const QList<LogLine>& each : split1204(lines)) {
        DeadlockReport report = Reader1204().read(each);
        if (!report.participants.isEmpty())
            reports << finished(std::move(report), each, place, SourceFormat::TraceFlag1204);
    }
    return reports;
}

} // namespace lockscope::deadlock
