// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RangeReport.h"

#include <QHash>
#include <QSet>

#include <algorithm>
#include <map>
#include <tuple>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

/// An interval within the range.
struct Clipped {
    IntervalRow row;
    ServerTime from;
    ServerTime to;
    bool cut = false;
    qint64 target = 0; // the resource that is meant: of a wait for a transaction its row, if that is known

    /// At least so long, as far as something proves it.
    microseconds length() const { return row.sightings.proven ? to - from : microseconds(0); }
};

Clipped clipped(const IntervalRow& row, ServerTime from, ServerTime to)
{
    return {
        row, std::max(row.from, from), std::min(row.to, to), row.from < from || row.to > to, row.resource};
}

/// The same one, seen again: it lasted until the later end, and was seen at the polls of both.
void join(Clipped& first, Clipped again)
{
    again.row.sightings.seen += first.row.sightings.seen;
    again.row.sightings.polls += first.row.sightings.polls;
    if (again.row.to >= first.row.to)
        first = again;
}

/// Finds what is in a recording once for each stretch in which somebody looked: after a gap it has the same
/// beginning, which the server tells.
class SeenAgain {
public:
    /// Where the first one of these is; `position` if this is the first, or nobody can tell.
    size_t firstOf(const IntervalRow& row, size_t position)
    {
        return row.fromExact
            ? m_first.emplace(std::tuple(row.resource, row.party, row.from, row.mode), position).first->second
            : position;
    }

private:
    std::map<std::tuple<qint64, qint64, ServerTime, QString>, size_t> m_first;
};

/// Of those waits that have something in common.
class WaitSum {
public:
    void add(const Clipped& wait, bool isOpen)
    {
        m_lengths.push_back(wait.length());
        m_figures.total += wait.length();
        m_figures.cut += wait.cut ? 1 : 0;
        m_figures.open += isOpen && !wait.cut ? 1 : 0;
        if (!m_worst || wait.length() > m_worst->length())
            m_worst = wait;
    }
    const std::optional<Clipped>& worst() const { return m_worst; }
    WaitFigures figures() const
    {
        WaitFigures figures = m_figures;
        figures.count = static_cast<qint64>(m_lengths.size());
        std::vector<microseconds> lengths = m_lengths;
        std::sort(lengths.begin(), lengths.end());
        const auto rank = [&lengths](size_t percent) {
            return lengths.empty() ? microseconds(0) : lengths[(lengths.size() * percent + 99) / 100 - 1];
        };
        figures.p50 = rank(50);
        figures.p90 = rank(90);
        figures.p99 = rank(99);
        return figures;
    }

private:
    std::vector<microseconds> m_lengths;
    std::optional<Clipped> m_worst;
    WaitFigures m_figures;
};

struct LockSum {
    RecordedLock lock;
    WaitSum waits;
    QSet<qint64> waiters;
};

struct PartySum {
    WaitSum waits;
    microseconds madeWait{0};
    qint64 blocked = 0;
    std::optional<Clipped> longestHeld;
};

/// Of one party on one resource, begun within a wait: what they cover together.
microseconds covered(std::vector<std::pair<ServerTime, ServerTime>> parts)
{
    std::sort(parts.begin(), parts.end());
    microseconds sum{0};
    ServerTime until = parts.front().first;
    for (const auto& [from, to] : parts) {
        if (to > until)
            sum += to - std::max(from, until);
        until = std::max(until, to);
    }
    return sum;
}

/// Stretches in which somebody waits, by time.
std::vector<std::pair<ServerTime, ServerTime>> stretchesOf(const std::vector<Clipped>& waits)
{
    std::vector<std::pair<ServerTime, ServerTime>> all;
    for (const Clipped& wait : waits)
        all.emplace_back(wait.from, wait.to);
    std::sort(all.begin(), all.end());
    std::vector<std::pair<ServerTime, ServerTime>> stretches;
    for (const auto& [from, to] : all) {
        if (!stretches.empty() && from <= stretches.back().second)
            stretches.back().second = std::max(stretches.back().second, to);
        else
            stretches.emplace_back(from, to);
    }
    return stretches;
}

class RangeMaker {
public:
    RangeMaker(RecordingReader& reader, ServerTime from, ServerTime to)
        : m_reader(reader)
        , m_from(from)
        , m_to(to)
    {
    }

    Result<RangeReport> make()
    {
        RangeReport report;
        report.from = m_from;
        report.to = m_to;
        auto coverage = coverageOf(m_reader, m_from, m_to);
        if (!coverage)
            return Failure(coverage.error());
        report.coverage = std::move(*coverage);
        if (const auto read = readWaits(); !read)
            return Failure(read.error());
        if (const auto read = readHolds(); !read)
            return Failure(read.error());
        for (auto& [resource, contended] : m_contended) {
            findRows(resource, contended.waits);
            sumUp(contended.waits);
            blame(contended);
        }
        tell(report);
        if (!m_result)
            return Failure(m_result.error());
        return report;
    }

private:
    /// A holder with those who waited for it.
    struct Blame {
        Clipped hold;
        microseconds madeWait{0};
        qint64 blocked = 0;
        std::optional<Clipped> worst;
    };

    /// A resource that somebody waited for.
    struct Contended {
        std::vector<Clipped> waits;
        std::vector<std::pair<ServerTime, ServerTime>> stretches; // in which somebody did, by time
        std::vector<Blame> holds; // of then: the others are many
        SeenAgain again; // of the holds
    };

    Result<void> readWaits();
    Result<void> readHolds();
    void findRows(qint64 resource, std::vector<Clipped>& waits);
    void sumUp(const std::vector<Clipped>& waits);
    void noteHold(Contended& contended, const IntervalRow& row) const;
    void blame(Contended& contended);
    void blameFor(const Clipped& wait, std::vector<Blame>& holds, const std::vector<ServerTime>& latest);
    void tell(RangeReport& report);
    QList<RangeParty> parties(QHash<QString, PartySum>& sums);
    void keepWorstHolders();

    const RecordedLock& lock(qint64 resource)
    {
        const auto known = m_locks.constFind(resource);
        if (known != m_locks.constEnd())
            return *known;
        auto read = m_reader.lockOfNumber(resource);
        if (!read && m_result)
            m_result = Failure(read.error());
        return *m_locks.insert(resource, read.value_or(RecordedLock()));
    }
    const RecordedParty& party(qint64 number)
    {
        const auto known = m_parties.constFind(number);
        if (known != m_parties.constEnd())
            return *known;
        auto read = m_reader.partyOfNumber(number);
        if (!read && m_result)
            m_result = Failure(read.error());
        return *m_parties.insert(number, read.value_or(RecordedParty()));
    }
    RangeWait named(const Clipped& wait)
    {
        return {lock(wait.target), party(wait.row.party), wait.from, wait.to, wait.row.sightings};
    }
    WaitFigures figures(const WaitSum& sum)
    {
        WaitFigures figures = sum.figures();
        if (sum.worst())
            figures.worst = named(*sum.worst());
        return figures;
    }

    RecordingReader& m_reader;
    const ServerTime m_from;
    const ServerTime m_to;
    Result<void> m_result; // of names that were asked for on the way
    QHash<qint64, RecordedLock> m_locks;
    QHash<qint64, RecordedParty> m_parties;
    std::map<qint64, Contended> m_contended; // by resource
    QHash<qint64, std::vector<Clipped>> m_rowsOf; // that parties held which waited for a transaction
    WaitSum m_all;
    QHash<QString, LockSum> m_lockSums;
    QHash<QString, PartySum> m_programs;
    QHash<QString, PartySum> m_users;
    std::vector<Blame> m_holders;
};

Result<void> RangeMaker::readWaits()
{
    SeenAgain again;
    const auto read = m_reader.waits(m_from, m_to, [this, &again](const IntervalRow& row) {
        const Clipped wait = clipped(row, m_from, m_to);
        // What begins at the end is the next range's.
        if (wait.to < wait.from || (row.from >= m_to && m_from != m_to))
            return;
        std::vector<Clipped>& waits = m_contended[row.resource].waits;
        const size_t first = again.firstOf(row, waits.size());
        if (first == waits.size())
            waits.push_back(wait);
        else
            join(waits[first], wait);
    });
    if (!read)
        return read;
    for (auto& [resource, contended] : m_contended)
        contended.stretches = stretchesOf(contended.waits);
    if (m_reader.identity().engine == Engine::Postgres) {
        for (const auto& [resource, contended] : m_contended) {
            if (!lock(resource).isTransaction())
                continue;
            for (const Clipped& wait : contended.waits)
                m_rowsOf.insert(wait.row.party, {});
        }
    }
    return m_result;
}

/// Who waits for the transaction that has changed a row has the row's place locked meanwhile.
void RangeMaker::findRows(qint64 resource, std::vector<Clipped>& waits)
{
    if (!lock(resource).isTransaction())
        return;
    for (Clipped& wait : waits) {
        const auto rows = m_rowsOf.constFind(wait.row.party);
        if (rows == m_rowsOf.cend())
            continue;
        for (const Clipped& row : *rows) {
            if (row.from <= wait.to && row.to >= wait.from && lock(row.row.resource).isPartOfTable())
                wait.target = row.row.resource;
        }
    }
}

void RangeMaker::sumUp(const std::vector<Clipped>& waits)
{
    for (const Clipped& wait : waits) {
        const bool isOpen = !wait.row.gone;
        const RecordedLock which = lock(wait.target).group();
        LockSum& sum = m_lockSums[which.key()];
        sum.lock = which; // as it was called last
        sum.waits.add(wait, isOpen);
        sum.waiters.insert(wait.row.party);
        m_all.add(wait, isOpen);
        const RecordedParty& who = party(wait.row.party);
        m_programs[who.program].waits.add(wait, isOpen);
        m_users[who.user].waits.add(wait, isOpen);
    }
}

/// If that was while somebody waited.
void RangeMaker::noteHold(Contended& contended, const IntervalRow& row) const
{
    const auto stretch = std::lower_bound(contended.stretches.begin(), contended.stretches.end(), row.from,
        [](const auto& each, ServerTime from) { return each.second < from; });
    if (stretch == contended.stretches.end() || stretch->first > row.to)
        return;
    std::vector<Blame>& holds = contended.holds;
    const size_t first = contended.again.firstOf(row, holds.size());
    if (first == holds.size())
        holds.push_back({clipped(row, m_from, m_to), microseconds(0), 0, {}});
    else
        join(holds[first].hold, clipped(row, m_from, m_to));
}

/// Who held what was waited for, and how long they were waited for.
void RangeMaker::blame(Contended& contended)
{
    std::vector<Blame>& holds = contended.holds;
    const auto isBefore = [](const Blame& a, const Blame& b) { return a.hold.from < b.hold.from; };
    if (!std::is_sorted(holds.begin(), holds.end(), isBefore))
        std::stable_sort(holds.begin(), holds.end(), isBefore);
    std::vector<ServerTime> latest; // end of this one and all before
    for (const Blame& each : holds)
        latest.push_back(latest.empty() ? each.hold.to : std::max(latest.back(), each.hold.to));
    for (const Clipped& wait : contended.waits)
        blameFor(wait, holds, latest);
    for (Blame& each : holds) {
        if (each.blocked > 0)
            m_holders.push_back(std::move(each));
    }
    constexpr size_t enough = 16; // times as many as are told: sorted seldom
    if (m_holders.size() > enough * static_cast<size_t>(RangeReport::mostHolders))
        keepWorstHolders();
}

void RangeMaker::blameFor(
    const Clipped& wait, std::vector<Blame>& holds, const std::vector<ServerTime>& latest)
{
    using Parts = std::vector<std::pair<ServerTime, ServerTime>>;
    const Engine engine = m_reader.identity().engine;
    std::map<QString, Parts> byProgram;
    std::map<QString, Parts> byUser;
    auto at = static_cast<size_t>(std::lower_bound(latest.begin(), latest.end(), wait.from) - latest.begin());
    for (; at < holds.size() && holds[at].hold.from <= wait.to; ++at) {
        Blame& each = holds[at];
        if (each.hold.to < wait.from || each.hold.row.party == wait.row.party
            || !excludes(engine, each.hold.row.mode, wait.row.mode))
            continue;
        const ServerTime from = std::max(each.hold.from, wait.from);
        const ServerTime to = std::min(each.hold.to, wait.to);
        each.madeWait += to - from;
        ++each.blocked;
        if (!each.worst || wait.length() > each.worst->length())
            each.worst = wait;
        const RecordedParty& who = party(each.hold.row.party);
        byProgram[who.program].emplace_back(from, to);
        byUser[who.user].emplace_back(from, to);
    }
    // Two of its sessions in the way at the same time make nobody wait twice.
    const auto add = [](QHash<QString, PartySum>& sums, std::map<QString, Parts>& parts) {
        for (auto& [name, each] : parts) {
            PartySum& sum = sums[name];
            sum.madeWait += covered(std::move(each));
            ++sum.blocked;
        }
    };
    add(m_programs, byProgram);
    add(m_users, byUser);
}

void RangeMaker::keepWorstHolders()
{
    const auto harm = [](const Blame& a, const Blame& b) {
        return std::tuple(a.madeWait, a.blocked, b.hold.from)
            > std::tuple(b.madeWait, b.blocked, a.hold.from);
    };
    std::sort(m_holders.begin(), m_holders.end(), harm);
    if (m_holders.size() > static_cast<size_t>(RangeReport::mostHolders))
        m_holders.erase(m_holders.begin() + RangeReport::mostHolders, m_holders.end());
}

Result<void> RangeMaker::readHolds()
{
    // First by party: names of programs are looked up for the longest of each only.
    QHash<qint64, Clipped> longest;
    QHash<qint64, Contended*> contended;
    for (auto& [resource, each] : m_contended)
        contended.insert(resource, &each);
    const auto read = m_reader.holds(m_from, m_to, [&](const IntervalRow& row) {
        const Clipped hold = clipped(row, m_from, m_to);
        const auto known = longest.find(row.party);
        if (known == longest.end())
            longest.insert(row.party, hold);
        else if (hold.length() > known->length())
            *known = hold;
        if (const auto waiter = m_rowsOf.find(row.party); waiter != m_rowsOf.end())
            waiter->push_back(hold);
        if (Contended* const awaited = contended.value(row.resource))
            noteHold(*awaited, row);
    });
    if (!read)
        return read;
    // Of several the first one: the parties come in no order.
    const auto note = [](PartySum& sum, const Clipped& hold) {
        const auto rank = [](const Clipped& each) {
            return std::tuple(each.length(), -each.from.us, -each.row.party, -each.row.resource);
        };
        if (!sum.longestHeld || rank(hold) > rank(*sum.longestHeld))
            sum.longestHeld = hold;
    };
    for (auto it = longest.cbegin(); it != longest.cend(); ++it) {
        const RecordedParty& who = party(it.key());
        note(m_programs[who.program], *it);
        note(m_users[who.user], *it);
    }
    return m_result;
}

QList<RangeParty> RangeMaker::parties(QHash<QString, PartySum>& sums)
{
    QList<RangeParty> parties;
    for (auto it = sums.cbegin(); it != sums.cend(); ++it) {
        RangeParty party{it.key(), figures(it->waits), it->madeWait, it->blocked, {}};
        if (it->longestHeld)
            party.longestHeld = named(*it->longestHeld);
        parties.append(std::move(party));
    }
    std::sort(parties.begin(), parties.end(), [](const RangeParty& a, const RangeParty& b) {
        const auto harm = [](const RangeParty& each) {
            return std::tuple(
                each.waits.total + each.madeWait, each.waits.count + each.blocked, each.longestHeld.length());
        };
        return harm(a) != harm(b) ? harm(a) > harm(b) : a.name < b.name;
    });
    return parties;
}

void RangeMaker::tell(RangeReport& report)
{
    report.waits = figures(m_all);
    for (const LockSum& sum : std::as_const(m_lockSums))
        report.locks.append({sum.lock, figures(sum.waits), sum.waiters.size()});
    std::sort(report.locks.begin(), report.locks.end(), [](const RangeLock& a, const RangeLock& b) {
        const auto harm = [](const RangeLock& each) { return std::pair(each.waits.total, each.waits.count); };
        return harm(a) != harm(b) ? harm(a) > harm(b) : a.lock.name < b.lock.name;
    });
    report.programs = parties(m_programs);
    report.users = parties(m_users);
    keepWorstHolders();
    for (const Blame& each : m_holders)
        report.holders.append({lock(each.hold.row.resource), party(each.hold.row.party), each.hold.from,
            each.hold.to, each.madeWait, each.blocked, each.worst ? each.worst->to : each.hold.to,
            each.hold.row.sightings});
}

} // namespace

Result<RangeReport> rangeReport(RecordingReader& reader, ServerTime from, ServerTime to)
{
    if (to < from)
        return failure(ErrorKind::BadInput, u"The range ends before it begins."_s);
    return RangeMaker(reader, from, to).make();
}

} // namespace lockscope::record
