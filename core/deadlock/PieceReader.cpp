// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/ReadReports.h"

#include "core/base/Sentences.h"
#include "core/deadlock/LinePrefix.h"
#include "core/deadlock/PostgresReport.h"
#include "core/deadlock/SqlServerReport.h"

#include <QRegularExpression>
#include <QStringMatcher>

#include <algorithm>
#include <array>
#include <limits>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

enum class Product { Postgres, SqlServer, MySql, Oracle };

struct Marker {
    QStringView text;
    Product product;
};

/// Each has "deadlock" in it, in some case: one search finds all.
constexpr auto withWord = std::to_array<Marker>({{u"ora-00060", Product::Oracle},
    {u"deadlock detected", Product::Postgres}, {u"deadlockdetected", Product::Postgres},
    {u"activerecord::deadlocked", Product::Postgres}, {u"(deadlock) entdeckt", Product::Postgres},
    {u"detectado un deadlock", Product::Postgres}, {u"(deadlock) détecté", Product::Postgres},
    {u"rilevato deadlock", Product::Postgres}, {u"deadlock rilevato", Product::Postgres},
    {u"deadlock 발생", Product::Postgres}, {u"deadlock upptäckt", Product::Postgres},
    {u"deadlock victim", Product::SqlServer}, {u"was deadlocked on", Product::SqlServer},
    {u"xml_deadlock_report", Product::SqlServer}, {u"deadlockopfer", Product::SqlServer},
    {u"vittima del deadlock", Product::SqlServer}, {u"vítima do deadlock", Product::SqlServer},
    {u"deadlock found", Product::MySql}, {u"latest detected deadlock", Product::MySql}});
/// The others, as servers write them.
constexpr auto others =
    std::to_array<Marker>({{u"40P01", Product::Postgres}, {u"デッドロックを検出", Product::Postgres},
        {u"检测到死锁", Product::Postgres}, {u"發現死結", Product::Postgres},
        {u"偵測到死鎖", Product::Postgres}, {u"взаимоблокировка", Product::Postgres},
        {u"взаємне блокування", Product::Postgres}, {u"ურთიერთბლოკირება", Product::Postgres},
        {u"wykryto zakleszczenie", Product::Postgres}, {u"impasse detectado", Product::Postgres},
        {u"bloquage mortel", Product::Postgres}, {u"死锁牺牲品", Product::SqlServer},
        {u"死結的犧牲者", Product::SqlServer}, {u"デッドロックの対象", Product::SqlServer},
        {u"교착 상태", Product::SqlServer}, {u"жертвой взаимоблокировки", Product::SqlServer},
        {u"été choisie comme victime", Product::SqlServer}, {u"interbloqueo", Product::SqlServer}});

/// "Msg 1205, Level 13", "Error: 1205, Severity: 13", "Number:1205,State:51,Class:13", in any language. Of
/// MySQL 1205 is another error, which has no such level.
bool isVictimsNumber(QStringView line)
{
    static const QRegularExpression number(u"\\b1205, ?(?:\\w+ ?[:=]? ?\\d{1,3}, ?)?\\w+ ?[:=]? ?13\\b"_s,
        QRegularExpression::UseUnicodePropertiesOption);
    return number.match(line.toString()).hasMatch();
}

/// The next place in a text at which a marker may stand; -1 if there is none. One pass for all of them: whole
/// logs are searched.
qsizetype nextMarker(QStringView text, qsizetype from)
{
    constexpr QStringView word = u"eadlock";
    constexpr qsizetype maxNumber = 60;
    for (qsizetype at = from; at < text.size(); ++at) {
        const char16_t c = text[at].unicode();
        const auto isAt = [&](const Marker& each) {
            return each.text[0] == c && text.mid(at).startsWith(each.text);
        };
        const bool isIt = c == u'e' || c == u'E' ? at + 1 < text.size() && text[at + 1].toLower() == u'a'
                && text.mid(at, word.size()).compare(word, Qt::CaseInsensitive) == 0
            : c == u'1' ? text.mid(at).startsWith(u"1205") && isVictimsNumber(text.mid(at, maxNumber))
                        : (c > 0x7f || c == u'4' || c == u'w' || c == u'i' || c == u'b')
                && std::ranges::any_of(others, isAt);
        if (isIt)
            return at;
    }
    return -1;
}

/// Returns the product whose message stands in the line.
std::optional<Product> productOf(QStringView line)
{
    if (nextMarker(line, 0) < 0)
        return std::nullopt;
    for (const Marker& each : withWord)
        if (line.contains(each.text, Qt::CaseInsensitive))
            return each.product;
    for (const Marker& each : others)
        if (line.contains(each.text))
            return each.product;
    return isVictimsNumber(line) ? std::optional(Product::SqlServer) : std::nullopt;
}

/// The session number of "Transaction (Process ID 52) was deadlocked on …", in any language.
QString sessionOf(const QString& line)
{
    static const QRegularExpression session(u"\\((?:[^()\\d]{1,40} )(\\d{1,6})\\)"_s);
    return session.match(line).captured(1);
}

Mention postgresMention(const QStringList& near)
{
    const bool saysPart = std::ranges::any_of(near, [](const QString& line) {
        return waitLineOf(QStringView(line).mid(line.indexOf(u": "_s) + 1)).has_value();
    });
    const bool isRedacted =
        std::ranges::any_of(near, [](const QString& line) { return line.contains(u"redacted"_s); });
    Mention mention;
    mention.where =
        u"The whole report is in the server's log: `lockctl deadlocks --server URL` reads it there. It needs log_error_verbosity default or verbose."_s;
    if (saysPart)
        mention.why = u"Only a part of the waits is there: who else waited is missing."_s;
    else if (isRedacted)
        mention.why = u"The client has removed the detail: Npgsql keeps it with Include Error Detail."_s;
    else
        mention.why = u"The detail, which says who waited for whom, is missing."_s;
    return mention;
}

Mention sqlServerMention(const QString& line)
{
    Mention mention;
    const QString session = sessionOf(line);
    mention.why = line.contains(u"xml_deadlock_report"_s)
        ? u"The event is named, but its XML, with sessions and locks, is missing or not complete."_s
        : session.isEmpty()
        ? u"The message names neither sessions nor locks."_s
        : u"Only the victim is known, session %1: the other sessions, the locks and the statements are missing."_s
              .arg(session);
    mention.where =
        u"The event session system_health of that server keeps the report: `lockctl deadlocks --server URL` reads it there; so does its error log with trace flag 1222."_s;
    return mention;
}

Mention mentionOf(const QString& line, Product product, bool isQuoted, const QStringList& near)
{
    Mention mention;
    if (isQuoted)
        mention = {.why = u"It is part of a statement or of a value that was logged: no deadlock."_s};
    else if (product == Product::Postgres)
        mention = postgresMention(near);
    else if (product == Product::SqlServer)
        mention = sqlServerMention(line);
    else if (product == Product::Oracle)
        mention = {.why = u"It is of Oracle, which Lockscope does not read."_s,
            .where = u"The trace file that its alert log names has the deadlock graph."_s};
    else
        mention = {.why = u"It is of MySQL or MariaDB, which Lockscope does not read."_s,
            .where = u"SHOW ENGINE INNODB STATUS shows the last one on that server."_s};
    constexpr qsizetype maxText = 200;
    mention.text = line.trimmed().left(maxText);
    return mention;
}

/// A report that begins so near to a torn end is left for the next piece.
constexpr qsizetype openText = 65'536;

bool isCsvlog(const QString& text)
{
    static const QRegularExpression record(
        u"^\"?\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)? [A-Za-z0-9+:-]+\"?,"_s,
        QRegularExpression::MultilineOption);
    return record.match(QStringView(text).left(20'000).toString()).hasMatch();
}

bool has(const QString& text, const QStringMatcher& matcher)
{
    return matcher.indexIn(text) >= 0;
}

/// Every mode's name ends so.
const QStringMatcher& mode()
{
    static const QStringMatcher ending(u"eLock"_s);
    return ending;
}

/// XML that JSON or CSV has escaped: `id=\"process1\"`, `id=""process1""`. It is read once it is unwrapped.
bool isEscapedXml(const QString& text, qsizetype deadlock)
{
    static const QRegularExpression quoted(u"=(?:\\\\\"|\"\"[^\"\\s>/])"_s);
    constexpr qsizetype near = 2'000;
    if (quoted.match(text.mid(deadlock, near)).hasMatch())
        return true;
    // Or each line has a mark of mail or a container's name before it.
    const qsizetype begin = deadlock == 0 ? 0 : text.lastIndexOf(u'\n', deadlock - 1) + 1;
    const QStringView before = QStringView(text).mid(begin, deadlock - begin).trimmed();
    const qsizetype next = text.indexOf(u'\n', deadlock) + 1;
    return !before.isEmpty() && !before.contains(u'<') && next > 0
        && QStringView(text).mid(next).startsWith(before);
}

struct FoundReport {
    ReportPtr report;
    qint64 first = 0; ///< lines of the piece, from 1
    qint64 last = 0;
};

class PieceReader {
public:
    PieceReader(const QString& text, const QString& place)
        : m_text(text)
        , m_place(place)
        , m_isCsvlog(isCsvlog(text))
    {
    }

    void run()
    {
        static const QStringMatcher word(u"deadlock"_s, Qt::CaseInsensitive);
        static const QStringMatcher blocked(u"<blocked-process-report"_s, Qt::CaseInsensitive);
        static const QStringMatcher graph(u"Wait-for graph"_s);
        m_hasLocks = has(m_text, mode());
        m_hasDeadlock = has(m_text, word);
        m_hasBlocked = has(m_text, blocked);
        m_hasGraph = has(m_text, graph) || m_text.contains(u"process-list"_s);
        readSqlServer();
        readPostgres();
        noteRest();
        if (isMoreMentioned() && readCarried())
            noteRest();
        std::ranges::stable_sort(m_found, {}, &FoundReport::first);
    }

    const QList<FoundReport>& found() const { return m_found; }
    const QList<Mention>& mentions() const { return m_mentions; }

private:
    void add(const QList<ReportPtr>& reports)
    {
        QString last; // an event may have many reports, which share its text
        qint64 lines = 0;
        for (const ReportPtr& report : reports) {
            const QString raw = report->raw;
            if (raw.constData() != last.constData())
                lines = countLines(raw);
            last = raw;
            const qint64 first = report->source.position;
            m_found << FoundReport{report, first, first + lines};
        }
    }

    void readSqlServer()
    {
        static const QStringMatcher element(u"<deadlock"_s, Qt::CaseInsensitive);
        static const QStringMatcher escaped(u"lt;deadlock"_s, Qt::CaseInsensitive);
        const qsizetype deadlock = m_hasDeadlock ? element.indexIn(m_text) : -1;
        m_hasXml = deadlock >= 0 || m_hasBlocked || (m_hasDeadlock && has(m_text, escaped));
        if (m_hasXml && (deadlock < 0 || !isEscapedXml(m_text, deadlock)))
            add(readSqlServerXml(m_text, m_place));
        if (m_found.isEmpty() && m_hasGraph)
            add(readSqlServerLog(m_text, m_place));
    }

    // Also where a report of SQL Server was found: it may only be in a statement of a log.
    void readPostgres()
    {
        const qsizetype before = m_found.size();
        static const QStringMatcher code(u"40P01"_s);
        if (has(m_text, code)) {
            if (m_isCsvlog)
                add(readPostgresCsv(m_text, m_place));
            add(readPostgresJson(m_text, m_place));
        }
        if (m_found.size() == before && m_hasLocks && (m_isCsvlog || !isCsv(m_text)))
            add(readPostgresText(m_text, m_place));
    }

    /// Returns whether the text speaks of a deadlock where no report was read.
    bool isMoreMentioned() const
    {
        if (m_found.isEmpty() && (m_hasXml || m_hasGraph))
            return true;
        if (!m_hasLocks && !m_hasDeadlock)
            return false;
        return !m_isCsvlog && (has(m_rest, mode()) || !m_mentions.isEmpty());
    }

    /// Returns false if nothing came of it.
    bool readCarried()
    {
        const qsizetype before = m_found.size();
        for (const CarriedText& lines : unwrapped(m_rest)) {
            m_found << readSqlServerOf(lines);
            const PastedPostgres pasted = readPastedPostgres(lines, m_place);
            for (const PastedPostgres::Found& each : pasted.found)
                m_found << FoundReport{each.report, std::min(each.report->source.position, each.lastLine),
                    std::max(each.report->source.position, each.lastLine)};
            m_quoted += pasted.quoted;
        }
        return m_found.size() != before || !m_quoted.isEmpty();
    }

    /// Puts empty lines in place of the reports that were read, and finds what else speaks of deadlocks.
    void noteRest()
    {
        m_rest = m_found.isEmpty() ? m_text : QString();
        QList<FoundReport> read = m_found;
        std::ranges::stable_sort(read, {}, &FoundReport::first);
        qint64 line = 1;
        qsizetype at = 0;
        const auto skipTo = [&](qint64 next, bool isKept) {
            const qsizetype begin = at;
            for (; line < next && at < m_text.size(); ++line) {
                const qsizetype end = m_text.indexOf(u'\n', at);
                at = end < 0 ? m_text.size() : end + 1;
                if (!isKept)
                    m_rest += u'\n';
            }
            if (isKept)
                m_rest += QStringView(m_text).mid(begin, at - begin);
        };
        for (const FoundReport& each : read) {
            skipTo(each.first, true);
            skipTo(each.last + 1, false);
        }
        if (!read.isEmpty())
            m_rest += QStringView(m_text).mid(at);
        m_mentions = mentionsIn(m_rest, m_quoted, m_isCsvlog);
    }

    QList<FoundReport> readSqlServerOf(const CarriedText& lines) const
    {
        if (!m_hasXml && !m_hasGraph)
            return {};
        const QString text = textOfEach(lines, &CarriedLine::text).join(u'\n');
        QList<ReportPtr> reports;
        if (text.contains(u"<deadlock"_s) || text.contains(u"<blocked-process-report"_s))
            reports = readSqlServerXml(text, m_place);
        if (reports.isEmpty() && (text.contains(u"process-list"_s) || text.contains(u"Wait-for graph"_s)))
            reports = readSqlServerLog(text, m_place);
        QList<FoundReport> found;
        for (const ReportPtr& report : reports) {
            const qsizetype first = qsizetype(report->source.position) - 1;
            const qsizetype last =
                std::min<qsizetype>(first + countLines(report->raw.text()), lines.size() - 1);
            auto copy = std::make_shared<DeadlockReport>(*report);
            copy->source.position = lines[first].number;
            found << FoundReport{
                copy, lines[first].number, std::max(lines[first].number, lines[last].number)};
        }
        return found;
    }

    const QString& m_text;
    const QString& m_place;
    const bool m_isCsvlog;
    QList<FoundReport> m_found;
    QString m_rest; ///< the text without what was read
    QSet<qint64> m_quoted;
    QList<Mention> m_mentions;
    bool m_hasLocks = false;
    bool m_hasDeadlock = false;
    bool m_hasBlocked = false;
    bool m_hasGraph = false;
    bool m_hasXml = false;
};

/// The start of a line, from 1; the size behind the last one.
qsizetype lineStart(const QString& text, qint64 line)
{
    qsizetype at = 0;
    for (; line > 1; --line) {
        const qsizetype found = text.indexOf(u'\n', at);
        if (found < 0)
            return text.size();
        at = found + 1;
    }
    return at;
}

/// Returns the first line that the next piece has to begin with.
qint64 nextLine(const QList<FoundReport>& found, qint64 lineCount, qint64 tail)
{
    qint64 next = tail;
    for (const FoundReport& each : found)
        if (each.first < tail && each.last < lineCount)
            next = std::max(next, each.last + 1);
    for (const FoundReport& each : found)
        if (each.first >= tail || each.last >= lineCount)
            next = std::min(next, each.first);
    return next;
}

} // namespace

bool isDeadlockMessage(const QString& line)
{
    constexpr qsizetype maxLine = 4'000;
    return productOf(QStringView(line).left(maxLine)) == Product::Postgres;
}

QList<Mention> mentionsIn(const QString& text, const QSet<qint64>& quoted, bool isCsvlog)
{
    constexpr qsizetype maxLine = 20'000;
    constexpr qsizetype maxNear = 2'000;
    QList<Mention> mentions;
    qint64 number = 1;
    qsizetype end = 0; // of the line before
    qint64 victimsNumber = -1; // its line: the message itself may follow
    for (qsizetype at = nextMarker(text, 0); at >= 0 && mentions.size() < maxMentions;
         at = nextMarker(text, end)) {
        const qsizetype begin = at == 0 ? 0 : text.lastIndexOf(u'\n', at - 1) + 1;
        number += countLines(QStringView(text).mid(end, begin - end));
        const qsizetype found = text.indexOf(u'\n', at);
        end = found < 0 ? text.size() : found;
        const QString line = text.mid(begin, std::min(end - begin, maxLine));
        const auto product = productOf(line);
        if (!product)
            continue;
        const MessagePart part = partOf(line);
        const bool isStatement = part.kind == PartKind::Statement || part.kind == PartKind::Log
            || isOpenStatement(line) || (isCsvlog && !line.contains(u"40P01"_s));
        const bool isNumber = isVictimsNumber(line);
        if (product == Product::SqlServer && !isNumber && number == victimsNumber + 1)
            mentions.removeLast();
        victimsNumber = isNumber ? number : -1;
        // The line and the ones below it.
        const QStringList near = text.mid(begin, maxNear).split(u'\n').mid(0, 6);
        mentions << mentionOf(line, *product, isStatement || quoted.contains(number), near);
        mentions.last().line = number;
    }
    return mentions;
}

PieceCut cutOf(const QString& text)
{
    const bool isJson = text.startsWith(u'{') || text.startsWith(u'[');
    if (isCsvlog(text) || (!isJson && text.left(2'000).section(u'\n', 0, 0).contains(u",\""_s))) {
        bool isQuoted = false;
        qsizetype end = 0;
        for (qsizetype i = 0; i < text.size(); ++i)
            if (text[i] == u'"')
                isQuoted = !isQuoted;
            else if (text[i] == u'\n' && !isQuoted)
                end = i + 1;
        if (end > 0)
            return {end, true};
    }
    if (const qsizetype line = text.lastIndexOf(u'\n'); line >= text.size() / 2)
        return {line + 1, false};
    for (const QString& end : {u"</event>"_s, u"</deadlock>"_s, u"</deadlock-list>"_s, u"},"_s, u"}"_s})
        if (const qsizetype found = text.lastIndexOf(end); found >= text.size() / 2)
            return {found + end.size(), true};
    return {};
}

PieceRead readPieceOf(const QString& text, const QString& place, TextEnd end)
{
    PieceReader reader(text, place);
    reader.run();
    PieceRead read;
    qint64 next = std::numeric_limits<qint64>::max();
    read.consumed = text.size();
    if (end == TextEnd::Torn) {
        const qsizetype open = text.lastIndexOf(u'\n', std::max<qsizetype>(text.size() - openText, 1)) + 1;
        const qint64 lines = countLines(QStringView(text).left(open));
        next = nextLine(reader.found(), lines + countLines(QStringView(text).mid(open)), lines + 1);
        read.consumed = lineStart(text, next);
    }
    for (const FoundReport& each : reader.found())
        if (each.first < next)
            read.reports << each.report;
    for (const Mention& each : reader.mentions())
        if (each.line < next)
            read.mentions << each;
    return read;
}

} // namespace lockscope::deadlock
