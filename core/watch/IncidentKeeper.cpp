// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/watch/IncidentKeeper.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/deadlock/Family.h"
#include "core/record/RecordingReader.h"
#include "core/watch/ObservationParts.h"

#include <QFileInfo>
#include <QSysInfo>

#include <algorithm>

namespace lockscope::watch {

using namespace Qt::StringLiterals;

using alert::Condition;
using alert::Incident;
using alert::IncidentChange;
using alert::Mute;
using alert::Notice;

namespace {

constexpr microseconds writtenEvery = std::chrono::seconds(5); ///< figures of an incident that goes on
constexpr microseconds goneAfter = std::chrono::minutes(2);
constexpr microseconds ownEvery = std::chrono::seconds(10);
constexpr microseconds prunedEvery = std::chrono::hours(6);
constexpr milliseconds droppedFor = std::chrono::hours(1); ///< of notices that were given up
constexpr microseconds learnedFrom = std::chrono::hours(24 * 7);
constexpr microseconds learnedAtOnce = std::chrono::hours(6);
constexpr int maxLearned = 2'000; ///< reports
constexpr microseconds keptFor = std::chrono::hours(24 * 180);

/// "Channel hook has not delivered for 5 min; 2 notices are waiting: … It has given up 1 notice: …"
QString channelText(const IncidentStore::QueueState& channel, milliseconds age, bool hasDropped)
{
    QString failing = u"Channel %1 delivers again."_s.arg(channel.channel);
    if (channel.failingSince.isValid())
        failing = u"Channel %1 has not delivered for %2; %3 waiting%4"_s.arg(channel.channel,
            durationInWords(age), counted(channel.waiting, u"notice is", u"notices are"),
            channel.lastError.isEmpty() ? u"."_s : u": "_s + asSentence(channel.lastError));
    const QString dropped =
        u"It has given up %1: %2"_s.arg(counted(channel.dropped, u"notice"), asSentence(channel.droppedWhy));
    return sentences({failing, hasDropped ? dropped : QString()});
}

/// It may have expired, or been ended by another program, meanwhile.
Result<void> endMute(IncidentStore& store, const Mute& mute, const QString& why)
{
    auto ended = store.unmute(mute.id, why);
    return !ended && ended.error().kind == ErrorKind::MissingObject ? Result<void>() : ended;
}

} // namespace

IncidentKeeper::Outcome IncidentKeeper::take(alert::Observation observation,
    const std::optional<QList<deadlock::ReportPtr>>& reports, ServerTime since)
{
    Outcome outcome;
    prepare(outcome);
    observation.server = m_server;
    observation.database = m_database;
    if (reports && m_store && !std::exchange(m_hasLearned, true))
        learnFamilies(since);
    if (reports)
        addDeadlocks(observation, *reports, since);
    addOwn(observation);
    for (const Incident& each : m_store ? std::exchange(m_unresolved, {}) : QList<Incident>())
        if (auto resolved = resolve(each, outcome); !resolved)
            outcome.storeError = resolved.error();
    for (const IncidentChange& change : m_engine->advance(observation)) {
        if (!m_store)
            break;
        if (auto kept = keep(change, outcome); !kept)
            outcome.storeError = kept.error();
    }
    // Whatever is wrong with it, the next attempt is made from the beginning.
    if (outcome.storeError && outcome.storeError->kind != ErrorKind::Timeout)
        m_store.reset();
    outcome.pending = m_engine->pending();
    outcome.channels = m_engine->rules().channels;
    return outcome;
}

void IncidentKeeper::prepare(Outcome& outcome)
{
    if (auto rules = m_rules.changed()) {
        if (m_engine)
            m_engine->setRules(std::move(*rules));
        else
            m_engine.emplace(std::move(*rules));
    }
    outcome.rulesError = m_rules.error();
    if (m_store && m_store->hasMoved()) {
        m_store.reset();
        m_kept.clear(); // what goes on fires again in the file that is made now
    }
    if (!m_store) {
        auto opened = IncidentStore::open(m_options.store);
        if (!opened) {
            outcome.storeError = opened.error();
            return;
        }
        m_store = std::move(*opened);
        if (auto adopted = adopt(); !adopted) {
            outcome.storeError = adopted.error();
            m_store.reset();
            return;
        }
    }
    const ServerTime now = ownClock();
    if (auto mutes = m_store->mutes(now))
        m_mutes = std::move(*mutes);
    else
        outcome.storeError = mutes.error();
    if (now - m_pruned < prunedEvery)
        return;
    m_pruned = now;
    if (auto pruned = m_store->prune(now - keptFor); !pruned)
        outcome.storeError = pruned.error();
}

/// Incidents that fire make no second notice. Whether those of another database go on, only its own watch
/// knows; nobody knows it of rules that can't be read.
Result<void> IncidentKeeper::adopt()
{
    LOCKSCOPE_TRY_GET(const auto firing, m_store->firing());
    for (const Incident& incident : firing) {
        const alert::Cause& cause = incident.cause;
        const bool isOurs = cause.server == m_server || cause.server == QSysInfo::machineHostName();
        const bool isHere = cause.database.isEmpty() || m_database.isEmpty() || cause.database == m_database;
        const bool isKnown = !m_rules.error()
            || std::ranges::any_of(incident.symptoms,
                [this](const auto& each) { return each.isFiring && m_engine->rules().rule(each.rule); });
        if (!isOurs || !isHere || !isKnown)
            continue;
        if (!m_engine->isFiring(cause))
            m_engine->adopt(incident);
        m_kept[cause.fingerprint()] = {.id = incident.id, .last = incident};
    }
    return {};
}

void IncidentKeeper::addDeadlocks(
    alert::Observation& observation, const QList<deadlock::ReportPtr>& reports, ServerTime since)
{
    std::vector<alert::SeenDeadlock> seen;
    for (const deadlock::ReportPtr& report : reports) {
        const ServerTime at =
            report->time.isZoneKnown ? report->time.at.value_or(observation.at) : observation.at;
        addUnknown(
            report, at, m_deadlocks, [&](const QString& family) { return whyNew(family, at, since); }, seen);
    }
    observation.deadlocks = std::move(seen);
}

/// Families that only its recording has are known, too. Reads nothing but reports, of which there are few.
void IncidentKeeper::learnFamilies(ServerTime until)
{
    if (m_options.recording.isEmpty() || !until.isValid() || !QFileInfo::exists(m_options.recording))
        return;
    const auto reader = record::RecordingReader::open(m_options.recording);
    if (!reader || causeServer((*reader)->identity().place) != m_server)
        return;
    int count = 0;
    for (ServerTime to = until; to > until - learnedFrom && count < maxLearned; to = to - learnedAtOnce) {
        const auto reports = (*reader)->reports(to - learnedAtOnce, to - microseconds(1));
        for (const alert::RecordedReport& recorded : reports ? *reports : QList<alert::RecordedReport>()) {
            if (const auto read = reportsOf(recorded))
                for (const deadlock::ReportPtr& report : *read)
                    for (const deadlock::Deadlock& each : deadlock::deadlocksOf(report))
                        static_cast<void>(
                            m_store->noteFamily(m_server, deadlock::familyOf(each), recorded.at));
            ++count;
        }
    }
}

QString IncidentKeeper::whyNew(const QString& family, ServerTime at, ServerTime since)
{
    if (!m_store)
        return {};
    const auto isNew = m_store->noteFamily(m_server, family, at);
    if (isNew && *isNew)
        return at < since ? QString() : neverSeen();
    // Also one that came back while nobody watched.
    const auto cure = m_store->noteBack(m_server, family, at);
    if (!cure || !*cure)
        return {};
    return u"back %1 after its cure “%2” was proven, as %3 has marked it."_s.arg(
        durationInWords(ageOf((*cure)->at, at)), (*cure)->cure, (*cure)->by);
}

/// The mutes and channels of this account are watched by each watch of a server.
void IncidentKeeper::addOwn(alert::Observation& observation)
{
    const ServerTime now = ownClock();
    if (m_store && (now - m_ownMeasured >= ownEvery || now < m_ownMeasured)) {
        m_ownMeasured = now;
        m_own = measureOwn(now);
    }
    if (!m_own)
        return;
    auto& elsewhere = observation.elsewhere ? *observation.elsewhere : observation.elsewhere.emplace();
    elsewhere.insert(elsewhere.end(), m_own->begin(), m_own->end());
}

std::optional<std::vector<alert::MeasuredElsewhere>> IncidentKeeper::measureOwn(ServerTime now)
{
    const auto queue = m_store->queue();
    if (!queue)
        return std::nullopt;
    std::vector<alert::MeasuredElsewhere> own;
    const QString here = QSysInfo::machineHostName();
    for (const Mute& mute : m_mutes) {
        if (mute.ended.isValid() || mute.end != Mute::End::Never)
            continue;
        const milliseconds age = ageOf(mute.made, now);
        own.push_back({.condition = Condition::EndlessMute,
            .resource = mute.shown,
            .value = double(age.count()),
            .text = u"%1 has been muted without end by %2 for %3."_s.arg(
                mute.shown, mute.by, durationInWords(age)),
            .server = here});
    }
    for (const IncidentStore::QueueState& channel : *queue) {
        const auto& channels = m_engine->rules().channels;
        const bool isInUse =
            std::ranges::find(channels, channel.channel, &alert::ChannelSettings::name) != channels.end();
        const bool hasDropped = channel.dropped > 0 && ageOf(channel.droppedAt, now) < droppedFor;
        if (!isInUse || (!channel.failingSince.isValid() && !hasDropped))
            continue;
        const milliseconds age =
            ageOf(channel.failingSince.isValid() ? channel.failingSince : channel.droppedAt, now);
        own.push_back({.condition = Condition::FailingChannel,
            .resource = channel.channel,
            .value = double(age.count()),
            .text = channelText(channel, age, hasDropped),
            .server = here});
    }
    return own;
}

Result<void> IncidentKeeper::keep(const IncidentChange& change, Outcome& outcome)
{
    LOCKSCOPE_TRY(endVoidMutes(change.incident));
    switch (change.kind) {
    case IncidentChange::Kind::Fired:
        return fire(change.incident, outcome);
    case IncidentChange::Kind::Escalated:
    case IncidentChange::Kind::Changed:
        return this->change(change.incident, outcome);
    case IncidentChange::Kind::Resolved:
        break;
    }
    return resolve(change.incident, outcome);
}

void IncidentKeeper::note(const QList<QueuedNotice>& notices, Incident& incident)
{
    for (const QueuedNotice& each : notices)
        if (!incident.notifiedChannels.contains(each.channel))
            incident.notifiedChannels << each.channel;
}

/// A chain is seen from another database, too, but without the names of its locks.
Result<bool> IncidentKeeper::isKeptElsewhere(const Incident& incident)
{
    const alert::Cause& cause = incident.cause;
    if (m_database.isEmpty() || cause.database.isEmpty() || cause.database == m_database)
        return false;
    LOCKSCOPE_TRY_GET(const auto firing, m_store->firing(m_server));
    return std::ranges::any_of(firing,
        [&cause](const Incident& each) { return each.cause.isSameHead(cause) && each.cause != cause; });
}

Result<void> IncidentKeeper::fire(Incident incident, Outcome& outcome)
{
    LOCKSCOPE_TRY_GET(const auto isElsewhere, isKeptElsewhere(incident));
    Kept& kept = m_kept[incident.cause.fingerprint()];
    kept = {.last = incident, .written = ownClock()};
    if (isElsewhere)
        return {};
    incident.mutedBy = mutedBy(incident);
    incident.isReported = incident.mutedBy.isEmpty();
    Notice notice = noticeOf(Notice::Kind::Fired, incident);
    const auto channels = incident.isReported ? queued(notice) : QList<QueuedNotice>();
    note(channels, incident);
    const auto fired = m_store->fire(
        incident, channels, sentences({u"Fired: "_s + asSentence(incident.title), incident.mutedBy}));
    if (!fired) {
        m_kept.erase(incident.cause.fingerprint());
        return Failure(fired.error());
    }
    incident.id = fired->id;
    // Another program that has found it already has reported it, too.
    const auto there =
        fired->isNew ? std::optional<Incident>() : m_store->incident(fired->id).value_or(std::nullopt);
    kept = {.id = fired->id, .last = there.value_or(incident), .written = ownClock()};
    if (fired->isNew && incident.isReported) {
        notice.incident = incident;
        outcome.notices << notice;
        outcome.isQueued = outcome.isQueued || !channels.isEmpty();
    }
    return {};
}

Result<void> IncidentKeeper::change(Incident incident, Outcome& outcome)
{
    const auto found = m_kept.find(incident.cause.fingerprint());
    if (found == m_kept.end())
        return fire(incident, outcome); // the store could not be written when it fired
    Kept& kept = found->second;
    if (kept.id == 0)
        return {};
    const Incident& last = kept.last;
    incident.id = kept.id;
    incident.isReported = last.isReported;
    incident.notifiedChannels = last.notifiedChannels;
    incident.mutedBy = mutedBy(incident);
    // By what was written last: the store may have been away when it got worse.
    const bool isWorse = incident.severity > last.severity;
    const bool isEscalation = isWorse && last.isReported;
    const Notice notice = noticeOf(isEscalation ? Notice::Kind::Escalated : Notice::Kind::Fired, incident);
    QList<QueuedNotice> channels;
    if (incident.mutedBy.isEmpty()) {
        incident.isReported = true;
        channels = queued(notice, isEscalation ? QStringList() : last.notifiedChannels);
        note(channels, incident);
    }
    const bool isNews = isWorse || incident.isReported != last.isReported || !channels.isEmpty()
        || (incident.waiting == 0) != (last.waiting == 0);
    const ServerTime now = ownClock();
    if (!isNews && incident.mutedBy == last.mutedBy && now - kept.written < writtenEvery
        && now >= kept.written)
        return {};
    const QString step = isWorse
        ? sentences({u"Critical: "_s + asSentence(incident.reason), incident.mutedBy})
        : last.isReported ? QString()
                          : u"Not muted any more."_s;
    LOCKSCOPE_TRY_GET(const auto changed, m_store->change(incident, channels, step));
    kept.written = now;
    if (!changed.isThere) {
        // Another program may only be ahead by some polls. If it goes on all the same, it was wrong.
        kept.gone = kept.gone.isValid() ? kept.gone : now;
        return now - kept.gone < goneAfter ? Result<void>() : fire(incident, outcome);
    }
    kept.gone = {};
    kept.last = incident;
    if (changed.isNews && incident.mutedBy.isEmpty())
        outcome.notices << notice;
    outcome.isQueued = outcome.isQueued || !channels.isEmpty();
    return {};
}

Result<void> IncidentKeeper::resolve(Incident incident, Outcome& outcome)
{
    const auto kept = m_kept.find(incident.cause.fingerprint());
    if (kept == m_kept.end())
        return {};
    const Incident& last = kept->second.last;
    incident.id = kept->second.id;
    incident.isReported = last.isReported;
    incident.notifiedChannels = last.notifiedChannels;
    incident.mutedBy = last.mutedBy;
    if (incident.id == 0) {
        m_kept.erase(kept);
        return {};
    }
    const Notice notice = noticeOf(Notice::Kind::Resolved, incident);
    const auto channels = queued(notice);
    const auto resolved = m_store->resolve(incident, channels,
        u"Resolved after %1. %2"_s.arg(durationInWords(incident.lasted()), incident.clearedBy));
    if (!resolved) {
        m_unresolved << incident;
        return Failure(resolved.error());
    }
    m_kept.erase(kept);
    // No matter which program has noted it first, what is shown here ends here.
    if (incident.isReported)
        outcome.notices << notice;
    outcome.isQueued = outcome.isQueued || (*resolved && !channels.isEmpty());
    for (const Mute& mute : m_mutes)
        if (mute.end == Mute::End::WhenCleared && !mute.ended.isValid() && isAbout(mute, incident))
            LOCKSCOPE_TRY(endMute(*m_store, mute, u"it was cleared"_s));
    return {};
}

void IncidentKeeper::takeOver()
{
    if (m_store)
        std::ignore = adopt();
}

IncidentKeeper::Outcome IncidentKeeper::end(const QString& why, bool isWatched)
{
    Outcome outcome;
    prepare(outcome);
    outcome.channels = m_engine->rules().channels;
    const auto kept = m_store ? m_kept : std::map<QString, Kept>(); // resolve() takes out of it
    for (const auto& [fingerprint, each] : kept) {
        Incident incident = each.last;
        const QString& database = incident.cause.database;
        if (incident.cause.server != m_server
            || (isWatched && (database.isEmpty() || database != m_database)))
            continue;
        incident.state = Incident::State::Resolved;
        incident.resolved = incident.seen;
        incident.waiting = 0;
        for (alert::Symptom& symptom : incident.symptoms)
            symptom.isFiring = false;
        incident.clearedBy = why;
        if (const auto done = resolve(incident, outcome); !done)
            outcome.storeError = done.error();
    }
    return outcome;
}

QString IncidentKeeper::mutedBy(const Incident& incident)
{
    if (const Mute* const mute = muteOf(m_mutes, incident))
        return u"Muted by %1 %2%3"_s.arg(
            mute->by, endText(*mute), mute->why.isEmpty() ? u"."_s : u": "_s + asSentence(mute->why));
    const QDateTime now = QDateTime::currentDateTime();
    for (const alert::MaintenanceWindow& window : m_engine->rules().maintenance)
        if (window.contains(now) && covers(window.scope, incident.cause, {incident.cause.resource}))
            return u"Maintenance: %1"_s.arg(asSentence(window.why));
    return {};
}

Result<void> IncidentKeeper::endVoidMutes(const Incident& incident)
{
    for (Mute& mute : m_mutes) {
        const QString why =
            mute.ended.isValid() || !isAbout(mute, incident) ? QString() : voidedBy(mute, incident);
        if (why.isEmpty())
            continue;
        LOCKSCOPE_TRY(endMute(*m_store, mute, why));
        mute.ended = ownClock();
    }
    return {};
}

Notice IncidentKeeper::noticeOf(Notice::Kind kind, const Incident& incident) const
{
    Notice notice{.kind = kind, .server = m_address, .incident = incident};
    bool isForAll = false;
    for (const alert::Symptom& symptom : incident.symptoms) {
        const alert::Rule* const rule = m_engine->rules().rule(symptom.rule);
        if (!rule)
            continue;
        if (notice.text.isEmpty())
            notice.text = rule->text;
        isForAll = isForAll || rule->channels.isEmpty();
        notice.channels << rule->channels;
    }
    if (isForAll)
        notice.channels.clear();
    notice.channels.removeDuplicates();
    return notice;
}

QList<QueuedNotice> IncidentKeeper::queued(const Notice& notice, const QStringList& notified) const
{
    QList<QueuedNotice> all;
    const bool isEnd = notice.kind == Notice::Kind::Resolved;
    for (const alert::ChannelSettings& channel : m_engine->rules().channels) {
        const bool isSelected = notice.channels.isEmpty() || notice.channels.contains(channel.name);
        const bool isBadEnough = notice.incident.worst >= channel.minSeverity;
        // The end is for exactly those who learned of it.
        const bool isMeant = isEnd
            ? notice.incident.notifiedChannels.contains(channel.name) && channel.sendsResolved
            : isSelected && isBadEnough && !notified.contains(channel.name);
        if (isMeant)
            all << QueuedNotice{.channel = channel.name, .notice = notice};
    }
    return all;
}

} // namespace lockscope::watch
