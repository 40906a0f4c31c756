// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/ServerStanding.h"

#include "core/alert/Conditions.h"
#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/domain/WaitTotals.h"
#include "core/record/Coverage.h"
#include "core/record/Recording.h"
#include "core/record/RecordingFile.h"
#include "core/record/RecordingReader.h"
#include "core/watch/IncidentKeeper.h"

#include <algorithm>
#include <tuple>

namespace lockscope::watch {

using namespace Qt::StringLiterals;
using monitor::Health;
using State = ServerStanding::State;

namespace {

/// Says who waits, as far as it is seen. Returns the worst head blocker; invalid: none is seen.
SessionId fillWaits(ServerStanding& standing, const ServerWatch& watch, const LockThresholds& thresholds)
{
    const Snapshot& snapshot = *watch.monitor().snapshot();
    const auto chains = alert::chainsOf(snapshot, causeServer(watch.place()), causeDatabase(watch.place()));
    const WaitTotals totals = waitTotals(snapshot);
    standing.waiting = totals.waiters;
    standing.longestWait = totals.longestWait;
    const State calm = snapshot.isIncomplete() ? State::Unknown : State::Calm;
    if (totals.waiters == 0) {
        standing.reason = snapshot.isIncomplete() ? u"Nobody is seen waiting, but a part could not be read."_s
                                                  : u"Nobody waits."_s;
        standing.state = calm;
        return {};
    }
    const auto worst = std::ranges::min_element(
        chains, [](const alert::Chain& a, const alert::Chain& b) { return isWorse(a, b); });
    const LockTableQueue queue = worst == chains.end() ? worstQueue(snapshot) : LockTableQueue();
    standing.reason = worst != chains.end()
        ? alert::titleOf(*worst, alert::headOf(snapshot, *worst, thresholds.hold.amber))
        : queue.empty()
        ? textWithoutBlocker(totals.waiters) + u'.'
        : u"%1 for \"%2\", which is free at present."_s.arg(
            counted(qint64(queue.size()), u"session waits", u"sessions wait"), queue.front()->name);
    if (chains.size() > 1)
        standing.reason = sentences({standing.reason,
            counted(qint64(chains.size()) - 1, u"more head blocker.", u"more head blockers.")});
    switch (levelOf(snapshot, thresholds.wait)) {
    case AgeLevel::Red:
        standing.state = State::Critical;
        break;
    case AgeLevel::Amber:
        standing.state = State::Warning;
        break;
    case AgeLevel::Normal:
        standing.state = calm;
    }
    if (snapshot.isIncomplete())
        standing.reason = sentences({standing.reason, u"A part could not be read."_s});
    return worst == chains.end() ? SessionId() : worst->head;
}

/// An incident knows why better than one snapshot does. Of equal ones that of the worst head is named.
void addIncidents(ServerStanding& standing, const QList<alert::Incident>& firing, SessionId worstHead = {})
{
    const auto rank = [worstHead](const alert::Incident& each) {
        return std::tuple(each.severity, worstHead.isValid() && each.head.session == worstHead, each.waiting);
    };
    const alert::Incident* worst = nullptr;
    for (const alert::Incident& each : firing) {
        const bool isCritical = each.severity == alert::Severity::Critical;
        ++(isCritical ? standing.criticals : standing.warnings);
        if (!worst || rank(each) > rank(*worst))
            worst = &each;
    }
    if (!worst)
        return;
    if (standing.state != State::NotReached) {
        standing.reason = worst->title;
        if (firing.size() > 1)
            standing.reason = sentences(
                {standing.reason, counted(qint64(firing.size()) - 1, u"more incident.", u"more incidents.")});
    }
    standing.state = std::min(standing.state, standing.criticals > 0 ? State::Critical : State::Warning);
}

QString hedgeOf(CrossWait::Certainty certainty)
{
    switch (certainty) {
    case CrossWait::Certainty::Process:
        return {};
    case CrossWait::Certainty::Program:
        return u"probably "_s;
    case CrossWait::Certainty::Several:
        break;
    }
    return u"perhaps "_s;
}

std::optional<bool> replicaOf(const monitor::History& history)
{
    for (auto sample = history.samples().rbegin(); sample != history.samples().rend(); ++sample)
        for (const monitor::Measure& measure : sample->measures)
            if (measure.kind == monitor::measures::replica)
                return measure.value != 0;
    return std::nullopt;
}

/// Polls of a second or more apart are all read; of faster ones the worst of each second.
constexpr microseconds mergedPolls{1'000'000};

qint64 minuteOf(ServerTime at)
{
    return at.us / BlockedHour::pieceLength.count();
}

report::Mark markOf(State state)
{
    using report::Mark;
    return state <= State::NotReached ? Mark::Failed
        : state == State::Warning     ? Mark::Warning
        : state == State::Calm        ? Mark::Good
                                      : Mark::Muted;
}

} // namespace

QString stateName(State state)
{
    switch (state) {
    case State::Critical:
        return u"critical"_s;
    case State::NotReached:
        return u"not reached"_s;
    case State::Warning:
        return u"warning"_s;
    case State::Unknown:
        return u"unknown"_s;
    case State::Calm:
        return u"calm"_s;
    case State::NotOpen:
        break;
    }
    return u"not open"_s;
}

bool isWorse(const ServerStanding& one, const ServerStanding& other)
{
    const auto key = [](const ServerStanding& each) {
        return std::tuple(each.state, -each.waiting.value_or(0),
            -each.longestWait.value_or(Age{}).value.count(), each.known.has_value());
    };
    return key(one) < key(other);
}

void addCrossServer(std::vector<ServerStanding>& standings, const std::vector<SeenServer>& servers)
{
    const CrossServer cross = crossServer(servers);
    for (const CrossWait& wait : cross.waits) {
        ServerStanding& standing = standings[wait.head.server];
        if (!standing.elsewhere) // the worst comes first
            standing.reason = sentences({standing.reason, textOf(wait, servers)});
        standing.elsewhere = standing.elsewhere.value_or(wait.waiter.server);
        ServerStanding& other = standings[wait.waiter.server];
        other.reason = sentences({other.reason,
            u"%1 behind %2 on %3 %4%5 for this as well."_s.arg(counted(wait.behind, u"session"),
                wait.head.title, servers[wait.head.server].name, hedgeOf(wait.certainty),
                wait.behind == 1 ? u"waits"_s : u"wait"_s)});
    }
    for (const std::vector<size_t>& ring : cross.rings) {
        const QString text = textOfRing(ring, cross, servers);
        for (const size_t each : ring) {
            ServerStanding& standing = standings[cross.waits[each].head.server];
            standing.state = State::Critical;
            standing.reason = text;
            standing.elsewhere = cross.waits[each].waiter.server;
        }
    }
}

ServerStanding standingOf(const ServerWatch* watch, const QList<alert::Incident>& firing, bool isCurrent,
    const LockThresholds& thresholds)
{
    ServerStanding standing;
    standing.areIncidentsCurrent = isCurrent;
    if (!watch) {
        standing.reason = u"Nobody watches it."_s;
        addIncidents(standing, firing); // another program may
        return standing;
    }
    const monitor::ServerMonitor& monitor = watch->monitor();
    standing.interval = monitor.effectiveInterval();
    standing.isReplica = replicaOf(watch->history());
    if (const SnapshotPtr snapshot = monitor.snapshot()) {
        standing.known = monitor.lastGood();
        standing.pollTook = std::chrono::ceil<milliseconds>(snapshot->cost.roundTrip);
    }
    SessionId worstHead;
    const auto error = monitor.lastError();
    const Health health = monitor.health();
    if (error || health == Health::Silent) {
        standing.state = State::NotReached;
        standing.reason = error ? sentences({error->what, error->detail}) : u"It does not answer."_s;
    } else if (!monitor.snapshot()) {
        standing.state = State::Unknown;
        standing.reason = u"It was not polled yet."_s;
    } else if (health == Health::Paused) {
        standing.state = State::Unknown;
        standing.reason = u"Polling is paused."_s;
    } else {
        worstHead = fillWaits(standing, *watch, thresholds);
    }
    addIncidents(standing, firing, worstHead);
    if (!isCurrent && standing.state == State::Calm) {
        standing.state = State::Unknown;
        standing.reason = sentences({standing.reason, u"Its incidents can't be read at present."_s});
    }
    return standing;
}

Result<QList<BlockedRange>> blockedRanges(record::RecordingReader& reader, ServerTime from, ServerTime to)
{
    LOCKSCOPE_TRY_GET(const auto snapshots,
        reader.recordedSnapshots(from, to, static_cast<int>(std::max<qint64>(1, (to - from) / mergedPolls))));
    LOCKSCOPE_TRY_GET(const auto coverage, record::coverageOf(reader, from, to));
    QList<BlockedRange> ranges;
    auto gap = coverage.gaps.cbegin();
    for (qsizetype i = 0; i < snapshots.size(); ++i) {
        const record::RecordedSnapshot& one = snapshots.at(i);
        const ServerTime seen = std::max(one.at, one.last);
        const ServerTime next = i + 1 < snapshots.size() ? snapshots.at(i + 1).at : seen;
        while (gap != coverage.gaps.cend() && gap->to <= seen)
            ++gap;
        const bool isBeforeGap = gap != coverage.gaps.cend() && gap->from < next;
        BlockedRange range{one.at, isBeforeGap ? seen : std::max(seen, next), one.waiting};
        if (!ranges.isEmpty() && ranges.last().to == range.from && ranges.last().waiting == range.waiting)
            ranges.last().to = range.to;
        else if (range.from < range.to)
            ranges.append(range);
    }
    return ranges;
}

void BlockedHour::add(const BlockedRange& range)
{
    // Times of a file that somebody made may be anywhere: more than the hour is of no use.
    ServerTime from = std::max(range.from, range.to - length - pieceLength);
    while (from < range.to) {
        const ServerTime end = std::min(range.to, ServerTime{(minuteOf(from) + 1) * pieceLength.count()});
        Piece& piece = m_pieces[minuteOf(from)];
        piece.known += end - from;
        piece.blocked += (end - from) * qint64(std::max(0, range.waiting));
        from = end;
    }
    while (!m_pieces.empty() && m_pieces.begin()->first + pieceCount < m_pieces.rbegin()->first)
        m_pieces.erase(m_pieces.begin());
}

void BlockedHour::add(const BlockedHour& other)
{
    for (const auto& [minute, piece] : other.m_pieces) {
        m_pieces[minute].known += piece.known;
        m_pieces[minute].blocked += piece.blocked;
    }
}

void BlockedHour::noteSnapshot(ServerTime at, int waiting, microseconds longestPause)
{
    const bool isFirst = !m_latest.to.isValid();
    if (!isFirst && at < m_latest.to)
        m_pieces.clear();
    else if (!isFirst && at - m_latest.to <= longestPause)
        add({m_latest.to, at, m_latest.waiting});
    m_latest = {at, at, waiting};
}

BlockedHour::Pieces BlockedHour::until(ServerTime now) const
{
    Pieces pieces{};
    const qint64 last = minuteOf(now);
    for (qint64 i = 0; i < pieceCount; ++i) {
        const qint64 minute = last - pieceCount + 1 + i;
        Piece& piece = pieces[static_cast<size_t>(i)];
        if (const auto found = m_pieces.find(minute); found != m_pieces.end())
            piece = found->second;
        piece.length = minute == last ? now - ServerTime{minute * pieceLength.count()} : pieceLength;
        piece.known = std::min(piece.known, piece.length);
    }
    return pieces;
}

int HourSum::percentKnown() const
{
    return length.count() > 0 ? int(100 * known / length) : 0;
}

HourSum sumOf(const BlockedHour::Pieces& hour)
{
    HourSum sum;
    for (const BlockedHour::Piece& piece : hour) {
        sum.length += piece.length;
        sum.known += piece.known;
        sum.blocked += piece.blocked;
    }
    return sum;
}

QString hourText(const BlockedHour::Pieces& hour)
{
    const HourSum sum = sumOf(hour);
    if (sum.known.count() == 0)
        return u"Nothing is known of the last hour."_s;
    const QString blocked = sum.blocked.count() == 0
        ? u"Nobody was seen waiting in the last hour."_s
        : u"Sessions waited for %1 in sum in the last hour."_s.arg(
            durationInWords(std::chrono::ceil<milliseconds>(sum.blocked)));
    return sentences({blocked, u"%1 % of it is known."_s.arg(sum.percentKnown())});
}

QString coverageText(const BlockedHour::Pieces& hour)
{
    const HourSum sum = sumOf(hour);
    return sum.known.count() == 0 ? QString()
        : sum.percentKnown() == 0 ? u"< 1 %"_s
                                  : u"%1 %"_s.arg(sum.percentKnown());
}

Result<RecordedHour> recordedHour(const record::Identity& server)
{
    LOCKSCOPE_TRY_GET(const auto reader, record::RecordingReader::open(record::recordingPath(server.place)));
    if (!record::isOfOneServer(reader->identity(), server))
        return failure(ErrorKind::BadInput, u"It is of another server."_s);
    LOCKSCOPE_TRY_GET(const auto latest, reader->latestTimes());
    const microseconds ahead = latest.taken - latest.noted;
    const ServerTime now = ownClock() + ahead;
    LOCKSCOPE_TRY_GET(auto ranges, blockedRanges(*reader, now - BlockedHour::length, now));
    return RecordedHour{std::move(ranges), ahead};
}

std::optional<milliseconds> knownFor(const ServerStanding& standing)
{
    if (!standing.known)
        return std::nullopt;
    return std::chrono::floor<milliseconds>(std::chrono::steady_clock::now() - *standing.known);
}

report::Section standingsSection()
{
    using enum report::Type;
    using report::Column;
    using report::Shown;
    return {.key = u"servers"_s,
        .columns = {{u"state"_s, u"State"_s}, Column(u"server"_s, u"Server"_s).wide(1),
            {u"environment"_s, u"Environment"_s}, Column(u"reason"_s, u"Why"_s).wide(4),
            {Count, u"waiting"_s, u"Waiting"_s}, Column(Length, u"longest"_s, u"Longest"_s).withExact(),
            Column(u"lane"_s, u"1 hour"_s).show(Shown::OnRequest), {u"coverage"_s, u"Seen"_s},
            {Count, u"incidents"_s, u"Incidents"_s}, {u"role"_s, u"Role"_s}, {Length, u"known"_s, u"Known"_s},
            Column(u"polls"_s, u"Polls"_s).show(Shown::OnRequest),
            Column(Texts, u"tags"_s, u"Tags"_s).wide(1), {Length, u"poll"_s}, {Length, u"interval"_s}}};
}

report::ReportRow standingRow(
    const db::ServerProfile& profile, const ServerStanding& standing, const BlockedHour::Pieces& hour)
{
    using report::Value;
    const int incidents = standing.criticals + standing.warnings;
    const auto known = knownFor(standing);
    const auto polled = [&](milliseconds length) {
        return known && length.count() > 0 ? Value(microseconds(length)) : Value();
    };
    const auto textOr = [](const QString& text) { return text.isEmpty() ? Value() : Value(text); };
    return {
        .cells = {Value(stateName(standing.state), markOf(standing.state)), profile.display(),
            db::serverMark(profile), standing.reason,
            standing.waiting ? Value(qint64(*standing.waiting)) : Value(),
            standing.longestWait && standing.waiting.value_or(0) > 0
                ? Value(microseconds(standing.longestWait->value), standing.longestWait->exact)
                : Value(),
            hourText(hour), textOr(coverageText(hour)),
            incidents > 0 || standing.areIncidentsCurrent ? Value(qint64(incidents)) : Value(),
            textOr(roleText(standing)), known ? Value(microseconds(*known)) : Value(),
            textOr(pollsText(standing)), profile.tags, polled(standing.pollTook), polled(standing.interval)}};
}

QString roleText(const ServerStanding& standing)
{
    return !standing.isReplica ? QString() : *standing.isReplica ? u"replica"_s : u"primary"_s;
}

QString pollsText(const ServerStanding& standing)
{
    if (!standing.known)
        return {};
    const QString took = shortDuration(microseconds(standing.pollTook).count());
    return standing.interval.count() > 0 ? u"%1 each %2"_s.arg(took, durationInWords(standing.interval))
                                         : took;
}

} // namespace lockscope::watch
