// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/SqlServerLogLines.h"
#include "core/deadlock/SqlServerReport.h"

#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

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
    return whole.contains(words)
        || std::any_of(beginnings.cbegin(), beginnings.cend(),
            [&words](const QString& beginning) { return words.startsWith(beginning); });
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
    QStringList raw;
    for (const LogLine& line : lines)
        raw << line.whole;
    report.raw = raw.join(u'\n');
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
        std::reverse(lines.begin(), lines.end());
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
        DeadlockReport report = read1204(each);
        if (!report.participants.isEmpty())
            reports << finished(std::move(report), each, place, SourceFormat::TraceFlag1204);
    }
    return reports;
}

} // namespace lockscope::deadlock
