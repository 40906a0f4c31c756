// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

#include "core/base/ServerTime.h"
#include "core/deadlock/LinePrefix.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <optional>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

constexpr int maxDepth = 4;
constexpr qsizetype maxWriters = 1'000; ///< more lie in one text: it only keeps them apart

bool isReported(QStringView text)
{
    return text.contains(u"Lock") || text.contains(u"eadlock") || text.contains(u"Process ");
}

/// Joins what is only escaped: "\n", "\t", "\"", "\u003e" of JSON and of programs.
QString withoutEscapes(QStringView text)
{
    QString plain;
    plain.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar next = i + 1 < text.size() ? text[i + 1] : QChar();
        if (text[i] != u'\\' || next.isNull()) {
            plain += text[i];
            continue;
        }
        bool isCode = false;
        const ushort code = next == u'u' ? text.mid(i + 2, 4).toUShort(&isCode, 16) : ushort(0);
        if (isCode && i + 5 < text.size()) {
            plain += QChar(code);
            i += 5;
            continue;
        }
        switch (next.unicode()) {
        case u'n':
            plain += u'\n';
            break;
        case u't':
            plain += u'\t';
            break;
        case u'r':
            break;
        case u'"':
        case u'\'':
        case u'\\':
        case u'/':
            plain += next;
            break;
        default:
            plain += text[i];
            plain += next;
        }
        ++i;
    }
    return plain;
}

/// Undoes the escapes of a page, and its tags: those that break a line do.
QString withoutHtml(const QString& text)
{
    static const QRegularExpression breaks(
        u"<(?:br|p|div|tr|li|pre)\\b[^<>]{0,300}>"_s, QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression tags(
        u"</?(?:br|p|div|tr|li|pre|code|span|td|th|table|tbody|ul|ol|blockquote|b|i|em|strong|a|html|body)\\b[^<>]{0,300}>"_s,
        QRegularExpression::CaseInsensitiveOption);
    static constexpr std::array<std::pair<QStringView, QStringView>, 10> entities{
        std::pair(QStringView(u"&lt;"), QStringView(u"<")),
        std::pair(QStringView(u"&gt;"), QStringView(u">")),
        std::pair(QStringView(u"&quot;"), QStringView(u"\"")),
        std::pair(QStringView(u"&#34;"), QStringView(u"\"")),
        std::pair(QStringView(u"&#39;"), QStringView(u"'")),
        std::pair(QStringView(u"&#x27;"), QStringView(u"'")),
        std::pair(QStringView(u"&#x22;"), QStringView(u"\"")),
        std::pair(QStringView(u"&apos;"), QStringView(u"'")),
        std::pair(QStringView(u"&nbsp;"), QStringView(u" ")),
        std::pair(QStringView(u"&amp;"), QStringView(u"&"))};
    QString plain = text;
    plain.replace(breaks, u"\n"_s).remove(tags);
    for (const auto& [entity, character] : entities)
        plain.replace(entity.toString(), character.toString());
    return plain;
}

/// Returns whether a text is escaped as JSON or programs do: what is to be read says so itself.
bool isEscaped(QStringView line)
{
    return line.contains(u'\\')
        && (line.contains(u"\\n") || line.contains(u"\\\"") || line.contains(u"\\u00")
            || line.contains(u"\\t"))
        && isReported(line);
}

/// Splits a message that lost its line ends: "DETAIL: Process 1 waits …; blocked by process 2. Process 2 …".
QString withLineEnds(const QString& line)
{
    static const QRegularExpression afterWait(u"(blocked by process \\d{1,10}\\.)\\s+(?=\\S)"_s);
    static const QRegularExpression beforePart(
        u"\\s+(?=(?:DETAIL|Detail|HINT|Hint|CONTEXT|Where|STATEMENT): )"_s);
    constexpr QStringView wait = u"blocked by process";
    const qsizetype first = line.size() > 100'000 ? -1 : line.indexOf(wait);
    if (first < 0 || line.indexOf(wait, first + 1) < 0)
        return line;
    return QString(line).replace(afterWait, u"\\1\n"_s).replace(beforePart, u"\n"_s);
}

/// The members of one object of a log service that are read.
struct Members {
    QString message, detail, hint, context, statement, severity, time, writer;
    qint64 number = 0; ///< of the first one's line

    bool isEmpty() const { return message.isEmpty() && detail.isEmpty(); }
};

/// Returns the member of that name, as the services, journald, docker and PostgreSQL's own JSON call it.
QString Members::*memberOf(const QString& name)
{
    static const QHash<QString, QString Members::*> names{{u"message"_s, &Members::message},
        {u"@message"_s, &Members::message}, {u"textpayload"_s, &Members::message},
        {u"log"_s, &Members::message}, {u"msg"_s, &Members::message}, {u"line"_s, &Members::message},
        {u"detail"_s, &Members::detail}, {u"detail_log"_s, &Members::detail}, {u"hint"_s, &Members::hint},
        {u"context"_s, &Members::context}, {u"where"_s, &Members::context},
        {u"statement"_s, &Members::statement}, {u"query"_s, &Members::statement},
        {u"errorlevel"_s, &Members::severity}, {u"error_severity"_s, &Members::severity},
        {u"timestamp"_s, &Members::time}, {u"@timestamp"_s, &Members::time}, {u"time"_s, &Members::time},
        {u"timegenerated"_s, &Members::time}, {u"__realtime_timestamp"_s, &Members::time},
        {u"container_name"_s, &Members::writer}, {u"_pid"_s, &Members::writer}};
    const auto found = names.constFind(name.toLower());
    return found == names.cend() ? nullptr : *found;
}

/// Returns whether the first cell in quotes, with a tab or nothing before it and quotes doubled in it, speaks
/// of a deadlock.
bool isSpreadsheet(QStringView text)
{
    const qsizetype quote = text.startsWith(u'"') ? 0 : text.indexOf(u"\t\"") + 1;
    if (quote == 0 && !text.startsWith(u'"'))
        return false;
    const qsizetype begin = text.left(quote).lastIndexOf(u'\n') + 1;
    const QStringView before = text.mid(begin, quote - begin);
    if (before.contains(u": ") || (quote > 0 && before.trimmed().isEmpty()))
        return false;
    qsizetype end = text.indexOf(u'"', quote + 1);
    while (end >= 0 && end + 1 < text.size() && text[end + 1] == u'"')
        end = text.indexOf(u'"', end + 2);
    const bool isClosed = end >= 0 && (end + 1 == text.size() || text[end + 1].isSpace());
    return isClosed && isReported(text.mid(quote, end - quote));
}

/// Returns what stands between the fields of records, some of which are in quotes; nothing: it is no records.
std::optional<QChar> separatorOf(const QString& text)
{
    constexpr qsizetype maxHead = 2'000;
    const qsizetype end = text.left(maxHead).indexOf(u'\n');
    const QStringView head = QStringView(text).left(end < 0 ? maxHead : end).trimmed();
    if (head.startsWith(u'{') || head.startsWith(u'[') || head.startsWith(u'<'))
        return std::nullopt;
    // A log's line has ": " before any quote; a record has a quote right behind a comma.
    const qsizetype label = head.indexOf(u": ");
    const qsizetype quote = head.indexOf(u",\"");
    if (head.startsWith(u"LogDate,") || (quote >= 0 && (label < 0 || quote < label))
        || (label < 0 && head.contains(u',') && (text.contains(u"\"\n"_s) || text.contains(u"\"\r\n"_s))))
        return u',';
    return isSpreadsheet(text) ? std::optional(QChar(u'\t')) : std::nullopt;
}

/// Log services show the newest first: a report's lines then stand upside down.
void putOldestFirst(CarriedText& lines)
{
    bool isDescending = false;
    for (qsizetype i = 1; i < lines.size(); ++i) {
        const int order = QString::compare(lines[i - 1].time, lines[i].time);
        if (order < 0 || lines[i - 1].time.size() != lines[i].time.size())
            return;
        isDescending |= order > 0;
    }
    if (!isDescending)
        return;
    std::ranges::reverse(lines);
    for (auto entry = lines.begin(); entry != lines.end();) {
        const auto end = std::find_if(
            entry, lines.end(), [&](const CarriedLine& each) { return each.entry != entry->entry; });
        std::reverse(entry, end);
        entry = end;
    }
}

class Unwrapper {
public:
    QList<CarriedText> run(const QString& text)
    {
        take(text, {});
        for (CarriedText& lines : m_texts)
            putOldestFirst(lines);
        return m_texts;
    }

private:
    /// The place at which a text stands.
    struct Origin {
        qint64 number = 1; ///< of its first line
        bool hasLines = true; ///< false: its lines are one of the source, as of a text of JSON
        int depth = 0;
        QString writer{};
        QString time{};

        Origin inside(qint64 line, const QString& part, const QString& at) const
        {
            return {.number = line, .hasLines = false, .depth = depth + 1, .writer = part, .time = at};
        }
    };

    void take(const QString& text, const Origin& origin)
    {
        const auto first = std::ranges::find_if(text, [](QChar c) { return !c.isSpace(); });
        if (first == text.end())
            return;
        const qsizetype begin = first - text.begin();
        const bool isBracket = *first == u'{' || *first == u'[' || *first == u'}' || *first == u']';
        const bool isJson = isMember(QStringView(text).mid(begin, 300))
            || (isBracket && (text.contains(u"\":"_s) || text.contains(u"\" :"_s)));
        if (origin.depth < maxDepth && isJson)
            takeJson(text, origin);
        else if (const auto separator = origin.depth == 0 ? separatorOf(text) : std::nullopt)
            takeCsv(text, *separator);
        else
            takeLines(text, origin);
    }

    /// `"textPayload": …`: the middle of a printed object.
    static bool isMember(QStringView text)
    {
        const qsizetype end = text.startsWith(u'"') ? text.indexOf(u"\":") : -1;
        return end > 0 && end < 80 && !text.left(end).contains(u'\n');
    }

    // --- JSON: pairs of names and values, wherever the text begins and ends

    struct Scan {
        const QString& text;
        qsizetype at = 0;
        qint64 number = 1;
    };

    static QString stringAt(Scan& scan)
    {
        const qsizetype begin = ++scan.at;
        for (; scan.at < scan.text.size() && scan.text[scan.at] != u'"'; ++scan.at) {
            if (scan.text[scan.at] == u'\\')
                ++scan.at;
            else if (scan.text[scan.at] == u'\n')
                ++scan.number; // ill-formed, but people break lines
        }
        const qsizetype end = std::min(scan.at, scan.text.size());
        scan.at = std::min(scan.at + 1, scan.text.size());
        return withoutEscapes(QStringView(scan.text).mid(begin, end - begin));
    }

    void takeJson(const QString& text, const Origin& origin)
    {
        Scan scan{text, 0, origin.number};
        QList<Members> open{{}}; // of the objects around, and of a text that begins within one
        QString name;
        QString stamp; // Loki has pairs of a time and a line
        int streams = 0;
        while (scan.at < text.size()) {
            const QChar c = text[scan.at];
            if (c == u'"') {
                const qint64 line = scan.number;
                const QString value = stringAt(scan);
                if (isFollowedByColon(scan)) {
                    name = value;
                    streams += value == u"values" ? 1 : 0;
                } else if (name.isEmpty() && isNanoseconds(value)) {
                    stamp = value;
                } else if (name.isEmpty() && !stamp.isEmpty()) {
                    ++m_entry;
                    take(value,
                        origin.inside(line, origin.writer + u'/' + QString::number(streams),
                            timeOf(std::exchange(stamp, {}))));
                } else {
                    takeMember(open.last(), std::exchange(name, {}), value, line, origin);
                }
                continue;
            }
            if (c == u'{' && open.size() < 64) {
                Members inner;
                inner.time = open.last().time;
                open << inner;
            } else if (c == u'}') {
                takeObject(open.last(), origin);
                if (open.size() > 1)
                    open.removeLast();
                else
                    open.last() = {};
            } else if (c.isDigit() && !name.isEmpty()) {
                takeMember(open.last(), std::exchange(name, {}), numberAt(scan), scan.number, origin);
                continue;
            } else if (c == u'\n') {
                ++scan.number;
            }
            ++scan.at;
        }
        for (; !open.isEmpty(); open.removeLast())
            takeObject(open.last(), origin);
    }

    static bool isFollowedByColon(Scan& scan)
    {
        while (scan.at < scan.text.size() && scan.text[scan.at].isSpace()) {
            scan.number += scan.text[scan.at] == u'\n' ? 1 : 0;
            ++scan.at;
        }
        return scan.at < scan.text.size() && scan.text[scan.at] == u':';
    }

    /// Seconds, milliseconds or microseconds since 1970, as services give times.
    static QString numberAt(Scan& scan)
    {
        const qsizetype begin = scan.at;
        while (scan.at < scan.text.size() && scan.text[scan.at].isDigit())
            ++scan.at;
        return scan.text.mid(begin, scan.at - begin);
    }

    static bool isNanoseconds(const QString& value)
    {
        return value.size() == 19 && std::ranges::all_of(value, [](QChar c) { return c.isDigit(); });
    }

    /// Nanoseconds stay: they tell in which order lines were written.
    static QString timeOf(const QString& value)
    {
        constexpr qsizetype fraction = 19; ///< behind "2026-11-22T03:12:07"
        bool isNumber = false;
        const qint64 number = value.toLongLong(&isNumber);
        if (!isNumber)
            return value;
        if (value.size() == 19)
            return ServerTime{number / 1'000}.toIsoString().left(fraction) + u'.' + value.right(9) + u'Z';
        const qint64 us = value.size() == 13 ? number * 1'000 : value.size() == 16 ? number : 0;
        return us == 0 ? QString() : ServerTime{us}.toIsoString();
    }

    void takeMember(
        Members& members, const QString& name, const QString& value, qint64 number, const Origin& origin)
    {
        if (const auto member = memberOf(name)) {
            if (member != &Members::time && member != &Members::writer && members.number == 0)
                members.number = number;
            members.*member = member == &Members::time ? timeOf(value) : value;
        } else if (isReported(value)) {
            ++m_entry;
            take(value, origin.inside(number, origin.writer + u'/' + name, members.time));
        }
    }

    /// PostgreSQL's own parts, each in a member: they are lines of one message.
    void takeObject(const Members& members, const Origin& origin)
    {
        if (members.isEmpty())
            return;
        Origin from = origin.inside(members.number, origin.writer + u'/' + members.writer, members.time);
        const bool isLabelled = !members.severity.isEmpty() && !hasPart(members.message);
        const QString head = isLabelled ? members.severity + u":  "_s + members.message : members.message;
        const qsizetype lines = m_lineCount;
        ++m_entry;
        if (!head.isEmpty())
            take(head, from);
        from.depth = maxDepth;
        const std::array<std::pair<QStringView, QString>, 4> parts{
            std::pair(QStringView(u"DETAIL"), members.detail), std::pair(QStringView(u"HINT"), members.hint),
            std::pair(QStringView(u"CONTEXT"), members.context),
            std::pair(QStringView(u"STATEMENT"), members.statement)};
        for (const auto& [label, part] : parts)
            if (!part.isEmpty() && (label != u"STATEMENT" || lines != m_lineCount))
                takeLines(label.toString() + u":  "_s + part, from);
    }

    static bool hasPart(const QString& message) { return partOf(message).kind != PartKind::None; }

    // --- CSV: records whose fields hold messages

    void takeCsv(const QString& text, QChar separator)
    {
        QStringList fields;
        QString field;
        bool isQuoted = false;
        qint64 number = 1;
        qint64 begin = 1;
        for (qsizetype i = 0; i <= text.size(); ++i) {
            const QChar c = i < text.size() ? text[i] : u'\n';
            if (isQuoted && i < text.size()) {
                number += c == u'\n' ? 1 : 0;
                if (c != u'"')
                    field += c;
                else if (i + 1 < text.size() && text[i + 1] == u'"')
                    field += text[++i];
                else
                    isQuoted = false;
            } else if (c == u'"' && field.isEmpty()) {
                isQuoted = true;
            } else if (c == separator || c == u'\n') {
                fields << std::exchange(field, {});
                if (c == u'\n') {
                    takeRecord(fields, begin);
                    fields.clear();
                    begin = ++number;
                }
            } else if (c != u'\r') {
                field += c;
            }
        }
    }

    void takeRecord(const QStringList& fields, qint64 number)
    {
        static const QRegularExpression writes(u"^(?:spid\\d+s?|Server|Logon|Backup)$"_s);
        QString time;
        ++m_entry;
        for (const QString& field : fields)
            if (time.isEmpty() && hasClock(field))
                time = field;
        // A row of sp_readerrorlog: date, writer, text.
        if (fields.size() >= 3 && writes.match(fields[1].trimmed()).hasMatch()) {
            takeLines(fields[0].trimmed() + u'\t' + fields[1].trimmed() + u'\t' + fields.mid(2).join(u','),
                {.number = number, .depth = maxDepth});
            return;
        }
        for (const QString& field : fields)
            if (field != time && isReported(field))
                take(field, {.number = number, .depth = 1, .time = time});
            else if (field.contains(u':') && partOf(field).kind != PartKind::None)
                takeLines(field, {.number = number, .depth = maxDepth, .time = time});
    }

    // --- lines, each with something before it

    void takeLines(const QString& text, Origin origin)
    {
        const bool isPage =
            (text.contains(u'&')
                && (text.contains(u"&lt;"_s) || text.contains(u"&gt;"_s) || text.contains(u"&quot;"_s)
                    || text.contains(u"&#39;"_s) || text.contains(u"&#x27;"_s)))
            || (text.contains(u'<')
                && (text.contains(u"<br"_s) || text.contains(u"<pre"_s) || text.contains(u"<code"_s)));
        bool begins = origin.depth > 0 && !text.isEmpty() && !text[0].isSpace();
        const qsizetype indent = indentOf(text);
        const auto grep = origin.depth == 0 ? grepFormOf(text) : std::nullopt;
        for (qsizetype at = 0; at < text.size(); origin.number += origin.hasLines ? 1 : 0) {
            const qsizetype found = text.indexOf(u'\n', at);
            const qsizetype end = found < 0 ? text.size() : found;
            QString line = text.mid(at, end - at);
            at = end + 1;
            if (line.endsWith(u'\r'))
                line.chop(1);
            for (qsizetype i = 0; i < indent && line.startsWith(u' '); ++i)
                line.remove(0, 1);
            if (grep && line == u"--")
                continue;
            if (grep)
                line.remove(0, endOfGrepPrefix(line, *grep) + 1);
            // A page may be escaped once more where it is quoted.
            for (int i = 0; i < 2 && isPage && line.contains(isEntityOrTag()); ++i)
                line = withoutHtml(line);
            if (isEscaped(line)) {
                if (line.endsWith(u'"') && !line.endsWith(u"\\\""_s))
                    line.chop(1); // it closes the text
                line = withoutEscapes(line);
            }
            eachLine(
                line, [&](const QString& each) { takeLine(each, origin, std::exchange(begins, false)); });
        }
    }

    /// Most texts are one line, which costs nothing.
    template <class Take> static void eachLine(const QString& text, Take take)
    {
        if (!text.contains(u'\n'))
            return take(text);
        for (const QString& each : text.split(u'\n'))
            take(each);
    }

    /// Blanks before each line that begins a message.
    static qsizetype indentOf(const QString& text)
    {
        constexpr qsizetype maxText = 1'000'000; // what is larger was not written into a ticket
        constexpr qsizetype maxIndent = 80;
        qsizetype indent = maxIndent;
        for (qsizetype at = 0; at < text.size() && text.size() < maxText && indent > 0;) {
            const qsizetype found = text.indexOf(u'\n', at);
            const qsizetype end = found < 0 ? text.size() : found;
            const QStringView line = QStringView(text).mid(at, end - at);
            at = end + 1;
            const auto first = std::ranges::find_if(line, [](QChar c) { return c != u' '; });
            const qsizetype blanks = first - line.begin();
            const MessagePart part = blanks < indent ? partOf(line) : MessagePart();
            if (blanks < indent && (hasClock(line.mid(blanks)) || (part.isServers && part.label == blanks)))
                indent = blanks;
        }
        return indent == maxIndent ? 0 : indent;
    }

    static const QRegularExpression& isEntityOrTag()
    {
        static const QRegularExpression either(
            u"&(?:lt|gt|quot|amp|nbsp|apos|#39|#34|#x27|#x22);|<[a-zA-Z/]"_s);
        return either;
    }

    void takeLine(const QString& line, const Origin& origin, bool begins)
    {
        const LinePrefix prefix = withoutPrefix(line);
        const QString writer = origin.writer + prefix.writer;
        const QString time = prefix.time.isEmpty() ? origin.time : prefix.time;
        m_entry += prefix.time.isEmpty() ? 0 : 1;
        if (prefix.text.startsWith(u'{') && prefix.text.contains(u"\":"_s) && origin.depth < maxDepth) {
            takeJson(prefix.text, origin.inside(origin.number, writer, time));
            return;
        }
        eachLine(withLineEnds(prefix.text), [&](const QString& each) {
            if (!prefix.isPiece || !goesOn(writer, each))
                add(writer,
                    {.text = each,
                        .number = origin.number,
                        .entry = m_entry,
                        .time = time,
                        .begins = std::exchange(begins, false)});
        });
    }

    /// Syslog cuts long lines: a piece that no tab begins goes on with the one before.
    bool goesOn(const QString& writer, const QString& piece)
    {
        constexpr qsizetype cutFrom = 700;
        const auto known = m_places.constFind(writer);
        if (known == m_places.cend() || m_texts[*known].isEmpty() || piece.startsWith(u'\t'))
            return false;
        QString& last = m_texts[*known].last().text;
        if (last.size() < cutFrom || last.size() > 1'000'000)
            return false;
        last += piece;
        return true;
    }
    void add(const QString& writer, const CarriedLine& line)
    {
        auto place = m_places.constFind(writer);
        if (place == m_places.cend()) {
            if (m_texts.size() < maxWriters)
                m_texts.append(CarriedText());
            place = m_places.insert(writer, int(m_texts.size()) - 1);
        }
        m_texts[*place] << line;
        ++m_lineCount;
    }

    QList<CarriedText> m_texts;
    QHash<QString, int> m_places; ///< of a writer's text
    qsizetype m_lineCount = 0;
    int m_entry = 0;
};

} // namespace

QList<CarriedText> unwrapped(const QString& text)
{
    return Unwrapper().run(text);
}

bool isCsv(const QString& text)
{
    return separatorOf(text).has_value();
}

bool isOpenStatement(QStringView line)
{
    static const QRegularExpression verb(
        u"\\b(?:select|insert|update|delete|merge|values|call|exec|execute|statement|query|raise)\\b"_s,
        QRegularExpression::CaseInsensitiveOption);
    constexpr qsizetype maxLine = 20'000;
    const qsizetype quotes = line.left(maxLine).count(u'\'') + line.left(maxLine).count(u'$') / 2;
    return quotes % 2 == 1 && verb.match(line.left(maxLine).toString()).hasMatch();
}

} // namespace lockscope::deadlock
