// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/SqlServerReport.h"

#include "core/deadlock/LinePrefix.h"

#include <QCryptographicHash>
#include <QHash>

#include <algorithm>
#include <chrono>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// The values that an event carries beside the report: `<data name="…"><value>`, `<action …>`.
QString eventValue(const XmlElement& event, QStringView name)
{
    for (const XmlElement& each : event.children)
        if ((each.is(u"data") || each.is(u"action")) && each.attribute(u"name") == name)
            if (const XmlElement* value = each.child(u"value"))
                return value->text.trimmed();
    return {};
}

class XmlReportReader {
public:
    XmlReportReader(const QString& text, const QString& place)
        : m_text(text)
        , m_place(place)
    {
    }

    QList<ReportPtr> run()
    {
        readLenientXml(m_text, {u"event"_s, u"deadlock"_s, u"blocked-process-report"_s},
            [this](const XmlElement& element, const QStringList& mended) {
                m_mended = mended;
                m_whole = &element;
                // One text for all reports that stand in it.
                m_raw = m_text.mid(element.begin, std::min(element.end - element.begin, maxRawCharacters));
                m_event = element.is(u"event") ? &element : nullptr;
                addReportsIn(element);
            });
        return m_reports;
    }

private:
    void addReportsIn(const XmlElement& element)
    {
        if (element.is(u"deadlock"))
            add(readDeadlockElement(element));
        else if (element.is(u"blocked-process-report"))
            add(readBlockedElement(element));
        else if (element.text.contains(u"<deadlock"_s) || element.text.contains(u"<blocked-process-report"_s))
            readText(element.text); // as text: old versions, CDATA
        else
            for (const XmlElement& child : element.children)
                addReportsIn(child);
    }

    void readText(const QString& inner)
    {
        readLenientXml(inner, {u"deadlock"_s, u"blocked-process-report"_s},
            [this](const XmlElement& element, const QStringList& mended) {
                for (const QString& each : mended)
                    if (!m_mended.contains(each))
                        m_mended << each;
                if (element.is(u"deadlock"))
                    add(readDeadlockElement(element));
                else
                    add(readBlockedElement(element));
            });
    }

    void add(DeadlockReport report)
    {
        report.complaints = m_mended + report.complaints;
        report.source.place = m_place;
        report.source.format = m_event ? SourceFormat::EventXml : SourceFormat::DeadlockXml;
        report.source.position = m_line.lineOf(m_text, m_whole->begin);
        report.raw = m_raw;
        if (m_whole->end - m_whole->begin > maxRawCharacters)
            report.complaints << u"The report's own text is longer than is kept; it is cut."_s;
        if (m_event)
            takeEvent(report);
        if (!report.time.at && report.time.sourceText.isEmpty())
            guessTime(report);
        nameEvent(report);
        m_reports << std::make_shared<const DeadlockReport>(std::move(report));
    }

    void takeEvent(DeadlockReport& report) const
    {
        report.time = readTime(m_event->attribute(u"timestamp"), true);
        // After the clock was set back some events carry times far from now.
        constexpr qint64 oneDay = 86'400'000'000;
        constexpr qint64 year2200 = 7'258'118'400'000'000;
        if (report.time.at && (report.time.at->us > year2200 || report.time.at->us < oneDay))
            report.time.at.reset();
        if (!report.time.at)
            report.complaints << u"The event's time can't be right: %1."_s.arg(report.time.sourceText);
        if (m_place.isEmpty())
            report.source.place = eventValue(*m_event, u"server_name");
        const QString database = eventValue(*m_event, u"database_name");
        for (Participant& one : report.participants)
            if (one.database.isEmpty())
                one.database = database;
    }

    const QString& m_text;
    const QString& m_place;
    QList<ReportPtr> m_reports;
    QStringList m_mended;
    QString m_raw;
    const XmlElement* m_whole = nullptr; ///< the part of the report in m_text
    const XmlElement* m_event = nullptr; ///< the same, if it is an event
    LineCounter m_line;
};

} // namespace

// QDateTime takes a hundred times as long, and reports are full of times.
std::optional<qint64> plainTime(QStringView text)
{
    const auto number = [text](qsizetype at, qsizetype size) {
        int value = 0;
        for (const QChar c : text.mid(at, size)) {
            if (c < u'0' || c > u'9')
                return -1;
            value = value * 10 + c.digitValue();
        }
        return value;
    };
    if (text.size() < 19 || text[4] != u'-' || text[7] != u'-' || text[13] != u':' || text[16] != u':'
        || (text[10] != u'T' && text[10] != u' ') || (text.size() > 19 && text[19] != u'.')
        || text.size() > 29)
        return std::nullopt;
    const std::chrono::year_month_day day{std::chrono::year(number(0, 4)),
        std::chrono::month(unsigned(number(5, 2))), std::chrono::day(unsigned(number(8, 2)))};
    const int hours = number(11, 2);
    const int minutes = number(14, 2);
    const int seconds = number(17, 2);
    const QString fraction = text.mid(20).left(6).toString().leftJustified(6, u'0');
    bool isFraction = false;
    const int us = fraction.toInt(&isFraction);
    if (!day.ok() || hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59
        || !isFraction || us < 0 || int(day.year()) <= 1900)
        return std::nullopt;
    const auto days = std::chrono::sys_days(day).time_since_epoch().count();
    return ((qint64(days) * 24 + hours) * 60 + minutes) * 60'000'000 + qint64(seconds) * 1'000'000 + us;
}

ReportTime readTime(const QString& text, bool isUtc)
{
    ReportTime time;
    time.sourceText = text;
    time.isZoneKnown = isUtc;
    QStringView plain = QStringView(text).trimmed();
    if (plain.endsWith(u'Z')) {
        plain.chop(1);
        time.isZoneKnown = true;
    }
    if (const auto us = plainTime(plain))
        time.at = ServerTime{*us};
    return time;
}

namespace {

std::optional<qint64> numberOf(const QString& text)
{
    bool isNumber = false;
    const qint64 number = text.trimmed().toLongLong(&isNumber);
    return isNumber ? std::optional(number) : std::nullopt;
}

/// Within what the model keeps.
std::optional<int> smallNumberOf(const QString& text)
{
    const auto number = numberOf(text);
    return number && *number == int(*number) ? std::optional(int(*number)) : std::nullopt;
}

QList<StackFrame> framesOf(const XmlElement& process)
{
    QList<StackFrame> frames;
    const auto take = [&frames](const XmlElement* stack, bool isNative) {
        if (!stack)
            return;
        for (const XmlElement& each : stack->children) {
            if (!each.is(u"frame"))
                continue;
            StackFrame frame;
            frame.isNative = isNative;
            frame.procedure = each.attribute(u"procname");
            if (isNative)
                frame.procedure = QStringList{each.attribute(u"module"), each.attribute(u"name"),
                    each.attribute(u"pdb"), each.attribute(u"address")}
                                      .join(u' ')
                                      .simplified();
            frame.line = smallNumberOf(each.attribute(u"line")).value_or(0);
            frame.handle = each.attribute(u"sqlhandle");
            frame.statement = each.text.trimmed();
            if (frame.statement == u"unknown"_s)
                frame.statement.clear();
            frames << frame;
        }
    };
    take(process.child(u"executionStack"), false);
    take(process.child(u"stackFrames"), true);
    return frames;
}

/// The innermost of its own code: not what the server's own procedures, as sp_executesql, are made of.
QString statementOf(const Participant& one)
{
    for (const StackFrame& frame : one.frames)
        if (!frame.isNative && !frame.statement.isEmpty()
            && !frame.procedure.startsWith(u"mssqlsystemresource"_s, Qt::CaseInsensitive))
            return frame.statement;
    return one.inputBuffer;
}

/// "repeatable read (3)" without the number.
QString withoutNumber(const QString& isolation)
{
    const qsizetype at = isolation.indexOf(u" ("_s);
    return at < 0 ? isolation : isolation.left(at);
}

Participant participantOf(const XmlElement& process)
{
    Participant one;
    one.key = process.attribute(u"id");
    one.session = SessionId{numberOf(process.attribute(u"spid")).value_or(0)};
    one.thread = smallNumberOf(process.attribute(u"ecid"));
    one.user = process.attribute(u"loginname");
    one.program = process.attribute(u"clientapp");
    one.host = process.attribute(u"hostname");
    one.database = process.attribute(u"currentdbname");
    if (one.database.isEmpty() && !process.attribute(u"currentdb").isEmpty())
        one.database = u"database "_s + process.attribute(u"currentdb");
    one.isolation = withoutNumber(process.attribute(u"isolationlevel"));
    one.state = process.attribute(u"status");
    one.logUsed = numberOf(process.attribute(u"logused"));
    one.priority = smallNumberOf(process.attribute(u"priority"));
    // It is unsigned, and sometimes one below zero.
    if (const auto waited = numberOf(process.attribute(u"waittime")); waited && *waited <= 0xffff'fff0LL)
        one.waited = milliseconds(std::max<qint64>(*waited, 0));
    one.waitResource = process.attribute(u"waitresource").trimmed();
    one.transaction = process.attribute(u"transactionname");
    one.transactionStarted = readTime(process.attribute(u"lasttranstarted"), false);
    one.batchStarted = readTime(process.attribute(u"lastbatchstarted"), false);
    one.openTransactions = smallNumberOf(process.attribute(u"trancount"));
    if (!one.openTransactions)
        one.openTransactions = smallNumberOf(process.attribute(u"transcount"));
    one.frames = framesOf(process);
    if (const XmlElement* buffer = process.child(u"inputbuf"))
        one.inputBuffer = buffer->text.trimmed();
    one.statement = statementOf(one);
    return one;
}

QString hashIn(const QString& waitResource)
{
    const qsizetype open = waitResource.indexOf(u'(');
    const qsizetype close = waitResource.indexOf(u')', open);
    return open < 0 || close < open ? QString() : waitResource.mid(open, close + 1 - open);
}

// Far above what any server writes: what is larger is made to keep its reader busy.
constexpr qsizetype maxComplaints = 100;
constexpr qsizetype maxEdges = 5'000;
constexpr qsizetype maxParticipants = 10'000;
constexpr qsizetype maxVictims = 1'000;

/// Puts a report together from its elements.
class Builder {
public:
    DeadlockReport take() { return std::move(m_report); }
    DeadlockReport& report() { return m_report; }

    void complain(const QString& what)
    {
        if (m_report.complaints.size() < maxComplaints && !m_report.complaints.contains(what))
            m_report.complaints << what;
    }

    int add(Participant one)
    {
        if (one.key.isEmpty())
            one.key = u"session "_s + one.label();
        if (m_participants.contains(one.key)) {
            complain(u"The report lists \"%1\" twice; the first one counts."_s.arg(one.key));
            return m_participants.value(one.key);
        }
        const int at = int(m_report.participants.size());
        m_participants.insert(one.key, at);
        m_report.participants << one;
        return at;
    }

    /// Returns false, and adds a complaint, if there are more participants than are read.
    bool hasSpace()
    {
        const bool hasSpace = m_report.participants.size() < maxParticipants;
        if (!hasSpace)
            complain(u"The report has more participants than are read; the rest was left out."_s);
        return hasSpace;
    }

    /// One that is only referred to is added, too.
    int participant(const QString& key, const QString& role)
    {
        const auto known = m_participants.constFind(key);
        if (known != m_participants.cend())
            return *known;
        complain(u"\"%1\" is named as %2, but the report does not list it."_s.arg(key, role));
        Participant one;
        one.key = key.isEmpty() ? u"unnamed %1"_s.arg(m_report.participants.size()) : key;
        one.isListed = false;
        return add(one);
    }

    int add(const LockedThing& thing)
    {
        const auto known = m_resources.constFind(thing.key);
        if (known != m_resources.cend())
            return *known;
        const int at = int(m_report.resources.size());
        m_resources.insert(thing.key, at);
        m_report.resources << thing;
        return at;
    }

    void add(const Edge& edge)
    {
        if (!m_report.edges.contains(edge))
            m_report.edges << edge;
    }

    bool hasSpaceForEdge()
    {
        const bool hasSpace = m_report.edges.size() < maxEdges;
        if (!hasSpace)
            complain(u"The report has more owners and waiters than are read; the rest was left out."_s);
        return hasSpace;
    }

    void addResource(const XmlElement& element)
    {
        const int resource = add(readLockedThing(element));
        if (const XmlElement* owners = element.child(u"owner-list"))
            for (const XmlElement& owner : owners->children)
                if (owner.is(u"owner") && hasSpaceForEdge())
                    addOwner(owner, resource);
        if (const XmlElement* waiters = element.child(u"waiter-list"))
            for (const XmlElement& waiter : waiters->children)
                if (waiter.is(u"waiter") && hasSpaceForEdge())
                    addWaiter(waiter, resource);
    }

    void addVictim(const QString& key)
    {
        if (key.isEmpty() || m_report.victims.size() >= maxVictims)
            return;
        const int victim = participant(key, u"victim"_s);
        if (!m_report.victims.contains(victim))
            m_report.victims << victim;
    }

    /// Takes the row's hash from its waiter.
    void nameKeys()
    {
        for (const Edge& edge : std::as_const(m_report.edges)) {
            LockedThing& thing = m_report.resources[edge.resource];
            const QString& wait = m_report.participants[edge.participant].waitResource;
            if (edge.kind != Edge::Kind::WaitsFor || thing.kind != ResourceKind::Row || wait.isEmpty())
                continue;
            const bool isBare = thing.part == u"key"_s || thing.part.count(u':') < 2;
            if (!isBare)
                continue;
            QString part;
            if (thing.element != u"ridlock"_s && wait.contains(u"KEY:"_s) && !hashIn(wait).isEmpty())
                part = u"key "_s + hashIn(wait);
            else if (thing.element == u"ridlock"_s && wait.startsWith(u"RID: "_s) && wait.count(u':') == 4)
                part = u"row "_s + wait.section(u':', 2).simplified();
            if (part.isEmpty() || thing.part.contains(u'('))
                continue;
            if (!thing.table.isEmpty() && thing.name.endsWith(u' ' + thing.part))
                thing.name.replace(thing.name.size() - thing.part.size(), thing.part.size(), part);
            thing.part = part;
        }
    }

private:
    void addOwner(const XmlElement& owner, int resource)
    {
        const QString type = owner.attribute(u"requestType").toLower();
        Edge edge;
        edge.participant = participant(owner.attribute(u"id"), u"owner"_s);
        edge.resource = resource;
        edge.mode = owner.attribute(u"mode");
        if (type == u"convert"_s || type == u"wait"_s) {
            edge.kind = Edge::Kind::WaitsFor;
            edge.converts = type == u"convert"_s;
            edge.isAmongOwners = true;
        }
        add(edge);
    }

    void addWaiter(const XmlElement& waiter, int resource)
    {
        Edge edge;
        edge.participant = participant(waiter.attribute(u"id"), u"waiter"_s);
        edge.resource = resource;
        edge.kind = Edge::Kind::WaitsFor;
        edge.mode = waiter.attribute(u"mode");
        edge.converts = waiter.attribute(u"requestType").toLower() == u"convert"_s;
        add(edge);
    }

    DeadlockReport m_report;
    QHash<QString, int> m_participants;
    QHash<QString, int> m_resources;
};

void complainOfVictims(Builder& builder)
{
    const DeadlockReport& report = builder.report();
    if (report.victims.isEmpty())
        builder.complain(u"The report names no victim."_s);
    const QList<int> leaders = leadersOf(report);
    for (const int victim : report.victims) {
        const bool isInRing = std::ranges::any_of(report.cycles, [&](const Cycle& cycle) {
            return cycle.victims.contains(victim) || cycle.victims.contains(leaders[victim]);
        });
        if (!isInRing && !report.cycles.isEmpty())
            builder.complain(u"The victim %1 waits in no ring that the report shows."_s.arg(
                report.participants[victim].label()));
    }
}

} // namespace

void guessTime(DeadlockReport& report)
{
    for (const Participant& one : report.participants)
        for (const ReportTime& time : {one.transactionStarted, one.batchStarted})
            if (time.at && (!report.time.at || *time.at > *report.time.at))
                report.time = time;
    if (report.time.at)
        report.complaints
            << u"The report has no time of its own; the time shown is when the last batch began."_s;
}

void nameEvent(DeadlockReport& report)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const Participant& one : report.participants)
        hash.addData(
            QStringList{one.key, one.label(), one.transactionStarted.sourceText, one.batchStarted.sourceText,
                one.waited ? QString::number(one.waited->count()) : QString(), one.waitResource}
                .join(QChar(0x1f))
                .toUtf8());
    for (const LockedThing& thing : report.resources)
        hash.addData(thing.key.toUtf8());
    // These have nothing else that differs when the same happens again.
    if (report.engine == Engine::Postgres || report.source.format == SourceFormat::TraceFlag1204)
        hash.addData(report.time.sourceText.toUtf8());
    report.source.eventKey = QString::fromLatin1(hash.result().toHex().left(32));
}

DeadlockReport readDeadlockElement(const XmlElement& deadlock)
{
    Builder builder;
    if (const XmlElement* processes = deadlock.child(u"process-list")) {
        for (const XmlElement& process : processes->children)
            if (process.is(u"process") && builder.hasSpace())
                builder.add(participantOf(process));
    } else {
        builder.complain(u"The report lists no participants."_s);
    }
    if (const XmlElement* resources = deadlock.child(u"resource-list")) {
        for (const XmlElement& resource : resources->children)
            builder.addResource(resource);
    } else {
        builder.complain(u"The report lists no locks."_s);
    }
    builder.addVictim(deadlock.attribute(u"victim"));
    if (const XmlElement* victims = deadlock.child(u"victim-list"))
        for (const XmlElement& victim : victims->children)
            builder.addVictim(victim.attribute(u"id"));
    builder.nameKeys();
    findCycles(builder.report());
    if (builder.report().cycles.isEmpty())
        builder.complain(u"No ring of waits stands in the report: a part of it is missing."_s);
    complainOfVictims(builder);
    return builder.take();
}

DeadlockReport readBlockedElement(const XmlElement& blocked)
{
    Builder builder;
    builder.report().kind = ReportKind::Blocked;
    const auto take = [&](QStringView name) {
        const XmlElement* around = blocked.child(name);
        const XmlElement* process = around ? around->child(u"process") : nullptr;
        if (!process) {
            builder.complain(u"The report lacks its %1."_s.arg(name));
            return -1;
        }
        Participant one = participantOf(*process);
        // The blocking one has no id; session and thread name it within one report.
        one.key = one.label();
        return builder.add(one);
    };
    const int waiter = take(u"blocked-process");
    const int blocker = take(u"blocking-process");
    builder.complain(
        u"A blocked-process report is written each time that a threshold passes: it says that somebody waited, not when that began or ended."_s);
    if (waiter < 0 || blocker < 0 || waiter == blocker)
        return builder.take();
    LockedThing thing;
    const QString text = builder.report().participants[waiter].waitResource;
    thing.key = text;
    thing.element = text.section(u':', 0, 0).trimmed().toLower();
    thing.name = text.isEmpty() ? u"an unknown lock"_s : text;
    // "KEY: 5:72057594038910976 (8194443284a0)", "OBJECT: 5:1205579333:0".
    const QStringList numbers = text.section(u':', 1).section(u'(', 0, 0).trimmed().split(u':');
    if (numbers.size() > 1 && (thing.element == u"key"_s || thing.element == u"object"_s))
        thing.attributes = {
            {u"dbid"_s, numbers[0]}, {thing.element == u"key"_s ? u"hobtid"_s : u"objid"_s, numbers[1]}};
    thing.kind = kindOfWaitResource(thing.element);
    const int resource = builder.add(thing);
    const XmlElement& process = *blocked.child(u"blocked-process")->child(u"process");
    builder.add(Edge{.participant = waiter,
        .resource = resource,
        .kind = Edge::Kind::WaitsFor,
        .mode = process.attribute(u"lockMode")});
    builder.add(
        Edge{.participant = blocker, .resource = resource, .kind = Edge::Kind::Holds, .isImplied = true});
    findCycles(builder.report());
    return builder.take();
}

QList<ReportPtr> readSqlServerXml(const QString& text, const QString& place)
{
    return XmlReportReader(text, place).run();
}

} // namespace lockscope::deadlock
