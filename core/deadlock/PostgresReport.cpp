// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/PostgresReport.h"

#include "core/deadlock/PostgresThing.h"
#include "core/deadlock/SqlServerReport.h"

#include <QDateTime>
#include <QHash>
#include <QRegularExpression>

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxRing = 1'000; ///< far above what a server has in one ring

/// "Process 4711 waits for ShareLock on transaction 742; blocked by process 4712."
struct WaitLine {
    qint64 waiter = 0;
    qint64 blocker = 0;
    QString mode;
    QString thing; ///< between them, as it stands
};

std::optional<WaitLine> waitLineOf(QStringView line)
{
    // The order of the parts differs between languages, but who waits comes first and who blocks last. The
    // words between are anything but numbers; those of the lock stand among them. Before the first number
    // there are only words: details of other errors put what users have written in brackets or quotes, "Key
    // (a)=(…".
    static const QRegularExpression form(
        u"^[\\p{L}\\p{M}\\s]{0,60}?(\\d{1,10})\\b(.{1,400}?)\\b(\\d{1,10})\\D{0,60}$"_s,
        QRegularExpression::UseUnicodePropertiesOption);
    static const QRegularExpression mode(
        u"(AccessShareLock|RowShareLock|RowExclusiveLock|ShareUpdateExclusiveLock|ShareLock|"
        "ShareRowExclusiveLock|ExclusiveLock|AccessExclusiveLock)(?![A-Za-z])"_s);
    if (line.size() > 1'000 || !line.contains(u"Lock"))
        return std::nullopt;
    const QString text = line.toString();
    const auto match = form.match(text);
    if (!match.hasMatch())
        return std::nullopt;
    const QString between = match.captured(2);
    const auto found = mode.match(between);
    if (!found.hasMatch())
        return std::nullopt;
    WaitLine wait;
    wait.waiter = match.captured(1).toLongLong();
    wait.blocker = match.captured(3).toLongLong();
    wait.mode = found.captured(1);
    wait.thing = between.left(found.capturedStart()) + u' ' + between.mid(found.capturedEnd());
    return wait.waiter == wait.blocker ? std::nullopt : std::optional(wait);
}

QList<WaitLine> ringOf(const QStringList& lines)
{
    QList<WaitLine> ring;
    for (const QString& line : lines) {
        const auto wait = waitLineOf(line);
        if (!wait || (!ring.isEmpty() && wait->waiter != ring.last().blocker))
            return {};
        ring << *wait;
        if (wait->blocker == ring.first().waiter)
            return ring;
        if (ring.size() == maxRing)
            return {};
    }
    return {};
}

/// The statements below the ring: "Process 4711: UPDATE …", in any language; each may go over several lines,
/// and may hold lines that look like the next one's.
class Statements {
public:
    Statements(const QStringList& lines, const QList<WaitLine>& ring)
    {
        findHeadings(lines);
        qsizetype line = 0;
        for (qsizetype i = 0; i < ring.size(); ++i) {
            const qsizetype begin = find(line, ring[i].waiter);
            if (begin < 0)
                continue;
            const qint64 next = i + 1 < ring.size() ? ring[i + 1].waiter : 0;
            qsizetype end = next == 0 ? lines.size() : find(begin + 1, next);
            if (end < 0)
                end = lines.size();
            else if (next != 0 && find(end + 1, next) >= 0)
                m_isAmbiguous = true;
            QStringList text = lines.mid(begin, end - begin);
            text[0] = text[0].mid(m_textAt.value(begin));
            m_texts.insert(ring[i].waiter, text.join(u'\n'));
            line = end;
        }
    }

    QString of(qint64 process) const { return m_texts.value(process); }
    bool isAmbiguous() const { return m_isAmbiguous; }

private:
    void findHeadings(const QStringList& lines)
    {
        static const QRegularExpression heading(
            u"^[^\\d:]{1,40}(\\d{1,10})[^\\d:]{0,20}: "_s, QRegularExpression::UseUnicodePropertiesOption);
        constexpr qsizetype longest = 80;
        for (qsizetype i = 0; i < lines.size(); ++i) {
            // An empty statement leaves only the heading.
            const auto match = heading.match(lines[i].left(longest) + u' ');
            if (!match.hasMatch())
                continue;
            m_headings[match.captured(1).toLongLong()] << i;
            m_textAt.insert(i, match.capturedLength());
        }
    }

    /// The line of the next heading of that process, -1 if there is none.
    qsizetype find(qsizetype from, qint64 process) const
    {
        const QList<qsizetype> lines = m_headings.value(process);
        const auto next = std::lower_bound(lines.cbegin(), lines.cend(), from);
        return next == lines.cend() ? -1 : *next;
    }

    QHash<qint64, QList<qsizetype>> m_headings; ///< lines, in their order, by process
    QHash<qint64, QString> m_texts;
    QHash<qsizetype, qsizetype> m_textAt;
    bool m_isAmbiguous = false;
};

/// "while updating tuple (0,1) in relation "orders"": which row and table the victim was at.
struct RowContext {
    QString table;
    QString row;
    bool isIndex = false; ///< an entry of an index, "inserting index tuple (0,3) in relation "uniq_pkey""
};
RowContext contextOf(const QString& text)
{
    static const QRegularExpression row(u"\\((\\d+),(\\d+)\\)|(?<!\\d)(\\d+),(\\d+) "_s);
    static const QRegularExpression name(u"[\"«»„]\\s?([^\"«»„“]+?)\\s?[\"«»“]"_s);
    const QString line = text.section(u'\n', 0, 0);
    const auto place = row.match(line);
    if (!place.hasMatch())
        return {};
    const auto table = name.match(line);
    // "SQL statement "SELECT pg_advisory_xact_lock(1,2)"" names no row.
    if (table.hasMatch() && table.capturedStart() < place.capturedStart()
        && place.capturedStart() < table.capturedEnd())
        return {};
    RowContext context;
    context.row = place.captured(1).isEmpty() ? u"(%1,%2)"_s.arg(place.captured(3), place.captured(4))
                                              : u"(%1,%2)"_s.arg(place.captured(1), place.captured(2));
    context.table = table.captured(1);
    // The words of PostgreSQL's translations; names stand in quotes behind them or before.
    static const QRegularExpression index(
        u"\\bind(?:ex|ice|eks)|índice|индекс|індекс|ინდექს|索引|インデックス|인덱스"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::UseUnicodePropertiesOption);
    QString words = line;
    words.remove(table.captured(0));
    context.isIndex = index.match(words).hasMatch();
    return context;
}

} // namespace

const QString& guessedStatements()
{
    static const QString text =
        u"A statement holds lines that look like those of the log: where one ends and the next begins is a "
        "guess."_s;
    return text;
}

const QString& raisedByStatement()
{
    static const QString text = u"A RAISE in a routine wrote this entry: the server itself may have found no "
                                u"deadlock. Any login can "
                                u"write such an entry, of any sessions and statements."_s;
    return text;
}

const QString& noZoneKnown()
{
    static const QString text = u"The log tells no zone that is known for its times."_s;
    return text;
}

bool saysWhoWaits(QStringView line)
{
    return waitLineOf(line).has_value();
}

bool beginsWithRing(const QStringList& lines)
{
    return !ringOf(lines).isEmpty();
}

std::optional<Report> readPostgresEntry(const PostgresEntry& entry)
{
    const QStringList lines = entry.detail.split(u'\n');
    const QList<WaitLine> ring = ringOf(lines);
    if (ring.isEmpty())
        return std::nullopt;
    const Statements statements(lines.mid(ring.size()), ring);
    Report report;
    report.engine = Engine::Postgres;
    report.time = postgresMoment(entry.time);
    QHash<QString, int> resources;
    for (const WaitLine& wait : ring) {
        Participant one;
        one.key = QString::number(wait.waiter);
        one.session = SessionId{wait.waiter};
        one.statement = statements.of(wait.waiter);
        report.participants << one;
    }
    Participant& victim = report.participants.first();
    victim.user = entry.user;
    victim.database = entry.database;
    victim.program = entry.program;
    victim.host = entry.host;
    // That of the list is cut where the server keeps no more (track_activity_query_size).
    if (!entry.statement.isEmpty()) {
        victim.inputBuffer = entry.statement;
        if (victim.statement.isEmpty() || entry.statement.startsWith(victim.statement)) {
            victim.listedStatement = victim.statement;
            victim.statement = entry.statement;
        }
    }
    const RowContext context = contextOf(entry.context);
    for (int i = 0; i < ring.size(); ++i) {
        LockedThing thing = postgresThing(ring[i].thing);
        // The log names the row only to the waiter for the transaction that changed it.
        if (i == 0 && thing.isTransaction && context.isIndex) {
            thing.table = firstTable(victim.statement);
            thing.index = context.table;
            thing.name += u", which put the same key into "_s + context.table;
        } else if (i == 0 && thing.isTransaction && !context.table.isEmpty()) {
            thing.table = context.table;
            thing.part = context.row;
            thing.name += u", which changed row %1 of %2"_s.arg(context.row, context.table);
        }
        if (!resources.contains(thing.key)) {
            resources.insert(thing.key, int(report.resources.size()));
            report.resources << thing;
        }
        const int resource = resources.value(thing.key);
        const int blocker = (i + 1) % int(ring.size());
        report.edges << Edge{i, resource, Edge::Kind::Awaits, ring[i].mode};
        // A transaction has its own id alone; of anything else the log does not show what is held.
        const bool isKnown =
            thing.kind == ResourceKind::TransactionId || thing.kind == ResourceKind::VirtualTransaction;
        const Edge held{blocker, resource, Edge::Kind::Holds, isKnown ? u"ExclusiveLock"_s : QString(), false,
            false, !isKnown};
        report.edges << held;
        Link link;
        link.waiter = i;
        link.blocker = blocker;
        link.resource = resource;
        link.awaited = ring[i].mode;
        link.held = held.mode;
        report.links << link;
    }
    // The log lists the ring itself: nothing has to be found.
    report.cycles << Cycle{report.links, {0}};
    report.victims = {0};
    if (statements.isAmbiguous())
        report.complaints << guessedStatements();
    // PL/pgSQL names in any language the statement that made an error, by its first word. A session that
    // waits within a RAISE has a statement of its own above it.
    if (entry.context.section(u'\n', 0, 0).endsWith(u"RAISE"))
        report.complaints << raisedByStatement();
    const bool hasAll = std::all_of(report.participants.cbegin(), report.participants.cend(),
        [](const Participant& one) { return !one.statement.isEmpty(); });
    if (!hasAll)
        report.complaints << u"The statements of some participants are missing."_s;
    return report;
}

ReportTime postgresMoment(const QString& text)
{
    static const QRegularExpression form(
        u"(\\d{4}-\\d\\d-\\d\\d)[ T](\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?) ?([A-Z]{1,5}|[+-]\\d\\d(?::?\\d\\d)?)?"_s);
    ReportTime moment;
    moment.told = text;
    moment.isZoneKnown = false;
    const auto match = form.match(text);
    if (!match.hasMatch())
        return moment;
    QDateTime time = QDateTime::fromString(
        match.captured(1) + u'T' + match.captured(2).left(15).replace(u',', u'.'), Qt::ISODateWithMs);
    if (!time.isValid())
        return moment;
    const QString zone = match.captured(3);
    time.setTimeSpec(Qt::UTC);
    moment.isZoneKnown = zone == u"UTC"_s || zone == u"GMT"_s || zone == u"Z"_s;
    qint64 ahead = 0;
    if (zone.startsWith(u'+') || zone.startsWith(u'-')) {
        const QString digits = zone.mid(1).remove(u':');
        ahead = digits.left(2).toInt() * 60 + digits.mid(2).toInt();
        ahead *= zone.startsWith(u'-') ? -1 : 1;
        moment.isZoneKnown = true;
    }
    moment.at = ServerTime{(time.toMSecsSinceEpoch() - ahead * 60'000) * 1000};
    return moment;
}

ReportPtr postgresReport(
    Report report, const QString& place, SourceFormat format, qint64 line, const QString& raw)
{
    report.source.place = place;
    report.source.format = format;
    report.source.position = line;
    report.raw = raw.left(maxRawCharacters);
    if (raw.size() > maxRawCharacters)
        report.complaints << u"The report's own text is longer than is kept; it is cut."_s;
    if (!report.time.at)
        report.complaints << u"The line of the log tells no time that can be read."_s;
    else if (!report.time.isZoneKnown)
        report.complaints << noZoneKnown();
    nameEvent(report);
    return std::make_shared<const Report>(std::move(report));
}

} // namespace lockscope::deadlock
