// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/AlertEngine.h"

#include "core/monitor/PollPace.h"

#include <QDateTime>

#include <algorithm>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

/// The most that one server may have: an account that may log in can give sessions any number of names.
constexpr size_t maxIncidents = 200;

bool reaches(Condition condition, double value, double level)
{
    return conditionInfo(condition).isLessWorse ? value <= level : value >= level;
}

/// The level that keeps this severity up is left beyond that.
bool isBeyondClear(const Rule& rule, Severity severity, double value)
{
    return std::ranges::any_of(rule.levels, [&](const RuleLevel& level) {
        return level.severity == severity
            && reaches(rule.condition, value, rule.clearBelow.value_or(level.from));
    });
}

QString elsewhereOf(const Chain& chain, const std::vector<ClientWait>& waits)
{
    const auto found = std::ranges::find_if(waits, [&chain](const ClientWait& each) {
        return each.head == chain.head && (chain.head.isValid() || each.title == chain.headTitle);
    });
    return found == waits.end() ? QString() : found->text;
}

/// The resources of orders and deadlocks are ids, which say nothing to a reader.
bool isNamedByResource(const Cause& cause)
{
    return !cause.resource.isEmpty() && cause.kind != QStringView(conditionInfo(Condition::OppositeOrder).key)
        && cause.kind != QStringView(conditionInfo(Condition::NewDeadlockFamily).key);
}

} // namespace

void AlertEngine::setRules(RuleSet rules)
{
    // A rule that measures something else now begins again.
    for (const Rule& rule : m_rules.rules) {
        const Rule* const now = rules.rule(rule.name);
        if (!now || now->condition != rule.condition || now->levels != rule.levels)
            m_tracks.erase(rule.name);
    }
    m_rules = std::move(rules);
}

void AlertEngine::adopt(const Incident& incident)
{
    m_incidents.insert_or_assign(incident.cause.fingerprint(), incident);
    for (const Symptom& symptom : incident.symptoms) {
        const Rule* const rule = m_rules.rule(symptom.rule);
        if (!rule || !symptom.isFiring)
            continue;
        Track track;
        track.cause = incident.cause;
        track.met.resize(rule->levels.size());
        track.isMet.resize(rule->levels.size());
        track.firing = symptom.severity;
        track.since = symptom.since;
        track.value = symptom.value;
        track.isExact = symptom.isExact;
        track.text = symptom.text;
        m_tracks[rule->name].insert_or_assign(incident.cause.fingerprint(), track);
    }
    m_conditions.keep(incident);
}

/// Conditions of snapshots count from snapshot to snapshot: a failed poll between two that follow each other
/// soon enough hides nothing that recordings would call a gap.
milliseconds AlertEngine::stepTo(const Observation& observation)
{
    const ServerTime last = observation.snapshot ? m_lastSnapshot : m_last;
    const bool isKnown = observation.snapshot || observation.error;
    if (!isKnown)
        m_lastSnapshot = {};
    else if (observation.snapshot)
        m_lastSnapshot = observation.at;
    m_last = isKnown ? observation.at : ServerTime();
    if (!last.isValid())
        return milliseconds(0);
    // A clock that was set back shows nothing of the time between.
    return std::clamp(std::chrono::floor<milliseconds>(observation.at - last), milliseconds(0),
        monitor::longestStep(observation.interval));
}

QList<IncidentChange> AlertEngine::advance(const Observation& observation)
{
    const milliseconds step = stepTo(observation);
    const MeasuredCauses findings = m_conditions.find(observation, step);
    for (const Rule& rule : m_rules.rules)
        if (rule.isOn)
            apply(rule, observation, findings, step);
        else
            m_tracks.erase(rule.name);
    return gather(observation, findings, step);
}

bool AlertEngine::isInScope(
    const Rule& rule, const MeasuredCause& finding, const Observation& observation) const
{
    return rule.scope.isUnlimited()
        || (covers(rule.scope, finding.cause,
                finding.chain ? finding.chain->resources : QStringList(finding.cause.resource))
            && rule.scope.isInTime(observation.at.toDateTime().toLocalTime()));
}

void AlertEngine::apply(
    const Rule& rule, const Observation& observation, const MeasuredCauses& findings, milliseconds step)
{
    const MeasuredCauses::OfCondition& condition = findings.all[size_t(rule.condition)];
    const auto known = m_tracks.find(rule.name);
    if (condition.found.empty() && known == m_tracks.end())
        return;
    Tracks& tracks = m_tracks[rule.name];
    for (auto& [fingerprint, track] : tracks)
        track.wasSeen = false;
    for (const MeasuredCause& finding : condition.found) {
        if (!isInScope(rule, finding, observation))
            continue;
        Track& track = tracks[finding.cause.fingerprint()];
        track.wasSeen = true;
        note(rule, track, finding, observation.at, step);
    }
    for (auto& [fingerprint, track] : tracks)
        if (!track.wasSeen && condition.isKnownOf(track.cause))
            noteClear(rule, track, step);
    std::erase_if(tracks, [](const auto& each) {
        return !each.second.firing
            && std::ranges::none_of(each.second.isMet, [](bool isMet) { return isMet; });
    });
}

void AlertEngine::note(
    const Rule& rule, Track& track, const MeasuredCause& finding, ServerTime at, milliseconds step)
{
    track.cause = finding.cause;
    track.value = finding.value;
    track.isExact = finding.isExact;
    track.text = finding.text;
    track.met.resize(rule.levels.size());
    track.isMet.resize(rule.levels.size());
    bool isAny = false;
    for (size_t i = 0; i < rule.levels.size(); ++i) {
        const bool isMet = reaches(rule.condition, finding.value, rule.levels[i].from);
        // Of the time between two polls only that counts at both ends of which it was so.
        if (isMet && track.isMet[i])
            track.met[i] += step;
        else
            track.met[i] =
                isMet && m_trustsAges && finding.chain ? finding.chain->longest.value : milliseconds(0);
        track.isMet[i] = isMet;
        isAny = isAny || isMet;
    }
    if (isAny && !track.since.isValid())
        track.since = at;
    settle(rule, track, !track.firing || !isBeyondClear(rule, *track.firing, finding.value), step);
}

void AlertEngine::noteClear(const Rule& rule, Track& track, milliseconds step)
{
    std::ranges::fill(track.met, milliseconds(0));
    std::fill(track.isMet.begin(), track.isMet.end(), false);
    settle(rule, track, true, step);
}

/// `isClear`: beyond what keeps the present severity up.
void AlertEngine::settle(const Rule& rule, Track& track, bool isClear, milliseconds step)
{
    std::optional<Severity> reached;
    for (size_t i = 0; i < rule.levels.size(); ++i)
        if (track.isMet[i] && track.met[i] >= rule.levels[i].hold)
            reached = std::max(reached.value_or(Severity::Warning), rule.levels[i].severity);
    if (reached && (!track.firing || *reached >= *track.firing)) {
        track.firing = reached;
        track.clear.reset();
        return;
    }
    if (!track.firing || !isClear) {
        track.clear.reset();
        if (!track.firing && std::ranges::none_of(track.isMet, [](bool isMet) { return isMet; }))
            track.since = {};
        return;
    }
    // As with levels, only the time between two polls counts that both saw it clear.
    track.clear = track.clear ? *track.clear + step : milliseconds(0);
    if (*track.clear < rule.keepFiring)
        return;
    track.firing = reached;
    track.clear.reset();
}

QList<IncidentChange> AlertEngine::gather(
    const Observation& observation, const MeasuredCauses& findings, milliseconds step)
{
    std::map<QString, Firing> all;
    for (const Rule& rule : m_rules.rules) {
        const auto tracks = m_tracks.find(rule.name);
        if (tracks == m_tracks.end())
            continue;
        for (const auto& [fingerprint, track] : tracks->second) {
            if (!track.firing)
                continue;
            Firing& firing = all[fingerprint];
            firing.cause = track.cause;
            firing.isSeen = firing.isSeen || track.wasSeen;
            firing.symptoms << Symptom{.rule = rule.name,
                .severity = *track.firing,
                .value = track.value,
                .isExact = track.isExact,
                .since = track.since,
                .text = track.text};
        }
    }
    QList<IncidentChange> changes;
    for (const auto& [fingerprint, firing] : all) {
        const bool isNew = !m_incidents.contains(fingerprint);
        if (isNew && m_incidents.size() >= maxIncidents)
            continue;
        Incident& incident = m_incidents[fingerprint];
        const Incident before = incident;
        if (isNew) {
            incident.cause = firing.cause;
            incident.fired = observation.at;
            incident.since = observation.at;
        }
        update(incident, firing.symptoms);
        if (firing.isSeen)
            fill(incident, observation, findings, step);
        else if (findings.all[size_t(Condition::BlockedSessions)].isKnown)
            incident.waiting = 0;
        using Kind = IncidentChange::Kind;
        const bool isWorse = incident.severity > before.severity;
        if (isNew || incident != before)
            changes << IncidentChange{isNew ? Kind::Fired
                    : isWorse               ? Kind::Escalated
                                            : Kind::Changed,
                incident};
    }
    for (auto each = m_incidents.begin(); each != m_incidents.end();) {
        if (all.contains(each->first)) {
            ++each;
            continue;
        }
        changes << IncidentChange{
            IncidentChange::Kind::Resolved, resolved(each->second, observation, findings)};
        each = m_incidents.erase(each);
    }
    return changes;
}

void AlertEngine::update(Incident& incident, QList<Symptom> firing)
{
    for (Symptom symptom : incident.symptoms) {
        if (std::ranges::find(firing, symptom.rule, &Symptom::rule) != firing.end())
            continue;
        symptom.isFiring = false;
        firing << symptom;
    }
    incident.symptoms = std::move(firing);
    incident.severity = Severity::Warning;
    QStringList reasons;
    for (const Symptom& symptom : incident.symptoms) {
        // A rule that holds out longer may have been met before the one that fired first.
        incident.since = std::min(incident.since, symptom.since);
        if (!symptom.isFiring)
            continue;
        incident.severity = std::max(incident.severity, symptom.severity);
        if (!reasons.contains(symptom.text))
            reasons << symptom.text;
    }
    incident.worst = std::max(incident.worst, incident.severity);
    incident.reason = reasons.join(u' ');
}

Incident AlertEngine::resolved(
    Incident incident, const Observation& observation, const MeasuredCauses& findings)
{
    incident.state = Incident::State::Resolved;
    incident.resolved = observation.at;
    incident.waiting = 0;
    for (Symptom& symptom : incident.symptoms)
        symptom.isFiring = false;
    const auto chain = std::ranges::find(findings.chains, incident.cause, &Chain::cause);
    incident.clearedBy = chain == findings.chains.end()
        ? clearedBy(incident, observation)
        : u"Sessions still wait for it (%1), but no rule fires any more."_s.arg(chain->waiting);
    return incident;
}

void AlertEngine::fill(Incident& incident, const Observation& observation, const MeasuredCauses& findings,
    milliseconds step) const
{
    incident.seen = observation.at;
    if (incident.cause.kind != u"chain") {
        incident.title = incident.symptoms.first().text;
        const QString& resource = incident.cause.resource;
        if (isNamedByResource(incident.cause) && !incident.title.contains(resource))
            incident.title = resource + u": "_s + incident.title;
        return;
    }
    const auto chain = std::ranges::find(findings.chains, incident.cause, &Chain::cause);
    if (chain == findings.chains.end())
        return;
    incident.waiting = chain->waiting;
    incident.longestWait = std::max(incident.longestWait, chain->longest.value);
    incident.waited += incident.worstAt.isValid() ? chain->waited(step) : chain->waited();
    incident.head = headOf(*observation.snapshot, *chain, m_rules.longRunning);
    incident.head.elsewhere = elsewhereOf(*chain, observation.clientWaits);
    incident.title = titleOf(*chain, incident.head);
    if (chain->waiting >= incident.worstWaiting) {
        incident.worstWaiting = chain->waiting;
        incident.worstAt = observation.at;
        incident.chain = treeOf(*observation.snapshot, *chain);
    }
}

QString AlertEngine::clearedBy(const Incident& incident, const Observation& observation)
{
    if (incident.cause.kind != u"chain" || !observation.snapshot || !incident.head.session.isValid())
        return u"The condition is over."_s;
    const Session* const session = observation.snapshot->session(incident.head.session);
    if (!session || session->started != incident.head.started)
        return u"Session %1 ended."_s.arg(incident.head.title);
    if (incident.head.transaction.isValid()
        && session->transactionStarted.value_or(ServerTime()) != incident.head.transaction)
        return u"The transaction of %1 ended."_s.arg(incident.head.title);
    return u"Nobody waits for %1 any more; its transaction goes on."_s.arg(incident.head.title);
}

QList<PendingAlert> AlertEngine::pending() const
{
    QList<PendingAlert> all;
    for (const Rule& rule : m_rules.rules) {
        const auto tracks = m_tracks.find(rule.name);
        if (tracks == m_tracks.end())
            continue;
        for (const auto& [fingerprint, track] : tracks->second) {
            std::optional<PendingAlert> next;
            for (size_t i = 0; i < rule.levels.size() && !track.firing; ++i) {
                const milliseconds left = rule.levels[i].hold - track.met[i];
                if (track.isMet[i] && (!next || left < next->left))
                    next = PendingAlert{.rule = rule.name,
                        .cause = track.cause,
                        .severity = rule.levels[i].severity,
                        .left = left,
                        .text = track.text};
            }
            if (next)
                all << *next;
        }
    }
    return all;
}

QList<Incident> AlertEngine::firing() const
{
    QList<Incident> all;
    for (const auto& [fingerprint, incident] : m_incidents)
        all << incident;
    return all;
}

} // namespace lockscope::alert
