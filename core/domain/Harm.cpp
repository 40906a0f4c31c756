// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/Harm.h"

#include "core/base/Duration.h"
#include "core/domain/Thresholds.h"

#include <QSettings>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace lockscope {

using namespace Qt::StringLiterals;

milliseconds weightOf(const Harm& harm)
{
    constexpr milliseconds least{1'000};
    constexpr milliseconds maximum{60'000};
    return (harm.victims + harm.joined) * std::clamp(harm.longestWait, least, maximum);
}

bool isWorse(const Harm& a, const Harm& b)
{
    return std::tuple(weightOf(a), a.victims, a.longestWait)
        > std::tuple(weightOf(b), b.victims, b.longestWait);
}

AgeLevel levelOf(const Harm& harm, const AgeThresholds& wait)
{
    const AgeLevel level = harm.victims >= manyBlocked ? AgeLevel::Red : wait.levelOf(harm.longestWait);
    const bool isNew = harm.inheritedWithin && wait.levelOf(*harm.inheritedWithin) != AgeLevel::Red;
    return isNew ? std::min(level, AgeLevel::Amber) : level;
}

QString inheritedText(const Harm& harm)
{
    if (!harm.inheritedWithin)
        return {};
    return (harm.hasWhatItWaitedFor ? u"has had it for at most "_s : u"at the head for at most "_s)
        + durationInWords(std::max(
            std::chrono::seconds(1), std::chrono::ceil<std::chrono::seconds>(*harm.inheritedWithin)));
}

QString blocksText(const Harm& harm)
{
    return blocksText(harm, durationInWords(harm.longest()));
}

QString blocksText(const Harm& harm, const QString& longest)
{
    return harm.inheritedWithin ? u"blocks %1, %2; the queue is %3 old"_s.arg(
               QString::number(harm.victims), inheritedText(harm), longest)
                                : u"blocks %1 for %2"_s.arg(harm.victims).arg(longest);
}

namespace {

using Lists = std::vector<std::vector<quint32>>;

constexpr size_t bitsPerWord = 64;
constexpr size_t maxBytesOfSets = 16U << 20;

// Which components wait for which, nearest first: greater numbers stand above smaller ones.
Adjacency componentsBelow(const StrongComponents& components, const Adjacency& waiters)
{
    const size_t count = components.members.size();
    std::vector<Adjacency::Pair> edges; // below, above
    for (quint32 node = 0; node < components.of.size(); ++node) {
        const quint32 above = components.of[node];
        for (const quint32 waiter : waiters[node])
            if (components.of[waiter] != above)
                edges.emplace_back(components.of[waiter], above);
    }
    const Adjacency above(count, edges);
    // Taken from the greatest down, so that each list is in order without being sorted.
    edges.clear();
    for (size_t component = count; component-- > 0;)
        for (const quint32 parent : above[component])
            edges.emplace_back(parent, static_cast<quint32>(component));
    return Adjacency(count, edges).withoutRepeats();
}

// The parts of the graph that have nothing to do with each other; each ascending.
Lists separateParts(const Adjacency& below)
{
    std::vector<quint32> parent(below.size());
    std::iota(parent.begin(), parent.end(), 0U);
    const auto rootOf = [&parent](quint32 c) {
        while (parent[c] != c)
            c = parent[c] = parent[parent[c]];
        return c;
    };
    for (quint32 c = 0; c < below.size(); ++c)
        for (const quint32 child : below[c])
            parent[rootOf(child)] = rootOf(c);
    Lists parts(below.size());
    for (quint32 c = 0; c < below.size(); ++c)
        parts[rootOf(c)].push_back(c);
    std::erase_if(parts, [](const auto& part) { return part.empty(); });
    return parts;
}

class VictimCounter {
public:
    VictimCounter(
        const StrongComponents& components, const Adjacency& waiters, const std::vector<NodeWait>& waits)
        : m_components(components)
        , m_waits(waits)
        , m_below(componentsBelow(components, waiters))
        , m_parents(m_below.size(), 0)
        , m_victims(m_below.size())
    {
        for (size_t component = 0; component < m_below.size(); ++component)
            for (const quint32 child : m_below[component])
                ++m_parents[child];
    }

    std::vector<Victims> run()
    {
        measureChains();
        for (const auto& part : separateParts(m_below)) {
            const bool tree = std::ranges::all_of(part, [this](quint32 c) { return m_parents[c] < 2; });
            if (tree)
                addUp(part);
            else
                joinSets(part);
        }
        return std::move(m_victims);
    }

private:
    // The words of a set that may hold a bit: most sets are small, and need not be read whole.
    struct Used {
        size_t first = 0;
        size_t end = 0;
    };

    const std::vector<quint32>& membersOf(quint32 component) const { return m_components.members[component]; }

    // Longest chain and longest wait are the same whether a session is counted once or twice.
    void measureChains()
    {
        for (quint32 c = 0; c < m_below.size(); ++c) {
            Victims& victims = m_victims[c];
            const bool ring = membersOf(c).size() > 1;
            int deepest = 0;
            for (const quint32 child : m_below[c]) {
                deepest = std::max(deepest, m_victims[child].depth + 1);
                victims.longestWait = std::max(victims.longestWait, m_victims[child].longestWait);
                for (const quint32 node : membersOf(child))
                    victims.longestWait = std::max(victims.longestWait, m_waits[node].age);
            }
            victims.depth = deepest + static_cast<int>(membersOf(c).size()) - 1;
            if (!ring)
                continue;
            for (const quint32 node : membersOf(c))
                victims.longestWait = std::max(victims.longestWait, m_waits[node].age);
        }
    }

    // In a ring everybody is everybody else's victim.
    void addOwnRing(quint32 component)
    {
        const auto& members = membersOf(component);
        if (members.size() < 2)
            return;
        m_victims[component].count += static_cast<int>(members.size()) - 1;
        for (const quint32 node : members)
            m_victims[component].joined += m_waits[node].joined ? 1 : 0;
    }

    void addUp(const std::vector<quint32>& part)
    {
        for (const quint32 c : part) {
            Victims& victims = m_victims[c];
            for (const quint32 child : m_below[c]) {
                const Victims& below = m_victims[child];
                const bool ring = membersOf(child).size() > 1;
                victims.count += below.count + 1;
                victims.joined += below.joined;
                if (!ring && m_waits[membersOf(child).front()].joined)
                    ++victims.joined;
            }
            addOwnRing(c);
        }
    }

    void joinSets(const std::vector<quint32>& part)
    {
        std::vector<quint32> nodes;
        for (const quint32 c : part)
            nodes.insert(nodes.end(), membersOf(c).begin(), membersOf(c).end());
        const size_t words = std::max<size_t>(1, maxBytesOfSets / (part.size() * sizeof(quint64)));
        const size_t portion = words * bitsPerWord;
        for (size_t first = 0; first < nodes.size(); first += portion)
            joinPortion(part, nodes, first, std::min(portion, nodes.size() - first));
        for (const quint32 c : part)
            addOwnRing(c);
    }

    // One bit for each of the nodes [first, first + count); one set for each component of the part.
    void joinPortion(
        const std::vector<quint32>& part, const std::vector<quint32>& nodes, size_t first, size_t count)
    {
        const size_t words = (count + bitsPerWord - 1) / bitsPerWord;
        std::vector<quint64> sets(part.size() * words, 0);
        m_row.resize(m_below.size());
        m_bit.assign(m_components.of.size(), noBit);
        for (size_t row = 0; row < part.size(); ++row)
            m_row[part[row]] = static_cast<quint32>(row);
        for (size_t i = 0; i < count; ++i)
            m_bit[nodes[first + i]] = static_cast<quint32>(i);
        m_used.assign(part.size(), {words, 0});
        m_counts.assign(part.size(), 0);
        for (size_t row = 0; row < part.size(); ++row) {
            quint64* set = sets.data() + row * words;
            int joined = 0; // in a queue the next one has all the others below it: nothing is to be counted
            for (const quint32 child : m_below[part[row]]) {
                const std::optional<int> marked = mark(set, m_used[row], child);
                if (!marked)
                    continue;
                ++joined;
                m_counts[row] = *marked + m_counts[m_row[child]];
                join(set, m_used[row], sets.data() + m_row[child] * words, m_used[m_row[child]]);
            }
            if (joined > 1)
                m_counts[row] = countOf(set, m_used[row]);
            m_victims[part[row]].count += m_counts[row];
            // The new waiters are counted at the heads only, which costs more than a count of bits.
            if (m_parents[part[row]] == 0)
                tallyJoined(part[row], set, m_used[row], nodes, first);
        }
    }

    // Returns how many of its nodes have a bit here; nothing if the child was reached by a nearer way
    // already, and with it all that wait for it.
    std::optional<int> mark(quint64* set, Used& used, quint32 child)
    {
        int marked = 0;
        for (const quint32 node : membersOf(child)) {
            const quint32 bit = m_bit[node];
            if (bit == noBit)
                continue;
            const size_t word = bit / bitsPerWord;
            const quint64 mask = quint64(1) << (bit % bitsPerWord);
            if (set[word] & mask)
                return std::nullopt;
            set[word] |= mask;
            used = {std::min(used.first, word), std::max(used.end, word + 1)};
            ++marked;
        }
        return marked;
    }

    static void join(quint64* set, Used& used, const quint64* below, const Used& usedBelow)
    {
        for (size_t word = usedBelow.first; word < usedBelow.end; ++word)
            set[word] |= below[word];
        used = {std::min(used.first, usedBelow.first), std::max(used.end, usedBelow.end)};
    }

    static int countOf(const quint64* set, const Used& used)
    {
        int count = 0;
        for (size_t word = used.first; word < used.end; ++word)
            count += std::popcount(set[word]);
        return count;
    }

    void tallyJoined(quint32 component, const quint64* set, const Used& used,
        const std::vector<quint32>& nodes, size_t first)
    {
        for (size_t word = used.first; word < used.end; ++word) {
            for (quint64 rest = set[word]; rest; rest &= rest - 1) {
                const size_t bit = word * bitsPerWord + static_cast<size_t>(std::countr_zero(rest));
                m_victims[component].joined += m_waits[nodes[first + bit]].joined ? 1 : 0;
            }
        }
    }

    static constexpr quint32 noBit = ~0U;

    const StrongComponents& m_components;
    const std::vector<NodeWait>& m_waits;
    Adjacency m_below;
    std::vector<quint32> m_parents;
    std::vector<Victims> m_victims;
    std::vector<quint32> m_row;
    std::vector<quint32> m_bit;
    std::vector<Used> m_used;
    std::vector<int> m_counts; ///< of the bits in each set
};

} // namespace

std::vector<Victims> countVictims(
    const StrongComponents& components, const Adjacency& waiters, const std::vector<NodeWait>& waits)
{
    return VictimCounter(components, waiters, waits).run();
}

namespace {

template <class Thresholds> auto storedValues(Thresholds& thresholds)
{
    return std::array{std::pair("thresholds/waitAmber", &thresholds.wait.amber),
        std::pair("thresholds/waitRed", &thresholds.wait.red),
        std::pair("thresholds/holdAmber", &thresholds.hold.amber),
        std::pair("thresholds/holdRed", &thresholds.hold.red)};
}

} // namespace

LockThresholds loadThresholds(const QSettings& settings)
{
    LockThresholds thresholds;
    for (const auto& [key, value] : storedValues(thresholds)) {
        bool ok = false;
        const qint64 read = settings.value(QLatin1String(key)).toLongLong(&ok);
        *value = ok && read > 0 ? milliseconds(read) : *value;
    }
    for (AgeThresholds* each : {&thresholds.wait, &thresholds.hold})
        each->red = std::max(each->amber, each->red);
    return thresholds;
}

LockThresholds loadThresholds()
{
    return loadThresholds(QSettings(u"lockscope"_s, u"lockscope"_s));
}

void saveThresholds(QSettings& settings, const LockThresholds& thresholds)
{
    for (const auto& [key, value] : storedValues(thresholds))
        settings.setValue(QLatin1String(key), static_cast<qint64>(value->count()));
}

} // namespace lockscope
