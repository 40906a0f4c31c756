// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/FrameWriter.h"

#include "core/domain/BlockingGraph.h"
#include "core/domain/SnapshotNames.h"
#include "core/domain/WaitTotals.h"
#include "core/record/Database.h"
#include "core/record/FrameCodec.h"
#include "core/record/RecordingFile.h"

#include <utility>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 framesPerKey = 60;
constexpr microseconds clockMoved = std::chrono::minutes(1);

} // namespace

Result<void> FrameWriter::load()
{
    LOCKSCOPE_TRY(prepareToRead(m_database));
    LOCKSCOPE_TRY_GET(m_lastFrame, m_database.number("recording/recording/last_frame"));
    LOCKSCOPE_TRY_GET(m_lastInterval, m_database.number("recording/recording/last_interval"));
    LOCKSCOPE_TRY(m_numbers.load(m_lastFrame));
    return inTransaction(m_database, [this]() -> Result<void> {
        LOCKSCOPE_TRY(m_database.run("recording/recording/end_open", {m_lastInterval}));
        LOCKSCOPE_TRY(m_database.run("recording/recording/forget_open"));
        LOCKSCOPE_TRY_GET(
            m_lastInterval, m_database.number("recording/recording/last_interval", {}, m_lastInterval));
        LOCKSCOPE_TRY_GET(m_recentIntervals,
            m_database.number("recording/recording/recent_intervals", {}, m_recentIntervals));
        return {};
    });
}

Result<void> FrameWriter::beginSegment(
    ServerTime taken, ServerTime noted, const QString& host, qint64 process)
{
    LOCKSCOPE_TRY(
        m_database.run("recording/recording/begin_segment", {taken.us, noted.us, u""_s + host, process}));
    m_segment = m_database.lastId();
    m_last.reset();
    // A server's clock that has moved against ours was set: ahead, what began before seems long ago.
    const microseconds moved = (taken - m_lastTaken) - (noted - m_lastNoted);
    if (m_lastTaken.isValid() && std::chrono::abs(moved) > clockMoved)
        m_intervals.setClockSince(moved.count() > 0 ? taken : ServerTime());
    return {};
}

Result<void> FrameWriter::endSegment(const QString& reason)
{
    if (m_segment == 0)
        return {};
    LOCKSCOPE_TRY(addIntervals(m_intervals.end()));
    const qint64 ended = std::exchange(m_segment, 0);
    m_last.reset();
    LOCKSCOPE_TRY(m_database.run("recording/recording/forget_open"));
    return m_database.run("recording/recording/end_segment", {ended, u""_s + reason});
}

Result<void> FrameWriter::explainEnd(const QString& reason)
{
    return m_database.run("recording/recording/explain_end", {reason});
}

Result<void> FrameWriter::write(const SnapshotPtr& snapshot, ServerTime noted, microseconds interval)
{
    const qint64 number = ++m_lastFrame;
    const bool isKey = !m_last || number - m_keyFrame >= framesPerKey;
    if (isKey)
        m_keyFrame = number;
    m_numbers.setFrame(number, m_keyFrame);
    static const Snapshot nothing;
    RowOrigins origins;
    const QByteArray frame =
        encodeFrame(isKey ? nothing : *m_last, *snapshot, m_numbers, isKey && m_last ? nullptr : &origins);
    if (isKey && m_last)
        origins = originsOf(*m_last, *snapshot);
    const LockIntervals::IntervalChanges changes = m_intervals.advance(*snapshot, origins, m_numbers);
    LOCKSCOPE_TRY(addFrame(*snapshot, noted, interval, sealed(packed(frame), number, m_keyFrame)));
    if (isKey)
        LOCKSCOPE_TRY(m_database.run("recording/recording/use_open_statements", {number}));
    LOCKSCOPE_TRY(m_database.run("recording/recording/go_on", {m_segment, snapshot->takenAt.us}));
    for (const LockInterval& begun : changes.begun) {
        m_numbers.numberOfMode(begun.mode); // so that it has one
        LOCKSCOPE_TRY(m_numbers.takeError());
        LOCKSCOPE_TRY(m_database.run("recording/recording/add_open",
            {begun.id, begun.resource, begun.from.us, begun.party, u""_s + begun.mode, qint64(begun.waited),
                qint64(begun.fromExact), number - begun.sightings.polls + 1, doubtOf(begun.sightings),
                begun.statement}));
    }
    for (const LockInterval& ended : changes.ended)
        LOCKSCOPE_TRY(m_database.run("recording/recording/drop_open", {ended.id}));
    m_last = snapshot;
    m_lastTaken = snapshot->takenAt;
    m_lastNoted = noted;
    return addIntervals(changes.ended);
}

Result<void> FrameWriter::addFrame(
    const Snapshot& snapshot, ServerTime noted, microseconds interval, const QByteArray& data)
{
    const Poll poll{.number = m_lastFrame,
        .segment = m_segment,
        .taken = snapshot.takenAt,
        .interval = std::chrono::ceil<milliseconds>(interval)};
    const bool isAfterGap =
        !m_last || poll.isLate({.number = m_lastFrame - 1, .segment = m_segment, .taken = m_last->takenAt});
    const BlockingGraph& graph = snapshot.blocking();
    const WaitTotals waits = waitTotals(snapshot);
    const SessionId worst = graph.worstHead();
    const QString head = worst.isValid() ? sessionTitle(snapshot, worst) : QString();
    const auto headText = static_cast<qint64>(m_numbers.numberOf(head.isEmpty() ? QString() : head));
    LOCKSCOPE_TRY(m_numbers.takeError());
    return m_database.run("recording/recording/add_frame",
        {m_lastFrame, m_segment, m_keyFrame, snapshot.takenAt.us, noted.us, qint64(snapshot.sessions.size()),
            qint64(snapshot.requests.size() + snapshot.entries.size()), qint64(waits.waiters),
            qint64(waits.longestWait.value.count()), qint64(waits.longestWait.exact),
            qint64(graph.heads().size()), headText, data, qint64(poll.interval / milliseconds(1)),
            qint64(isAfterGap)});
}

Result<void> FrameWriter::addIntervals(const std::vector<LockInterval>& intervals)
{
    constexpr qint64 modes = 4; // see schema/recording/intervals.sql
    constexpr qint64 waits = 2;
    for (const LockInterval& interval : intervals) {
        const qint64 mode = m_numbers.numberOfMode(interval.mode);
        LOCKSCOPE_TRY(m_numbers.takeError());
        const bool wasOver = interval.gone == interval.to; // perhaps before the first poll
        bool isKnown = false;
        if (wasOver)
            LOCKSCOPE_TRY(m_database.run("recording/recording/knows_interval",
                {interval.resource, interval.party, u""_s + interval.mode, qint64(interval.waited),
                    interval.from.us, interval.to.us, interval.gone->us},
                [&isKnown](const Database::Row&) {
                    isKnown = true;
                    return false;
                }));
        if (isKnown)
            continue;
        LOCKSCOPE_TRY(m_database.run("recording/recording/add_interval",
            {++m_lastInterval, interval.resource, interval.party,
                mode * modes + (interval.waited ? waits : 0) + qint64(interval.fromExact), interval.from.us,
                interval.to.us, interval.gone ? Value(interval.gone->us) : Value(), interval.sightings.polls,
                doubtOf(interval.sightings), interval.statement}));
        ++m_recentIntervals;
    }
    return m_recentIntervals >= intervalsPerBlock ? packIntervals() : Result<void>();
}

/// Packs recent intervals into blocks, which take less space.
Result<void> FrameWriter::packIntervals()
{
    m_recentIntervals = 0;
    LOCKSCOPE_TRY_GET(const qint64 last, m_database.number("recording/recording/last_block"));
    for (const char* step : {"recording/recording/add_blocks", "recording/recording/pack"})
        LOCKSCOPE_TRY(m_database.run(step, {last + 1, qint64(longInterval.count())}));
    LOCKSCOPE_TRY(m_database.run("recording/recording/note_resources"));
    LOCKSCOPE_TRY(m_database.run("recording/recording/note_parties"));
    return m_database.run("recording/recording/forget_recent");
}

Result<qint64> FrameWriter::numberOf(const monitor::Measure& measure)
{
    qint64& number = m_measures[{measure.kind, measure.name}];
    if (number != 0)
        return number;
    const QString name = u""_s + measure.name; // never null
    LOCKSCOPE_TRY_GET(number, m_database.number("recording/recording/measure", {measure.kind, name}));
    if (number == 0) {
        LOCKSCOPE_TRY(m_database.run("recording/recording/add_measure", {measure.kind, name}));
        number = m_database.lastId();
    }
    return number;
}

Result<void> FrameWriter::add(const std::vector<monitor::Measure>& measures, ServerTime taken)
{
    for (const monitor::Measure& measure : measures) {
        LOCKSCOPE_TRY_GET(const auto number, numberOf(measure));
        LOCKSCOPE_TRY(m_database.run(
            "recording/recording/add_surroundings", {taken.us, number, measure.value, u""_s + measure.text}));
    }
    return {};
}

Result<void> FrameWriter::add(const Event& event, ServerTime noted)
{
    return addEvent(
        m_database, event.at, noted, eventKindName(event.kind), event.what, event.detail, event.sourceKey);
}

Result<void> FrameWriter::add(const RecordedReport& report, ServerTime noted)
{
    return addEvent(
        m_database, report.at, noted, u"report"_s, report.origin, report.raw, u"raw:"_s + report.key);
}

Result<void> FrameWriter::add(const Pin& pin)
{
    return m_database.run("recording/recording/add_pin", {pin.from.us, pin.to.us, u""_s + pin.why});
}

} // namespace lockscope::record
