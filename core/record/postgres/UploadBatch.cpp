// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/postgres/UploadBatch.h"

#include "core/record/FrameCodec.h"
#include "core/record/RecordingFile.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <limits>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 maxBatchFrames = 240; // a batch: a few of them catch up with minutes
constexpr qsizetype maxBatchBytes = 4 * 1024 * 1024; // of their data
constexpr qint64 maxBatchEvents = 1'000;
constexpr qint64 maxBatchSurroundings = 10'000;
constexpr qint64 maxPins = 10'000; // as many as the history takes
constexpr ServerTime always{std::numeric_limits<qint64>::min()};
constexpr ServerTime endOfTime{std::numeric_limits<qint64>::max()};

/// Notes which texts are asked for.
class UsedTexts final : public TextSource {
public:
    explicit UsedTexts(TextSource& texts)
        : m_texts(texts)
    {
    }
    std::optional<QString> text(quint64 number) override
    {
        used.insert(number);
        return m_texts.text(number);
    }
    QSet<quint64> used;

private:
    TextSource& m_texts;
};

/// BEGIN … COMMIT around reading: the file does not change meanwhile.
class OneRead {
public:
    explicit OneRead(Database& file)
        : m_file(file)
        , m_begun(file.script("BEGIN"))
    {
    }
    ~OneRead()
    {
        if (m_begun)
            static_cast<void>(m_file.script("COMMIT"));
    }
    Q_DISABLE_COPY(OneRead)
    const Result<void>& begun() const { return m_begun; }

private:
    Database& m_file;
    Result<void> m_begun;
};

} // namespace

UploadSource::UploadSource(std::unique_ptr<Database> file)
    : m_file(std::move(file))
    , m_texts(*m_file)
{
}

Result<void> UploadSource::begin(qint64 key, const UploadProgress& reached)
{
    m_key = key;
    const OneRead transaction(*m_file);
    LOCKSCOPE_TRY(transaction.begun());
    m_reached = reached;
    m_sent = {};
    m_decoded.reset();
    m_decodedNumber = 0;
    m_goneThroughIn = -1;
    m_failure.reset();
    m_open.reset();
    m_segmentsSent.clear();
    m_pinsSent.reset();
    m_lastSegment = 0;
    m_nextInterval = reached.interval + 1;
    std::optional<ServerTime> taken;
    std::optional<ServerTime> noted;
    LOCKSCOPE_TRY_GET(const qint64 last, m_file->number("recording/recording/last_frame"));
    LOCKSCOPE_TRY(m_file->run("recording/upload/times_of", {reached.frame}, [&](const Store::Row& row) {
        taken = ServerTime{row.number(0)};
        noted = ServerTime{row.number(1)};
    }));
    if (last < reached.frame || (taken && (*taken != reached.taken || *noted != reached.noted)))
        return failure(ErrorKind::Changed,
            u"The history has come further with this recording than its file: the file is an older copy."_s,
            u"Record into another file, which begins another recording of the history, too."_s);
    return {};
}

void UploadSource::noteSent(const QString& day, QChar what, qint64 number)
{
    if (m_sent.day != day)
        m_sent = {.day = day};
    (what == u't' ? m_sent.texts : what == u'r' ? m_sent.resources : m_sent.parties).insert(number);
}

Result<UploadBatch> UploadSource::next(const QString& today)
{
    UploadBatch batch;
    batch.after = m_reached;
    const auto filled = fill(batch, today);
    return ifDone(filled, std::move(batch));
}

Result<void> UploadSource::fill(UploadBatch& batch, const QString& today)
{
    const OneRead transaction(*m_file);
    LOCKSCOPE_TRY(transaction.begun());
    LOCKSCOPE_TRY_GET(auto frames, framesAfter(m_reached.frame, batch.isLast));
    // What the file dropped before it came here has left a gap in the numbers.
    if (!frames.empty() && m_reached.frame > 0)
        batch.skipped = frames.front().number - m_reached.frame - 1;
    chooseDay(batch, frames, today);
    if (m_sent.day != batch.day)
        m_sent = {.day = batch.day};
    for (const FrameToSend& frame : frames)
        addFrame(batch, frame);
    LOCKSCOPE_TRY(addIntervals(batch, frames));
    LOCKSCOPE_TRY(addOpen(batch));
    LOCKSCOPE_TRY(addEvents(batch));
    LOCKSCOPE_TRY(addSurroundings(batch));
    return addNews(batch, frames);
}

Result<PendingUpload> UploadSource::pending()
{
    return m_file->last<PendingUpload>(
        "recording/upload/pending", {m_reached.frame}, [](const Store::Row& row) {
            return PendingUpload{row.number(0), ServerTime{row.number(1)}};
        });
}

Result<std::vector<UploadSource::FrameToSend>> UploadSource::framesAfter(qint64 number, bool& isLast)
{
    constexpr int firstFigure = 5;
    constexpr int figures = 9;
    std::vector<FrameToSend> frames;
    qsizetype bytes = 0;
    isLast = true;
    const auto read = m_file->run(
        "recording/upload/frames_after", {number, maxBatchFrames + 1}, [&](const Store::Row& row) {
            if (frames.size() == size_t(maxBatchFrames) || bytes > maxBatchBytes) {
                isLast = false;
                return false;
            }
            FrameToSend frame{.number = row.number(0),
                .keyFrame = row.number(2),
                .segment = row.number(1),
                .taken = {row.number(3)},
                .noted = {row.number(4)},
                .data = row.bytes(firstFigure + figures)};
            for (int i = 0; i < figures; ++i)
                frame.figures.push_back(row.number(firstFigure + i));
            bytes += frame.data.size();
            frames.push_back(std::move(frame));
            return true;
        });
    return ifDone(read, std::move(frames));
}

/// Frames that go back to a key frame are stored under that frame's day, so that they are dropped together. A
/// batch has one day.
void UploadSource::chooseDay(UploadBatch& batch, std::vector<FrameToSend>& frames, const QString& today) const
{
    auto begin = frames.begin();
    const bool goesOn = begin != frames.end() && begin->number != begin->keyFrame
        && begin->keyFrame == m_reached.keyFrame && m_reached.isDayThere;
    if (!goesOn) {
        begin = std::find_if(
            begin, frames.end(), [](const FrameToSend& frame) { return frame.number == frame.keyFrame; });
        batch.skipped += begin - frames.begin();
        if (begin != frames.begin()) {
            const FrameToSend& last = *(begin - 1);
            batch.after.frame = last.number;
            batch.after.taken = last.taken;
            batch.after.noted = last.noted;
        }
        frames.erase(frames.begin(), begin);
        batch.day = today;
        return;
    }
    batch.day = m_reached.day;
    if (batch.day == today)
        return;
    const auto end = std::find_if(
        begin, frames.end(), [](const FrameToSend& frame) { return frame.number == frame.keyFrame; });
    batch.isLast = batch.isLast && end == frames.end();
    frames.erase(end, frames.end());
}

void UploadSource::addFrame(UploadBatch& batch, const FrameToSend& frame)
{
    batch.frames << batch.day << m_key << frame.number << frame.segment << frame.keyFrame << frame.taken.us
                 << frame.noted.us;
    for (const qint64 figure : frame.figures)
        batch.frames << figure;
    batch.frames << frame.data;
    batch.frames.endRow();
    for (const quint64 text : textsOf(frame))
        addText(batch, static_cast<qint64>(text));
    addText(batch, frame.figures.back());
    batch.after.frame = frame.number;
    batch.after.taken = frame.taken;
    batch.after.noted = frame.noted;
    batch.after.keyFrame = frame.keyFrame;
    batch.after.day = batch.day;
    batch.after.isDayThere = true;
    ++batch.count;
}

/// A frame that is damaged names none, and neither do those that go back to it: nobody can read them.
QSet<quint64> UploadSource::textsOf(const FrameToSend& frame)
{
    static const auto nothing = std::make_shared<const Snapshot>();
    const auto decode = [this, &frame](const SnapshotPtr& before, qint64 number, const QByteArray& data,
                            TextSource& texts) {
        const auto bytes = unsealed(data, number, frame.keyFrame).and_then(unpacked);
        const auto next =
            bytes && before ? decodeFrame(*before, *bytes, texts) : Result<SnapshotPtr>(SnapshotPtr());
        m_decoded = next ? *next : SnapshotPtr();
    };
    if (frame.number == frame.keyFrame)
        m_decoded = nothing;
    else if (m_decodedNumber != frame.number - 1) {
        // It goes on with what was sent before this program began.
        m_decoded = nothing;
        std::vector<QByteArray> before;
        static_cast<void>(m_file->run("recording/upload/frames_of", {frame.keyFrame, frame.number - 1},
            [&](const Store::Row& row) { before.push_back(row.bytes(0)); }));
        qint64 number = frame.keyFrame;
        for (const QByteArray& data : before)
            decode(m_decoded, number++, data, m_texts);
    }
    UsedTexts texts(m_texts);
    decode(m_decoded, frame.number, frame.data, texts);
    m_decodedNumber = frame.number;
    return texts.used;
}

void UploadSource::addText(UploadBatch& batch, qint64 number)
{
    if (number == 0 || m_sent.texts.contains(number))
        return;
    const auto text = m_texts.text(static_cast<quint64>(number));
    if (!text)
        return; // the file lacks it
    m_sent.texts.insert(number);
    batch.texts << batch.day << m_key << number;
    if (text->contains(QChar(0)))
        batch.texts.null() << text->toUtf8();
    else
        (batch.texts << *text).null();
    batch.texts.endRow();
}

Result<void> UploadSource::addEvents(UploadBatch& batch)
{
    qsizetype characters = 0; // reports of deadlocks are long
    return m_file->run(
        "recording/upload/events_after", {m_reached.event, maxBatchEvents}, [&](const Store::Row& row) {
            const bool isDamaged =
                row.number(7) != eventChecksum({row.number(1)}, row.text(3), row.text(4), row.text(5));
            if (isDamaged)
                return true; // the file's reader reports it
            batch.after.event = row.number(0);
            batch.events << batch.day << m_key << row.number(0) << row.number(1) << row.number(2)
                         << row.text(3) << row.text(4) << row.text(5);
            row.isNull(6) ? batch.events.null() : batch.events << row.text(6);
            batch.events.endRow();
            characters += row.text(5).size();
            return characters < maxBatchBytes;
        });
}

Result<void> UploadSource::addSurroundings(UploadBatch& batch)
{
    return m_file->run("recording/upload/surroundings_after", {m_reached.surroundings, maxBatchSurroundings},
        [&](const Store::Row& row) {
            batch.after.surroundings = row.number(0);
            batch.surroundings << batch.day << m_key << row.number(0) << row.number(1) << row.text(2)
                               << row.text(3) << row.number(4) << row.text(5);
            batch.surroundings.endRow();
        });
}

/// Returns all that is to be kept: pins are few, and go one by one.
Result<QJsonArray> UploadSource::pins()
{
    QJsonArray pins;
    const auto read = m_file->run("recording/recording/pins", {maxPins}, [&pins](const Store::Row& row) {
        pins.append(QJsonObject{{u"id"_s, row.number(3)}, {u"from"_s, row.number(0)},
            {u"to"_s, row.number(1)}, {u"why"_s, withoutZeros(row.text(2))}});
    });
    return ifDone(read, std::move(pins));
}

Result<void> UploadSource::addNews(UploadBatch& batch, const std::vector<FrameToSend>& frames)
{
    const qint64 last = frames.empty() ? m_lastSegment : frames.back().segment;
    QJsonArray segments;
    m_nextLastSegment = m_lastSegment;
    LOCKSCOPE_TRY(m_file->run("recording/upload/segments_until",
        {m_lastSegment, batch.isLast ? endOfTime.us : last}, [&](const Store::Row& row) {
            m_nextLastSegment = row.number(0);
            // the part of it that has been sent, if the next batch goes on with it
            const bool goesOn = !batch.isLast && row.number(0) == last;
            segments.append(QJsonObject{{u"id"_s, row.number(0)}, {u"began"_s, row.number(1)},
                {u"seen"_s, goesOn ? frames.back().taken.us : row.number(2)}, {u"noted"_s, row.number(3)},
                {u"host"_s, withoutZeros(row.text(4))}, {u"process"_s, row.number(5)},
                {u"end"_s, goesOn || row.isNull(6) ? QJsonValue() : withoutZeros(row.text(6))}});
        }));
    // That of the last event which is there may have gone on.
    m_nextFailure = QString();
    QJsonObject failure;
    LOCKSCOPE_TRY(m_file->run("recording/upload/failure", {m_reached.event}, [&](const Store::Row& row) {
        m_nextFailure = withoutZeros(row.text(0));
        failure = {{u"id"_s, m_reached.event}, {u"detail"_s, *m_nextFailure}};
    }));
    m_nextSegments = QJsonDocument(segments).toJson(QJsonDocument::Compact);
    LOCKSCOPE_TRY_GET(const auto pinned, pins());
    m_nextPins = QJsonDocument(pinned).toJson(QJsonDocument::Compact);
    const bool pinsChange = m_pinsSent != m_nextPins;
    const UploadProgress& after = batch.after;
    batch.news = QJsonDocument(
        QJsonObject{{u"pins"_s, pinsChange ? QJsonValue(pinned) : QJsonValue()}, {u"frame"_s, after.frame},
            {u"taken"_s, after.taken.us}, {u"noted"_s, after.noted.us}, {u"key_frame"_s, after.keyFrame},
            {u"day"_s, after.day.isEmpty() ? QJsonValue() : after.day}, {u"interval"_s, after.interval},
            {u"event"_s, after.event}, {u"surroundings"_s, after.surroundings}, {u"segments"_s, segments},
            {u"failure"_s, failure}})
                     .toJson(QJsonDocument::Compact);
    const bool opensChange = !batch.open.isEmpty() || !batch.gone || !batch.gone->empty();
    batch.isEmpty = after == m_reached && !opensChange && !pinsChange && m_nextSegments == m_segmentsSent
        && (m_failure == m_nextFailure || failure.isEmpty());
    return {};
}

Result<void> UploadSource::addNames(UploadBatch& batch, qint64 resource, qint64 party)
{
    if (!m_sent.resources.contains(resource)) {
        m_sent.resources.insert(resource);
        LOCKSCOPE_TRY(m_file->run("recording/upload/resource", {resource}, [&](const Store::Row& row) {
            batch.resources << batch.day << m_key << resource << row.text(0) << row.text(1) << row.text(2)
                            << row.text(3);
            batch.resources.endRow();
        }));
    }
    if (m_sent.parties.contains(party))
        return {};
    m_sent.parties.insert(party);
    return m_file->run("recording/upload/party", {party}, [&](const Store::Row& row) {
        batch.parties << batch.day << m_key << party << row.number(0) << row.number(1) << row.text(2)
                      << row.text(3) << row.text(4);
        batch.parties.endRow();
    });
}

/// An interval is written with the frame that lacks it, and ended with the one before, so that those of a
/// batch are found by its times. What ended at another time (a lease that expired before the first poll, a
/// clock that was set back) leaves a gap in the numbers; then, and once a segment, all are gone through.
Result<void> UploadSource::addIntervals(UploadBatch& batch, const std::vector<FrameToSend>& frames)
{
    ServerTime from = m_reached.frame == 0 ? always : m_reached.taken;
    ServerTime to = m_reached.taken;
    for (const FrameToSend& frame : frames) {
        from = std::min(from, frame.taken);
        to = std::max(to, frame.taken);
    }
    std::vector<Interval> rows;
    const qint64 segment = frames.empty() ? m_lastSegment : frames.back().segment;
    const bool goesThroughAll = batch.isLast && m_goneThroughIn != segment;
    qint64 numberedUntil = endOfTime.us;
    if (!goesThroughAll) {
        LOCKSCOPE_TRY(readIntervals("recording/upload/intervals_between",
            {from.us, (batch.isLast ? endOfTime : to).us, m_nextInterval}, rows));
        const bool hasGaps =
            !rows.empty() && rows.back().number - m_nextInterval + 1 != static_cast<qint64>(rows.size());
        numberedUntil = hasGaps ? rows.back().number : 0;
    } else {
        m_goneThroughIn = segment;
    }
    if (numberedUntil > 0)
        LOCKSCOPE_TRY(
            readIntervals("recording/upload/intervals_numbered", {m_nextInterval, numberedUntil}, rows));
    for (const Interval& row : rows) {
        LOCKSCOPE_TRY(addNames(batch, row.resource, row.party));
        addText(batch, row.statement);
        batch.intervals << batch.day << m_key << row.number << row.resource << row.party << row.from
                        << row.mode << row.waited << row.fromExact << row.to;
        row.gone ? batch.intervals << *row.gone : batch.intervals.null();
        batch.intervals << row.polls << row.doubt << row.statement;
        batch.intervals.endRow();
        batch.after.interval = row.number;
    }
    return {};
}

Result<void> UploadSource::readIntervals(
    const char* statement, std::initializer_list<Value> values, std::vector<Interval>& rows)
{
    rows.clear();
    return m_file->run(statement, values, [&rows](const Store::Row& row) {
        rows.push_back({.number = row.number(0),
            .resource = row.number(1),
            .party = row.number(2),
            .from = row.number(3),
            .mode = row.text(4),
            .waited = row.number(5),
            .fromExact = row.number(6),
            .to = row.number(7),
            .gone = row.isNull(8) ? std::nullopt : std::optional(row.number(8)),
            .polls = row.number(9),
            .doubt = row.number(10),
            .statement = row.number(11)});
    });
}

/// Adds those that are open at the end of the file: until the history has come there it has none.
Result<void> UploadSource::addOpen(UploadBatch& batch)
{
    struct Row {
        qint64 id;
        qint64 resource;
        qint64 party;
        qint64 statement;
        CopyRows line{};
    };
    std::vector<Row> rows;
    m_nextOpen.clear();
    if (batch.isLast) {
        LOCKSCOPE_TRY(m_file->run("recording/upload/open_intervals", {}, [&](const Store::Row& row) {
            Row open{.id = row.number(0),
                .resource = row.number(1),
                .party = row.number(2),
                .statement = row.number(9)};
            open.line << batch.day << m_key << open.id << open.resource << open.party << row.number(3)
                      << row.text(4) << row.number(5) << row.number(6) << row.number(7) << row.number(8)
                      << open.statement;
            open.line.endRow();
            m_nextOpen.emplace(open.id, open.line.bytes());
            rows.push_back(std::move(open));
        }));
    }
    // On another day their resources and parties are sent again.
    if (m_open && (m_openDay == batch.day || (m_open->empty() && m_nextOpen.empty()))) {
        batch.gone.emplace();
        for (const auto& [id, line] : *m_open) {
            const auto now = m_nextOpen.find(id);
            if (now == m_nextOpen.end() || now->second != line)
                batch.gone->push_back(id);
        }
    }
    for (const Row& row : rows) {
        const bool isKnown = batch.gone && m_open->contains(row.id) && m_open->at(row.id) == row.line.bytes();
        if (isKnown)
            continue;
        LOCKSCOPE_TRY(addNames(batch, row.resource, row.party));
        addText(batch, row.statement);
        batch.open.append(row.line);
    }
    return {};
}

void UploadSource::done(const UploadBatch& batch)
{
    m_reached = batch.after;
    m_nextInterval = std::max(m_nextInterval, batch.after.interval + 1);
    m_failure = m_nextFailure;
    m_open = std::move(m_nextOpen);
    m_nextOpen = {};
    m_openDay = batch.day;
    // The last one may still go on.
    m_lastSegment = m_nextLastSegment;
    m_segmentsSent = m_nextSegments;
    m_pinsSent = m_nextPins;
}

QString withoutZeros(QString text)
{
    constexpr char16_t picture = 0x2400;
    return text.contains(QChar(0)) ? text.replace(QChar(0), QChar(picture)) : text;
}

void CopyRows::begin()
{
    if (m_inRow)
        m_bytes += '\t';
    m_inRow = true;
}

CopyRows& CopyRows::operator<<(qint64 number)
{
    begin();
    m_bytes += QByteArray::number(number);
    return *this;
}

CopyRows& CopyRows::operator<<(const QString& text)
{
    begin();
    QByteArray utf8 = withoutZeros(text).toUtf8();
    utf8.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t");
    m_bytes += utf8;
    return *this;
}

CopyRows& CopyRows::operator<<(const QByteArray& bytes)
{
    begin();
    m_bytes += "\\\\x";
    m_bytes += bytes.toHex();
    return *this;
}

CopyRows& CopyRows::null()
{
    begin();
    m_bytes += "\\N";
    return *this;
}

void CopyRows::endRow()
{
    m_bytes += '\n';
    m_inRow = false;
}

} // namespace lockscope::record
