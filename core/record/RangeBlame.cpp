// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RangeBlame.h"

#include <algorithm>
#include <tuple>

namespace lockscope::record {

namespace {

constexpr size_t maxChainLength = 32;
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

bool RangeModes::excludes(qint32 held, qint32 requested)
{
    const quint64 both = quint64(static_cast<quint32>(held)) << 32 | static_cast<quint32>(requested);
    const auto known = m_excludes.constFind(both);
    return known != m_excludes.cend() ? *known
                                      : *m_excludes.insert(both,
                                          record::excludes(m_engine, m_modes[static_cast<size_t>(held)],
                                              m_modes[static_cast<size_t>(requested)]));
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

RangeBlame::RangeBlame(const std::vector<RangeInterval>& waits, std::vector<RangeInterval> holds,
    RangeModes& modes, SessionOf sessionOf)
    : m_waits(waits)
    , m_holds(std::move(holds))
    , m_byParty(waits)
    , m_modes(modes)
    , m_sessionOf(std::move(sessionOf))
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
void RangeBlame::eachHolder(const RangeInterval& wait, ServerTime from, ServerTime to, const Visit& visit)
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

/// Holders that would let it have the lock, but keep those waiting that are ahead of it in the queue, and
/// that it waits for.
template <class Visit>
void RangeBlame::eachBehindQueue(
    const RangeInterval& wait, ServerTime from, ServerTime to, const Visit& visit)
{
    const auto held = m_held.constFind(wait.resource);
    const auto queue = m_queues.constFind(wait.resource);
    const auto lets = [&](const Modes& each) { return !m_modes.excludes(each.mode, wait.mode); };
    if (held == m_held.cend() || queue == m_queues.cend() || std::ranges::none_of(*held, lets))
        return;
    // The modes that it waits behind, and those that these wait behind.
    std::vector<const Modes*> ahead;
    const auto add = [&](qint32 mode) {
        for (const Modes& each : *queue) {
            if (each.mode != wait.mode && m_modes.excludes(each.mode, mode)
                && std::ranges::find(ahead, &each) == ahead.end())
                ahead.push_back(&each);
        }
    };
    add(wait.mode);
    for (size_t i = 0; i < ahead.size(); ++i)
        add(ahead[i]->mode);
    for (const Modes& holds : *held) {
        if (!lets(holds))
            continue;
        for (const Modes* each : ahead) {
            if (!m_modes.excludes(holds.mode, each->mode))
                continue;
            m_queueSearch.each(m_waits, each->begin, each->end, from, to, [&](size_t number) {
                const RangeInterval& before = m_waits[number];
                if (before.party != wait.party && before.began < wait.began)
                    visit(holds, std::max(before.from, from), std::min(before.to, to));
            });
        }
    }
}

std::vector<RangeBlame::Charge> RangeBlame::blockersOf(
    const RangeInterval& wait, ServerTime from, ServerTime to)
{
    std::vector<Charge> blockers;
    eachHolder(wait, from, to, [&](const Charge& charge) { blockers.push_back(charge); });
    eachBehindQueue(wait, from, to, [&](const Modes& holds, ServerTime begin, ServerTime end) {
        m_holdSearch.each(m_holds, holds.begin, holds.end, begin, end, [&](size_t hold) {
            if (m_holds[hold].party != wait.party)
                blockers.push_back(
                    {hold, std::max(m_holds[hold].from, begin), std::min(m_holds[hold].to, end)});
        });
    });
    return blockers;
}

RangeBlame::Charges RangeBlame::of(const RangeInterval& wait)
{
    Charges charges;
    eachHolder(wait, wait.from, wait.to, [&](const Charge& charge) { charges.direct.push_back(charge); });
    Walk walk;
    walk.waiter = wait.party;
    for (const Charge& charge : blockersOf(wait, wait.from, wait.to))
        findHeads(charge, walk);
    charges.heads = std::move(walk.heads);
    // A ring counts where there is no head.
    std::ranges::sort(charges.heads, {}, &Charge::from);
    const size_t heads = charges.heads.size();
    for (Charge ring : walk.rings) {
        for (size_t i = 0; i < heads && ring.from < ring.to; ++i) {
            const Charge& head = charges.heads[i];
            if (head.from > ring.from)
                charges.heads.push_back({ring.hold, ring.from, std::min(head.from, ring.to)});
            ring.from = std::max(ring.from, charges.heads[i].to);
        }
        if (ring.from < ring.to || heads == 0)
            charges.heads.push_back(ring);
    }
    return charges;
}

/// Notes the hold of the ring's smallest session, if `charge` leads back to one that was come by.
bool RangeBlame::closesRing(const Charge& charge, Walk& walk) const
{
    const auto partyOf = [this](const Charge& each) { return m_holds[each.hold].party; };
    const qint64 party = partyOf(charge);
    const auto before = std::ranges::find(walk.chain, party, partyOf);
    if (before == walk.chain.end() && party != walk.waiter)
        return false;
    Charge smallest = charge;
    const auto first = before == walk.chain.end() ? walk.chain.begin() : before + 1;
    for (auto each = first; each != walk.chain.end(); ++each) {
        if (m_sessionOf(partyOf(*each)) < m_sessionOf(partyOf(smallest)))
            smallest.hold = each->hold;
    }
    if (partyOf(smallest) != walk.waiter) // nobody waits for himself
        walk.rings.push_back(smallest);
    return true;
}

/// The holder is the head while it waits for nobody, or for nobody that is known; else those that it waits
/// for are searched.
void RangeBlame::findHeads(const Charge& charge, Walk& walk)
{
    const size_t found = walk.heads.size() + walk.rings.size();
    if (found < maxHeads && closesRing(charge, walk))
        return;
    const auto waits = m_parties.constFind(m_holds[charge.hold].party);
    if (waits == m_parties.cend() || walk.chain.size() >= maxChainLength || found >= maxHeads) {
        walk.heads.push_back(charge);
        return;
    }
    walk.chain.push_back(charge);
    std::vector<Charge> behind; // parts in which others are
    m_partySearch.each(m_byParty, waits->first, waits->second, charge.from, charge.to, [&](size_t number) {
        const RangeInterval& wait = m_byParty[number];
        const ServerTime from = std::max(wait.from, charge.from);
        const ServerTime to = std::min(wait.to, charge.to);
        if (from == to && charge.from != charge.to)
            return; // it only touches
        for (const Charge& blocker : blockersOf(wait, from, to)) {
            if (blocker.from != blocker.to || charge.from == charge.to)
                behind.push_back(blocker);
        }
    });
    std::ranges::sort(behind, {}, &Charge::from);
    ServerTime until = charge.from;
    for (const Charge& blocker : behind) {
        if (blocker.from > until)
            walk.heads.push_back({charge.hold, until, blocker.from});
        until = std::max(until, blocker.to);
    }
    if (until < charge.to || behind.empty())
        walk.heads.push_back({charge.hold, until, charge.to});
    for (const Charge& blocker : behind)
        findHeads(blocker, walk);
    walk.chain.pop_back();
}

} // namespace lockscope::record
