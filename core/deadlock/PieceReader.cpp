// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/PieceReader.h"

#include "core/deadlock/Carrier.h"
#include "core/deadlock/LinePrefix.h"
#include "core/deadlock/PostgresReport.h"
#include "core/deadlock/SqlServerReport.h"

#include <QRegularExpression>
#include <QStringMatcher>

#include <algorithm>
#include <limits>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

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
        QStringList plain;
        for (const CarriedLine& each : lines)
            plain << each.text;
        const QString text = plain.join(u'\n');
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
