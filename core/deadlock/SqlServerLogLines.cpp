// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/SqlServerLogLines.h"

#include "core/deadlock/SqlServerReport.h"

#include <QHash>
#include <QRegularExpression>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

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

namespace {

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
            << u"Trace flag 1204 tells neither the statements of procedures nor users, programs and isolation; trace flag 1222 and extended events do."_s;
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

} // namespace

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

DeadlockReport read1204(const QList<LogLine>& lines)
{
    return Reader1204().read(lines);
}

} // namespace lockscope::deadlock
