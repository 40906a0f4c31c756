// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/SameDeadlock.h"

#include <QRegularExpression>

#include <algorithm>
#include <map>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

bool isSeen(const Deadlock& deadlock)
{
    return deadlock.report->kind == ReportKind::Live;
}

/// When the transaction of each session of the ring began.
std::map<qint64, std::optional<ServerTime>> transactionsStarted(const Deadlock& deadlock)
{
    std::map<qint64, std::optional<ServerTime>> started;
    for (const int participant : deadlock.cycle().participants()) {
        const Participant& one = deadlock.participant(participant);
        started.emplace(one.session.value, one.transactionStarted.at);
    }
    return started;
}

bool isAboutThen(const Moment& recorded, const Moment& seen)
{
    if (!seen.at || !recorded.at)
        return false;
    microseconds later = *recorded.at - *seen.at;
    if (!seen.isZoneKnown || !recorded.isZoneKnown) {
        constexpr microseconds quarter{900'000'000}; // of an hour: by that zones differ
        later %= quarter;
        if (later > quarter / 2)
            later -= quarter;
        else if (later < -quarter / 2)
            later += quarter;
    }
    return later >= -recordIsEarly && later <= longestStanding;
}

bool areOthers(const std::set<QString>& transactions, const std::set<QString>& others)
{
    return !transactions.empty() && !others.empty()
        && std::none_of(transactions.begin(), transactions.end(),
            [&others](const QString& each) { return others.contains(each); });
}

bool isSameSight(const Deadlock& one, const Deadlock& other)
{
    const auto& at = one.report->time.at;
    const auto& then = other.report->time.at;
    if (!at || !then || *at - *then > longestStanding || *then - *at > longestStanding)
        return false;
    const Identity ring = identityOf(one);
    const Identity again = identityOf(other);
    return !ring.sessions.empty() && ring.sessions == again.sessions
        && !areOthers(ring.transactions, again.transactions)
        && transactionsStarted(one) == transactionsStarted(other);
}

} // namespace

Identity identityOf(const Deadlock& deadlock)
{
    static const QRegularExpression number(u"\\d+"_s);
    Identity identity;
    identity.time = deadlock.report->time;
    bool isTold = true;
    for (const Link& link : deadlock.cycle().links) {
        const SessionId session = deadlock.participant(link.waiter).session;
        isTold &= session.isValid();
        identity.sessions.insert(session.value);
        const LockedThing& thing = deadlock.resource(link.resource);
        if (deadlock.report->engine == Engine::Postgres && thing.kind == ResourceKind::TransactionId)
            if (const auto match = number.match(thing.name); match.hasMatch())
                identity.transactions.insert(match.captured());
    }
    if (!isTold)
        identity.sessions.clear();
    return identity;
}

bool isRecordOf(const Identity& recorded, const Identity& seen)
{
    return !recorded.sessions.empty() && recorded.sessions == seen.sessions
        && isAboutThen(recorded.time, seen.time) && !areOthers(recorded.transactions, seen.transactions);
}

bool isSameDeadlock(const Deadlock& one, const Deadlock& other)
{
    if (one.report->engine != other.report->engine)
        return false;
    if (one.report->source.eventKey == other.report->source.eventKey)
        return one.index == other.index;
    if (isSeen(one) && isSeen(other))
        return isSameSight(one, other);
    const Deadlock& seen = isSeen(one) ? one : other;
    const Deadlock& recorded = isSeen(one) ? other : one;
    // The time first: the rest takes longer, and lists compare with all that they have.
    return isSeen(seen) && recorded.report->kind == ReportKind::Deadlock
        && isAboutThen(recorded.report->time, seen.report->time)
        && isRecordOf(identityOf(recorded), identityOf(seen));
}

} // namespace lockscope::deadlock
