// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/timetravel/TimeTravel.h"

#include "ui/views/page/MomentText.h"

#include <algorithm>
#include <limits>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

using record::FoundMoment;

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
    ++m_journey;
    m_isAsking = false;
    m_next.reset();
    m_snapshot.reset();
    m_gap.reset();
    m_error.reset();
    m_present = {};
    m_end = {};
    m_source = source;
    m_moments.reset();
    m_longQuestions.reset();
    if (!source.place.isEmpty()) {
        for (auto* client : {&m_moments, &m_longQuestions})
            *client = std::make_unique<record::RecordingClient>(
                source.place, source.server, source.passwords, source.damaged);
    }
    play(0);
    setPosition(std::nullopt);
    Q_EMIT sourceChanged();
    if (source.isFile)
        wish({Wish::Kind::Last, {}, 0});
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
    if (!m_moments)
        return;
    play(0);
    setPosition(at);
    wish({Wish::Kind::At, at, 0});
}

void TimeTravel::step(int moments)
{
    if (!m_moments || moments == 0)
        return;
    if (!isOn() && moments > 0) {
        Q_EMIT said(u"This is the present."_s);
        return;
    }
    play(0);
    wish({Wish::Kind::Step, {}, moments});
}

void TimeTravel::goToLandmark(bool next)
{
    if (!m_moments)
        return;
    if (!isOn() && next) {
        Q_EMIT said(u"This is the present."_s);
        return;
    }
    play(0);
    wish({next ? Wish::Kind::NextLandmark : Wish::Kind::PreviousLandmark, {}, 0, m_landmarks});
}

void TimeTravel::play(double speed)
{
    const double wanted = speed <= 0 || !m_snapshot ? 0 : std::clamp(speed, 1.0, fastest);
    if (wanted == m_speed)
        return;
    m_speed = wanted;
    if (wanted > 0) {
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
    wish({Wish::Kind::At, *m_position, 0});
    Q_EMIT clockChanged();
}

void TimeTravel::goLive()
{
    if (m_source.isFile) {
        Q_EMIT said(u"This is a recording: it has no present to go back to."_s);
        return;
    }
    ++m_journey;
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
        Q_EMIT momentChanged();
}

void TimeTravel::setPosition(std::optional<ServerTime> position)
{
    if (m_position == position)
        return;
    m_position = position;
    m_isFound = false;
    Q_EMIT positionChanged();
}

void TimeTravel::wish(const Wish& wish)
{
    if (!m_isAsking) {
        ask(wish);
        return;
    }
    const bool isStep = wish.kind == Wish::Kind::Step && m_next && m_next->kind == Wish::Kind::Step;
    const int before = isStep ? m_next->steps : 0;
    m_next = wish;
    m_next->steps += before;
}

void TimeTravel::ask(const Wish& asked)
{
    Wish wish = asked;
    const bool isLandmark =
        wish.kind == Wish::Kind::NextLandmark || wish.kind == Wish::Kind::PreviousLandmark;
    // A landmark may lie between two recorded snapshots: the next one is searched from there.
    if (isLandmark && m_position)
        wish.from = *m_position;
    else if (wish.kind != Wish::Kind::At)
        wish.from = base();
    m_isAsking = true;
    m_moments->ask(
        this, [wish](record::RecordingReader& reader) { return record::findMoment(reader, wish); },
        [this, wish, journey = m_journey](const Result<FoundMoment>& found) {
            if (journey == m_journey)
                take(wish, found);
        });
}

void TimeTravel::take(const Wish& wish, const Result<FoundMoment>& found)
{
    m_isAsking = false;
    const quint64 journey = m_journey;
    if (!found) {
        show({wish.from, Failure(found.error()), {}});
    } else if (found->snapshot && !*found->snapshot) {
        sayThatThereIsNone(wish);
    } else {
        if (wish.kind == Wish::Kind::Last)
            m_end = found->at;
        if (wish.kind != Wish::Kind::At && !m_next)
            setPosition(found->at);
        show(*found);
    }
    // The receiver of the signal may have gone elsewhere by now.
    if (journey == m_journey && !m_isAsking && m_next)
        ask(*std::exchange(m_next, std::nullopt));
}

void TimeTravel::show(const FoundMoment& found)
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
        Q_EMIT momentChanged();
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
        Q_EMIT momentChanged();
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
    Q_EMIT said(u"The recording ends at %1."_s.arg(shortMomentText(end)));
    Q_EMIT momentChanged();
}

void TimeTravel::sayThatThereIsNone(const Wish& wish)
{
    if (wish.from.us == std::numeric_limits<qint64>::max()) {
        Q_EMIT said(u"That time is not recorded."_s);
        return;
    }
    const QString when = shortMomentText(wish.from);
    switch (wish.kind) {
    case Wish::Kind::NextLandmark:
        Q_EMIT said(
            u"After %1 nothing of this is recorded: %2."_s.arg(when, landmarksText(wish.landmarks.kinds)));
        break;
    case Wish::Kind::PreviousLandmark:
        Q_EMIT said(
            u"Before %1 nothing of this is recorded: %2."_s.arg(when, landmarksText(wish.landmarks.kinds)));
        break;
    case Wish::Kind::Step:
        Q_EMIT said((
            wish.steps > 0 ? u"%1 is the last recorded snapshot."_s : u"%1 is the first recorded snapshot."_s)
                        .arg(when));
        break;
    case Wish::Kind::At:
    case Wish::Kind::Last:
        break;
    }
}

} // namespace lockscope::ui
