// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/LinePrefix.h"
#include "core/deadlock/PostgresReport.h"
#include "core/deadlock/ReadReports.h"

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxPartLines = 5'000;

/// "  'Process 4711 waits …": without the blanks, quotes and brackets that programs put around texts.
QStringView bare(QStringView line)
{
    while (!line.isEmpty() && (line[0].isSpace() || line[0] == u'"' || line[0] == u'\'' || line[0] == u'`'))
        line = line.mid(1);
    return line.trimmed();
}

bool saysNothing(QStringView line)
{
    return std::ranges::none_of(line, [](QChar c) { return c.isLetterOrNumber(); });
}

/// The rest that follows a client's message: a stack, a fence of Markdown, the program's own remarks.
bool endsMessage(QStringView line)
{
    static constexpr QStringView beginnings[] = {u"```", u"~~~", u"at ", u"File \"", u"Traceback",
        u"[parameters", u"(Background on", u"Caused by", u"...", u"</", u"from /", u"goroutine "};
    const QStringView text = line.trimmed();
    return std::any_of(std::begin(beginnings), std::end(beginnings),
        [text](QStringView beginning) { return text.startsWith(beginning); });
}

/// The parts that follow the detail.
bool isTrailing(PartKind kind)
{
    return kind == PartKind::Hint || kind == PartKind::Context || kind == PartKind::Statement;
}

class PastedReader {
public:
    PastedReader(const CarriedText& lines, const QString& place)
        : m_lines(lines)
        , m_place(place)
        , m_areAllTimed(
              std::ranges::all_of(lines, [](const CarriedLine& each) { return !each.time.isEmpty(); }))
    {
    }

    PastedPostgres run()
    {
        for (qsizetype i = 0; i < m_lines.size();) {
            noteEntry(i);
            const qsizetype next = m_lines[i].text.contains(u"eLock"_s) ? take(i) : i + 1;
            if (next == i + 1 && isDeadlockMessage(m_lines[i].text)) {
                m_marker = i;
                if (m_isContent)
                    m_all.quoted.insert(m_lines[i].number);
            }
            i = std::max(next, i + 1);
        }
        return m_all;
    }

private:
    const QString& text(qsizetype line) const { return m_lines[line].text; }

    /// A message begins in the line: the carrier says so, or a time or label of the server does.
    bool beginsEntry(qsizetype line) const
    {
        if (m_lines[line].begins || (!m_areAllTimed && !m_lines[line].time.isEmpty()) || hasClock(text(line)))
            return true;
        if (m_hasPrefixes || text(line).isEmpty() || text(line)[0].isSpace())
            return false;
        const MessagePart part = partOf(text(line));
        return part.kind != PartKind::None && part.label == 0 && part.isServers;
    }

    void noteEntry(qsizetype line)
    {
        if (!beginsEntry(line)) {
            // The quote that a statement has left open closes in some line.
            if (m_isOpen && text(line).count(u'\'') % 2 == 1)
                m_isOpen = false;
            return;
        }
        const bool hasPrefix = hasClock(text(line)) || m_lines[line].begins;
        m_hasPrefixes |= hasPrefix;
        // Prefixes within an open quote are part of it, too; but a comment may hold a single quote.
        constexpr qsizetype longest = 200;
        if (m_isOpen && (!hasPrefix || line - m_entry < longest)) {
            m_isOpen = text(line).count(u'\'') % 2 == 0;
            return;
        }
        m_before = m_entry;
        m_entry = line;
        m_isOpen = isOpenStatement(text(line));
        m_isContent = m_isOpen || isContent(text(line));
    }

    /// Returns whether the lines below are a statement's or a value's, whatever stands in them.
    static bool isContent(const QString& line)
    {
        const MessagePart part = partOf(line);
        switch (part.kind) {
        case PartKind::None:
            return line.startsWith(u"statement: "_s) || line.startsWith(u"execute "_s);
        case PartKind::Error:
            return part.isServers && !isDeadlockMessage(line);
        case PartKind::Remark:
            return part.isServers;
        case PartKind::Log:
        case PartKind::Detail:
        case PartKind::Hint:
        case PartKind::Context:
        case PartKind::Statement:
            return true;
        }
        return false;
    }

    QString prefixOf(qsizetype line) const { return text(line).left(partOf(text(line)).label); }

    /// The first of the waits may stand in the line: behind a label, or alone below the message.
    qsizetype take(qsizetype line)
    {
        const QStringView whole = text(line);
        const MessagePart part = partOf(whole);
        const qsizetype colon =
            whole.left(1'000).lastIndexOf(u": ", std::max<qsizetype>(whole.indexOf(u"Lock"), 0));
        const qsizetype behind = part.kind == PartKind::Detail ? part.text : colon < 0 ? 0 : colon + 2;
        const bool isLabelled = behind > 0;
        if (!waitLineOf(bare(whole.mid(behind))))
            return line + 1;
        constexpr qsizetype near = 6;
        const bool isMarked = m_marker >= 0 && line - m_marker <= near && m_marker >= m_entry - near;
        const bool isOwnEntry = m_entry == line;
        const bool isQuoted = isOwnEntry
            ? part.kind != PartKind::Detail && part.kind != PartKind::None && part.kind != PartKind::Error
            : m_isContent;
        QStringList ring;
        const qsizetype end = ringAt(line, behind, ring);
        const bool isReported = isMarked || (isLabelled && part.kind == PartKind::Detail);
        return isReported && !isQuoted && beginsWithRing(ring) ? read(line, end, ring) : end;
    }

    /// Collects the lines that say who waits, up to the one that closes the ring; returns the line behind.
    qsizetype ringAt(qsizetype line, qsizetype behind, QStringList& ring)
    {
        ring << bare(QStringView(text(line)).mid(behind)).toString();
        qsizetype at = line + 1;
        for (int skipped = 0; at < m_lines.size() && skipped < 4; ++at) {
            const QString whole = withoutLeader(line, at);
            const QStringView next = bare(whole);
            if (saysNothing(next)) {
                ++skipped;
                continue;
            }
            if (!waitLineOf(next))
                break;
            ring << next.toString();
            skipped = 0;
            if (closes(ring)) {
                ++at;
                break;
            }
        }
        return at;
    }

    /// Returns whether the last one waits for the first.
    static bool closes(const QStringList& ring)
    {
        const auto first = waitLineOf(ring.first());
        const auto last = waitLineOf(ring.last());
        return first && last && last->blocker == first->waiter;
    }

    /// The line without what all lines of an unknown carrier begin with.
    QString withoutLeader(qsizetype first, qsizetype line)
    {
        const QStringView whole = text(line);
        if (m_leader.isEmpty() && whole.contains(u"eLock") && !waitLineOf(bare(whole))) {
            const QStringView one = text(first);
            const qsizetype size = std::min(one.size(), whole.size());
            qsizetype same = 0;
            while (same < size && same < 200 && one[same] == whole[same])
                ++same;
            if (same > 2 && waitLineOf(bare(whole.mid(same))))
                m_leader = whole.left(same).toString();
        }
        return !m_leader.isEmpty() && whole.startsWith(m_leader) ? text(line).mid(m_leader.size())
                                                                 : text(line);
    }

    /// The line of the message above its detail, or below where a service lists the newest first; -1: none.
    qsizetype errorOf(qsizetype detail) const
    {
        if (m_entry != detail) {
            const bool isAbove = m_marker >= 0 && m_marker >= m_entry && detail - m_marker <= 20;
            return isAbove ? m_marker : m_entry;
        }
        const QString prefix = prefixOf(detail);
        const auto isError = [&](qsizetype line) {
            const PartKind kind = partOf(text(line)).kind;
            return (kind == PartKind::Error || kind == PartKind::None) && isDeadlockMessage(text(line))
                && (kind == PartKind::None || isOfOneEntry(prefixOf(line), prefix));
        };
        if (m_before >= 0 && detail - m_before <= 20 && isError(m_before))
            return m_before;
        if (m_marker >= 0 && detail - m_marker <= 4)
            return m_marker;
        for (qsizetype line = detail + 1; line < m_lines.size() && line <= detail + 30; ++line)
            if (beginsEntry(line) && isError(line))
                return line;
        return -1;
    }

    qsizetype read(qsizetype line, qsizetype end, const QStringList& ring)
    {
        PostgresEntry entry;
        const qsizetype error = errorOf(line);
        const QString prefix = prefixOf(m_entry == line || error < 0 ? line : error);
        readLogPrefix(prefix, entry);
        const QString& time = m_lines[line].time;
        const qsizetype clock = m_entry >= 0 ? m_entry : line;
        if (!postgresTime(entry.time).at) {
            if (hasClock(text(clock)))
                entry.time = text(clock).left(40);
            if (!time.isEmpty() && !postgresTime(entry.time).at)
                entry.time = time;
        }
        QStringList detail = ring;
        m_entryPrefix = m_entry == line ? prefix : QString();
        m_isOwnEntry = m_entry == line;
        const qsizetype last = takeParts(line, end, detail, entry);
        entry.detail = detail;
        auto report = readPostgresEntry(entry);
        if (!report)
            return end;
        const qsizetype first = error >= 0 && error < line ? error : line;
        QStringList raw;
        for (qsizetype i = first; i < last; ++i)
            raw << text(i);
        PastedPostgres::Found found{postgresReport(std::move(*report), m_place, SourceFormat::PostgresText,
                                        m_lines[first].number, raw.join(u'\n')),
            m_lines[last - 1].number};
        if (error >= last)
            found.lastLine = std::max(found.lastLine, m_lines[error].number);
        m_all.found << found;
        m_marker = -1;
        m_leader.clear();
        return last;
    }

    /// Reads statements, context and the victim's statement below the ring; returns the line behind them.
    qsizetype takeParts(qsizetype first, qsizetype at, QStringList& detail, PostgresEntry& entry)
    {
        QStringList context;
        QStringList statement;
        QStringList hint; // says nothing that is kept
        QStringList* part = nullptr;
        qsizetype last = at;
        for (qsizetype count = 0; at < m_lines.size() && count < maxPartLines; ++at, ++count) {
            const QString line = withoutLeader(first, at);
            const bool begins = beginsEntry(at);
            const MessagePart named = partOf(line);
            const bool isPart = isTrailing(named.kind);
            if (begins && !(isPart && m_isOwnEntry && isOfOneEntry(prefixOf(at), m_entryPrefix))
                && !(isPart && m_lines[at].begins))
                break;
            const bool isOwn = begins || (isPart && saysNothing(QStringView(line).left(named.label)));
            if (isPart && isOwn) {
                part = named.kind == PartKind::Context  ? &context
                    : named.kind == PartKind::Statement ? &statement
                                                        : &hint;
                part->clear();
                *part << line.mid(named.text);
            } else if (endsMessage(line)
                || (named.kind != PartKind::None && !begins && part != &statement && part != &detail)) {
                break;
            } else if (line.trimmed().isEmpty()) {
                if (!goesOn(first, at))
                    break;
                if (part)
                    *part << QString();
            } else if (!part && !headingOf(bare(line))) {
                if (!saysNothing(line))
                    break;
            } else {
                if (!part)
                    part = &detail;
                const QString text = line.trimmed();
                *part << (part == &detail && headingOf(text) ? text : withoutTab(line));
            }
            last = at + 1;
        }
        entry.context = context.join(u'\n');
        entry.statement = statement.join(u'\n').trimmed();
        if (entry.statement.endsWith(u']') && entry.statement.count(u'[') < entry.statement.count(u']'))
            entry.statement.chop(1); // SQLAlchemy writes "[SQL: …]"
        return last;
    }

    /// An empty line belongs to a statement, or ends the message: what follows tells.
    bool goesOn(qsizetype first, qsizetype at)
    {
        for (qsizetype next = at + 1; next < m_lines.size() && next < at + 4; ++next) {
            const QString line = withoutLeader(first, next);
            if (line.trimmed().isEmpty())
                continue;
            const MessagePart named = partOf(line);
            const bool isPart = isTrailing(named.kind);
            return isPart && (named.label < 3 || beginsEntry(next));
        }
        return false;
    }

    static QString withoutTab(const QString& line)
    {
        if (line.startsWith(u'\t'))
            return line.mid(1);
        return line.startsWith(u"        "_s) ? line.trimmed() : line;
    }

    const CarriedText& m_lines;
    const QString& m_place;
    PastedPostgres m_all;
    bool m_areAllTimed = false;
    bool m_hasPrefixes = false; ///< then labels without one begin no message
    bool m_isContent = false; ///< of the message that was begun last
    bool m_isOpen = false;
    bool m_isOwnEntry = false;
    qsizetype m_entry = -1; ///< the line that begins the present message
    qsizetype m_before = -1; ///< that of the message before
    qsizetype m_marker = -1; ///< the last one that says "deadlock detected"
    QString m_leader;
    QString m_entryPrefix;
};

} // namespace

PastedPostgres readPastedPostgres(const CarriedText& lines, const QString& place)
{
    return PastedReader(lines, place).run();
}

} // namespace lockscope::deadlock
