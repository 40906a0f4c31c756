// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/servers/FleetLanes.h"

#include "core/base/ServerTime.h"
#include "core/record/Recording.h"
#include "core/record/RecordingFile.h"
#include "core/record/RecordingReader.h"
#include "ui/shell/servers/Servers.h"

#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 readAgainAfter = 30'000; // ms

} // namespace

FleetLanes::FleetLanes(Servers& servers, QObject* parent, IdentityOf identityOf)
    : QObject(parent)
    , m_servers(servers)
    , m_identityOf(std::move(identityOf))
{
    connect(&servers, &Servers::opened, this, [this](ServerSession* session) {
        connect(session, &ServerSession::snapshotChanged, this, [this, session] { note(*session); });
    });
    // What was polled here is recorded, or is known no more.
    connect(&servers, &Servers::aboutToClose, this,
        [this](ServerSession* session) { m_lanes.remove(keyOf(m_servers.rowOf(session))); });
}

QString FleetLanes::keyOf(int row) const
{
    return row < 0 ? QString() : m_servers.profile(row).url.toString();
}

void FleetLanes::note(const ServerSession& session)
{
    const SnapshotPtr snapshot = session.monitor().snapshot();
    const QString key = keyOf(m_servers.rowOf(&session));
    if (!snapshot || session.recording() || key.isEmpty())
        return;
    Lane& lane = m_lanes[key];
    if (!lane.firstPolled.isValid())
        lane.firstPolled = snapshot->takenAt;
    lane.ahead = snapshot->takenAt - ownClock();
    notePeak(lane, snapshot->takenAt, session.figures().waiters);
    lane.polled.noteSnapshot(snapshot->takenAt, session.figures().waiters,
        record::latestPoll(session.monitor().effectiveInterval()));
}

void FleetLanes::notePeak(Lane& lane, ServerTime at, int waiting)
{
    if (waiting <= 0)
        return;
    // Forgets what was noted while the clock was ahead.
    constexpr qint64 length = watch::BlockedHour::pieceLength.count();
    const qint64 latest = (ownClock() + lane.ahead).us / length + 1;
    lane.peaks.erase(lane.peaks.upper_bound(latest), lane.peaks.end());
    if (at.us / length > latest)
        return;
    Peak& peak = lane.peaks[at.us / length];
    if (waiting >= peak.waiting)
        peak = {at, waiting};
    while (lane.peaks.size() > size_t(watch::BlockedHour::pieceCount))
        lane.peaks.erase(lane.peaks.begin());
}

std::optional<ServerTime> FleetLanes::worst(int row) const
{
    const auto lane = m_lanes.constFind(keyOf(row));
    if (lane == m_lanes.cend())
        return std::nullopt;
    const ServerTime since = ownClock() + lane->ahead - watch::BlockedHour::length;
    const Peak* worst = nullptr;
    for (const auto& [minute, peak] : lane->peaks)
        if (peak.at >= since && (!worst || peak.waiting >= worst->waiting))
            worst = &peak;
    return worst ? std::optional(worst->at) : std::nullopt;
}

void FleetLanes::refresh()
{
    for (int row = 0; row < m_servers.count(); ++row) {
        const ServerSession* const session = m_servers.session(row);
        if (session && session->recording())
            continue;
        const Lane& lane = m_lanes[keyOf(row)];
        const bool isDue = !lane.sinceRead.isValid()
            || (!lane.firstPolled.isValid() && lane.sinceRead.elapsed() >= readAgainAfter);
        if (isDue && !lane.isAsking)
            ask(row);
    }
}

void FleetLanes::ask(int row)
{
    const QString key = keyOf(row);
    Lane& lane = m_lanes[key];
    lane.sinceRead.start();
    lane.isAsking = true;
    findIdentity(*this, m_servers.profile(row), m_identityOf,
        [key](FleetLanes& lanes, const record::Identity& server) { lanes.readRecording(key, server); });
}

void FleetLanes::readRecording(const QString& key, const record::Identity& server)
{
    m_worker.ask(
        this,
        [server](const std::stop_token&) {
            return Read{server.place, watch::recordedHour(server)};
        },
        [this, key](const Read& read) { take(key, read); });
}

QString FleetLanes::place(int row) const
{
    if (const ServerSession* const session = m_servers.session(row))
        return session->place();
    const db::ServerUrl& url = m_servers.profile(row).url;
    if (!url.isFile())
        return record::serverPlace(url);
    const auto lane = m_lanes.constFind(keyOf(row));
    return lane == m_lanes.cend() ? QString() : lane->place;
}

void FleetLanes::take(const QString& key, const Read& read)
{
    const auto lane = m_lanes.find(key);
    if (lane == m_lanes.end())
        return;
    lane->isAsking = false;
    const bool isPlaceNew = std::exchange(lane->place, read.place) != read.place;
    const Result<watch::RecordedHour>& recorded = read.recorded;
    if (!recorded) { // which stays unknown; the page of the server says why
        if (isPlaceNew)
            Q_EMIT changed();
        return;
    }
    lane->recorded = {};
    const bool isPolled = lane->firstPolled.isValid();
    if (!isPolled)
        lane->ahead = recorded->ahead;
    for (watch::BlockedRange range : recorded->ranges) {
        if (isPolled)
            range.to = std::min(range.to, lane->firstPolled);
        for (ServerTime at = std::max(range.from, range.to - watch::BlockedHour::length); at < range.to;
             at = at + watch::BlockedHour::pieceLength)
            notePeak(*lane, at, range.waiting);
        lane->recorded.add(range);
    }
    Q_EMIT changed();
}

watch::BlockedHour::Pieces FleetLanes::of(int row) const
{
    const auto lane = m_lanes.constFind(keyOf(row));
    if (lane == m_lanes.cend())
        return watch::BlockedHour().until(ownClock());
    const ServerSession* const session = m_servers.session(row);
    const SnapshotPtr snapshot = session ? session->monitor().snapshot() : nullptr;
    // Until the next poll the time since the latest one is no gap yet.
    const ServerTime now = snapshot && !session->isOld() ? snapshot->takenAt : ownClock() + lane->ahead;
    watch::BlockedHour hour = lane->recorded;
    hour.add(lane->polled);
    return hour.until(now);
}

} // namespace lockscope::ui
