// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/order/PotentialDeadlock.h"
#include "core/base/Sentences.h"

#include <QCryptographicHash>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace lockscope::order {

using namespace Qt::StringLiterals;

namespace {

using Key = LockOrder::Key;
using Way = OrderEdge::Way;
using Nodes = std::vector<quint64>;
constexpr qint64 maxTries = 400'000;

bool isOneClass(const Witness& witness)
{
    return witness.first.name->lockClass == witness.second.name->lockClass;
}

/// Two that have it at the same time keep each other out.
const Gate* commonGate(const Way& a, const Way& b)
{
    for (const Gate& one : a.gates)
        for (const Gate& other : b.gates)
            if (one.lock == other.lock && conflicts(one.mode, one.grain, other.mode, other.grain))
                return &one;
    return nullptr;
}

/// Rows meet a lock on their whole table by their intent only.
bool meet(const Taken& held, const Taken& requested)
{
    const auto grainOf = [](const Taken& taken) {
        return taken.standsForRows ? Grain::Row : taken.name->grain;
    };
    return conflicts(held.mode, grainOf(held), requested.mode, grainOf(requested));
}

/// One way for each order of a ring, and what keeps it from closing.
struct Choice {
    std::vector<const Way*> ways;
    const Gate* gate = nullptr;
};

class CycleSearch {
public:
    explicit CycleSearch(const LockOrder& order)
        : m_order(order)
    {
        for (auto edge = order.edges().begin(); edge != order.edges().end(); ++edge)
            if (std::ranges::any_of(edge->ways, [this](const Way& way) { return counts(way); }))
                m_successors[edge.key().from].push_back(edge.key().to);
        for (auto& [node, successors] : m_successors)
            std::ranges::sort(successors);
    }

    /// Short rings first: a long one of which a part is a ring already says nothing new.
    void run()
    {
        for (m_length = 2; m_length <= maxRingLength; ++m_length)
            for (const auto& [node, successors] : m_successors) {
                Nodes path{node};
                walk(path);
            }
    }

    struct Ring {
        Nodes nodes;
        Choice choice;
    };
    std::vector<Ring> rings;
    bool isCut = false;

private:
    /// Locks that only stand for rows count where rows are waited for.
    bool counts(const Way& way) const
    {
        const auto isSeen = [this](const Taken& taken) {
            return !taken.standsForRows || m_order.hasRowWaits(taken.name->lockClass);
        };
        return isSeen(way.witness.first) && isSeen(way.witness.second);
    }

    void walk(Nodes& path)
    {
        const auto successors = m_successors.find(path.back());
        if (successors == m_successors.end())
            return;
        for (const quint64 next : successors->second) {
            if (isCut || ++m_tries > maxTries || qsizetype(rings.size()) >= maxRings) {
                isCut = true;
                return;
            }
            if (next == path.front() && path.size() == m_length)
                close(path);
            // Each ring once: from its smallest node.
            if (next <= path.front() || path.size() == m_length
                || std::ranges::find(path, next) != path.end())
                continue;
            path.push_back(next);
            walk(path);
            path.pop_back();
        }
    }

    static bool hasPart(const std::vector<std::set<quint64>>& rings, const std::set<quint64>& nodes)
    {
        return std::ranges::any_of(rings, [&nodes](const std::set<quint64>& each) {
            return std::includes(nodes.begin(), nodes.end(), each.begin(), each.end());
        });
    }

    void close(const Nodes& path)
    {
        const std::set<quint64> nodes(path.begin(), path.end());
        if (hasPart(m_known, nodes))
            return;
        std::vector<const OrderEdge*> edges;
        for (std::size_t i = 0; i < path.size(); ++i)
            edges.push_back(&*m_order.edges().constFind(Key{path[i], path[(i + 1) % path.size()]}));
        m_best.reset();
        Choice choice;
        choose(edges, choice);
        if (!m_best)
            return;
        // A gate around a part says nothing of a way round that part.
        if (m_best->gate && hasPart(m_guarded, nodes))
            return;
        (m_best->gate ? m_guarded : m_known).push_back(nodes);
        rings.push_back({path, *m_best});
    }

    /// Chooses edges that can block each other; those without a gate before those that have one.
    void choose(const std::vector<const OrderEdge*>& edges, Choice& choice)
    {
        const std::size_t at = choice.ways.size();
        if (at == edges.size()) {
            if (!meet(choice.ways.front()->witness.first, choice.ways.back()->witness.second))
                return;
            if (!m_best || isBetter(choice, *m_best))
                m_best = choice;
            return;
        }
        for (const Way& way : edges[at]->ways) {
            if (!counts(way) || (at > 0 && !meet(way.witness.first, choice.ways.back()->witness.second)))
                continue;
            const Gate* const before = choice.gate;
            for (std::size_t i = 0; !choice.gate && i < at; ++i)
                choice.gate = commonGate(*choice.ways[i], way);
            choice.ways.push_back(&way);
            choose(edges, choice);
            choice.ways.pop_back();
            choice.gate = before;
        }
    }

    static auto weight(const Choice& choice)
    {
        int certain = 0;
        qint64 last = 0;
        for (const Way* way : choice.ways) {
            certain += int(way->witness.evidence);
            last = std::max(last, way->last.us);
        }
        return std::tuple(choice.gate == nullptr, certain, last);
    }
    static bool isBetter(const Choice& a, const Choice& b) { return weight(a) > weight(b); }

    const LockOrder& m_order;
    std::map<quint64, std::vector<quint64>> m_successors;
    std::vector<std::set<quint64>> m_known;
    std::vector<std::set<quint64>> m_guarded;
    std::size_t m_length = 2;
    qint64 m_tries = 0;
    std::optional<Choice> m_best;
};

constexpr qsizetype idDigits = 8;

QString idOf(const std::vector<Leg>& legs, const QString& database)
{
    QStringList names{database};
    for (const Leg& leg : legs)
        names << leg.first;
    std::ranges::sort(names);
    return QString::fromLatin1(
        QCryptographicHash::hash(names.join(QChar(0x1f)).toUtf8(), QCryptographicHash::Sha256)
            .toHex()
            .left(idDigits));
}

int rankOf(const PotentialDeadlock& found)
{
    int rank = found.isCertain() ? 1'000 : 0;
    for (const Leg& leg : found.legs) {
        rank += leg.waited > 0 ? 300 / int(found.legs.size()) : 0;
        rank += isWeak(leg.witness.second.mode) ? 0 : 40;
        rank += int(std::min<qint64>(leg.count, 50));
    }
    // Each thread of a program counts: it may take each lock by a session of its own.
    std::set<std::pair<SessionKey, QString>> sessions;
    for (const Leg& leg : found.legs)
        sessions.emplace(
            leg.witness.thread.isEmpty() ? leg.witness.session : SessionKey(), leg.witness.thread);
    rank += sessions.size() > 1 ? 100 : 0; // else it may be the only one that there ever is
    return rank - int(found.legs.size() - 2) * 100 - (found.isSeenOnce() ? 2'500 : 0)
        - (found.gate.isEmpty() ? 0 : 5'000);
}

PotentialDeadlock deadlockOf(const LockOrder& order, const CycleSearch::Ring& ring)
{
    PotentialDeadlock found;
    QStringList databases;
    for (std::size_t i = 0; i < ring.nodes.size(); ++i) {
        const Way& way = *ring.choice.ways[i];
        const OrderEdge& edge =
            *order.edges().constFind(Key{ring.nodes[i], ring.nodes[(i + 1) % ring.nodes.size()]});
        const Taken& first = way.witness.first;
        const Taken& second = way.witness.second;
        const bool isOne = isOneClass(way.witness);
        found.isOneClass |= isOne;
        Leg leg{.first = isOne ? first.name->name : first.name->className,
            .second = isOne ? second.name->name : second.name->className,
            .witness = way.witness,
            .count = edge.count(),
            .waited = edge.waited(),
            .seenFirst = edge.ways.front().first,
            .seenLast = edge.last()};
        for (const Way& each : edge.ways)
            leg.seenFirst = std::min(leg.seenFirst, each.first);
        databases << first.name->database;
        found.legs.push_back(std::move(leg));
    }
    // Begins with the name that comes first, whatever numbers stand for them.
    const auto begin =
        std::ranges::min_element(found.legs, [](const Leg& a, const Leg& b) { return a.first < b.first; });
    std::rotate(found.legs.begin(), begin, found.legs.end());
    databases.removeDuplicates();
    found.database = databases.size() == 1 ? databases.front() : QString();
    found.gate = ring.choice.gate ? ring.choice.gate->name : QString();
    found.id = idOf(found.legs, databases.join(u','));
    found.rank = rankOf(found);
    return found;
}

QString modeText(const Taken& taken)
{
    const QString mode = taken.mode.title().isEmpty() ? taken.mode.name() : taken.mode.title();
    return taken.standsForRows ? u"rows"_s : mode.toLower();
}

} // namespace

bool isPotentialDeadlockId(const QString& text)
{
    const auto isDigit = [](QChar c) { return (c >= u'0' && c <= u'9') || (c >= u'a' && c <= u'f'); };
    return text.size() == idDigits && std::ranges::all_of(text, isDigit);
}

Findings potentialDeadlocks(const LockOrder& order, Guarded guarded)
{
    CycleSearch search(order);
    search.run();
    Findings findings;
    findings.isCut = search.isCut;
    for (const CycleSearch::Ring& ring : search.rings)
        if (guarded == Guarded::Included || !ring.choice.gate)
            findings.all.append(deadlockOf(order, ring));
    std::ranges::stable_sort(findings.all, [](const PotentialDeadlock& a, const PotentialDeadlock& b) {
        return std::tuple(-a.rank, -a.last().us, a.id) < std::tuple(-b.rank, -b.last().us, b.id);
    });
    return findings;
}

qint64 PotentialDeadlock::count() const
{
    qint64 least = legs.empty() ? 0 : legs.front().count;
    for (const Leg& leg : legs)
        least = std::min(least, leg.count);
    return least;
}

bool PotentialDeadlock::isSeenOnce() const
{
    return count() < 2 && std::ranges::any_of(legs, [](const Leg& leg) {
        return leg.witness.step.isEmpty() && leg.witness.thread.isEmpty();
    });
}

bool PotentialDeadlock::sawWaiting() const
{
    return std::ranges::any_of(legs, [](const Leg& leg) { return leg.waited > 0; });
}

bool PotentialDeadlock::isCertain() const
{
    return std::ranges::none_of(legs, [](const Leg& leg) { return leg.witness.evidence == Evidence::Polls; });
}

ServerTime PotentialDeadlock::last() const
{
    ServerTime last;
    for (const Leg& leg : legs)
        last = std::max(last, leg.seenLast);
    return last;
}

QString PotentialDeadlock::title() const
{
    const QStringList names = textOfEach(legs, &Leg::first);
    if (names.size() == 2)
        return u"%1 and %2 are taken in both orders"_s.arg(names[0], names[1]);
    return u"%1 are taken in a ring of orders"_s.arg(names.join(u", "_s));
}

QString legText(const Leg& leg)
{
    const Witness& witness = leg.witness;
    // In one go: names may have a "%1" in them.
    QString text = u"%1 had %2 (%3) and %4 %5 (%6)"_s.arg(witness.who(), witness.first.name->name,
        modeText(witness.first), witness.evidence == Evidence::Waiting ? u"waited for"_s : u"then took"_s,
        witness.second.name->name, modeText(witness.second));
    if (witness.evidence == Evidence::Polls)
        text += u"; it had the first at both polls, and may have released it in between"_s;
    return text + u'.';
}

QString explanation(const PotentialDeadlock& found)
{
    if (!found.gate.isEmpty())
        return u"Guarded by %1: each session that was seen to take them had it all the while, so that they can't meet."_s
            .arg(found.gate);
    QString text = found.legs.size() == 2
        ? u"If two sessions do this at the same time, each has what the other one waits for, and one is sacrificed."_s
        : u"If %1 sessions do this at the same time, each has what another one waits for, and one is sacrificed."_s
              .arg(found.legs.size());
    text += found.isOneClass ? u" Take locks of one kind in one order, for instance by their numbers."_s
                             : u" Take them in the same order everywhere."_s;
    const bool areRowsAssumed = std::ranges::any_of(found.legs,
        [](const Leg& leg) { return leg.witness.first.standsForRows || leg.witness.second.standsForRows; });
    if (areRowsAssumed)
        text +=
            u" The server does not show which rows a session has changed. They are assumed to be the same ones, because sessions waited for rows of these tables."_s;
    else if (!found.isOneClass)
        text += u" It takes the same rows or names on both sides."_s;
    if (found.isSeenOnce())
        text += u" One of the orders was seen only once."_s;
    return text;
}

} // namespace lockscope::order
