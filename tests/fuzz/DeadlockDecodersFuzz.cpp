// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/LinePrefix.h"
#include "core/deadlock/PostgresReport.h"
#include "core/deadlock/ReadReports.h"
#include "tests/fuzz/FuzzTarget.h"

#include <QBuffer>
#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::test {

using namespace deadlock;
using namespace Qt::StringLiterals;

namespace {

void checkLine(qint64 line, const QString& text)
{
    if (line < 1 || line > text.count(u'\n') + 1)
        qFatal("a line that the text does not have");
}

void fuzzCarrier(const QString& text)
{
    qsizetype size = 0;
    for (const CarriedText& lines : unwrapped(text))
        for (const CarriedLine& line : lines) {
            checkLine(line.number, text);
            if (line.text.contains(u'\n'))
                qFatal("a line of two lines");
            size += line.text.size();
        }
    if (size > text.size() + 64 * (text.count(u'{') + text.count(u'}') + 1))
        qFatal("more came out than went in");
}

void fuzzPasted(const QString& text)
{
    CarriedText lines;
    for (const QString& line : text.split(u'\n'))
        lines << CarriedLine{.text = line, .number = lines.size() + 1};
    const PastedPostgres pasted = readPastedPostgres(lines, u"text"_s);
    for (const PastedPostgres::Found& each : pasted.found) {
        checkLine(each.report->source.position, text);
        checkLine(each.lastLine, text);
        const qsizetype count = each.report->participants.size();
        if (count < 2 || each.report->links.size() != count || each.report->cycles.size() != 1)
            qFatal("a ring that is none");
    }
    for (const qint64 line : pasted.quoted)
        checkLine(line, text);
}

void fuzzPrefix(const QString& text)
{
    for (const QString& line : text.split(u'\n')) {
        const LinePrefix prefix = withoutPrefix(line);
        if (prefix.text.size() + prefix.writer.size() > line.size() || prefix.time.size() > line.size())
            qFatal("more came out than went in");
        static_cast<void>(hasClock(prefix.text));
    }
}

void fuzzFile(const QByteArray& bytes)
{
    QBuffer buffer;
    buffer.setData(bytes);
    buffer.open(QIODevice::ReadOnly);
    const auto read = readFrom(buffer, u"file"_s);
    if (!read)
        return;
    const QString text = QString::fromUtf8(bytes);
    for (const ReportPtr& report : read->reports)
        checkLine(report->source.position, text);
    for (const Mention& each : read->mentions) {
        checkLine(each.line, text);
        if (each.why.isEmpty())
            qFatal("a line without a reason");
    }
}

/// Returns the text as a log service passes it on: a member of an object.
QByteArray asJson(const QString& text)
{
    return QJsonDocument(QJsonObject{{u"textPayload"_s, text}}).toJson();
}

/// Returns the text as a record of a log service, with a heading.
QByteArray asCsv(QString text)
{
    return "time,\"message\"\n2026-11-22 03:12:07,\"" + text.replace(u'"', u"\"\""_s).toUtf8() + "\"\n";
}

void fuzzBlocks(const QByteArray& bytes)
{
    constexpr qsizetype first = 512; // says what the text is
    const auto decoded = [&bytes](qsizetype size) {
        TextDecoder decoder(u"text"_s);
        auto text = decoder.decode(bytes.left(first));
        for (qsizetype at = first; text && at < bytes.size(); at += size)
            *text += decoder.decode(bytes.mid(at, size)).value_or(QString());
        return text ? *text + decoder.rest() : QString();
    };
    const QString whole = decoded(bytes.size() + 1);
    // Bytes that are no UTF-8 are shown together with their block.
    if ((decoded(1) != whole || decoded(7) != whole) && QString::fromUtf8(bytes).toUtf8() == bytes)
        qFatal("another text");
}

} // namespace

/// Feeds bytes to one decoder of carried reports, which the first byte names: (c)arrier, (p)asted PostgreSQL,
/// (l)ine prefix, (j)SON and cs(v) of log services, (h)TML and twice escaped (x)ML, (t)ext in blocks.
/// Aborts if a line's number is not one of the text, if an index of what was read leads nowhere, if more
/// comes out than went in, or if blocks of another size give another text.
static void fuzzDeadlockDecoders(const QByteArray& all)
{
    if (all.isEmpty())
        return;
    const QByteArray bytes = all.mid(1);
    const QString text = QString::fromUtf8(bytes);
    switch (all.front()) {
    case 'c':
        return fuzzCarrier(text);
    case 'p':
        return fuzzPasted(text);
    case 'l':
        return fuzzPrefix(text);
    case 'j':
        return fuzzFile(asJson(text));
    case 'v':
        return fuzzFile(asCsv(text));
    case 'h':
        return fuzzFile("<pre>" + text.toHtmlEscaped().toUtf8() + "</pre>");
    case 'x':
        return fuzzFile("event: " + asJson(QString::fromUtf8(asJson(text))));
    case 't':
        return fuzzBlocks(bytes);
    default:
        return;
    }
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzDeadlockDecoders)
