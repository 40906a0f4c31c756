// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/SameDeadlock.h"

#include <QRegularExpression>

#include <algorithm>
#include <set>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

using Ring = std::set<qint64>;

std::set<Ring> ringsOf(const Report& report)
{
    std::set<Ring> rings;
    for (const Cycle& cycle : report.cycles) {
        Ring ring;
        for (const Link& link : cycle.links)
            ring.insert(report.participants[link.waiter].session.value);
        if (!ring.contains(SessionId().value))
            rings.insert(ring);
    }
    return rings;
}

/// The numbers of the transactions that are waited for.
std::set<QString> transactionsOf(const Report& report)
{
    static const QRegularExpression number(u"\\d+"_s);
    std::set<QString> all;
    for (const LockedThing& thing : report.resources)
        if (thing.isTransaction && thing.kind == ResourceKind::TransactionId)
            if (const auto match = number.match(thing.name); match.hasMatch())
                all.insert(match.captured());
    return all;
}

template <class T> bool haveCommon(const std::set<T>& one, const std::set<T>& other)
{
    return std::any_of(one.begin(), one.end(), [&other](const T& each) { return other.contains(each); });
}

bool isAboutThen(const Moment& live, const Moment& recorded)
{
    constexpr qint64 second = 1'000'000;
    constexpr qint64 before = 2 * second; // records may tell full seconds only
    constexpr qint64 after = 10 * second; // until the server looks for it, and one of them is ended
    if (!live.at || !recorded.at)
        return false;
    qint64 later = recorded.at->us - live.at->us;
    if (!live.isZoneKnown || !recorded.isZoneKnown) {
        // Zones differ by quarters of an hour.
        constexpr qint64 quarter = 900 * second;
        later %= quarter;
        if (later > quarter / 2)
            later -= quarter;
        else if (later < -quarter / 2)
            later += quarter;
    }
    return later >= -before && later <= after;
}

} // namespace

bool isSameDeadlock(const Report& one, const Report& other)
{
    const bool isLive = one.kind == ReportKind::Live;
    if (one.engine != other.engine)
        return false;
    if (isLive == (other.kind == ReportKind::Live))
        return one.source.eventKey == other.source.eventKey;
    if (one.kind == ReportKind::Blocked || other.kind == ReportKind::Blocked)
        return false;
    if (!isAboutThen(isLive ? one.time : other.time, isLive ? other.time : one.time))
        return false;
    const std::set<QString> transactions = transactionsOf(one);
    const std::set<QString> others = transactionsOf(other);
    if (!transactions.empty() && !others.empty() && !haveCommon(transactions, others))
        return false;
    return haveCommon(ringsOf(one), ringsOf(other));
}

} // namespace lockscope::deadlock
