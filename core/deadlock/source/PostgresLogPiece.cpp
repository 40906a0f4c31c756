// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/source/PostgresLogPiece.h"

#include "core/base/Utf8.h"
#include "core/deadlock/PostgresReport.h"

#include <algorithm>

namespace lockscope::deadlock {

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

} // namespace lockscope::deadlock
