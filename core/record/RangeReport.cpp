// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RangeReport.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/record/RangeBlame.h"

#include <QHash>
#include <QSet>

#include <algorithm>
#include <tuple>
#include <vector>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

RangeInterval clipped(const IntervalRow& row, qint32 mode, ServerTime from, ServerTime to)
{
    return {.resource = row.resource,
        .party = row.party,
        .statement = row.statement,
        .target = row.resource,
        .began = row.from,
        .from = std::max(row.from, from),
        .to = std::min(row.to, to),
        .seen = row.sightings.seen,
        .polls = row.sightings.polls,
        .mode = mode,
        .isExact = row.fromExact,
        .isProven = row.sightings.proven,
        .isCut = row.from < from || row.to > to,
        .isOpen = !row.gone};
}

/// Keeps the longest; the first of several, whatever the order in which they come.
void noteLonger(std::optional<RangeInterval>& longest, const RangeInterval& now)
{
    const auto rank = [](const RangeInterval& each) {
        return std::tuple(each.length(), -each.from.us, -each.party, -each.resource);
    };
    if (!longest || rank(now) > rank(*longest))
        longest = now;
}

/// Sums up waits that have something in common.
class WaitSum {
public:
    void add(const RangeInterval& wait)
    {
        m_lengths.push_back(wait.length());
        m_figures.total += wait.length();
        m_figures.cut += wait.isCut ? 1 : 0;
        m_figures.open += wait.isOpen && !wait.isCut ? 1 : 0;
        noteLonger(m_worst, wait);
    }
    const std::optional<RangeInterval>& worst() const { return m_worst; }
    WaitFigures figures()
    {
        WaitFigures figures = m_figures;
        figures.count = static_cast<qint64>(m_lengths.size());
        std::ranges::sort(m_lengths);
        const auto rank = [this](size_t percent) {
            return m_lengths.empty() ? microseconds(0)
                                     : m_lengths[(m_lengths.size() * percent + 99) / 100 - 1];
        };
        figures.p50 = rank(50);
        figures.p90 = rank(90);
        figures.p99 = rank(99);
        return figures;
    }

private:
    std::vector<microseconds> m_lengths;
    std::optional<RangeInterval> m_worst;
    WaitFigures m_figures;
};

struct LockSum {
    RecordedLock lock;
    WaitSum waits;
    QSet<qint64> waiters;
};

struct PartySum {
    QString name;
    WaitSum waits;
    microseconds madeWait{0};
    qint64 blocked = 0;
    microseconds madeWaitDirectly{0};
    std::optional<RangeInterval> longestHeld;
};

struct HoldSum {
    microseconds madeWait{0};
    qint64 blocked = 0;
    microseconds madeWaitDirectly{0};
    std::optional<std::pair<microseconds, ServerTime>> worst; // length and end of a wait
};

/// Sums by name, each with a number.
template <class Sum> class Sums {
public:
    size_t numberOf(const QString& name, const Sum& first)
    {
        const auto known = m_numbers.constFind(name);
        if (known != m_numbers.cend())
            return *known;
        m_sums.push_back(first);
        return *m_numbers.insert(name, m_sums.size() - 1);
    }
    Sum& operator[](size_t number) { return m_sums[number]; }
    std::vector<Sum>& all() { return m_sums; }

private:
    QHash<QString, size_t> m_numbers;
    std::vector<Sum> m_sums;
};

/// Returns the time that parts of a wait cover together: two blockers at the same time make nobody wait
/// twice.
microseconds covered(TimeRanges parts)
{
    microseconds sum{0};
    for (const auto& [from, to] : joined(std::move(parts)))
        sum += to - from;
    return sum;
}

class RangeMaker {
public:
    RangeMaker(RecordingReader& reader, ServerTime from, ServerTime to)
        : m_reader(reader)
        , m_from(from)
        , m_to(to)
        , m_modes(reader.identity().engine)
    {
    }

    Result<RangeReport> make();

private:
    struct Kind { ///< of a resource
        size_t group;
        bool isTransaction;
    };
    struct Names { ///< of a party, by their numbers
        size_t program;
        size_t user;
        SessionId session;
    };

    Result<void> readWaits();
    Result<void> readPartsOfTables();
    Result<void> readHolds();
    void noteLongest(const RangeInterval& hold);
    void findRows();
    void sumUp(const RangeInterval& wait);
    void charge(RangeBlame& blame, std::vector<HoldSum>& sums);
    template <class NumberOf>
    void addToParties(const RangeBlame& blame, const RangeInterval& wait,
        const std::vector<RangeBlame::Charge>& charges, Sums<PartySum>& sums, bool isHead, NumberOf numberOf);
    QList<RangeParty> parties(Sums<PartySum>& sums);
    void tellHolders(RangeReport& report, const RangeBlame& blame, const std::vector<HoldSum>& sums);
    void tell(RangeReport& report);

    const Kind& kindOf(qint64 resource);
    const Names& namesOf(qint64 party);
    std::optional<size_t> statementOf(const RangeInterval& interval);
    std::optional<size_t> tableOf(const RangeInterval& wait);
    /// Notes the first error of names that are asked for on the way.
    template <class Value> Value orNote(Result<Value> read)
    {
        if (!read && m_result)
            m_result = Failure(read.error());
        return read.value_or(Value());
    }
    RangeWait named(const RangeInterval& each)
    {
        return {.lock = orNote(m_reader.lockOfNumber(each.target)),
            .party = orNote(m_reader.partyOfNumber(each.party)),
            .from = each.from,
            .to = each.to,
            .sightings = each.sightings()};
    }
    WaitFigures figures(WaitSum& sum)
    {
        WaitFigures figures = sum.figures();
        if (sum.worst())
            figures.worst = named(*sum.worst());
        return figures;
    }

    RecordingReader& m_reader;
    const ServerTime m_from;
    const ServerTime m_to;
    Result<void> m_result;
    RangeModes m_modes;
    QHash<qint64, Kind> m_kinds;
    QHash<qint64, Names> m_names;
    std::vector<RangeInterval> m_waits;
    std::vector<RangeInterval> m_holds; // of what was waited for, meanwhile: the others are many
    QHash<qint64, RangeInterval> m_longest; // hold of each party
    QSet<qint64> m_partsOfTables; // resources
    QHash<qint64, std::vector<RangeInterval>> m_rowsOf; // that parties held which waited for a transaction
    WaitSum m_all;
    Sums<LockSum> m_locks;
    Sums<PartySum> m_programs;
    Sums<PartySum> m_users;
    Sums<PartySum> m_statements;
    Sums<PartySum> m_tables;
    QHash<qint64, std::optional<size_t>> m_statementNumbers; // by text
    QHash<qint64, std::optional<size_t>> m_tableNumbers; // by resource
};

size_t numberByName(Sums<PartySum>& sums, const QString& name)
{
    PartySum first;
    first.name = name;
    return sums.numberOf(name, first);
}

Result<RangeReport> RangeMaker::make()
{
    RangeReport report;
    report.from = m_from;
    report.to = m_to;
    LOCKSCOPE_TRY_GET(report.coverage, coverageOf(m_reader, m_from, m_to));
    LOCKSCOPE_TRY(readWaits());
    LOCKSCOPE_TRY(readPartsOfTables());
    LOCKSCOPE_TRY(readHolds());
    findRows();
    for (const RangeInterval& wait : m_waits)
        sumUp(wait);
    joinSeenAgain(m_holds);
    RangeBlame blame(
        m_waits, std::move(m_holds), m_modes, [this](qint64 party) { return namesOf(party).session; });
    std::vector<HoldSum> sums(blame.holds().size());
    charge(blame, sums);
    for (const RangeInterval& hold : std::as_const(m_longest))
        noteLongest(hold);
    tellHolders(report, blame, sums);
    tell(report);
    return ifDone(m_result, std::move(report));
}

const RangeMaker::Kind& RangeMaker::kindOf(qint64 resource)
{
    const auto known = m_kinds.constFind(resource);
    if (known != m_kinds.cend())
        return *known;
    const RecordedLock lock = orNote(m_reader.lockOfNumber(resource));
    const RecordedLock group = lock.group();
    const size_t number = m_locks.numberOf(group.key(), {group, {}, {}});
    m_locks[number].lock = group; // as it was called last
    return *m_kinds.insert(resource, {number, lock.isTransaction()});
}

const RangeMaker::Names& RangeMaker::namesOf(qint64 party)
{
    const auto known = m_names.constFind(party);
    if (known != m_names.cend())
        return *known;
    const RecordedParty who = orNote(m_reader.partyOfNumber(party));
    return *m_names.insert(
        party, {numberByName(m_programs, who.program), numberByName(m_users, who.user), who.session});
}

/// Returns nothing if its session ran none that is known.
std::optional<size_t> RangeMaker::statementOf(const RangeInterval& interval)
{
    if (interval.statement == 0)
        return std::nullopt;
    const auto known = m_statementNumbers.constFind(interval.statement);
    if (known != m_statementNumbers.cend())
        return *known;
    const QString text = orNote(m_reader.statementOfNumber(interval.statement));
    return *m_statementNumbers.insert(
        interval.statement, text.isEmpty() ? std::nullopt : std::optional(numberByName(m_statements, text)));
}

/// Returns nothing if it has to do with no table that is known.
std::optional<size_t> RangeMaker::tableOf(const RangeInterval& wait)
{
    const auto known = m_tableNumbers.constFind(wait.target);
    if (known != m_tableNumbers.cend())
        return *known;
    const QString table = orNote(m_reader.lockOfNumber(wait.target)).table();
    return *m_tableNumbers.insert(
        wait.target, table.isEmpty() ? std::nullopt : std::optional(numberByName(m_tables, table)));
}

Result<void> RangeMaker::readWaits()
{
    const auto read = m_reader.waits(m_from, m_to, [this](const IntervalRow& row) {
        const RangeInterval wait = clipped(row, m_modes.numberOf(row.mode), m_from, m_to);
        // What begins at the end is the next range's.
        if (wait.to >= wait.from && (row.from < m_to || m_from == m_to))
            m_waits.push_back(wait);
    });
    joinSeenAgain(m_waits);
    return read;
}

/// On PostgreSQL a session that waits for the transaction which has changed a row has the row's place locked
/// meanwhile.
Result<void> RangeMaker::readPartsOfTables()
{
    if (m_reader.identity().engine != Engine::Postgres)
        return {};
    for (const RangeInterval& wait : m_waits) {
        if (kindOf(wait.resource).isTransaction)
            m_rowsOf.insert(wait.party, {});
    }
    return m_rowsOf.isEmpty() ? m_result
                              : m_reader.partsOfTables([this](qint64 part) { m_partsOfTables.insert(part); });
}

Result<void> RangeMaker::readHolds()
{
    QHash<qint64, TimeRanges> awaited; // when, by resource
    for (const RangeInterval& wait : m_waits)
        awaited[wait.resource].emplace_back(wait.from, wait.to);
    for (TimeRanges& times : awaited)
        times = joined(std::move(times));
    const auto read = m_reader.holds(m_from, m_to, [&](const IntervalRow& row) {
        RangeInterval hold = clipped(row, 0, m_from, m_to);
        RangeInterval& longest = m_longest[row.party];
        if (longest.party == 0 || hold.length() > longest.length())
            longest = hold;
        if (const auto times = awaited.constFind(row.resource);
            times != awaited.cend() && meets(*times, row.from, row.to)) {
            hold.mode = m_modes.numberOf(row.mode);
            m_holds.push_back(hold);
        }
        if (!m_partsOfTables.contains(row.resource))
            return;
        if (const auto rows = m_rowsOf.find(row.party); rows != m_rowsOf.end())
            rows->push_back(hold);
    });
    return read ? m_result : read;
}

/// Notes the longest hold of a program or a user; of several the first one.
void RangeMaker::noteLongest(const RangeInterval& hold)
{
    const Names& names = namesOf(hold.party);
    noteLonger(m_programs[names.program].longestHeld, hold);
    noteLonger(m_users[names.user].longestHeld, hold);
}

/// Waits for transactions count for the rows that are meant.
void RangeMaker::findRows()
{
    for (auto& rows : m_rowsOf)
        std::ranges::sort(rows, {}, &RangeInterval::from);
    for (RangeInterval& wait : m_waits) {
        const auto rows = m_rowsOf.constFind(wait.party);
        if (rows == m_rowsOf.cend() || rows->empty() || !kindOf(wait.resource).isTransaction)
            continue;
        // The last one that began before the wait ended; a session has the place of one row at a time.
        const auto behind = std::ranges::upper_bound(*rows, wait.to, {}, &RangeInterval::from);
        if (behind != rows->begin() && (behind - 1)->to >= wait.from)
            wait.target = (behind - 1)->resource;
    }
}

void RangeMaker::sumUp(const RangeInterval& wait)
{
    LockSum& sum = m_locks[kindOf(wait.target).group];
    sum.waits.add(wait);
    sum.waiters.insert(wait.party);
    m_all.add(wait);
    const Names& names = namesOf(wait.party);
    m_programs[names.program].waits.add(wait);
    m_users[names.user].waits.add(wait);
    if (const auto statement = statementOf(wait))
        m_statements[*statement].waits.add(wait);
    if (const auto table = tableOf(wait))
        m_tables[*table].waits.add(wait);
}

/// `numberOf` gives the sum that a hold belongs to, if there is one.
template <class NumberOf>
void RangeMaker::addToParties(const RangeBlame& blame, const RangeInterval& wait,
    const std::vector<RangeBlame::Charge>& charges, Sums<PartySum>& sums, bool isHead, NumberOf numberOf)
{
    std::vector<std::pair<size_t, TimeRanges>> byName;
    for (const RangeBlame::Charge& each : charges) {
        const std::optional<size_t> name = numberOf(blame.holds()[each.hold]);
        if (!name)
            continue;
        auto known = std::ranges::find(byName, *name, &std::pair<size_t, TimeRanges>::first);
        if (known == byName.end())
            known = byName.insert(known, {*name, {}});
        known->second.emplace_back(each.from, each.to);
    }
    for (auto& [name, parts] : byName) {
        PartySum& sum = sums[name];
        (isHead ? sum.madeWait : sum.madeWaitDirectly) +=
            wait.isProven ? covered(std::move(parts)) : microseconds(0);
        sum.blocked += isHead ? 1 : 0;
    }
}

/// Charges each wait to its blocker.
void RangeMaker::charge(RangeBlame& blame, std::vector<HoldSum>& sums)
{
    for (const RangeInterval& wait : m_waits) {
        auto charges = blame.of(wait);
        for (const RangeBlame::Charge& each : charges.direct)
            sums[each.hold].madeWaitDirectly += wait.isProven ? each.to - each.from : microseconds(0);
        std::ranges::sort(charges.heads, {}, &RangeBlame::Charge::hold);
        for (auto each = charges.heads.cbegin(); each != charges.heads.cend();) {
            HoldSum& sum = sums[each->hold];
            TimeRanges parts; // two ways may lead to it
            for (const size_t hold = each->hold; each != charges.heads.cend() && each->hold == hold; ++each)
                parts.emplace_back(each->from, each->to);
            sum.madeWait += wait.isProven ? covered(std::move(parts)) : microseconds(0);
            ++sum.blocked;
            if (!sum.worst || wait.length() > sum.worst->first)
                sum.worst = {wait.length(), wait.to};
        }
        for (const bool isHead : {true, false}) {
            const auto& those = isHead ? charges.heads : charges.direct;
            const auto add = [&](Sums<PartySum>& by, const auto& numberOf) {
                addToParties(blame, wait, those, by, isHead, numberOf);
            };
            add(m_programs,
                [this](const RangeInterval& hold) { return std::optional(namesOf(hold.party).program); });
            add(m_users,
                [this](const RangeInterval& hold) { return std::optional(namesOf(hold.party).user); });
            add(m_statements, [this](const RangeInterval& hold) { return statementOf(hold); });
        }
    }
}

QList<RangeParty> RangeMaker::parties(Sums<PartySum>& sums)
{
    QList<RangeParty> parties;
    for (PartySum& sum : sums.all()) {
        RangeParty party{.name = sum.name,
            .waits = figures(sum.waits),
            .madeWait = sum.madeWait,
            .blocked = sum.blocked,
            .madeWaitDirectly = sum.madeWaitDirectly};
        if (sum.longestHeld)
            party.longestHeld = named(*sum.longestHeld);
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

/// Adds the holders that made others wait longest.
void RangeMaker::tellHolders(RangeReport& report, const RangeBlame& blame, const std::vector<HoldSum>& sums)
{
    std::vector<size_t> worst;
    for (size_t i = 0; i < sums.size(); ++i) {
        if (sums[i].blocked > 0 || sums[i].madeWaitDirectly.count() > 0)
            worst.push_back(i);
    }
    const auto harm = [&](size_t hold) {
        const HoldSum& sum = sums[hold];
        return std::tuple(sum.madeWait, sum.blocked, sum.madeWaitDirectly, -blame.holds()[hold].from.us);
    };
    std::ranges::sort(worst, std::ranges::greater(), harm);
    worst.resize(std::min(worst.size(), static_cast<size_t>(RangeReport::maxHolders)));
    for (const size_t hold : worst) {
        const HoldSum& sum = sums[hold];
        const RangeWait held = named(blame.holds()[hold]);
        report.holders.append({.lock = held.lock,
            .party = held.party,
            .from = held.from,
            .to = held.to,
            .madeWait = sum.madeWait,
            .blocked = sum.blocked,
            .madeWaitDirectly = sum.madeWaitDirectly,
            .worstAt = sum.worst ? sum.worst->second : held.to,
            .sightings = held.sightings});
    }
}

void RangeMaker::tell(RangeReport& report)
{
    report.waits = figures(m_all);
    for (LockSum& sum : m_locks.all()) {
        if (!sum.waiters.isEmpty())
            report.locks.append({sum.lock, figures(sum.waits), sum.waiters.size()});
    }
    std::sort(report.locks.begin(), report.locks.end(), [](const RangeLock& a, const RangeLock& b) {
        const auto harm = [](const RangeLock& each) { return std::pair(each.waits.total, each.waits.count); };
        return harm(a) != harm(b) ? harm(a) > harm(b) : a.lock.name < b.lock.name;
    });
    report.programs = parties(m_programs);
    report.users = parties(m_users);
    report.statements = parties(m_statements);
    report.tables = parties(m_tables);
}

} // namespace

Result<RangeReport> rangeReport(RecordingReader& reader, ServerTime from, ServerTime to)
{
    if (to < from)
        return failure(ErrorKind::BadInput, u"The range ends before it begins."_s);
    return RangeMaker(reader, from, to).make();
}

QStringList notesOf(const RangeReport& report)
{
    const Coverage& coverage = report.coverage;
    QStringList notes{coverage.toString()};
    if (coverage.usualPause.count() > 0)
        notes
            << u"Polls were %1 apart: shorter waits may be missing, and each wait may have been that much longer."_s
                   .arg(shortDuration(coverage.usualPause.count()));
    const WaitFigures& waits = report.waits;
    if (waits.cut > 0)
        notes << u"%1 of %2 waits extend beyond the range: only the part inside counts."_s.arg(waits.cut).arg(
            waits.count);
    if (waits.open > 0)
        notes << u"The end of %1 was not recorded."_s.arg(counted(waits.open, u"wait"));
    return notes;
}

} // namespace lockscope::record
