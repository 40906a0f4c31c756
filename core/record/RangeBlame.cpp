// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RangeBlame.h"

#include <algorithm>
#include <tuple>

namespace lockscope::record {

namespace {

constexpr size_t longestChain = 32;
constexpr size_t maxHeads = 10'000; // of one wait: a file that somebody made may have any

auto place(const RangeInterval& each)
{
    return std::tuple(each.resource, each.mode, each.from, each.party, each.to);
}

} // namespace

void joinSeenAgain(std::vector<RangeInterval>& intervals)
{
    const auto identity = [](const RangeInterval& each) {
        return std::tuple(each.resource, each.party, each.mode, each.began);
    };
    const auto exact = std::partition(
        intervals.begin(), intervals.end(), [](const RangeInterval& each) { return !each.isExact; });
    std::sort(exact, intervals.end(), [&identity](const RangeInterval& a, const RangeInterval& b) {
        return std::tuple(identity(a), a.to) < std::tuple(identity(b), b.to);
    });
    auto last = exact;
    for (auto it = exact; it != intervals.end(); ++it) {
        if (it == last)
            continue;
        if (identity(*it) == identity(*last)) {
            it->seen += last->seen;
            it->polls += last->polls;
        } else {
            ++last;
        }
        *last = *it;
    }
    if (last != intervals.end())
        intervals.erase(last + 1, intervals.end());
    std::ranges::sort(
        intervals, [](const RangeInterval& a, const RangeInterval& b) { return place(a) < place(b); });
}

qint32 RangeModes::numberOf(const QString& mode)
{
    const auto known = m_numbers.constFind(mode);
    if (known != m_numbers.cend())
        return *known;
    m_modes.push_back(mode);
    return *m_numbers.insert(mode, static_cast<qint32>(m_modes.size() - 1));
}

bool RangeModes::excludes(qint32 held, qint32 wanted)
{
    const quint64 both = quint64(static_cast<quint32>(held)) << 32 | static_cast<quint32>(wanted);
    const auto known = m_excludes.constFind(both);
    return known != m_excludes.cend() ? *known
                                      : *m_excludes.insert(both,
                                          record::excludes(m_engine, m_modes[static_cast<size_t>(held)],
                                              m_modes[static_cast<size_t>(wanted)]));
}

void MeetingSearch::build(const std::vector<RangeInterval>& all, size_t begin, size_t end)
{
    m_latest.resize(std::max(m_latest.size(), end));
    if (begin >= end)
        return;
    const size_t middle = begin + (end - begin) / 2;
    build(all, begin, middle);
    build(all, middle + 1, end);
    ServerTime latest = all[middle].to;
    if (begin < middle)
        latest = std::max(latest, m_latest[begin + (middle - begin) / 2]);
    if (middle + 1 < end)
        latest = std::max(latest, m_latest[middle + 1 + (end - middle - 1) / 2]);
    m_latest[middle] = latest;
}

RangeBlame::ByResource RangeBlame::searched(const std::vector<RangeInterval>& all, MeetingSearch& search)
{
    ByResource found;
    for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
        const RangeInterval& first = all[begin];
        while (end < all.size() && all[end].resource == first.resource && all[end].mode == first.mode)
            ++end;
        found[first.resource].push_back({first.mode, begin, end});
        search.build(all, begin, end);
    }
    return found;
}

RangeBlame::RangeBlame(
    const std::vector<RangeInterval>& waits, std::vector<RangeInterval> holds, RangeModes& modes)
    : m_waits(waits)
    , m_holds(std::move(holds))
    , m_byParty(waits)
    , m_modes(modes)
    , m_held(searched(m_holds, m_holdSearch))
    , m_queues(searched(m_waits, m_queueSearch))
{
    std::ranges::sort(m_byParty, [](const RangeInterval& a, const RangeInterval& b) {
        return std::tuple(a.party, a.from, place(a)) < std::tuple(b.party, b.from, place(b));
    });
    for (size_t begin = 0, end = 0; begin < m_byParty.size(); begin = end) {
        while (end < m_byParty.size() && m_byParty[end].party == m_byParty[begin].party)
            ++end;
        m_parties.insert(m_byParty[begin].party, {begin, end});
        m_partySearch.build(m_byParty, begin, end);
    }
}

template <class Visit>
void RangeBlame::eachBlocker(const RangeInterval& wait, ServerTime from, ServerTime to, const Visit& visit)
{
    const auto held = m_held.constFind(wait.resource);
    if (held == m_held.cend())
        return;
    for (const Modes& each : *held) {
        if (!m_modes.excludes(each.mode, wait.mode))
            continue;
        m_holdSearch.each(m_holds, each.begin, each.end, from, to, [&](size_t hold) {
            if (m_holds[hold].party != wait.party)
                visit(Charge{hold, std::max(m_holds[hold].from, from), std::min(m_holds[hold].to, to)});
        });
    }
}

/// Those who waited for the same before it and keep it waiting, although who holds that would not.
template <class Visit>
void RangeBlame::eachBefore(const RangeInterval& wait, ServerTime from, ServerTime to, const Visit& visit)
{
    for (const Modes& each : m_queues.value(wait.resource)) {
        if (!m_modes.excludes(each.mode, wait.mode))
            continue;
        m_queueSearch.each(m_waits, each.begin, each.end, from, to, [&](size_t number) {
            const RangeInterval& before = m_waits[number];
            if (before.party != wait.party && before.from < wait.from)
                visit(before, std::max(before.from, from), std::min(before.to, to));
        });
    }
}

RangeBlame::Charges RangeBlame::of(const RangeInterval& wait)
{
    Charges charges;
    eachBlocker(wait, wait.from, wait.to, [&](const Charge& charge) { charges.direct.push_back(charge); });
    Chain chain{wait.party};
    for (const Charge& charge : charges.direct)
        findHeads(charge, chain, charges.heads);
    if (!charges.direct.empty())
        return charges;
    eachBefore(wait, wait.from, wait.to, [&](const RangeInterval& before, ServerTime from, ServerTime to) {
        eachBlocker(before, from, to, [&](const Charge& charge) {
            if (m_holds[charge.hold].party != wait.party)
                findHeads(charge, chain, charges.heads);
        });
    });
    return charges;
}

/// Who holds it is the head while it waits for nobody, or for nobody that is known; else those whom it waits
/// for are asked.
void RangeBlame::findHeads(const Charge& charge, Chain& chain, std::vector<Charge>& heads)
{
    const qint64 party = m_holds[charge.hold].party;
    const auto waits = m_parties.constFind(party);
    const bool isRing = std::ranges::find(chain, party) != chain.end();
    if (waits == m_parties.cend() || isRing || chain.size() >= longestChain || heads.size() >= maxHeads) {
        heads.push_back(charge);
        return;
    }
    chain.push_back(party);
    std::vector<Charge> behind; // parts in which others are
    m_partySearch.each(m_byParty, waits->first, waits->second, charge.from, charge.to, [&](size_t number) {
        const RangeInterval& wait = m_byParty[number];
        const ServerTime from = std::max(wait.from, charge.from);
        const ServerTime to = std::min(wait.to, charge.to);
        if (from == to && charge.from != charge.to)
            return; // it only touches
        eachBlocker(wait, from, to, [&](const Charge& blocker) {
            if (std::ranges::find(chain, m_holds[blocker.hold].party) == chain.end()
                && (blocker.from != blocker.to || charge.from == charge.to))
                behind.push_back(blocker);
        });
    });
    std::ranges::sort(behind, {}, &Charge::from);
    ServerTime until = charge.from;
    for (const Charge& blocker : behind) {
        if (blocker.from > until)
            heads.push_back({charge.hold, until, blocker.from});
        until = std::max(until, blocker.to);
    }
    if (until < charge.to || behind.empty())
        heads.push_back({charge.hold, until, charge.to});
    for (const Charge& blocker : behind)
        findHeads(blocker, chain, heads);
    chain.pop_back();
}

} // namespace lockscope::record
