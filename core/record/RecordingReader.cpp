// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingReader.h"

#include "core/record/Damage.h"
#include "core/record/Database.h"
#include "core/record/FrameCodec.h"
#include "core/record/RecordingFile.h"
#include "core/record/Store.h"
#include "core/record/StoredTexts.h"
#include "core/record/postgres/HistoryStore.h"

#include <algorithm>
#include <limits>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 maxMeasures = 2'000'000; // of a week, about
constexpr ServerTime ever{std::numeric_limits<qint64>::max()};

RecordingReader::Times timesIn(const Store::Row& row)
{
    return {{row.number(0)}, {row.number(1)}};
}

} // namespace

RecordingReader::Frame RecordingReader::frameAt(const Replay::Place& place)
{
    return {.snapshot = m_replay.frame(place.number, place.keyFrame),
        .taken = place.taken,
        .noted = place.noted,
        .interval = place.interval};
}

Result<void> RecordingReader::readIdentity(const QString& path)
{
    LOCKSCOPE_TRY(checkForm(*m_file, path));
    LOCKSCOPE_TRY_GET(const auto read, identityOf(*m_store));
    if (!read)
        return failure(ErrorKind::BadInput, u"%1 does not say of which server it is."_s.arg(path));
    m_identity = *read;
    return {};
}

Result<std::optional<ServerTime>> RecordingReader::time(
    const char* statement, std::initializer_list<Value> values)
{
    return m_store->last<std::optional<ServerTime>>(
        statement, values, [](const Store::Row& row) { return ServerTime{row.number(0)}; });
}

RecordingReader::RecordingReader(std::unique_ptr<Store> store)
    : m_store(std::move(store))
    , m_texts(*m_store)
    , m_replay(*m_store, m_texts)
{
}

Result<std::unique_ptr<RecordingReader>> RecordingReader::open(
    const QString& path, const db::PasswordProvider& passwords)
{
    if (HistoryPlace::isOne(path)) {
        LOCKSCOPE_TRY_GET(auto store, HistoryStore::open(path, passwords));
        const Identity identity = store->recording().identity;
        std::unique_ptr<RecordingReader> reader(new RecordingReader(std::move(store)));
        reader->m_identity = identity;
        return reader;
    }
    LOCKSCOPE_TRY_GET(auto database, Database::open(path, Database::Mode::Read));
    Database* const file = database.get();
    std::unique_ptr<RecordingReader> reader(new RecordingReader(std::move(database)));
    reader->m_file = file;
    LOCKSCOPE_TRY(reader->readIdentity(path));
    return ifDone(prepareToRead(*file), std::move(reader));
}

bool RecordingReader::hasMoved() const
{
    return m_file && m_file->hasMoved();
}

Result<Span> RecordingReader::span()
{
    LOCKSCOPE_TRY_GET(
        const Span span, m_store->last<Span>("recording/recording/span", {}, [](const Store::Row& row) {
            return Span{{row.number(0)}, {row.number(1)}, row.number(2)};
        }));
    if (span.frames <= 0)
        return failure(ErrorKind::MissingObject, u"The recording has no snapshot yet."_s);
    if (span.first.us < -farthest || span.last.us > farthest)
        return failure(ErrorKind::BadInput, u"The recording has snapshots at times that no clock shows."_s);
    return span;
}

Result<RecordingReader::Times> RecordingReader::latestTimes()
{
    return m_store->last<Times>("recording/recording/latest", {}, timesIn);
}

Result<QList<Segment>> RecordingReader::segments(ServerTime from, ServerTime to)
{
    QList<Segment> segments;
    qint64 characters = 0;
    bool more = false;
    const auto add = [&](const Database::Row& row) {
        more = segments.size() == maxLines || characters > maxCharacters;
        if (more)
            return false;
        segments.append({.began = {row.number(0)},
            .seen = {row.number(1)},
            .endReason = row.text(2),
            .host = row.text(3),
            .number = row.number(4),
            .process = row.number(5)});
        characters += segments.back().endReason.size() + segments.back().host.size();
        return true;
    };
    LOCKSCOPE_TRY(m_store->run("recording/recording/segments", {from.us, to.us, maxLines + 1}, add));
    if (more)
        segments.back().endReason =
            u"there are more recorded ranges from here on than are read at once: %1 of them are shown"_s.arg(
                segments.size());
    return segments;
}

Result<QList<Segment>> RecordingReader::segments()
{
    return segments({std::numeric_limits<qint64>::min()}, ever);
}

Result<QList<Pin>> RecordingReader::pins()
{
    QList<Pin> pins;
    qint64 characters = 0;
    const auto read = m_store->run("recording/recording/pins", {maxLines}, [&](const Database::Row& row) {
        pins.append(
            {.from = {row.number(0)}, .to = {row.number(1)}, .why = row.text(2), .number = row.number(3)});
        characters += pins.back().why.size();
        return characters <= maxCharacters;
    });
    return ifDone(read, std::move(pins));
}

Result<SnapshotPtr> RecordingReader::at(ServerTime at)
{
    return m_replay.at(at);
}

Result<QList<RecordedSnapshot>> RecordingReader::recordedSnapshots(
    ServerTime from, ServerTime to, int columns)
{
    QList<RecordedSnapshot> recordedSnapshots;
    std::vector<quint64> heads; // as numbers of texts, which are asked for afterwards
    const auto add = [&](const Database::Row& row) {
        recordedSnapshots.append({.at = {row.number(0)},
            .segment = row.number(1),
            .sessions = static_cast<int>(row.number(2)),
            .locks = static_cast<int>(row.number(3)),
            .waiting = static_cast<int>(row.number(4)),
            .longest = {milliseconds(row.number(5)), row.number(6) != 0},
            .heads = static_cast<int>(row.number(7)),
            .last = {row.number(9)},
            .worst = {row.number(10)},
            .pollCount = static_cast<int>(row.number(11))});
        heads.push_back(static_cast<quint64>(row.number(8)));
    };
    // Times of a file that somebody made may be farther apart than a number can say.
    const auto length = static_cast<quint64>(to.us) - static_cast<quint64>(std::min(from, to).us);
    const auto width = std::max<qint64>(1,
        static_cast<qint64>(std::min<quint64>(length, ever.us) / static_cast<quint64>(std::max(1, columns))));
    LOCKSCOPE_TRY(m_store->run("recording/recording/snapshots", {from.us, to.us, width}, add));
    for (qsizetype i = 0; i < recordedSnapshots.size(); ++i) {
        if (const quint64 head = heads[static_cast<size_t>(i)]; head != 0)
            recordedSnapshots[i].head = m_texts.text(head).value_or(u"(damaged)"_s);
    }
    return recordedSnapshots;
}

Result<std::optional<ServerTime>> RecordingReader::nextSnapshotTime(ServerTime after)
{
    return time("recording/recording/next_snapshot", {after.us});
}

Result<std::optional<ServerTime>> RecordingReader::previousSnapshotTime(ServerTime before)
{
    if (before == ever) // the last of all, whatever time a clock has shown before
        return span().map([](const Span& span) { return std::optional(span.last); });
    return time("recording/recording/previous_snapshot", {before.us});
}

Result<std::optional<ServerTime>> RecordingReader::nextWait(ServerTime after, milliseconds minLength)
{
    // Out of the one that `after` is in, then into the next.
    const auto calm = time("recording/recording/next_calm", {after.us - 1, minLength.count()});
    if (!calm || !*calm)
        return calm;
    return time("recording/recording/next_wait", {(*calm)->us, minLength.count()});
}

Result<std::optional<ServerTime>> RecordingReader::previousWait(ServerTime before, milliseconds minLength)
{
    const auto wait = time("recording/recording/previous_wait", {before.us, minLength.count()});
    if (!wait || !*wait)
        return wait;
    LOCKSCOPE_TRY_GET(
        const auto calm, time("recording/recording/previous_calm", {(*wait)->us, minLength.count()}));
    return time("recording/recording/next_wait",
        {calm ? calm->us : std::numeric_limits<qint64>::min(), minLength.count()});
}

Result<std::optional<ServerTime>> RecordingReader::nextEvent(ServerTime after, Event::Kind kind)
{
    return time("recording/recording/next_event", {after.us, eventKindName(kind)});
}

Result<std::optional<ServerTime>> RecordingReader::previousEvent(ServerTime before, Event::Kind kind)
{
    return time("recording/recording/previous_event", {before.us, eventKindName(kind)});
}

Result<void> RecordingReader::eachFrame(
    qint64 segment, ServerTime from, ServerTime to, const std::function<Result<void>(const Frame&)>& each)
{
    LOCKSCOPE_TRY(m_store->beginReading());
    auto first = m_store->number("recording/recording/place_before", {segment, from.us, to.us}, -1);
    Result<void> result;
    Result<void> read;
    if (first && *first >= 0) {
        read = m_replay.each(*first, [&](const Replay::Place& place) {
            if (place.segment != segment || place.taken > to)
                return false;
            result = each(frameAt(place));
            return result.has_value();
        });
    }
    m_store->endReading();
    if (!first)
        return Failure(first.error());
    return result ? read : result;
}

Result<void> RecordingReader::polls(
    ServerTime from, ServerTime to, const std::function<void(const Poll&)>& each)
{
    return m_store->run("recording/recording/polls", {from.us, to.us}, [&each](const Database::Row& row) {
        each({.number = row.number(0),
            .segment = row.number(1),
            .taken = {row.number(2)},
            .interval = milliseconds(row.number(3))});
    });
}

Result<void> RecordingReader::pieces(
    ServerTime from, ServerTime to, const std::function<void(const Piece&)>& each)
{
    return m_store->run("recording/recording/pieces", {from.us, to.us}, [&each](const Database::Row& row) {
        const qint64 segment = row.number(0);
        const auto poll = [&row, segment](int column) {
            return Poll{.number = row.number(column), .segment = segment, .taken = {row.number(column + 1)}};
        };
        each({.segment = segment,
            .first = poll(1),
            .last = poll(3),
            .firstInside = poll(5),
            .lastInside = poll(7)});
    });
}

Result<std::optional<ServerTime>> RecordingReader::nextGapEnd(ServerTime after)
{
    return time("recording/recording/next_gap", {after.us});
}

Result<std::optional<ServerTime>> RecordingReader::previousGapEnd(ServerTime before)
{
    return time("recording/recording/previous_gap", {before.us});
}

Result<qint64> RecordingReader::firstFrame()
{
    return m_store->number("recording/recording/first_frame");
}

Result<RecordingReader::Following> RecordingReader::whatFollows(qint64 poll)
{
    return m_store->last<Following>("recording/recording/what_follows", {poll}, [](const Store::Row& row) {
        return Following{row.number(0), row.number(1) != 0, row.text(2)};
    });
}

Result<void> RecordingReader::partsOfTables(const std::function<void(qint64)>& each)
{
    return m_store->run("recording/recording/resources_of_kinds",
        {resourceKindName(ResourceKind::Row), resourceKindName(ResourceKind::Page)},
        [&each](const Database::Row& row) { each(row.number(0)); });
}

Result<QString> RecordingReader::statementOfNumber(qint64 text)
{
    const auto statement = m_texts.text(static_cast<quint64>(text));
    if (const auto error = m_texts.takeError())
        return Failure(*error);
    return shownFamily(statement.value_or(QString()));
}

Result<QList<RecordingReader::StoredUse>> RecordingReader::textsLike(const QString& pattern, qint64 maxCount)
{
    return m_store->all<StoredUse>(
        "recording/recording/texts_like", {pattern, maxCount}, [](const Store::Row& row) {
            return StoredUse{row.text(0), row.number(1), row.number(2)};
        });
}

Result<RecordingReader::Times> RecordingReader::timesOf(qint64 frame)
{
    return m_store->last<Times>("recording/recording/times_of_frame", {frame}, timesIn);
}

Result<void> RecordingReader::eachFrameOfGroup(qint64 keyFrame, const std::function<bool(const Frame&)>& each)
{
    return m_replay.each(keyFrame - 1,
        [&](const Replay::Place& place) { return place.keyFrame == keyFrame && each(frameAt(place)); });
}

Result<QList<RecordedMeasure>> RecordingReader::surroundings(ServerTime from, ServerTime to)
{
    QList<RecordedMeasure> measures;
    LOCKSCOPE_TRY(m_store->run("recording/recording/surroundings", {from.us, to.us, maxMeasures + 1},
        [&measures](const Store::Row& row) {
            measures.append({{row.number(0)},
                {.kind = row.text(1), .name = row.text(2), .value = row.number(3), .text = row.text(4)}});
        }));
    return measures.size() > maxMeasures
        ? Result<QList<RecordedMeasure>>(tooMuch(u"figures of what surrounds the locks"_s))
        : measures;
}

Result<RecordingReader::Verdict> RecordingReader::verify()
{
    Verdict verdict;
    // Of a history nothing: its server checks its pages.
    if (auto faults = m_file ? faultsBesideFrames(*m_file) : QStringList(); !faults)
        return Failure(faults.error());
    else
        verdict.faults = std::move(*faults);
    const auto read = m_replay.each(0, [&](const Replay::Place& place) {
        if (m_replay.frame(place.number, place.keyFrame))
            ++verdict.whole;
        else
            verdict.damaged.append(place.taken);
        return true;
    });
    // What SQLite can't find its way through stands in the faults.
    if (!read && !isDamage(read.error()))
        return Failure(read.error());
    if (!verdict.isIntact())
        m_store->noteDamage(damaged(verdict.faults.value(0, u"A snapshot can't be read."_s)).value());
    return verdict;
}

namespace {

constexpr qsizetype maxBytesAtOnce = 32 * 1024 * 1024; // packed, in memory
constexpr qint64 pageSize = 10'000; // places that are read at once

} // namespace

Result<SnapshotPtr> Replay::at(ServerTime at)
{
    qint64 number = 0;
    qint64 keyFrame = 0;
    const auto note = [&](const Store::Row& row) {
        number = row.number(0);
        keyFrame = row.number(1);
    };
    auto read = m_store.run("recording/recording/frame_at", {at.us}, note);
    if (read && number == 0)
        read = m_store.run("recording/recording/first_frame", {}, note);
    if (!read)
        return Failure(read.error());
    if (number == 0)
        return failure(ErrorKind::MissingObject, u"The recording has no snapshot yet."_s);
    return frame(number, keyFrame);
}

Result<SnapshotPtr> Replay::frame(qint64 number, qint64 keyFrame)
{
    auto frame = decoded(number, keyFrame);
    if (!frame && isDamage(frame.error()))
        m_store.noteDamage(frame.error());
    return frame;
}

Result<SnapshotPtr> Replay::decoded(qint64 number, qint64 keyFrame)
{
    if (keyFrame < 1 || keyFrame > number || number - keyFrame >= maxFrames)
        return damaged(u"A snapshot of the recording has no beginning: it is damaged."_s);
    const bool goesOn = m_last && m_lastNumber >= keyFrame && m_lastNumber <= number;
    static const auto nothing = std::make_shared<const Snapshot>();
    SnapshotPtr snapshot = goesOn ? m_last : nothing;
    qint64 reached = goesOn ? m_lastNumber : keyFrame - 1;
    while (reached < number) {
        std::vector<QByteArray> frames;
        LOCKSCOPE_TRY(readFrames(reached + 1, number, frames));
        if (frames.empty())
            break;
        for (const QByteArray& frame : frames) {
            const auto bytes = unsealed(frame, reached + 1, keyFrame).and_then(unpacked);
            const auto next = bytes ? decodeFrame(*snapshot, *bytes, m_texts) : Failure(bytes.error());
            if (const auto unread = m_texts.takeError(); !next && unread)
                return Failure(*unread);
            if (!next)
                return Failure(next.error());
            snapshot = *next;
            ++reached;
        }
    }
    if (reached != number)
        return damaged(u"A snapshot of the recording is missing: it is damaged."_s);
    m_last = snapshot;
    m_lastNumber = number;
    return snapshot;
}

/// Reads the frames that follow each other from `first` on, as many as memory should have at once.
Result<void> Replay::readFrames(qint64 first, qint64 last, std::vector<QByteArray>& frames)
{
    qsizetype bytes = 0;
    return m_store.run("recording/recording/frames", {first, last}, [&](const Store::Row& row) {
        if (row.number(0) != first + static_cast<qint64>(frames.size()))
            return false;
        frames.push_back(row.bytes(1));
        bytes += frames.back().size();
        return bytes < maxBytesAtOnce;
    });
}

Result<void> Replay::each(qint64 after, const std::function<bool(const Place&)>& onPlace)
{
    std::vector<Place> places;
    do {
        places.clear();
        LOCKSCOPE_TRY(
            m_store.run("recording/recording/places", {after, pageSize}, [&places](const Store::Row& row) {
                places.push_back({.number = row.number(0),
                    .keyFrame = row.number(1),
                    .taken = {row.number(2)},
                    .noted = {row.number(3)},
                    .segment = row.number(4),
                    .interval = milliseconds(row.number(5))});
            }));
        for (const Place& place : places) {
            if (!onPlace(place))
                return {};
            after = place.number;
        }
    } while (!places.empty());
    return {};
}

} // namespace lockscope::record
