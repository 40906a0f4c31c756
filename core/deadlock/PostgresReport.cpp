// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/PostgresReport.h"

#include "core/deadlock/FindingRules.h"
#include "core/deadlock/SqlServerReport.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>
#include <array>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxRing = 1'000; ///< far above what a server has in one ring

constexpr std::array<QStringView, 8> modes{u"AccessShareLock", u"RowShareLock", u"RowExclusiveLock",
    u"ShareUpdateExclusiveLock", u"ShareLock", u"ShareRowExclusiveLock", u"ExclusiveLock",
    u"AccessExclusiveLock"};

bool isAsciiLetter(QChar c)
{
    return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z');
}

/// The end of the digits that begin at `begin`; -1 if that is no number of a process, or goes on as a word.
qsizetype endOfNumber(QStringView line, qsizetype begin)
{
    constexpr qsizetype maxDigits = 10;
    qsizetype end = begin;
    while (end < line.size() && line[end].isDigit())
        ++end;
    return end > begin && end - begin <= maxDigits ? end : -1;
}

bool isWordPart(QChar c)
{
    return c.isLetterOrNumber() || c == u'_';
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
        for (qsizetype i = 0; i < lines.size(); ++i)
            if (const auto heading = headingOf(lines[i])) {
                m_headings[heading->process] << i;
                m_textAt.insert(i, heading->text);
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
    bool isLocked = false; ///< "while locking tuple": neither changed nor compared
    bool isIndex = false; ///< an entry of an index, "inserting index tuple (0,3) in relation "uniq_pkey""
};
/// PostgreSQL 19 says "waiting for ShareLock on transaction 742" in a line before what it said before.
QString contextWithoutWait(const QString& context)
{
    const QString first = context.section(u'\n', 0, 0);
    const bool isWait = !first.contains(u'"') && !modeIn(first).isEmpty();
    return isWait ? context.section(u'\n', 1) : context;
}

RowContext contextOf(const QString& text)
{
    static const QRegularExpression row(u"\\((\\d+), ?(\\d+)\\)|(?<!\\d)(\\d+),(\\d+) "_s);
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
    static const QRegularExpression locking(
        u"locking|Sperren|bloque|verrouillage|blocco|блокиров|блокуван|låsning|ロック|잠그는|锁定|鎖定|დაბლოკვისას"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::UseUnicodePropertiesOption);
    context.isLocked = locking.match(words).hasMatch();
    return context;
}

bool isOfRoutine(const QString& context)
{
    return context.trimmed().contains(u'\n');
}

/// The context names a table without its schema, and of a table in partitions or a view the table behind it.
/// Without the statement of a routine in its further lines, it is one of the statement's own.
QString tableOfContext(const QString& table, const QString& context, const QString& statement)
{
    const QString own = firstTable(statement);
    const bool isOwn = own.section(u'.', -1).compare(table, Qt::CaseInsensitive) == 0;
    const bool isBehind =
        !own.isEmpty() && !isOfRoutine(context) && !statement.contains(table, Qt::CaseInsensitive);
    return isOwn || isBehind ? own : table;
}

constexpr qsizetype maxMessage = 1'000;
constexpr qsizetype maxDetail = 20'000; ///< a thousand sessions may stand in it
constexpr qsizetype maxHolders = 50; ///< of one report

/// The end of the words that a message or detail begins with, before its first number; -1: there is none.
/// Details of other errors put what users have written in quotes or brackets.
qsizetype endOfWords(QStringView text)
{
    constexpr qsizetype maxWords = 120;
    const auto isWord = [](QChar c) {
        return c.isLetter() || c.isMark() || c.isSpace() || c.isSurrogate() || c == u',' || c == u':';
    };
    const qsizetype end = std::ranges::find_if_not(text, isWord) - text.begin();
    return end < text.size() && end <= maxWords && text[end].isDigit() ? end : -1;
}

/// Takes the numbers that the server has joined by ", " from a text that begins with one; empty: one is too
/// long.
QList<qint64> takeNumbers(QStringView& text)
{
    constexpr qsizetype maxDigits = 10;
    QList<qint64> numbers;
    while (true) {
        const qsizetype end =
            std::ranges::find_if_not(text, [](QChar c) { return c.isDigit(); }) - text.begin();
        if (end == 0 || end > maxDigits)
            return {};
        numbers << text.left(end).toLongLong();
        text = text.mid(end);
        if (!text.startsWith(u", ") || text.size() == 2 || !text[2].isDigit())
            return numbers;
        text = text.mid(2);
    }
}

/// The words of a wait's message: translations put them in other orders, but the process comes first, modes
/// are never translated, and the time has three decimals and one of these units.
struct WaitMessage {
    qint64 waiter = 0;
    milliseconds waited{0};
    QString mode;
    QString thing; ///< all other words
};
std::optional<WaitMessage> waitIn(const QString& message)
{
    static const QRegularExpression time(u"(?<![\\d.,])(\\d{1,12})[.,]\\d{3}\\s?(?:ms|мс|ミリ秒|毫秒)"_s);
    if (message.size() > maxMessage || !message.contains(u"eLock"))
        return std::nullopt;
    const qsizetype begin = endOfWords(message);
    QStringView rest = begin < 0 ? QStringView() : QStringView(message).mid(begin);
    const QList<qint64> waiter = begin < 0 ? QList<qint64>() : takeNumbers(rest);
    QString words = rest.toString();
    const auto waited = time.match(words);
    if (waiter.size() != 1 || !waited.hasMatch())
        return std::nullopt;
    words.remove(waited.capturedStart(), waited.capturedLength());
    const QStringView found = modeIn(words);
    const QString mode = found.toString();
    const qsizetype at = mode.isEmpty() ? 0 : found.data() - QStringView(words).data();
    if (mode.isEmpty() || (at > 0 && words[at - 1].unicode() < 0x80 && words[at - 1].isLetter()))
        return std::nullopt;
    words.replace(at, mode.size(), u' ');
    return WaitMessage{.waiter = waiter.first(),
        .waited = milliseconds(waited.captured(1).toLongLong()),
        .mode = mode,
        .thing = words};
}

/// "Process holding the lock: 4712. Wait queue: 4711." Where only one list stands, and the waiter is in it,
/// it is the queue. Nothing: it is another detail.
std::optional<QList<qint64>> holdersIn(const QString& detail, qint64 waiter)
{
    const qsizetype begin = detail.size() > maxDetail ? -1 : endOfWords(detail);
    if (begin <= 0)
        return std::nullopt;
    QStringView rest = QStringView(detail).mid(begin);
    QList<qint64> holders = takeNumbers(rest);
    constexpr QStringView stops = u".。,;";
    if (holders.isEmpty() || rest.isEmpty() || !stops.contains(rest[0]))
        return std::nullopt;
    rest = rest.mid(1);
    const qsizetype second = endOfWords(rest);
    if (second < 0) {
        if (holders.contains(waiter))
            holders.clear();
        return holders;
    }
    rest = rest.mid(second);
    const QList<qint64> queue = takeNumbers(rest);
    if (queue.isEmpty() || rest.size() > 1)
        return std::nullopt;
    holders.removeAll(waiter);
    return holders;
}

} // namespace

QStringView modeIn(QStringView text)
{
    constexpr QStringView ending = u"eLock"; // of all of them
    for (qsizetype at = text.indexOf(ending); at >= 0; at = text.indexOf(ending, at + 1)) {
        const qsizetype end = at + ending.size();
        if (end < text.size() && isAsciiLetter(text[end]))
            continue;
        QStringView longest; // "RowExclusiveLock" ends with another one's name
        for (const QStringView mode : modes)
            if (mode.size() > longest.size() && text.left(end).endsWith(mode))
                longest = text.mid(end - mode.size(), mode.size());
        if (!longest.isEmpty())
            return longest;
    }
    return {};
}

const QString& guessedStatements()
{
    static const QString text =
        u"A statement holds lines that look like those of the log: where one ends and the next begins is a guess."_s;
    return text;
}

const QString& raisedByStatement()
{
    static const QString text =
        u"A RAISE in a routine wrote this entry: the server itself may have found no deadlock. Any login can write such an entry, of any sessions and statements."_s;
    return text;
}

bool isRaised(const DeadlockReport& report)
{
    return report.complaints.contains(raisedByStatement());
}

const QString& noZoneKnown()
{
    static const QString text = u"The log names no known time zone for its times."_s;
    return text;
}

// By hand, as headingOf(): all lines of a log that name a lock pass here.
std::optional<WaitLine> waitLineOf(QStringView line)
{
    // The order of the parts differs between languages, but who waits comes first and who blocks last. The
    // words between are anything but numbers; those of the lock stand among them. Before the first number
    // there are only words: details of other errors put what users have written in brackets or quotes, "Key
    // (a)=(…".
    constexpr qsizetype maxLine = 1'000;
    constexpr qsizetype maxBetween = 400;
    constexpr qsizetype maxWords = 60; ///< characters before the first number, and behind the last one
    if (line.size() > maxLine || !line.contains(u"eLock"))
        return std::nullopt;
    qsizetype begin = 0;
    while (begin < line.size()
        && (line[begin].isLetter() || line[begin].isMark() || line[begin].isSpace()
            || line[begin].isSurrogate()))
        ++begin;
    const qsizetype first = begin > maxWords ? -1 : endOfNumber(line, begin);
    qsizetype end = line.size();
    while (end > 0 && !line[end - 1].isDigit())
        --end;
    qsizetype last = end;
    while (last > 0 && line[last - 1].isDigit())
        --last;
    const bool isForm = first >= 0 && last > first && last - first <= maxBetween
        && line.size() - end <= maxWords && endOfNumber(line, last) == end && !isWordPart(line[first])
        && !isWordPart(line[last - 1]);
    const QStringView between = isForm ? line.mid(first, last - first) : QStringView();
    const QStringView mode = modeIn(between);
    if (mode.isEmpty())
        return std::nullopt;
    const qsizetype at = mode.begin() - between.begin();
    const WaitLine wait{.waiter = line.mid(begin, first - begin).toLongLong(),
        .blocker = line.mid(last, end - last).toLongLong(),
        .before = between.left(at),
        .mode = mode,
        .after = between.mid(at + mode.size())};
    return wait.waiter == wait.blocker ? std::nullopt : std::optional(wait);
}

std::optional<StatementHeading> headingOf(QStringView line)
{
    constexpr qsizetype maxBefore = 40;
    constexpr qsizetype maxAfter = 20;
    const auto isOther = [](QChar c) { return !c.isDigit() && c != u':'; };
    const qsizetype begin = std::ranges::find_if_not(line, isOther) - line.begin();
    const qsizetype end = begin < 1 || begin > maxBefore ? -1 : endOfNumber(line, begin);
    if (end < 0)
        return std::nullopt;
    const QStringView rest = line.mid(end);
    const qsizetype after = std::ranges::find_if_not(rest, isOther) - rest.begin();
    // An empty statement leaves only the heading.
    const qsizetype colon = end + after;
    const bool isHeading = after <= maxAfter && colon < line.size() && line[colon] == u':'
        && (colon + 1 == line.size() || line[colon + 1] == u' ');
    return isHeading ? std::optional(StatementHeading{line.mid(begin, end - begin).toLongLong(), colon + 2})
                     : std::nullopt;
}

bool beginsWithRing(const QStringList& lines)
{
    return !ringOf(lines).isEmpty();
}

Participant participantOf(qint64 process)
{
    Participant one;
    one.key = QString::number(process);
    one.session = SessionId{process};
    return one;
}

void describe(Participant& writer, const PostgresEntry& entry)
{
    writer.user = entry.user;
    writer.database = entry.database;
    writer.program = entry.program;
    writer.host = entry.host;
}

void describeVictim(Participant& victim, const PostgresEntry& entry)
{
    describe(victim, entry);
    if (entry.statement.isEmpty())
        return;
    victim.inputBuffer = entry.statement;
    // That of the list is cut where the server keeps no more (track_activity_query_size).
    if (victim.statement.isEmpty() || entry.statement.startsWith(victim.statement)) {
        victim.listedStatement = victim.statement;
        victim.statement = entry.statement;
    }
}

std::optional<DeadlockReport> readPostgresEntry(const PostgresEntry& entry)
{
    const QList<WaitLine> ring = ringOf(entry.detail);
    if (ring.isEmpty())
        return std::nullopt;
    const Statements statements(entry.detail.mid(ring.size()), ring);
    DeadlockReport report;
    report.engine = Engine::Postgres;
    report.time = postgresTime(entry.time);
    QHash<QString, int> resources;
    for (const WaitLine& wait : ring) {
        Participant one = participantOf(wait.waiter);
        one.statement = statements.of(wait.waiter);
        report.participants << one;
    }
    Participant& victim = report.participants.first();
    describeVictim(victim, entry);
    for (int i = 0; i < ring.size(); ++i) {
        LockedThing thing = postgresThing(u"%1 %2"_s.arg(ring[i].before, ring[i].after));
        // The log names the row only to the waiter for the transaction that changed it.
        if (i == 0)
            nameByContext(thing, entry, victim.statement);
        if (!resources.contains(thing.key)) {
            resources.insert(thing.key, int(report.resources.size()));
            report.resources << thing;
        }
        const int resource = resources.value(thing.key);
        const int blocker = (i + 1) % int(ring.size());
        report.edges << Edge{.participant = i,
            .resource = resource,
            .kind = Edge::Kind::WaitsFor,
            .mode = ring[i].mode.toString()};
        // A transaction has its own id alone; of anything else the log does not show what is held.
        const bool isKnown =
            thing.kind == ResourceKind::TransactionId || thing.kind == ResourceKind::VirtualTransaction;
        const Edge held{.participant = blocker,
            .resource = resource,
            .kind = Edge::Kind::Holds,
            .mode = isKnown ? u"ExclusiveLock"_s : QString(),
            .isImplied = !isKnown};
        report.edges << held;
        Link link;
        link.waiter = i;
        link.blocker = blocker;
        link.resource = resource;
        link.awaited = ring[i].mode.toString();
        link.held = held.mode;
        report.links << link;
    }
    // The log lists the ring itself: nothing has to be found.
    report.cycles << Cycle{report.links, {0}};
    report.victims = {0};
    if (statements.isAmbiguous())
        report.complaints << guessedStatements();
    complainOfRaise(entry, report);
    const bool hasAll = std::ranges::all_of(
        report.participants, [](const Participant& one) { return !one.statement.isEmpty(); });
    if (!hasAll)
        report.complaints << u"The statements of some participants are missing."_s;
    return report;
}

void nameByContext(LockedThing& thing, const PostgresEntry& entry, const QString& statement)
{
    const QString lines = contextWithoutWait(entry.context);
    const RowContext context = contextOf(lines);
    if (!thing.isTransaction || context.table.isEmpty())
        return;
    if (context.isIndex) {
        thing.table = firstTable(statement);
        thing.index = context.table;
        thing.name += u", which put the same key into "_s + context.table;
        return;
    }
    // Of what it inserts into, also by a view or in partitions, it locks no row that is there.
    thing.isReferredTo = context.isLocked && isPlainInsert(statement) && !isOfRoutine(lines)
        && !isSameTable(context.table, firstTable(statement));
    thing.table = thing.isReferredTo ? context.table : tableOfContext(context.table, lines, statement);
    thing.part = u"row "_s + context.row;
    thing.name += u", which changed "_s + TablePart{context.table, thing.part}.name();
}

void complainOfRaise(const PostgresEntry& entry, DeadlockReport& report)
{
    // PL/pgSQL names in any language the statement that made an error, by its first word. A session that
    // waits within a RAISE has a statement of its own above it.
    const QString first = entry.context.section(u'\n', 0, 0);
    if (first.endsWith(u"RAISE") || contextWithoutWait(entry.context).section(u'\n', 0, 0).endsWith(u"RAISE"))
        report.complaints << raisedByStatement();
}

ReportTime postgresTime(const QString& text)
{
    static const QRegularExpression form(
        u"(\\d{4}-\\d\\d-\\d\\d)[ T](\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?) ?([A-Z]{1,5}|[+-]\\d\\d(?::?\\d\\d)?)?"_s);
    ReportTime at;
    at.sourceText = text;
    at.isZoneKnown = false;
    const auto match = form.match(text);
    if (!match.hasMatch())
        return at;
    const auto us = plainTime(match.captured(1) + u'T' + match.captured(2).replace(u',', u'.'));
    if (!us)
        return at;
    const QString zone = match.captured(3);
    at.isZoneKnown = zone == u"UTC"_s || zone == u"GMT"_s || zone == u"Z"_s;
    qint64 ahead = 0;
    if (zone.startsWith(u'+') || zone.startsWith(u'-')) {
        const QString digits = zone.mid(1).remove(u':');
        ahead = digits.left(2).toInt() * 60 + digits.mid(2).toInt();
        ahead *= zone.startsWith(u'-') ? -1 : 1;
        at.isZoneKnown = true;
    }
    at.at = ServerTime{*us - ahead * 60'000'000};
    return at;
}

ReportPtr postgresReport(
    DeadlockReport report, const QString& place, SourceFormat format, qint64 line, const QString& raw)
{
    report.source.place = place;
    report.source.format = format;
    report.source.position = line;
    report.raw = raw.left(maxRawCharacters);
    if (raw.size() > maxRawCharacters)
        report.complaints << u"The report's own text is longer than is kept; it is cut."_s;
    if (!report.time.at)
        report.complaints << u"The line of the log has no time that can be read."_s;
    else if (!report.time.isZoneKnown)
        report.complaints << noZoneKnown();
    nameEvent(report);
    return std::make_shared<const DeadlockReport>(std::move(report));
}

std::optional<DeadlockReport> readLockWait(const PostgresEntry& entry)
{
    const auto wait = waitIn(entry.message);
    if (!wait || (entry.process > 0 && entry.process != wait->waiter))
        return std::nullopt;
    const auto holders = holdersIn(entry.detail.value(0), wait->waiter);
    if (!holders)
        return std::nullopt;
    DeadlockReport report;
    report.kind = ReportKind::Blocked;
    report.engine = Engine::Postgres;
    report.time = postgresTime(entry.time);
    Participant one = participantOf(wait->waiter);
    describe(one, entry);
    one.statement = one.inputBuffer = entry.statement;
    one.waited = wait->waited;
    report.participants << one;
    LockedThing thing = postgresThing(wait->thing);
    nameByContext(thing, entry, one.statement);
    report.resources << thing;
    report.edges << Edge{.participant = 0, .resource = 0, .kind = Edge::Kind::WaitsFor, .mode = wait->mode};
    for (const qint64 holder : holders->mid(0, maxHolders)) {
        const int index = int(report.participants.size());
        report.participants << participantOf(holder);
        report.edges << Edge{.participant = index, .kind = Edge::Kind::Holds, .isImplied = true};
    }
    if (holders->size() > 1)
        report.complaints
            << u"Several sessions have the lock: the log does not say which of them blocks it."_s;
    if (holders->size() > maxHolders)
        report.complaints << u"%1 more sessions have the lock; they were left out."_s.arg(
            holders->size() - maxHolders);
    report.complaints
        << u"The server logs a wait once it has lasted for deadlock_timeout: the entry says that somebody waited, not when that ended."_s;
    complainOfRaise(entry, report);
    findCycles(report);
    return report;
}

} // namespace lockscope::deadlock
