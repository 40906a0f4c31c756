// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/PostgresLogReader.h"

#include "core/base/ShownText.h"
#include "core/deadlock/PostgresReport.h"

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// Text on standard error that is so near to the end may belong to an entry whose other lines come later.
constexpr qsizetype openText = 16'384;

qsizetype lineStart(const QByteArray& bytes, qsizetype at)
{
    return bytes.lastIndexOf('\n', std::max<qsizetype>(at, 1) - 1) + 1;
}

/// The place behind the last line, or with quotes the last record, that is whole.
qsizetype endOfComplete(const QByteArray& bytes, SourceFormat format)
{
    if (format != SourceFormat::PostgresCsv)
        return bytes.lastIndexOf('\n') + 1;
    bool isQuoted = false;
    qsizetype end = 0;
    for (qsizetype i = 0; i < bytes.size(); ++i) {
        if (bytes[i] == '"')
            isQuoted = !isQuoted;
        else if (bytes[i] == '\n' && !isQuoted)
            end = i + 1;
    }
    return end;
}

/// Returns whether a record of csvlog begins with the line at `at`, of whatever stands before it. A line
/// within a record's quotes may begin with a time, too; but there each quote is doubled, and behind the one
/// that closes comes a comma or the line's end. So those of a session, which tell a user, are known; those
/// without one are passed over.
bool isSurelyRecord(const QByteArray& bytes, qsizetype at)
{
    constexpr qsizetype maxTimeLength = 80;
    const QByteArray line = bytes.mid(at, maxTimeLength);
    const bool isTime = line.size() > 20 && line[4] == '-' && line[7] == '-' && line[10] == ' '
        && line[13] == ':' && line[16] == ':';
    const qsizetype comma = line.indexOf(',');
    return isTime && comma > 0 && comma + 2 < line.size() && !line.left(comma).contains('\n')
        && line[comma + 1] == '"' && line[comma + 2] != '"' && line[comma + 2] != ','
        && line[comma + 2] != '\n' && line[comma + 2] != '\r';
}

QList<ReportPtr> readText(const QString& text, SourceFormat format, const QString& place)
{
    constexpr auto all = PostgresEvents::DeadlocksAndWaits;
    if (format == SourceFormat::PostgresCsv)
        return readPostgresCsv(text, place, all);
    return format == SourceFormat::PostgresJson ? readPostgresJson(text, place, all)
                                                : readPostgresText(text, place, all);
}

/// Walks through the lines in their order.
class Lines {
public:
    explicit Lines(const QByteArray& bytes)
        : m_bytes(bytes)
    {
    }
    /// Returns the start of the `number`th line, from 1; not before the one requested last.
    qsizetype begin(qint64 number)
    {
        for (; m_line < number; ++m_line) {
            const qsizetype end = m_bytes.indexOf('\n', m_at);
            if (end < 0)
                break;
            m_at = end + 1;
        }
        return m_at;
    }

private:
    const QByteArray& m_bytes;
    qint64 m_line = 1;
    qsizetype m_at = 0;
};

constexpr qint64 knownBefore = 64; ///< bytes
/// The lines of one entry are written at once: behind what is older no more of it comes. File systems that
/// keep full seconds only are allowed for.
constexpr microseconds quiet{2'000'000};
constexpr microseconds sameSize{500'000};
/// A name comes again after hours or days.
constexpr microseconds sameFile{60'000'000};

} // namespace

LogPiece readLogPiece(const QByteArray& bytes, SourceFormat format, const QString& place, Behind behind)
{
    LogPiece piece;
    const qsizetype whole = behind == Behind::Nothing ? bytes.size() : endOfComplete(bytes, format);
    const QByteArray text = bytes.left(whole);
    piece.consumed = whole;
    const bool isText = format == SourceFormat::PostgresText;
    const QByteArray sign = "eLock"; // each entry that is read has the name of a mode
    // The last line may be the message whose detail comes with the next piece.
    if (isText && behind == Behind::More)
        piece.consumed = lineStart(text, text.size() - 1);
    if (!text.contains(sign))
        return piece;
    Lines lines(text);
    const QList<ReportPtr> reports =
        readText(textFromUtf8({text.constData(), size_t(text.size())}), format, place);
    for (const ReportPtr& report : reports)
        piece.found << LogPiece::Found{report, lines.begin(report->source.position)};
    if (!isText || behind != Behind::More)
        return piece;
    const qsizetype open = lineStart(text, text.size() - openText);
    if (text.indexOf(sign, open) >= 0)
        piece.consumed = open;
    if (!piece.found.isEmpty()) {
        // An entry that reaches to the very end may go on.
        const LogPiece::Found last = piece.found.last();
        const QString raw = last.report->raw;
        const qint64 lineCount = raw.count(u'\n') + (raw.endsWith(u'\n') ? 0 : 1);
        if (lines.begin(last.report->source.position + lineCount) >= text.size()) {
            piece.consumed = std::min(piece.consumed, last.begin);
            piece.found.removeLast();
            piece.isWaiting = true;
        }
    }
    return piece;
}

qsizetype firstEntryOf(const QByteArray& bytes, SourceFormat format)
{
    for (qsizetype at = bytes.indexOf('\n') + 1; at > 0; at = bytes.indexOf('\n', at) + 1)
        if (format == SourceFormat::PostgresCsv ? isSurelyRecord(bytes, at) : bytes.mid(at, 1) != "\t")
            return at;
    return bytes.size();
}

void PostgresLogReader::goTo(const LogFile& file, qint64 offset)
{
    m_file = file.name();
    m_modified = file.modified;
    m_at = {};
    m_at.offset = offset;
    m_at.given = offset;
    m_isWithinLine = offset > 0;
    m_sizeBefore = -1;
}

/// Begins the first poll: at the log's end, or at the oldest file that may have entries of the requested
/// time.
Result<void> PostgresLogReader::begin(PostgresLog& log, Part& part, const std::stop_token& stop)
{
    const QList<LogFile>& files = log.files();
    if (m_since) {
        const auto first =
            std::ranges::find_if(files, [this](const LogFile& each) { return each.modified >= *m_since; });
        if (first == files.cend()) {
            goTo(files.last(), files.last().size);
        } else {
            goTo(*first, 0);
            skipBacklog(files, first - files.cbegin(), part);
            return {};
        }
    } else {
        goTo(files.last(), files.last().size);
    }
    // The bytes before, so that what takes this file's place is told from it.
    const qint64 known = std::min(knownBefore, m_at.offset);
    if (known == 0)
        return {};
    const auto bytes = log.read(files.last(), m_at.offset - known, known, stop);
    if (!bytes) {
        m_file.clear();
        return Failure(bytes.error());
    }
    // Also behind the end of a line it may be within an entry, which goes on there.
    if (*bytes && (*bytes)->size() == known)
        m_at.before = **bytes;
    return {};
}

void PostgresLogReader::skipBacklog(const QList<LogFile>& files, qsizetype at, Part& part)
{
    qint64 behind = files[at].size - m_at.offset;
    for (qsizetype i = at + 1; i < files.size(); ++i)
        behind += files[i].size;
    if (behind <= maxBehind)
        return;
    part.gaps << u"%1 MB of the log were left out: no more than the last %2 MB are read."_s.arg(
        QString::number((behind - maxBehind) >> 20), QString::number(maxBehind >> 20));
    qint64 skip = behind - maxBehind;
    for (qsizetype i = at; i < files.size(); ++i) {
        const qint64 here = files[i].size - (i == at ? m_at.offset : 0);
        if (skip < here) {
            goTo(files[i], files[i].size - here + skip);
            return;
        }
        skip -= here;
    }
}

Result<PostgresLogReader::Part> PostgresLogReader::readOn(
    PostgresLog& log, ServerTime now, const QString& place, const std::stop_token& stop)
{
    Part part;
    const QList<LogFile>& files = log.files();
    if (files.isEmpty())
        return part;
    // On an error all is as it was before.
    const PostgresLogReader before = *this;
    const auto fail = [&](const Error& error) {
        m_file = before.m_file;
        m_modified = before.m_modified;
        m_at = before.m_at;
        m_isWithinLine = before.m_isWithinLine;
        m_passed = before.m_passed;
        return Failure(error);
    };
    if (m_file.isEmpty())
        if (const auto begun = begin(log, part, stop); !begun)
            return fail(begun.error());
    const auto own =
        std::ranges::find_if(files, [this](const LogFile& each) { return each.name() == m_file; });
    qsizetype at = own - files.cbegin();
    if (own == files.cend()) {
        part.gaps << u"%1 was removed, maybe before it was read to its end."_s.arg(m_file);
        const ServerTime last = m_modified;
        at = 0;
        while (at + 1 < files.size() && (files[at].modified < last || isPassed(files[at])))
            ++at;
        goTo(files[at], 0);
    }
    if (own != files.cend())
        skipBacklog(files, at, part);
    for (at = 0; at < files.size() && files[at].name() != m_file;)
        ++at;
    for (; at < files.size(); ++at) {
        if (files[at].name() != m_file) {
            if (at + 1 < files.size() && isPassed(files[at]))
                continue;
            goTo(files[at], 0);
        }
        Behind behind = Behind::Nothing;
        if (at + 1 == files.size())
            behind = isQuiet(files[at], now) ? Behind::Quiet : Behind::More;
        if (const auto read = readFile(log, files[at], behind, place, part, stop); !read)
            return fail(read.error());
        if (part.isMoreToRead)
            break;
        if (at + 1 < files.size()) {
            constexpr qsizetype maximum = 16;
            m_passed << files[at];
            m_passed.remove(0, std::max<qsizetype>(m_passed.size() - maximum, 0));
        }
    }
    return part;
}

/// Files that were written last at the same time come in any order.
bool PostgresLogReader::isPassed(const LogFile& file) const
{
    return std::ranges::any_of(m_passed, [&file](const LogFile& passed) {
        return passed.name() == file.name() && file.modified - passed.modified < sameFile;
    });
}

bool PostgresLogReader::isQuiet(const LogFile& file, ServerTime now)
{
    if (file.size != m_sizeBefore) {
        m_sizeBefore = file.size;
        m_sameSince = now;
    }
    return now - file.modified > quiet || now - m_sameSince > sameSize;
}

Result<void> PostgresLogReader::readFile(PostgresLog& log, const LogFile& file, Behind behind,
    const QString& place, Part& part, const std::stop_token& stop)
{
    if (file.size < m_at.offset) {
        part.gaps << u"%1 was emptied or begun again, maybe before it was read to its end."_s.arg(
            file.shown());
        goTo(file, 0);
    }
    m_modified = file.modified;
    for (bool goesOn = true; goesOn && file.size > m_at.offset;) {
        if (part.bytes >= maxAtOnce) {
            part.isMoreToRead = true;
            return {};
        }
        LOCKSCOPE_TRY_GET(goesOn, readPiece(log, file, behind, place, part, stop));
    }
    return {};
}

/// True if there may be more that can be read at once.
Result<bool> PostgresLogReader::readPiece(PostgresLog& log, const LogFile& file, Behind behind,
    const QString& place, Part& part, const std::stop_token& stop)
{
    const qint64 known = m_at.before.size();
    const qint64 left = file.size - m_at.offset;
    const qint64 requested = std::min(maxAtOnce - part.bytes, left);
    LOCKSCOPE_TRY_GET(const auto read, log.read(file, m_at.offset - known, known + requested, stop));
    if (!read) {
        part.gaps << u"%1 can't be read any more, maybe before its end."_s.arg(file.shown());
        goTo(file, file.size);
        return false;
    }
    QByteArray bytes = *read;
    part.bytes += bytes.size();
    if (!bytes.startsWith(m_at.before)) {
        part.gaps << u"%1 was written again, maybe before it was read to its end."_s.arg(file.shown());
        goTo(file, 0);
        return true;
    }
    bytes.remove(0, known);
    if (bytes.isEmpty())
        return false;
    const bool isComplete = bytes.size() == left; // else the rest follows, at once or with the next poll
    if (m_isWithinLine) {
        const QByteArray last = m_at.before.right(1);
        qsizetype first = firstEntryOf(last + bytes, log.format()) - last.size();
        m_isWithinLine = first == bytes.size();
        // An incomplete line can't show what begins with it.
        if (const qsizetype line = bytes.lastIndexOf('\n') + 1; m_isWithinLine && line > 0)
            first = line;
        m_at.before = (m_at.before + bytes.left(first)).right(knownBefore);
        m_at.offset += first;
        m_at.given = m_at.offset;
        bytes.remove(0, m_isWithinLine ? bytes.size() : first);
        if (bytes.isEmpty())
            return !isComplete;
    }
    const LogPiece piece = readLogPiece(bytes, log.format(), place, isComplete ? behind : Behind::More);
    for (const LogPiece::Found& found : piece.found) {
        if (m_at.offset + found.begin < m_at.given)
            continue;
        m_at.given = m_at.offset + found.begin + 1;
        part.reports << found.report;
    }
    qint64 consumed = piece.consumed;
    if (consumed == 0 && requested >= maxAtOnce) {
        part.gaps << u"%1: an entry is longer than %2 MB and was left out."_s.arg(
            file.shown(), QString::number(maxAtOnce >> 20));
        consumed = bytes.size();
        m_isWithinLine = true;
    }
    part.isMoreToRead |= isComplete ? piece.isWaiting : consumed == 0;
    if (consumed == 0)
        return false;
    m_at.before = (m_at.before + bytes.left(consumed)).right(knownBefore);
    m_at.offset += consumed;
    return !isComplete;
}

} // namespace lockscope::deadlock
