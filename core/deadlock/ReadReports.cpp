// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/ReadReports.h"

#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/deadlock/DeadlockIdentity.h"
#include "core/deadlock/LinePrefix.h"

#include <QBuffer>
#include <QFile>
#include <QIODevice>
#include <QSet>

#include <algorithm>
#include <array>
#include <utility>
#include <zlib.h>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// Returns the form of UTF-16 of a text without a mark: every second byte of plain text is zero.
std::optional<QStringConverter::Encoding> bareUtf16(const QByteArray& bytes)
{
    const qsizetype sampleSize = std::min<qsizetype>(bytes.size(), 512) & ~qsizetype(1);
    qsizetype even = 0;
    qsizetype odd = 0;
    for (qsizetype i = 0; i < sampleSize; i += 2) {
        even += bytes[i] == 0 ? 1 : 0;
        odd += bytes[i + 1] == 0 ? 1 : 0;
    }
    if (sampleSize < 4 || even + odd < sampleSize / 4)
        return std::nullopt;
    if (odd > 0 && even == 0)
        return QStringConverter::Utf16LE;
    if (even > 0 && odd == 0)
        return QStringConverter::Utf16BE;
    return std::nullopt;
}

/// The number of bytes at the end that begin a character and do not end it.
qsizetype openBytes(const QByteArray& bytes)
{
    for (qsizetype back = 1; back <= std::min<qsizetype>(3, bytes.size()); ++back) {
        const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
        if (byte < 0x80)
            return 0;
        if (byte >= 0xc0)
            return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
    }
    return 0;
}

/// Reads what a file of gzip holds. Files that were joined are one, as rotated logs are. Never holds more of
/// it than is requested: a small file may unpack to any size.
class GzipReader {
public:
    explicit GzipReader(QIODevice& packed) ///< open, and as long in use as this
        : m_packed(packed)
    {
        constexpr int gzipOnly = 16;
        m_isDamaged = inflateInit2(&m_stream, gzipOnly + MAX_WBITS) != Z_OK;
    }
    ~GzipReader() { inflateEnd(&m_stream); }
    Q_DISABLE_COPY_MOVE(GzipReader)

    /// Judges by its first bytes, which stay unread.
    static bool isGzip(QIODevice& device) { return device.peek(2) == QByteArrayView("\x1f\x8b"); }
    QByteArray read(qsizetype size); ///< less is the end, or damage
    bool isDamaged() const { return m_isDamaged; } ///< or cut

private:
    QIODevice& m_packed;
    QByteArray m_block; ///< of m_packed, not unpacked yet
    z_stream m_stream{};
    bool m_isOpen = true; ///< a file that is joined has not ended
    bool m_isDamaged = false;
};

QByteArray GzipReader::read(qsizetype size)
{
    constexpr qint64 blockBytes = 65'536;
    QByteArray text(size, Qt::Uninitialized);
    m_stream.next_out = reinterpret_cast<Bytef*>(text.data());
    m_stream.avail_out = static_cast<uInt>(size);
    while (m_stream.avail_out > 0 && !m_isDamaged) {
        if (m_stream.avail_in == 0) {
            m_block = m_packed.read(blockBytes);
            if (m_block.isEmpty()) {
                m_isDamaged = m_isOpen;
                break;
            }
            m_stream.next_in = reinterpret_cast<Bytef*>(m_block.data());
            m_stream.avail_in = static_cast<uInt>(m_block.size());
        }
        if (!m_isOpen)
            inflateReset(&m_stream);
        const int result = inflate(&m_stream, Z_NO_FLUSH);
        m_isOpen = result != Z_STREAM_END;
        m_isDamaged = m_isOpen && result != Z_OK && result != Z_BUF_ERROR;
    }
    text.chop(m_stream.avail_out);
    return text;
}

template <class List> void shareList(List& list, const List& last)
{
    if (list == last)
        list = last;
    else
        list.squeeze();
}

template <class T> const T& at(const QList<T>& list, qsizetype i)
{
    static const T none;
    return i < list.size() ? list[i] : none;
}

/// Lets the reports of a large file share what they have in common: names, statements, lists of waits, and
/// the blocks in which their own texts are packed. One thread.
class ReportSharing {
public:
    /// `linesBefore`: of the file, before the text in which its position counts.
    ReportPtr shared(const ReportPtr& report, qint64 linesBefore)
    {
        auto copy = std::make_shared<DeadlockReport>(*report);
        copy->source.position += linesBefore;
        const QString raw = report->raw;
        if (raw.constData() != m_lastRaw.constData()) { // an event may have many reports
            m_lastRaw = raw;
            m_lastShared = m_texts.add(raw);
        }
        copy->raw = m_lastShared;
        share(copy->source.place);
        static const DeadlockReport none;
        const DeadlockReport& last = m_last ? *m_last : none;
        for (qsizetype i = 0; i < copy->participants.size(); ++i)
            share(copy->participants[i], at(last.participants, i).frames);
        for (qsizetype i = 0; i < copy->resources.size(); ++i)
            share(copy->resources[i], at(last.resources, i).attributes);
        for (QString& complaint : copy->complaints)
            share(complaint);
        for (Edge& edge : copy->edges)
            share(edge.mode);
        for (Link& link : copy->links) {
            share(link.awaited);
            share(link.held);
        }
        shareList(copy->edges, last.edges);
        shareList(copy->links, last.links);
        for (Cycle& cycle : copy->cycles) {
            if (cycle.links == copy->links)
                cycle.links = copy->links;
        }
        shareList(copy->cycles, last.cycles);
        shareList(copy->victims, last.victims);
        shareList(copy->complaints, last.complaints);
        copy->participants.squeeze();
        copy->resources.squeeze();
        m_last = copy;
        return copy;
    }

    void pack() { m_texts.pack(); } ///< after the last one

private:
    void share(QString& text)
    {
        constexpr qsizetype longest = 4'000;
        if (text.isEmpty() || text.size() > longest)
            return;
        QString& recent = m_recent[qHash(text) % m_recent.size()];
        if (recent == text)
            text = recent;
        else
            recent = text;
    }

    void share(Participant& one, const QList<StackFrame>& last)
    {
        for (QString* text : {&one.key, &one.user, &one.program, &one.host, &one.database, &one.isolation,
                 &one.state, &one.waitResource, &one.transaction, &one.transactionStarted.sourceText,
                 &one.batchStarted.sourceText, &one.inputBuffer, &one.statement, &one.listedStatement})
            share(*text);
        if (one.frames != last)
            for (StackFrame& frame : one.frames)
                for (QString* text : {&frame.procedure, &frame.handle, &frame.statement})
                    share(*text);
        shareList(one.frames, last);
    }

    void share(LockedThing& thing, const QList<std::pair<QString, QString>>& last)
    {
        for (QString* text : {&thing.key, &thing.element, &thing.database, &thing.table, &thing.index,
                 &thing.part, &thing.name, &thing.mode})
            share(*text);
        if (thing.attributes != last)
            for (auto& [name, value] : thing.attributes) {
                share(name);
                share(value);
            }
        shareList(thing.attributes, last);
    }

    std::array<QString, 4096> m_recent; ///< texts, by their hashes: those that come often stay
    ReportPtr m_last;
    QString m_lastRaw;
    RawText m_lastShared;
    RawTexts m_texts;
};

constexpr qsizetype pieceSize = 2 << 20; ///< characters
constexpr qsizetype maxPiece = 32 << 20; ///< of which no end was found
constexpr qsizetype maxPartsOfFile = 400'000; ///< participants and locks

/// Drops events that come twice. Two records of one form are the same only if they are so by their keys:
/// identities are worked out where a file has several forms.
class Known {
public:
    bool isNew(const ReportPtr& report, const QList<ReportPtr>& before)
    {
        bool isNumber = false;
        const quint64 key = report->source.eventKey.left(16).toULongLong(&isNumber, 16);
        const bool isFirst = !m_keys.contains(key);
        m_keys.insert(key);
        const bool isOtherForm = !before.isEmpty() && before.first()->source.format != report->source.format;
        if (isOtherForm && !m_byIdentity) {
            m_byIdentity.emplace();
            for (const ReportPtr& each : before)
                m_byIdentity->isNew(each);
        }
        return m_byIdentity ? m_byIdentity->isNew(report) : isFirst;
    }

private:
    QSet<quint64> m_keys;
    std::optional<KnownDeadlocks> m_byIdentity;
};

class FileReader {
public:
    explicit FileReader(const QString& place)
        : m_place(place)
    {
    }

    void add(const QString& text)
    {
        m_text += text;
        while (m_text.size() >= m_requestedSize && !isFull())
            if (!readPiece(false))
                break;
    }

    /// More than is read stands in the file.
    bool isFull() const { return m_read.isCut; }

    ReportsRead finish()
    {
        while (!m_text.isEmpty() && !isFull())
            readPiece(true);
        m_sharing.pack();
        return std::move(m_read);
    }

private:
    /// Reads as much as is whole; returns false if that is nothing.
    bool readPiece(bool isLast)
    {
        const PieceCut cut =
            isLast && m_text.size() <= maxPiece ? PieceCut{m_text.size(), true} : cutOf(m_text);
        if (cut.size == 0 && m_text.size() < maxPiece) {
            m_requestedSize = m_text.size() * 2;
            return false;
        }
        const qsizetype size = cut.size == 0 ? m_text.size() : cut.size;
        const bool isWhole = cut.isWhole || cut.size == 0 || m_text.size() >= maxPiece;
        const PieceRead piece = readPieceOf(size == m_text.size() ? m_text : m_text.left(size), m_place,
            isWhole ? TextEnd::Whole : TextEnd::Torn);
        if (piece.consumed == 0 && m_text.size() < maxPiece) {
            m_requestedSize = m_text.size() * 2;
            return false;
        }
        const qsizetype consumed = piece.consumed == 0 ? size : piece.consumed;
        const bool isAll = isLast && m_linesBefore == 0 && consumed == m_text.size();
        for (const ReportPtr& report : piece.reports)
            keep(report, isAll);
        for (Mention each : piece.mentions)
            if (m_read.mentions.size() < maxMentions) {
                each.line += m_linesBefore;
                m_read.mentions << each;
            }
        m_linesBefore += countLines(QStringView(m_text).left(consumed));
        m_text.remove(0, consumed);
        m_requestedSize = pieceSize;
        return true;
    }

    void keep(const ReportPtr& report, bool isAll)
    {
        m_parts += report->participants.size() + report->resources.size();
        if (m_read.reports.size() >= maxReportsOfFile || m_parts > maxPartsOfFile) {
            m_read.isCut = true;
            return;
        }
        if (m_known.isNew(report, m_read.reports))
            m_read.reports << (isAll ? report : m_sharing.shared(report, m_linesBefore));
    }

    const QString& m_place;
    QString m_text; ///< not read yet
    qsizetype m_requestedSize = pieceSize;
    qint64 m_linesBefore = 0; ///< before m_text
    ReportsRead m_read;
    qsizetype m_parts = 0;
    Known m_known;
    ReportSharing m_sharing;
};

} // namespace

Result<QString> TextDecoder::decode(const QByteArray& block)
{
    if (!std::exchange(m_isBegun, true)) {
        auto encoding = QStringConverter::encodingForData(block);
        if (!encoding || *encoding == QStringConverter::Utf8)
            if (const auto bare = bareUtf16(block))
                encoding = bare;
        if (encoding && *encoding != QStringConverter::Utf8)
            m_utf16.emplace(*encoding);
        else if (block.left(65'536).contains('\0'))
            return failure(ErrorKind::BadInput, u"%1 is no text."_s.arg(m_place),
                u"A file of extended events (.xel) is read by the server: SELECT CAST(event_data AS xml) FROM sys.fn_xe_file_target_read_file('FILE', NULL, NULL, NULL). Save what that gives."_s);
    }
    if (m_utf16)
        return QString(m_utf16->decode(block)).remove(QChar::ByteOrderMark);
    const QByteArray bytes = std::exchange(m_open, {}) + block;
    const qsizetype open = openBytes(bytes);
    m_open = bytes.right(open);
    return utf8(bytes.chopped(open));
}

QString TextDecoder::utf8(const QByteArray& bytes)
{
    QStringDecoder strict(QStringConverter::Utf8, QStringConverter::Flag::Stateless);
    QString text = strict.decode(bytes);
    if (strict.hasError())
        text = textFromUtf8({bytes.constData(), size_t(bytes.size())});
    return text.remove(QChar::ByteOrderMark); // also of files that were joined
}

Result<ReportsRead> readFrom(QIODevice& device, const QString& place)
{
    constexpr qint64 blockBytes = 1 << 20;
    std::optional<GzipReader> packed;
    if (GzipReader::isGzip(device))
        packed.emplace(device);
    TextDecoder decoder(place);
    FileReader reader(place);
    qint64 size = 0;
    while (!reader.isFull()) {
        const QByteArray block = packed ? packed->read(blockBytes) : device.read(blockBytes);
        if (packed && packed->isDamaged())
            return failure(ErrorKind::BadInput, u"%1 is damaged: it can't be unpacked."_s.arg(place),
                u"Recover the readable part with: gunzip -c FILE | lockctl deadlock -"_s);
        if (block.isEmpty())
            break;
        size += block.size();
        if (size > maxFileBytes)
            return failure(ErrorKind::BadInput,
                (packed ? u"%1 is larger than 256 MB when unpacked."_s : u"%1 is larger than 256 MB."_s)
                    .arg(place),
                u"Cut it into pieces."_s);
        LOCKSCOPE_TRY_GET(const auto text, decoder.decode(block));
        reader.add(text);
    }
    reader.add(decoder.rest());
    return reader.finish();
}

Result<ReportsRead> readReportFile(const QString& path)
{
    const PlainFile opened(path);
    Error error{.kind = ErrorKind::BadInput, .what = u"Can't read %1."_s.arg(path)};
    if (const auto reason = opened.reasonAgainst(PlainFile::Others::Anything)) {
        error.detail = reason->what;
        if (S_ISDIR(opened.status().st_mode)) {
            error.detail = u"It is a folder."_s;
        } else if (reason->kind == ErrorKind::BadInput) {
            error.detail = u"It is a pipe or a device, not a regular file."_s;
            error.hint = u"Write it to a file, or give it to `lockctl deadlock -` as standard input."_s;
        }
        return Failure(error);
    }
    QFile file;
    if (!opened.openIn(file)) {
        error.detail = file.errorString();
        return Failure(error);
    }
    auto read = readFrom(file, path);
    if (read && file.error() != QFileDevice::NoError) {
        error.detail = file.errorString();
        return Failure(error);
    }
    return read;
}

Result<QList<ReportPtr>> readReports(const QByteArray& bytes, const QString& place)
{
    QBuffer buffer;
    buffer.setData(bytes);
    buffer.open(QIODevice::ReadOnly);
    LOCKSCOPE_TRY_GET(auto read, readFrom(buffer, place));
    return std::move(read.reports);
}

QStringList sentencesOf(const ReportsRead& read)
{
    constexpr qsizetype maxShown = 10;
    QStringList sentences;
    for (const Mention& each : read.mentions.first(std::min(read.mentions.size(), maxShown))) {
        sentences << u"Line %1 speaks of a deadlock: “%2”. %3"_s.arg(
            QString::number(each.line), each.text, each.why);
        if (!each.where.isEmpty() && !sentences.contains(each.where))
            sentences << each.where;
    }
    if (read.mentions.size() > maxShown)
        sentences << counted(read.mentions.size() - maxShown, u"more line speaks of deadlocks.",
            u"more lines speak of deadlocks.");
    if (read.isCut)
        sentences << cutSentence(read);
    return sentences;
}

QString cutSentence(const ReportsRead& read)
{
    return u"Of its reports only the first %L1 were read: more than %L2, or than %L3 participants and locks, are not kept. Cut it into pieces."_s
        .arg(read.reports.size())
        .arg(maxReportsOfFile)
        .arg(maxPartsOfFile);
}

QString countText(const QList<ReportPtr>& reports)
{
    qsizetype count = 0;
    qsizetype telling = 0;
    for (const ReportPtr& report : reports) {
        const qsizetype ofReport = deadlocksOf(report).size();
        count += ofReport;
        telling += ofReport == 0 ? 0 : 1;
    }
    if (count == 0)
        return u"no deadlock"_s;
    const QString deadlocks = counted(count, u"deadlock");
    return telling == count ? deadlocks : u"%1 in %2"_s.arg(deadlocks, counted(telling, u"report"));
}

} // namespace lockscope::deadlock
