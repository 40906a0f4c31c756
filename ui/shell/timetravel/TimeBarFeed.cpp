// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeBarFeed.h"

#include "ui/shell/timetravel/TimeBar.h"
#include "ui/shell/timetravel/TimeTravel.h"

#include <algorithm>

namespace lockscope::ui {

namespace {

constexpr int spanEvery = 900; // ms
constexpr int firstWait = 100; // ms for the recorder, which writes on a thread of its own; then twice as long
constexpr int maxWaits = 5;

/// Gives the gaps at the edges of the range their own begin and end, as far as there is a snapshot.
Result<void> widen(
    record::RecordingReader& reader, QList<record::Coverage::Gap>& gaps, ServerTime from, ServerTime to)
{
    for (record::Coverage::Gap& gap : gaps) {
        if (gap.from > from && gap.to < to)
            continue;
        const auto own = record::gapAt(reader, gap.from + (gap.to - gap.from) / 2);
        if (!own)
            return Failure(own.error());
        if (*own && (*own)->from.isValid())
            gap.from = std::min(gap.from, (*own)->from);
        if (*own && (*own)->to.isValid())
            gap.to = std::max(gap.to, (*own)->to);
    }
    return {};
}

Result<TimeBarData> read(record::RecordingReader& reader, ServerTime from, ServerTime to, int columns)
{
    auto snapshots = reader.recordedSnapshots(from, to, columns);
    if (!snapshots)
        return Failure(std::move(snapshots.error()));
    auto events = reader.events(from, to);
    if (!events)
        return Failure(std::move(events.error()));
    auto coverage = record::coverageOf(reader, from, to);
    if (!coverage)
        return Failure(std::move(coverage.error()));
    if (auto widened = widen(reader, coverage->gaps, from, to); !widened)
        return Failure(std::move(widened.error()));
    return TimeBarData{.span = {from, to, 0},
        .snapshots = std::move(*snapshots),
        .events = std::move(*events),
        .gaps = std::move(coverage->gaps)};
}

} // namespace

TimeBarFeed::TimeBarFeed(TimeTravel& travel, TimeBar& bar, QObject* parent)
    : QObject(parent)
    , m_travel(travel)
    , m_bar(bar)
{
    m_later.setSingleShot(true);
    m_later.setInterval(spanEvery);
    connect(&m_later, &QTimer::timeout, this, &TimeBarFeed::askWhenDue);
    m_unwritten.setSingleShot(true);
    connect(&m_unwritten, &QTimer::timeout, this, [this] {
        if (!m_isAskingSpan)
            askSpan();
    });
    connect(&bar, &TimeBar::visibleRangeChanged, this, &TimeBarFeed::request);
    connect(&bar, &TimeBar::positionChosen, &travel, &TimeTravel::goTo);
    connect(&bar, &TimeBar::stepRequested, &travel, &TimeTravel::step);
    connect(&bar, &TimeBar::liveRequested, &travel, &TimeTravel::goLive);
    connect(&bar, &TimeBar::landmarkRequested, &travel, &TimeTravel::goToLandmark);
    connect(&bar, &TimeBar::playRequested, &travel, &TimeTravel::play);
    connect(&travel, &TimeTravel::sourceChanged, this, &TimeBarFeed::begin);
    connect(&travel, &TimeTravel::positionChanged, this, &TimeBarFeed::showPlace);
    connect(&travel, &TimeTravel::pastViewChanged, this, &TimeBarFeed::showPlace);
    connect(&travel, &TimeTravel::clockChanged, this, &TimeBarFeed::showPlace);
    connect(&travel, &TimeTravel::playingChanged, this, [this] { m_bar.setPlaying(m_travel.speed()); });
}

void TimeBarFeed::begin()
{
    ++m_generation;
    m_isAskingSpan = false;
    m_isAskingRange = false;
    m_later.stop();
    m_unwritten.stop();
    m_newest.reset();
    m_requested.reset();
    m_span.reset();
    m_error.reset();
    m_bar.clear();
    m_bar.setLiveAvailable(!m_travel.source().isFile);
    m_bar.setPosition(std::nullopt);
    Q_EMIT availabilityChanged();
    askSpan();
}

void TimeBarFeed::showPlace()
{
    // Between two polls of which the second came late, and where nothing can be read, it is the position's.
    const bool isGap = m_travel.gap() && m_travel.gap()->to.isValid();
    const bool isFound = m_travel.isFound() && !isGap && !m_travel.error();
    m_bar.setPosition(
        m_travel.position(), isFound ? std::optional(m_travel.clock()) : std::optional<ServerTime>());
}

void TimeBarFeed::noteNews(std::optional<ServerTime> newest)
{
    m_newest = newest;
    m_waits = 0;
    m_unwritten.stop();
    askWhenDue();
}

void TimeBarFeed::askWhenDue()
{
    if (!m_isAskingSpan && (!m_sinceSpan.isValid() || m_sinceSpan.elapsed() >= spanEvery))
        askSpan();
    else if (!m_later.isActive())
        m_later.start(); // it may be the last for a while
}

void TimeBarFeed::askSpan()
{
    if (!m_travel.client())
        return;
    m_isAskingSpan = true;
    m_sinceSpan.start();
    m_travel.client()->ask(
        this, [](record::RecordingReader& reader) { return reader.span(); },
        [this, generation = m_generation](const Result<record::Span>& span) {
            if (generation == m_generation)
                takeSpan(span);
        });
}

void TimeBarFeed::takeSpan(const Result<record::Span>& span)
{
    m_isAskingSpan = false;
    const bool wasThere = hasRecording();
    const std::optional<Error> before = m_error;
    m_error = span ? std::nullopt : std::optional(span.error());
    if (span) {
        m_span = *span;
        m_bar.setMessage({});
        m_bar.setSpan(span->first, span->last);
    } else {
        m_bar.setMessage(span.error().what);
    }
    if (m_newest && (!span || span->last < *m_newest) && m_waits < maxWaits)
        m_unwritten.start(firstWait << m_waits++);
    if (wasThere != hasRecording() || before != m_error)
        Q_EMIT availabilityChanged();
}

/// The newest question is enough: it covers what was asked for before.
void TimeBarFeed::request(ServerTime from, ServerTime to, int columns)
{
    m_requested = {from, to, columns};
    if (!m_isAskingRange)
        askRange();
}

void TimeBarFeed::askRange()
{
    if (!m_requested || !m_travel.client())
        return;
    m_isAskingRange = true;
    const RequestedRange asked = *std::exchange(m_requested, std::nullopt);
    m_travel.client()->ask(
        this,
        [asked](
            record::RecordingReader& reader) { return read(reader, asked.from, asked.to, asked.columns); },
        [this, generation = m_generation](const Result<TimeBarData>& data) {
            if (generation != m_generation)
                return;
            m_isAskingRange = false;
            if (data)
                m_bar.setData(*data);
            else
                m_bar.setMessage(data.error().what);
            askRange();
        });
}

} // namespace lockscope::ui
