// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/Deadlock.h"
#include "core/domain/StrongComponents.h"

#include <QSet>

#include <algorithm>
#include <deque>
#include <numeric>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// Above this a report is not one of a deadlock: all pairs of owners and waiters would be too many.
constexpr qsizetype maxLinks = 20'000;
constexpr qsizetype maxCycles = 500;

bool conflicts(Engine engine, const Edge& held, const Edge& awaited)
{
    const LockMode holds = LockMode::fromText(engine, held.mode);
    const LockMode waitsFor = LockMode::fromText(engine, awaited.mode);
    return !holds.isKnown() || !waitsFor.isKnown() || !holds.compatibleWith(waitsFor);
}

/// The edges at one resource.
struct Meeting {
    QList<const Edge*> holders;
    QList<const Edge*> ahead; ///< wait, and are named among the owners
    QList<const Edge*> waiters;
};

Link linkOf(const Edge& waiter, const Edge& blocker, bool isQueue)
{
    return {.waiter = waiter.participant,
        .blocker = blocker.participant,
        .resource = waiter.resource,
        .awaited = waiter.mode,
        .held = isQueue ? QString() : blocker.mode,
        .converts = waiter.converts,
        .isQueue = isQueue};
}

/// Returns the holders that block the waiter; if there is none, holders in an unknown mode; then those ahead
/// in the queue.
QList<Link> linksOf(Engine engine, const Meeting& meeting, const Edge& waiter)
{
    QList<Link> links;
    const auto add = [&](const QList<const Edge*>& blockers, bool isQueue, bool judge) {
        for (const Edge* blocker : blockers) {
            const bool isInTheWay =
                blocker->participant != waiter.participant && (!judge || conflicts(engine, *blocker, waiter));
            const Link link = linkOf(waiter, *blocker, isQueue);
            const bool isNew = std::ranges::none_of(
                links, [&link](const Link& other) { return other.blocker == link.blocker; });
            if (isInTheWay && isNew)
                links << link;
        }
    };
    add(meeting.holders, false, true);
    if (links.isEmpty())
        add(meeting.ahead, true, true);
    if (links.isEmpty())
        add(meeting.holders, false, false);
    return links;
}

QList<Link> allLinks(const DeadlockReport& report)
{
    std::vector<Meeting> meetings(size_t(report.resources.size()));
    for (const Edge& edge : report.edges) {
        Meeting& meeting = meetings[size_t(edge.resource)];
        if (edge.kind == Edge::Kind::Holds)
            meeting.holders << &edge;
        else
            meeting.waiters << &edge;
        if (edge.isAmongOwners)
            meeting.ahead << &edge;
    }
    QList<Link> links;
    for (const Meeting& meeting : meetings) {
        for (const Edge* waiter : meeting.waiters) {
            if (links.size() > maxLinks)
                return links;
            for (const Link& link : linksOf(report.engine, meeting, *waiter)) {
                const bool isNew = std::none_of(links.crbegin(), links.crend(), [&link](const Link& other) {
                    return other.waiter == link.waiter && other.blocker == link.blocker
                        && other.resource == link.resource;
                });
                if (isNew)
                    links << link;
            }
        }
    }
    return links;
}

/// The graph of waits.
class Rings {
public:
    /// `nodes`: which node each participant is of.
    Rings(const DeadlockReport& report, QList<int> nodes)
        : m_links(report.links)
        , m_nodes(std::move(nodes))
        , m_out(size_t(report.participants.size()))
    {
        for (qsizetype i = 0; i < m_links.size(); ++i)
            if (waiter(m_links[i]) != blocker(m_links[i]))
                m_out[waiter(m_links[i])].push_back(i);
    }

    /// The shortest ring through this node, beginning with it; empty if it is in none.
    QList<Link> through(int node) const
    {
        const auto start = size_t(node);
        std::vector<qsizetype> cameBy(m_out.size(), -1);
        std::deque<size_t> next{start};
        while (!next.empty()) {
            const size_t at = next.front();
            next.pop_front();
            for (const qsizetype i : m_out[at]) {
                const size_t to = blocker(m_links[i]);
                if (cameBy[to] >= 0)
                    continue;
                cameBy[to] = i;
                if (to == start)
                    return wayBack(cameBy, start);
                next.push_back(to);
            }
        }
        return {};
    }

    /// All nodes that are in rings.
    QList<int> members() const
    {
        std::vector<std::vector<quint32>> successors(m_out.size());
        for (size_t from = 0; from < m_out.size(); ++from)
            for (const qsizetype i : m_out[from])
                successors[from].push_back(quint32(blocker(m_links[i])));
        QList<int> all;
        for (const auto& members : strongComponents(successors).members)
            if (members.size() > 1)
                for (const quint32 member : members)
                    all << int(member);
        std::ranges::sort(all);
        return all;
    }

private:
    size_t waiter(const Link& link) const { return size_t(m_nodes[link.waiter]); }
    size_t blocker(const Link& link) const { return size_t(m_nodes[link.blocker]); }

    QList<Link> wayBack(const std::vector<qsizetype>& cameBy, size_t start) const
    {
        QList<Link> ring;
        size_t at = start;
        do {
            Link link = m_links[cameBy[at]];
            link.waiter = m_nodes[link.waiter];
            link.blocker = m_nodes[link.blocker];
            ring << link;
            at = waiter(link);
        } while (at != start);
        std::ranges::reverse(ring);
        return ring;
    }

    const QList<Link>& m_links;
    const QList<int> m_nodes;
    std::vector<std::vector<qsizetype>> m_out;
};

/// `nodes`: leadersOf(), or each participant by itself.
void findRings(DeadlockReport& report, const QList<int>& nodes)
{
    const Rings rings(report, nodes);
    QSet<int> victims;
    for (const int victim : report.victims)
        victims.insert(nodes[victim]);
    QSet<int> covered;
    const auto take = [&](int node) {
        if (covered.contains(node) || report.cycles.size() >= maxCycles)
            return;
        Cycle cycle;
        cycle.links = rings.through(node);
        for (const Link& link : cycle.links) {
            covered.insert(link.waiter);
            if (victims.contains(link.waiter))
                cycle.victims << link.waiter;
        }
        if (!cycle.links.isEmpty())
            report.cycles << cycle;
    };
    for (const int victim : report.victims)
        take(nodes[victim]);
    for (const int member : rings.members())
        take(member);
    if (report.cycles.size() >= maxCycles)
        report.complaints << u"The report has %1 rings of waits or more; the rest was left out."_s.arg(
            maxCycles);
}

} // namespace

void findCycles(DeadlockReport& report)
{
    report.links = allLinks(report);
    report.cycles.clear();
    findRings(report, leadersOf(report));
    if (!report.cycles.isEmpty())
        return;
    // Threads of one session may wait for each other alone.
    QList<int> each(report.participants.size());
    std::iota(each.begin(), each.end(), 0);
    findRings(report, each);
}

} // namespace lockscope::deadlock
