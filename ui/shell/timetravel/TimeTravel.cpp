// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeTravel.h"

#include "ui/views/page/AppContext.h"

#include <algorithm>
#include <limits>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

using record::FoundSnapshot;

namespace {

constexpr auto playEvery = 100ms;
constexpr double fastest = 100;
/// Between the last poll and the next one: no gap yet.
constexpr microseconds usualPause = 10s;

} // namespace

TimeTravel::TimeTravel(QObject* parent)
    : QObject(parent)
{
    m_playTimer.setInterval(playEvery);
    m_playTimer.setTimerType(Qt::PreciseTimer);
    connect(&m_playTimer, &QTimer::timeout, this, &TimeTravel::goOn);
}

void TimeTravel::setSource(const Source& source)
{
    ++m_generation;
    m_isAsking = false;
    m_next.reset();
    m_snapshot.reset();
    m_gap.reset();
    m_error.reset();
    m_present = {};
    m_end = {};
    m_source = source;
    m_snapshots.reset();
    m_longQuestions.reset();
    if (!source.place.isEmpty()) {
        for (auto* client : {&m_snapshots, &m_longQuestions})
            *client = std::make_unique<record::RecordingClient>(
                source.place, source.of, source.passwords, source.damaged);
    }
    play(0);
    setPosition(std::nullopt);
    Q_EMIT sourceChanged();
    if (source.isFile)
        request({.kind = Request::Kind::Last});
}

ServerTime TimeTravel::clock() const
{
    if (!m_snapshot)
        return {};
    const bool runs = m_speed > 0 && !m_gap && !m_error && m_position;
    return runs ? std::max(*m_position, m_snapshot->takenAt) : m_snapshot->takenAt;
}

ServerTime TimeTravel::base() const
{
    if (m_error && m_position)
        return *m_position; // on beyond what can't be read
    if (m_snapshot)
        return m_snapshot->takenAt;
    // A server without an answer yet, or one that can't be reached: the whole recording was before.
    return m_present.isValid() ? m_present : ServerTime{std::numeric_limits<qint64>::max()};
}

void TimeTravel::goTo(ServerTime at)
{
    if (!m_snapshots)
        return;
    play(0);
    setPosition(at);
    request({.kind = Request::Kind::At, .from = at});
}

void TimeTravel::step(int count)
{
    if (!m_snapshots || count == 0)
        return;
    if (!isOn() && count > 0) {
        Q_EMIT said(u"This is the present."_s);
        return;
    }
    play(0);
    request({.kind = Request::Kind::Step, .steps = count});
}

void TimeTravel::goToLandmark(bool next)
{
    if (!m_snapshots)
        return;
    if (!isOn() && next) {
        Q_EMIT said(u"This is the present."_s);
        return;
    }
    play(0);
    request({.kind = next ? Request::Kind::NextLandmark : Request::Kind::PreviousLandmark,
        .landmarks = m_landmarks});
}

void TimeTravel::play(double speed)
{
    const double requested = speed <= 0 || !m_snapshot ? 0 : std::clamp(speed, 1.0, fastest);
    if (requested == m_speed)
        return;
    m_speed = requested;
    if (requested > 0) {
        m_playedFrom = base();
        m_playedSince = std::chrono::steady_clock::now();
        m_playTimer.start();
    } else {
        m_playTimer.stop();
    }
    Q_EMIT playingChanged();
    if (m_snapshot)
        Q_EMIT clockChanged();
}

void TimeTravel::goOn()
{
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - m_playedSince;
    setPosition(m_playedFrom + std::chrono::duration_cast<microseconds>(passed * m_speed));
    request({.kind = Request::Kind::At, .from = *m_position});
    Q_EMIT clockChanged();
}

void TimeTravel::goLive()
{
    if (m_source.isFile) {
        Q_EMIT said(u"This is a recording: it has no present to go back to."_s);
        return;
    }
    ++m_generation;
    m_isAsking = false;
    m_next.reset();
    m_gap.reset();
    m_error.reset();
    m_speed = 0;
    m_playTimer.stop();
    const bool wasOn = m_snapshot != nullptr;
    m_snapshot.reset();
    Q_EMIT playingChanged();
    setPosition(std::nullopt);
    if (wasOn)
        Q_EMIT pastViewChanged();
}

void TimeTravel::setPosition(std::optional<ServerTime> position)
{
    if (m_position == position)
        return;
    m_position = position;
    m_isFound = false;
    Q_EMIT positionChanged();
}

void TimeTravel::request(const Request& request)
{
    if (!m_isAsking) {
        ask(request);
        return;
    }
    const bool isStep = request.kind == Request::Kind::Step && m_next && m_next->kind == Request::Kind::Step;
    const int before = isStep ? m_next->steps : 0;
    m_next = request;
    m_next->steps += before;
}

void TimeTravel::ask(const Request& asked)
{
    Request request = asked;
    const bool isLandmark =
        request.kind == Request::Kind::NextLandmark || request.kind == Request::Kind::PreviousLandmark;
    // A landmark may lie between two recorded snapshots: the next one is searched from there.
    if (isLandmark && m_position)
        request.from = *m_position;
    else if (request.kind != Request::Kind::At)
        request.from = base();
    m_isAsking = true;
    m_snapshots->ask(
        this, [request](record::RecordingReader& reader) { return record::findSnapshot(reader, request); },
        [this, request, generation = m_generation](const Result<FoundSnapshot>& found) {
            if (generation == m_generation)
                take(request, found);
        });
}

void TimeTravel::take(const Request& request, const Result<FoundSnapshot>& found)
{
    m_isAsking = false;
    const quint64 generation = m_generation;
    if (!found) {
        show({request.from, Failure(found.error()), {}});
    } else if (found->snapshot && !*found->snapshot) {
        sayThatThereIsNone(request);
    } else {
        if (request.kind == Request::Kind::Last)
            m_end = found->at;
        if (request.kind != Request::Kind::At && !m_next)
            setPosition(found->at);
        show(*found);
    }
    // The receiver of the signal may have gone elsewhere by now.
    if (generation == m_generation && !m_isAsking && m_next)
        ask(*std::exchange(m_next, std::nullopt));
}

void TimeTravel::show(const FoundSnapshot& found)
{
    if (!found.snapshot) {
        if (!isOn()) {
            // The present is on view, and stays so.
            Q_EMIT said(found.snapshot.error().toString());
            setPosition(std::nullopt);
            return;
        }
        m_error = found.snapshot.error();
        m_gap.reset();
        Q_EMIT pastViewChanged();
        return;
    }
    std::optional<record::Coverage::Gap> gap = found.gap;
    const bool isEnd = gap && !gap->to.isValid();
    if (isEnd && !m_source.isFile && found.at - gap->from < usualPause)
        gap.reset();
    const bool isNews = m_snapshot != *found.snapshot || m_gap != gap || m_error;
    m_snapshot = *found.snapshot;
    m_isFound = !m_next;
    m_gap = gap;
    m_gapText = gap ? found.gapText() : QString();
    m_error.reset();
    if (isNews)
        Q_EMIT pastViewChanged();
    else
        Q_EMIT clockChanged();
    if (m_speed > 0 && found.gap)
        skipGap();
    else if (m_speed > 0 && found.at < m_snapshot->takenAt)
        m_playedFrom = m_snapshot->takenAt;
}

/// Goes on, while it plays, to where it is recorded again, or ends.
void TimeTravel::skipGap()
{
    if (m_gap && m_gap->to.isValid()) {
        Q_EMIT said(u"Skipped. %1"_s.arg(m_gap->toString()));
        m_playedFrom = m_gap->to;
        m_playedSince = std::chrono::steady_clock::now();
        return;
    }
    if (!m_source.isFile) {
        Q_EMIT said(u"This is the present again."_s);
        goLive();
        return;
    }
    const ServerTime end = m_snapshot->takenAt;
    play(0);
    m_next.reset();
    m_gap.reset();
    setPosition(end);
    Q_EMIT said(u"The recording ends at %1."_s.arg(shortDateTimeText(end)));
    Q_EMIT pastViewChanged();
}

void TimeTravel::sayThatThereIsNone(const Request& request)
{
    if (request.from.us == std::numeric_limits<qint64>::max()) {
        Q_EMIT said(u"That time is not recorded."_s);
        return;
    }
    const QString when = shortDateTimeText(request.from);
    switch (request.kind) {
    case Request::Kind::NextLandmark:
        Q_EMIT said(
            u"After %1 nothing of this is recorded: %2."_s.arg(when, landmarksText(request.landmarks.kinds)));
        break;
    case Request::Kind::PreviousLandmark:
        Q_EMIT said(u"Before %1 nothing of this is recorded: %2."_s.arg(
            when, landmarksText(request.landmarks.kinds)));
        break;
    case Request::Kind::Step:
        Q_EMIT said((request.steps > 0 ? u"%1 is the last recorded snapshot."_s
                                       : u"%1 is the first recorded snapshot."_s)
                        .arg(when));
        break;
    case Request::Kind::At:
    case Request::Kind::Last:
        break;
    }
}

const std::vector<std::pair<record::Landmark, QString>>& landmarkNames()
{
    using record::Landmark;
    static const std::vector<std::pair<Landmark, QString>> names{
        {Landmark::Wait, u"the beginning of a wait"_s}, {Landmark::LongWait, u"a wait that turns red"_s},
        {Landmark::Deadlock, u"deadlocks"_s}, {Landmark::Alert, u"alerts"_s}, {Landmark::Act, u"actions"_s},
        {Landmark::Gap, u"the end of a gap"_s}, {Landmark::Note, u"notes"_s}};
    return names;
}

QString landmarksText(record::Landmarks kinds)
{
    QStringList texts;
    for (const auto& [kind, name] : landmarkNames()) {
        if (kinds & kind)
            texts << name;
    }
    return texts.join(u", "_s);
}

} // namespace lockscope::ui
