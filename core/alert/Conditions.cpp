// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/Conditions.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"

#include <QSet>

#include <algorithm>
#include <numeric>

namespace lockscope::alert {

using namespace Qt::StringLiterals;

namespace {

constexpr microseconds oneMinute{60'000'000};
constexpr microseconds oneHour = oneMinute * 60;
/// Locks that are held for less than that are not old at three times of it.
constexpr milliseconds shortHold{1'000};

Cause serverCause(Condition condition, const QString& server)
{
    return {.kind = QString::fromUtf16(conditionInfo(condition).key), .server = server};
}

Cause with(Cause cause, const QString& resource)
{
    cause.resource = resource;
    return cause;
}

double inMilliseconds(microseconds length)
{
    return double(std::chrono::floor<milliseconds>(length).count());
}

QString blockedText(int count)
{
    return counted(count, u"session is blocked", u"sessions are blocked");
}

bool hidesLocks(const Snapshot& snapshot)
{
    return !snapshot.reasonAgainstLocks().isEmpty()
        || std::ranges::any_of(snapshot.limitations, [](const Limitation& each) { return each.hidesLocks; });
}

template <class Items> void dropBefore(Items& items, ServerTime from)
{
    while (!items.empty() && items.front().at < from)
        items.pop_front();
}

} // namespace

bool MeasuredCauses::OfCondition::isKnownOf(const Cause& cause) const
{
    const QStringList servers = hidden.isEmpty() ? QStringList() : serversIn(cause.resource);
    return isKnown
        && std::ranges::none_of(servers, [this](const QString& each) { return hidden.contains(each); });
}

bool Conditions::hasWatchedAnHour(ServerTime now) const
{
    return now - m_began >= oneHour;
}

MeasuredCauses Conditions::find(const Observation& observation, milliseconds step)
{
    MeasuredCauses findings;
    if (!m_began.isValid() || m_began > observation.at)
        m_began = observation.at;
    if (observation.snapshot) {
        findChains(observation, step, findings);
        findEntries(observation, findings);
    }
    findDeadlocks(observation, findings);
    findOrders(observation, findings);
    findServer(observation, step, findings);
    if (observation.elsewhere) {
        for (const Condition condition : {Condition::NotRecorded, Condition::EndlessMute,
                 Condition::FailingChannel, Condition::DeadlockOverServers})
            findings.of(condition).isKnown = true;
        findings.of(Condition::DeadlockOverServers).hidden = observation.hiddenServers;
        for (const MeasuredElsewhere& each : *observation.elsewhere) {
            const QString& server = each.server.isEmpty() ? observation.server : each.server;
            findings.of(each.condition)
                .found.push_back({.cause = with(serverCause(each.condition, server), each.resource),
                    .value = each.value,
                    .text = each.text});
        }
    }
    return findings;
}

void Conditions::keep(const Incident& incident)
{
    const QString& kind = incident.cause.kind;
    const auto is = [&kind](
                        Condition condition) { return kind == QStringView(conditionInfo(condition).key); };
    if (kind == u"chain")
        m_chainCauses.push_back({.at = incident.seen, .cause = incident.cause});
    const auto symptom = std::ranges::find(incident.symptoms, true, &Symptom::isFiring);
    if (symptom == incident.symptoms.end())
        return;
    const double value = symptom->value;
    const ServerTime since = incident.seen - milliseconds(qint64(value)); // of those that measure a time
    if (is(Condition::OldLock) && value > 0)
        m_keptHolds[incident.cause.resource] = {incident.seen, value};
    else if (is(Condition::StarvedWaiter))
        m_keptWaits[incident.cause.resource] = since;
    else if (is(Condition::Blind))
        m_blindSince = since;
    else if (is(Condition::Unreachable))
        m_lastAnswer = since;
}

/// The lock that most wait for may be another one at each poll, and a session may call itself something else
/// in the middle of its transaction: while one head blocks several, and for a while after that, the chain
/// keeps the name that it was first known by.
void Conditions::keepCauses(std::vector<Chain>& chains, ServerTime now)
{
    const auto isTaken = [&chains](const Cause& cause) {
        return std::ranges::find(chains, cause, &Chain::cause) != chains.end();
    };
    const auto seenNow = [now](const Chain& chain) {
        return KnownCause{.at = now,
            .cause = chain.cause,
            .head = chain.head,
            .headStarted = chain.headStarted,
            .transaction = chain.headTransaction};
    };
    for (Chain& chain : chains) {
        const auto known = std::ranges::find_if(m_chainCauses, [&chain](const KnownCause& each) {
            const bool isTransaction = chain.headTransaction.isValid() && each.head == chain.head
                && each.headStarted == chain.headStarted && each.transaction == chain.headTransaction;
            return isTransaction
                || (each.cause.isSameHead(chain.cause) && chain.resources.contains(each.cause.resource));
        });
        if (known == m_chainCauses.end()) {
            m_chainCauses.push_back(seenNow(chain));
            continue;
        }
        if (known->cause != chain.cause && !isTaken(known->cause))
            chain.cause = known->cause;
        if (known->cause == chain.cause)
            *known = seenNow(chain);
    }
    std::erase_if(m_chainCauses, [now](const KnownCause& each) { return each.at < now - oneMinute * 10; });
}

void Conditions::findChains(const Observation& seen, milliseconds step, MeasuredCauses& findings)
{
    findings.chains = chainsOf(*seen.snapshot, seen.server, seen.database);
    keepCauses(findings.chains, seen.at);
    const bool isKnown = !hidesLocks(*seen.snapshot);
    for (const Condition condition : {Condition::BlockedSessions, Condition::LongWait, Condition::IdleHead,
             Condition::StrongQueue, Condition::WaitedTime})
        findings.of(condition).isKnown = isKnown;
    for (const Chain& chain : findings.chains) {
        const auto add = [&](Condition condition, double value, bool isExact, const QString& text) {
            findings.of(condition).found.push_back(
                {.cause = chain.cause, .value = value, .isExact = isExact, .text = text, .chain = &chain});
        };
        add(Condition::BlockedSessions, chain.waiting, isKnown,
            u"%1, the longest for %2."_s.arg(blockedText(chain.waiting), durationInWords(chain.longest)));
        add(Condition::LongWait, double(chain.longest.value.count()), chain.longest.exact,
            sentences(
                {u"A session has waited for %1."_s.arg(durationInWords(chain.longest)), chain.inherited}));
        if (chain.idle)
            add(Condition::IdleHead, double(chain.idle->value.count()), chain.idle->exact,
                u"The head blocker has been idle in its transaction for %1."_s.arg(
                    durationInWords(*chain.idle)));
        if (chain.strong)
            add(Condition::StrongQueue, double(chain.strong->value.count()), chain.strong->exact,
                chain.strongText);
    }
    addWaitedTime(seen, step, findings);
}

void Conditions::addWaitedTime(const Observation& seen, milliseconds step, MeasuredCauses& findings)
{
    const ServerTime from = seen.at - oneMinute;
    QSet<QString> present;
    for (const Chain& chain : findings.chains) {
        const QString key = with(chain.cause, {}).fingerprint();
        present.insert(key);
        auto& waited = m_waited[key];
        if (!waited.empty() && waited.back().at >= seen.at) // a clock that was set back
            waited.clear();
        // A session that waits now has waited since the last poll, but no longer than it has waited at all.
        waited.push_back({seen.at, chain.waited(step)});
        dropBefore(waited, from);
        const double seconds = std::accumulate(waited.begin(), waited.end(), 0.0,
            [](double sum, const Waited& one) { return sum + double(one.time.count()) / 1'000; });
        findings.of(Condition::WaitedTime)
            .found.push_back({.cause = chain.cause,
                .value = seconds,
                .isExact = false,
                .text = u"Within the last minute they waited at least %1 together."_s.arg(
                    durationInWords(milliseconds(qint64(seconds * 1'000)))),
                .chain = &chain});
    }
    for (auto each = m_waited.begin(); each != m_waited.end();) {
        if (!present.contains(each.key()))
            dropBefore(*each, from);
        each = each->empty() ? m_waited.erase(each) : std::next(each);
    }
}

void Conditions::findEntries(const Observation& seen, MeasuredCauses& findings)
{
    const Snapshot& snapshot = *seen.snapshot;
    const auto entryCause = [&seen](Condition condition) {
        Cause cause = serverCause(condition, seen.server);
        cause.database = seen.database;
        return cause;
    };
    const bool isKnown = std::ranges::none_of(
        snapshot.limitations, [](const Limitation& each) { return each.kind == Limitation::Kind::Failed; });
    for (const Condition condition :
        {Condition::OldLock, Condition::StaleEntries, Condition::StarvedWaiter, Condition::SilentHolder})
        findings.of(condition).isKnown = isKnown;
    std::map<QString, int> stale;
    for (const LockTableEntry& entry : snapshot.entries) {
        if (entry.isBad())
            continue;
        if (!entry.dependsOnZone && entry.isStale(snapshot.takenAt))
            ++stale[entry.table];
        if (entry.holderLife.verdict != HolderLife::Verdict::Silent || !entry.framework)
            continue;
        const auto silence = entry.heartbeat ? snapshot.takenAt - *entry.heartbeat : microseconds(0);
        findings.of(Condition::SilentHolder)
            .found.push_back({.cause = with(entryCause(Condition::SilentHolder), entry.name),
                .value = std::max(0.0, inMilliseconds(silence)),
                .isExact = bool(entry.heartbeat),
                .text = u"%1 %2: %3"_s.arg(entry.framework->frameworkName, entry.name,
                    asSentence(entry.holderLife.evidence.value(0, u"its holder is silent"_s)))});
    }
    for (const auto& [table, count] : stale)
        findings.of(Condition::StaleEntries)
            .found.push_back({.cause = with(entryCause(Condition::StaleEntries), table),
                .value = double(count),
                .text = u"%1 has %2."_s.arg(table, valueText(Condition::StaleEntries, count))});
    findOldLocks(snapshot, entryCause(Condition::OldLock), findings.of(Condition::OldLock));
    findStarved(snapshot, entryCause(Condition::StarvedWaiter), findings.of(Condition::StarvedWaiter));
}

void Conditions::findOldLocks(
    const Snapshot& snapshot, const Cause& server, MeasuredCauses::OfCondition& found)
{
    std::set<std::pair<QString, QString>> present;
    for (const LockTableEntry& entry : snapshot.entries) {
        if (entry.isBad() || !entry.acquiredAt.isValid())
            continue;
        const std::pair key(entry.table, entry.name);
        present.insert(key);
        EntryHold& held = m_held[key];
        const QString token = entry.token + u'/' + QString::number(entry.acquiredAt.us);
        if (held.token != token) {
            held.token = token;
            held.since = entry.acquiredAt;
        }
        const milliseconds age = std::chrono::floor<milliseconds>(snapshot.takenAt - entry.acquiredAt);
        const auto kept = m_keptHolds.find(entry.name);
        if (held.past.size() >= holdsNeeded) {
            const milliseconds usual = std::max(shortHold, *std::ranges::max_element(held.past));
            found.found.push_back({.cause = with(server, entry.name),
                .value = double(age.count()) / double(usual.count()),
                .text =
                    u"%1 has been held for %2; the longest of its last %3 holds took %4."_s.arg(entry.name,
                        durationInWords(age), QString::number(held.past.size()), durationInWords(usual))});
        } else if (kept != m_keptHolds.end() && entry.acquiredAt < kept->second.seen) {
            // The same hold: its value then tells what is usual.
            const double usual = inMilliseconds(kept->second.seen - entry.acquiredAt) / kept->second.value;
            found.found.push_back({.cause = with(server, entry.name),
                .value = double(age.count()) / std::max(1.0, usual),
                .text = u"%1 has been held for %2; %3 are usual for it."_s.arg(
                    entry.name, durationInWords(age), durationInWords(milliseconds(qint64(usual))))});
        }
    }
    for (auto& [key, held] : m_held) {
        if (held.token.isEmpty() || present.contains(key))
            continue;
        held.past.push_back(std::chrono::floor<milliseconds>(snapshot.takenAt - held.since));
        if (held.past.size() > holdsKept)
            held.past.pop_front();
        held.token.clear();
    }
    if (m_held.size() > locksKept) // names that come and go
        std::erase_if(m_held, [](const auto& each) { return each.second.token.isEmpty(); });
}

/// Somebody else got the lock who was behind a waiter in the queue, or not in it at all.
void Conditions::findStarved(
    const Snapshot& snapshot, const Cause& server, MeasuredCauses::OfCondition& found)
{
    decltype(m_queues) queues;
    for (const LockTableWaiter& waiter : snapshot.entryWaiters)
        if (waiter.isWaiting(snapshot.takenAt))
            queues[{waiter.table, waiter.name}].push_back(waiter);
    decltype(m_overtaken) overtaken;
    for (const LockTableEntry& entry : snapshot.entries) {
        const std::pair key(entry.table, entry.name);
        const auto queue = queues.find(key);
        if (queue == queues.end() || !entry.acquiredAt.isValid())
            continue;
        const std::vector<LockTableWaiter>& before = m_queues[key];
        const auto turn = std::ranges::find_if(
            before, [&entry](const LockTableWaiter& waiter) { return waiter.party == entry.party; });
        std::set<qint64>& passed = overtaken[key];
        for (const LockTableWaiter& waiter : queue->second) {
            const bool wasThere =
                std::ranges::find(before, waiter.ticket, &LockTableWaiter::ticket) != before.end();
            const auto kept = m_keptWaits.find(entry.name);
            const bool wasPassed = kept != m_keptWaits.end()
                && std::chrono::abs(waiter.registeredAt - kept->second) < milliseconds(2);
            const bool isPassed = wasThere && entry.acquiredAt > waiter.registeredAt
                && (turn == before.end() ? entry.acquiredAt > m_queuesAt : turn->ticket > waiter.ticket);
            if (!isPassed && !wasPassed && !m_overtaken[key].contains(waiter.ticket))
                continue;
            passed.insert(waiter.ticket);
            const milliseconds age = std::chrono::floor<milliseconds>(snapshot.takenAt - waiter.registeredAt);
            found.found.push_back({.cause = with(server, entry.name),
                .value = double(age.count()),
                .text = u"%1 has waited for %2 for %3, and others who came later got it."_s.arg(
                    waiter.party.owner, entry.name, durationInWords(age))});
        }
    }
    m_queues = std::move(queues);
    m_queuesAt = snapshot.takenAt;
    m_overtaken = std::move(overtaken);
}

void Conditions::findDeadlocks(const Observation& seen, MeasuredCauses& findings)
{
    if (seen.deadlocks) {
        m_knowsDeadlocks = true;
        for (const SeenDeadlock& deadlock : *seen.deadlocks)
            m_deadlocks.push_back({deadlock.at.isValid() ? deadlock.at : seen.at, deadlock});
    }
    if (!m_knowsDeadlocks)
        return;
    std::erase_if(m_deadlocks, [&seen](const PastDeadlock& past) { return past.at < seen.at - oneHour; });
    auto& rate = findings.of(Condition::DeadlockRate);
    auto& families = findings.of(Condition::NewDeadlockFamily);
    // Of the time before it was watched nothing is known: what fired then is not over yet.
    rate.isKnown = families.isKnown = hasWatchedAnHour(seen.at);
    if (m_deadlocks.empty())
        return;
    const int count = int(m_deadlocks.size());
    rate.found.push_back({.cause = serverCause(Condition::DeadlockRate, seen.server),
        .value = double(count),
        .text = u"There were %1 within the last hour."_s.arg(valueText(Condition::DeadlockRate, count))});
    std::map<QString, std::pair<const SeenDeadlock*, int>> news;
    for (const PastDeadlock& past : m_deadlocks) {
        auto& [first, times] = news[past.deadlock.family];
        if (!first && !past.deadlock.whyNew.isEmpty())
            first = &past.deadlock;
        ++times;
    }
    for (const auto& [family, one] : news) {
        if (!one.first)
            continue;
        Cause cause = with(serverCause(Condition::NewDeadlockFamily, seen.server), family);
        cause.database = one.first->database;
        families.found.push_back({.cause = cause,
            .value = double(one.second),
            .text = u"%1: %2"_s.arg(one.first->title, one.first->whyNew)});
    }
}

void Conditions::findOrders(const Observation& seen, MeasuredCauses& findings)
{
    if (seen.orders)
        m_orders = seen.orders;
    if (!m_orders)
        return;
    auto& found = findings.of(Condition::OppositeOrder);
    found.isKnown = true;
    for (const OppositeOrder& order : *m_orders) {
        Cause cause = with(serverCause(Condition::OppositeOrder, seen.server), order.id);
        cause.database = order.database;
        found.found.push_back({.cause = cause,
            .value = double(order.count),
            .text =
                u"%1; the rarer order was seen %2 times."_s.arg(withoutStop(order.title)).arg(order.count)});
    }
}

void Conditions::findServer(const Observation& seen, milliseconds step, MeasuredCauses& findings)
{
    const auto add = [&](Condition condition, double value, const QString& text) {
        findings.of(condition).found.push_back(
            {.cause = serverCause(condition, seen.server), .value = value, .text = text});
    };
    auto& unreachable = findings.of(Condition::Unreachable);
    unreachable.isKnown = seen.snapshot || seen.error;
    // One that never answered is silent at least since it was first asked.
    if (seen.snapshot || (seen.error && !m_lastAnswer.isValid()))
        m_lastAnswer = seen.at;
    if (seen.error)
        add(Condition::Unreachable, std::max(0.0, inMilliseconds(seen.at - m_lastAnswer)),
            u"It has not answered for %1: %2"_s.arg(
                durationInWords(std::chrono::floor<milliseconds>(seen.at - m_lastAnswer)), seen.error->what));
    if (!seen.snapshot)
        return;
    findHeadroom(seen, findings);
    findRole(seen, findings);
    findBlind(seen, findings);
    const milliseconds cost = std::chrono::ceil<milliseconds>(seen.snapshot->cost.server);
    findings.of(Condition::OwnCost).isKnown = seen.snapshot->cost.server.count() > 0;
    if (step.count() > 0)
        m_costs.emplace_back(step, cost);
    if (m_costs.size() > 30)
        m_costs.pop_front();
    milliseconds time{0}, spent{0};
    for (const auto& [length, one] : m_costs) {
        time += length;
        spent += one;
    }
    if (time >= std::chrono::seconds(10))
        add(Condition::OwnCost, 100.0 * double(spent.count()) / double(time.count()),
            u"The server worked %1 of the last %2 for Lockscope's polls."_s.arg(
                durationInWords(spent), durationInWords(time)));
}

void Conditions::findHeadroom(const Observation& seen, MeasuredCauses& findings)
{
    for (const monitor::Measure& measure : seen.measures) {
        if (measure.kind == monitor::measures::connections)
            m_connections.push_back({seen.at, measure.value});
        else if (measure.kind == monitor::measures::maxConnections)
            m_maxConnections = measure.value;
    }
    dropBefore(m_connections, seen.at - oneMinute * 5);
    auto& headroom = findings.of(Condition::ConnectionHeadroom);
    headroom.isKnown = m_maxConnections > 0 && m_connections.size() > 1 && !hidesLocks(*seen.snapshot);
    // Without a queue, connections come and go for other reasons.
    const bool isQueue =
        std::ranges::any_of(findings.chains, [](const Chain& each) { return each.waiting > 1; });
    if (!headroom.isKnown || !isQueue)
        return;
    const Connections& first = m_connections.front();
    const Connections& last = m_connections.back();
    const double minutes = double((last.at - first.at).count()) / double(oneMinute.count());
    const double growth = minutes > 0 ? double(last.used - first.used) / minutes : 0;
    const qint64 left = std::max(qint64(0), m_maxConnections - last.used);
    // Some connections more within seconds are no trend, and half of them are not soon used up.
    const bool isTrend = minutes >= 1 && growth >= 1 && last.used * 2 >= m_maxConnections;
    if (!isTrend && left > 0)
        return;
    const double until = left == 0 ? 0 : double(left) / growth;
    headroom.found.push_back({.cause = serverCause(Condition::ConnectionHeadroom, seen.server),
        .value = until,
        .text = u"%1 of %2 connections are used, %3 more each minute: in about %4 none is left."_s.arg(
            QString::number(last.used), QString::number(m_maxConnections), QString::number(qRound(growth)),
            durationInWords(milliseconds(qint64(until * 60'000))))});
}

void Conditions::findRole(const Observation& seen, MeasuredCauses& findings)
{
    for (const monitor::Measure& measure : seen.measures) {
        if (measure.kind != monitor::measures::replica)
            continue;
        const bool isReplica = measure.value != 0;
        if (m_isReplica && *m_isReplica != isReplica)
            m_roleChanges.emplace_back(
                seen.at, isReplica ? u"The server has become a replica."_s : u"The replica was promoted."_s);
        m_isReplica = isReplica;
    }
    while (!m_roleChanges.empty() && m_roleChanges.front().first < seen.at - oneHour)
        m_roleChanges.pop_front();
    auto& changed = findings.of(Condition::RoleChanged);
    changed.isKnown = m_isReplica.has_value() && hasWatchedAnHour(seen.at);
    if (!m_roleChanges.empty())
        changed.found.push_back({.cause = serverCause(Condition::RoleChanged, seen.server),
            .value = double(m_roleChanges.size()),
            .text = m_roleChanges.back().second});
}

void Conditions::findBlind(const Observation& seen, MeasuredCauses& findings)
{
    auto& blind = findings.of(Condition::Blind);
    blind.isKnown = true;
    if (!hidesLocks(*seen.snapshot)) {
        m_blindSince = {};
        return;
    }
    if (!m_blindSince.isValid() || m_blindSince > seen.at)
        m_blindSince = seen.at;
    QString why = seen.snapshot->reasonAgainstLocks();
    for (const Limitation& each : seen.snapshot->limitations)
        if (why.isEmpty() && each.hidesLocks)
            why = sentences({each.what, each.remedy});
    blind.found.push_back({.cause = serverCause(Condition::Blind, seen.server),
        .value = inMilliseconds(seen.at - m_blindSince),
        .text = why});
}

} // namespace lockscope::alert
