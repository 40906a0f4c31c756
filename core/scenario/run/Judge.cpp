// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/Judge.h"

#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"

#include <algorithm>
#include <tuple>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t maxExamples = 100;

/// Returns the end of what is still open, as far as the log shows it.
qint64 lastKnown(const SessionLog::Copy& log, qint64 end)
{
    const bool isCut = log.dropped > 0 && !log.events.empty();
    return isCut ? log.events.back().us : end;
}

struct StayChange {
    qint64 at;
    int change; // how many more are inside
};
using Interval = std::pair<qint64, qint64>;

/// Returns the times with more than one inside.
std::vector<Interval> crowdedTimes(std::vector<StayChange> edges)
{
    // A session that leaves at some time goes before one that enters at the same time.
    std::ranges::sort(edges, [](const StayChange& a, const StayChange& b) {
        return std::tie(a.at, a.change) < std::tie(b.at, b.change);
    });
    std::vector<Interval> crowded;
    int inside = 0;
    for (const StayChange& edge : edges) {
        const bool was = inside > 1;
        inside += edge.change;
        if (inside > 1 && !was)
            crowded.emplace_back(edge.at, edge.at);
        else if (inside <= 1 && was)
            crowded.back().second = edge.at;
    }
    return crowded;
}

/// Goes through the logs rule by rule.
class RuleChecker {
public:
    RuleChecker(LogPointers logs, microseconds end, Violations& violations)
        : m_logs(std::move(logs))
        , m_end(end.count())
        , m_violations(violations)
    {
    }

    void oneHolder()
    {
        QHash<QString, SectionStay> longest; // of each section: of those before, the one that stays longest
        for (const SectionStay& stay : sectionStays(m_logs, m_end)) {
            const QString& section = subjectOf(stay.session, stay.subject);
            const auto before = longest.find(section);
            if (before != longest.end() && stay.from < before->to && stay.session != before->session)
                found(RunRule::OneHolder, stay.from, stay.session, before->session, section);
            if (before == longest.end() || stay.to > before->to)
                longest.insert(section, stay);
        }
    }

    void processed(const Rules& rules)
    {
        for (const WrongItem& item : wrongItems(rules, m_logs))
            found(item.rule, item.at, item.session, item.other, subjectOf(item.session, item.subject));
    }

    void longestWait(microseconds bound)
    {
        for (std::size_t i = 0; i < m_logs.size(); ++i) {
            const RunEvent* asked = nullptr;
            const auto answered = [&](qint64 at) {
                if (asked && at - asked->us > bound.count())
                    found(RunRule::LongestWait, at, int(i) + 1, 0, m_logs[i]->subjects.at(asked->subject));
                asked = nullptr;
            };
            for (const RunEvent& event : m_logs[i]->events) {
                if (event.kind == EventKind::WaitBegin)
                    asked = &event;
                else if (asked)
                    answered(event.us);
            }
            answered(lastKnown(*m_logs[i], m_end));
        }
    }

    void counted(RunRule rule, EventKind kind, qint64 Counts::*count)
    {
        for (std::size_t i = 0; i < m_logs.size(); ++i) {
            for (const RunEvent& event : m_logs[i]->events)
                if (event.kind == kind)
                    remember({.rule = rule,
                        .at = microseconds(event.us),
                        .session = int(i) + 1,
                        .subject = m_logs[i]->subjects.at(event.subject)});
            // also events that a full log has dropped
            m_violations.violations[rule] += m_logs[i]->counts.*count;
        }
    }

    void finish()
    {
        std::ranges::stable_sort(m_examples, {}, &Violation::at);
        m_examples.resize(std::min(m_examples.size(), maxExamples));
        m_violations.examples = std::move(m_examples);
    }

private:
    const QString& subjectOf(int session, quint32 subject) const
    {
        return m_logs[std::size_t(session) - 1]->subjects.at(subject);
    }

    void found(RunRule rule, qint64 at, int session, int other, const QString& subject)
    {
        ++m_violations.violations[rule];
        remember(
            {.rule = rule, .at = microseconds(at), .session = session, .other = other, .subject = subject});
    }

    void remember(Violation violation) { m_examples.push_back(std::move(violation)); }

    const LogPointers m_logs;
    const qint64 m_end;
    Violations& m_violations;
    std::vector<Violation> m_examples;
};

/// Returns the part for one or for many of "payment|payments".
QString ofCount(const QString& words, qint64 count)
{
    return count == 1 ? words.section(u'|', 0, 0) : words.section(u'|', -1);
}

/// Fills in the count and, where the words have a place for it, what it is a part of.
QString inWords(const QString& words, qint64 count, const QString& all)
{
    return ofCount(words, count).replace(u"%1"_s, QString::number(count)).replace(u"%2"_s, all);
}

struct RuleTexts {
    QStringView key; ///< as in files
    QStringView violation; ///< one, and many
    QStringView outcome; ///< the same as a sentence; %2: the tries
};

const RuleTexts& textsOf(RunRule rule)
{
    static constexpr EnumTable<RunRule, RuleTexts> texts({
        {u"invariant", {}, {}}, // its file says it
        {u"one_holder",
            u"time that two sessions were in one critical section|times that two sessions were in one critical section",
            u"%1 time two sessions were in one critical section|%1 times two sessions were in one critical section"},
        {u"processed_once", u"item processed twice|items processed twice",
            u"%1 item was processed twice|%1 items were processed twice"},
        {u"in_order", u"item out of order|items out of order",
            u"%1 item was processed out of order|%1 items were processed out of order"},
        {u"no_deadlock", u"deadlock victim|deadlock victims",
            u"%1 of %2 was rolled back as a deadlock victim|%1 of %2 were rolled back as deadlock victims"},
        {u"no_duplicate_key", u"duplicate-key error|duplicate-key errors",
            u"%1 of %2 failed with a duplicate key|%1 of %2 failed with a duplicate key"},
        {u"nobody_waits", u"time that somebody waited for a lock|times that somebody waited for a lock",
            u"%1 time somebody waited for a lock|%1 times somebody waited for a lock"},
        {u"longest_wait_ms", u"wait that took too long|waits that took too long",
            u"%1 wait took too long|%1 waits took too long"},
    });
    return texts[rule];
}

/// The way to the server takes a while: a statement that met the holder for less may not have waited at all.
constexpr qint64 minWaitUs = 500;

struct RowHold {
    int session;
    quint32 subject;
    qint64 from;
    qint64 to;
};

using RowHolds = QHash<QString, std::vector<RowHold>>;

void addHolds(RowHolds& holds, const SessionLog::Copy& log, int session)
{
    QHash<quint32, qint64> open;
    const auto add = [&](quint32 row, qint64 from, qint64 to) {
        holds[log.subjects.at(row)].push_back({.session = session, .subject = row, .from = from, .to = to});
    };
    for (const RunEvent& event : log.events) {
        if (event.kind == EventKind::RowLocked)
            open.insert(event.subject, event.us);
        else if (event.kind == EventKind::RowFreed && open.contains(event.subject))
            add(event.subject, open.take(event.subject), event.us);
    }
    for (auto each = open.cbegin(); each != open.cend(); ++each) // of a run that goes on
        add(each.key(), each.value(), log.events.back().us);
}

} // namespace

QString ruleKey(RunRule rule)
{
    return textsOf(rule).key.toString();
}

QString ruleViolation(RunRule rule, qint64 count, const Scenario& scenario)
{
    const QString words =
        rule == RunRule::Invariant ? scenario.invariant.violation : textsOf(rule).violation.toString();
    return ofCount(words, count);
}

/// Returns whether the log counts for `rule` what the database's invariant counts, too: the same faults, seen
/// from the two sides.
static bool isCountedByInvariant(const std::map<RunRule, qint64>& violations, RunRule rule, qint64 count)
{
    const auto inDatabase = violations.find(RunRule::Invariant);
    return (rule == RunRule::OneHolder || rule == RunRule::ProcessedOnce) && inDatabase != violations.end()
        && std::abs(count) == std::abs(inDatabase->second);
}

QString violationsText(const std::map<RunRule, qint64>& violations, const Scenario& scenario)
{
    QStringList counts;
    QString agreeing;
    for (const auto& [rule, count] : violations) {
        if (count == 0)
            continue;
        if (isCountedByInvariant(violations, rule, count)) {
            agreeing = u" (the sessions' log has as many)"_s;
            continue;
        }
        counts << u"%1 %2"_s.arg(std::abs(count)).arg(ruleViolation(rule, std::abs(count), scenario));
    }
    if (!agreeing.isEmpty())
        counts.front() += agreeing; // the database's comes first
    return counts.join(u", "_s);
}

QJsonObject toJson(const std::map<RunRule, qint64>& violations)
{
    QJsonObject json;
    for (const auto& [rule, count] : violations)
        json[ruleKey(rule)] = count;
    return json;
}

qint64 Violations::total() const
{
    qint64 sum = 0;
    for (const auto& [rule, count] : violations)
        sum += isCountedByInvariant(violations, rule, count) ? 0 : std::abs(count);
    return sum;
}

Violations judge(
    const Rules& rules, const Values& values, std::span<const SessionLog::Copy> logs, microseconds end)
{
    Violations violations;
    for (const SessionLog::Copy& log : logs) {
        violations.tries += log.counts.rounds - log.counts.idle;
        violations.sawAll = violations.sawAll && log.dropped == 0;
    }
    LogPointers pointers;
    for (const SessionLog::Copy& log : logs)
        pointers.push_back(&log);
    RuleChecker checker(std::move(pointers), end, violations);
    if (rules.oneHolder) {
        violations.violations[RunRule::OneHolder] = 0;
        checker.oneHolder();
    }
    if (rules.processedOnce)
        violations.violations[RunRule::ProcessedOnce] = 0;
    if (rules.inOrder)
        violations.violations[RunRule::InOrder] = 0;
    if (rules.processedOnce || rules.inOrder)
        checker.processed(rules);
    if (rules.noDeadlock)
        checker.counted(RunRule::NoDeadlock, EventKind::Victim, &Counts::victims);
    if (rules.noDuplicateKey)
        checker.counted(RunRule::NoDuplicateKey, EventKind::DuplicateKey, &Counts::duplicates);
    if (rules.nobodyWaits)
        checker.counted(RunRule::NobodyWaits, EventKind::Waited, &Counts::waited);
    if (rules.longestWaitMs) {
        violations.violations[RunRule::LongestWait] = 0;
        checker.longestWait(milliseconds(rules.longestWaitMs->in(values)));
    }
    checker.finish();
    return violations;
}

std::vector<SectionStay> sectionStays(const LogPointers& logs, qint64 end)
{
    std::vector<SectionStay> all;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        std::vector<SectionStay> open;
        for (const RunEvent& event : logs[i]->events) {
            if (event.kind == EventKind::CriticalBegin)
                open.push_back(
                    {.session = int(i) + 1, .subject = event.subject, .from = event.us, .to = event.us});
            if (event.kind != EventKind::CriticalEnd)
                continue;
            const auto left = std::ranges::find_if(
                open, [&event](const SectionStay& each) { return each.subject == event.subject; });
            if (left == open.end())
                continue;
            left->to = event.us;
            all.push_back(*left);
            open.erase(left);
        }
        for (SectionStay& stay : open) {
            stay.to = std::max(lastKnown(*logs[i], end), stay.from);
            all.push_back(stay);
        }
    }
    std::ranges::stable_sort(all, {}, &SectionStay::from);
    return all;
}

std::vector<SectionStay> overlapsOf(const std::vector<SectionStay>& stays, const LogPointers& logs)
{
    const auto sectionOf = [&logs](const SectionStay& stay) -> const QString& {
        return logs[std::size_t(stay.session) - 1]->subjects.at(stay.subject);
    };
    QHash<QString, std::vector<StayChange>> edges;
    for (const SectionStay& stay : stays) {
        auto& of = edges[sectionOf(stay)];
        of.push_back({stay.from, 1});
        of.push_back({stay.to, -1});
    }
    QHash<QString, std::vector<Interval>> crowded;
    for (auto each = edges.begin(); each != edges.end(); ++each)
        crowded[each.key()] = crowdedTimes(std::move(each.value()));
    std::vector<SectionStay> overlaps;
    for (const SectionStay& stay : stays) {
        const auto& times = crowded[sectionOf(stay)];
        auto time = std::ranges::partition_point(
            times, [&stay](const Interval& each) { return each.second <= stay.from; });
        for (; time != times.end() && time->first < stay.to; ++time)
            overlaps.push_back({.session = stay.session,
                .subject = stay.subject,
                .from = std::max(time->first, stay.from),
                .to = std::min(time->second, stay.to)});
    }
    std::ranges::stable_sort(overlaps, {}, &SectionStay::from);
    return overlaps;
}

std::vector<WrongItem> wrongItems(const Rules& rules, const LogPointers& logs)
{
    std::vector<WrongItem> items;
    if (!rules.processedOnce && !rules.inOrder)
        return items;
    for (std::size_t i = 0; i < logs.size(); ++i)
        for (const RunEvent& event : logs[i]->events)
            if (event.kind == EventKind::Processed)
                items.push_back({.rule = RunRule::ProcessedOnce,
                    .at = event.us,
                    .session = int(i) + 1,
                    .subject = event.subject});
    std::ranges::stable_sort(items, {}, &WrongItem::at);
    std::vector<WrongItem> wrong;
    QHash<QString, int> doneBy;
    qint64 highest = std::numeric_limits<qint64>::min();
    int highestBy = 0;
    for (WrongItem& item : items) {
        const QString& name = logs[std::size_t(item.session) - 1]->subjects.at(item.subject);
        item.other = doneBy.value(name);
        if (item.other == 0)
            doneBy.insert(name, item.session);
        else if (rules.processedOnce)
            wrong.push_back(item);
        const qint64 number = name.toLongLong();
        if (rules.inOrder && number < highest)
            wrong.push_back({.rule = RunRule::InOrder,
                .at = item.at,
                .session = item.session,
                .other = highestBy,
                .subject = item.subject});
        if (number > highest) {
            highest = number;
            highestBy = item.session;
        }
    }
    return wrong;
}

std::vector<Overwriting> overwritings(const LogPointers& logs)
{
    struct Writing {
        qint64 at;
        int session;
        quint32 subject;
        qint64 seen;
    };
    std::vector<Writing> writings;
    for (std::size_t i = 0; i < logs.size(); ++i)
        for (const RunEvent& event : logs[i]->events)
            if (event.kind == EventKind::WroteOver)
                writings.push_back(
                    {.at = event.us, .session = int(i) + 1, .subject = event.subject, .seen = event.value});
    std::ranges::stable_sort(writings, {}, &Writing::at);
    struct Change {
        int session;
        qint64 seen;
    };
    QHash<QString, std::vector<Change>> standing; // of each item: the changes that are still in it
    std::vector<Overwriting> all;
    for (const Writing& writing : writings) {
        auto& changes = standing[logs[std::size_t(writing.session) - 1]->subjects.at(writing.subject)];
        Overwriting lost{
            .at = writing.at, .session = writing.session, .count = 0, .subject = writing.subject};
        while (!changes.empty() && changes.back().seen >= writing.seen) {
            if (changes.back().session != writing.session) {
                lost.other = lost.other == 0 ? changes.back().session : lost.other;
                ++lost.count;
            }
            changes.pop_back();
        }
        changes.push_back({writing.session, writing.seen});
        if (lost.count > 0)
            all.push_back(lost);
    }
    return all;
}

std::vector<RowWait> rowWaits(const LogPointers& logs)
{
    RowHolds holds;
    for (std::size_t i = 0; i < logs.size(); ++i)
        addHolds(holds, *logs[i], int(i) + 1);
    for (std::vector<RowHold>& each : holds)
        std::ranges::sort(each, [](const RowHold& a, const RowHold& b) {
            return std::tie(a.to, a.from) < std::tie(b.to, b.from);
        });
    std::vector<RowWait> waits;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        const int session = int(i) + 1;
        const std::vector<RunEvent>& events = logs[i]->events;
        for (std::size_t at = 0; at + 1 < events.size(); ++at) {
            const RunEvent& asked = events[at];
            if (asked.kind != EventKind::RowAsked)
                continue;
            const qint64 end = events[at + 1].us;
            const auto known = holds.constFind(logs[i]->subjects.at(asked.subject));
            if (known == holds.cend())
                continue;
            // One has a row at a time: in order of their ends they are in order of their beginnings.
            auto hold = std::ranges::partition_point(
                *known, [&asked](const RowHold& each) { return each.to <= asked.us; });
            for (; hold != known->end() && hold->from < end; ++hold) {
                const RowWait wait{.session = session,
                    .asked = asked.subject,
                    .from = std::max(asked.us, hold->from),
                    .to = std::min(end, hold->to),
                    .holder = hold->session,
                    .held = hold->subject,
                    .heldFrom = hold->from,
                    .heldTo = hold->to};
                if (hold->session != session && wait.to - wait.from >= minWaitUs)
                    waits.push_back(wait);
            }
        }
    }
    return waits;
}

QString briefText(const std::map<RunRule, qint64>& violations, const Scenario& scenario)
{
    const auto known = violations.find(RunRule::Invariant);
    const QString& words = scenario.invariant.brief;
    if (known == violations.end() || known->second == 0 || words.isEmpty())
        return u"went wrong: "_s + violationsText(violations, scenario);
    const qint64 count = std::abs(known->second);
    return ofCount(words, count).arg(count);
}

void Violations::take(const InvariantCount& inDatabase)
{
    violations[RunRule::Invariant] = inDatabase.violations;
    outOf = inDatabase.outOf;
}

QString outcomeText(const Violations& violations, const Scenario& scenario)
{
    QStringList parts;
    for (const auto& [rule, found] : violations.violations) {
        const qint64 count = std::abs(found);
        if (count == 0 || isCountedByInvariant(violations.violations, rule, found))
            continue;
        parts << (rule == RunRule::Invariant
                ? inWords(scenario.invariant.outcome, count, QString::number(violations.outOf))
                : inWords(
                    textsOf(rule).outcome.toString(), count, counted(violations.tries, u"try", u"tries")));
    }
    return parts.join(u", "_s);
}

QString verdict(const Scenario& scenario, const Variant& variant, const Violations& violations,
    const QHash<QString, QString>& parameters)
{
    if (violations.tries == 0 && !violations.isBroken())
        return u"Nothing was tried: no session found anything to do before the end of the run."_s;
    const QString tries = counted(violations.tries, u"try", u"tries");
    const QString judged =
        scenario.invariant.sql.empty() ? u", judged by the sessions' log alone"_s : QString();
    if (!violations.isBroken()) {
        const QString sentence = u"Not observed in %1%2: "_s.arg(tries, judged);
        if (variant.isUnsafe)
            return sentence
                + u"that does not make it safe, the race was only not lost this time; try more sessions or a longer run."_s;
        return sentence + u"nothing went wrong with \"%1\". %2"_s.arg(variant.title, variant.meaning);
    }
    QString why = variant.meaning;
    if (const QStringList changed = scenario.changed(parameters); !variant.isUnsafe && !changed.isEmpty())
        why =
            u"This variant was expected to hold, but not with every value that its parameters can have: with %1 that may be how it is. If it goes wrong without that, too, it is worth a report."_s
                .arg(changed.join(u", "_s));
    else if (!variant.isUnsafe)
        why =
            u"This variant was expected to hold: that is a fault of the variant or of the server, and worth a report."_s;
    const auto inDatabase = violations.violations.find(RunRule::Invariant);
    const bool hasWords = !scenario.invariant.outcome.isEmpty() || inDatabase == violations.violations.end()
        || inDatabase->second == 0;
    QStringList sentences{hasWords
            ? outcomeText(violations, scenario) + u'.'
            : u"In %1 it went wrong: %2."_s.arg(tries, violationsText(violations.violations, scenario))};
    if (!judged.isEmpty())
        sentences << u"That is judged by the sessions' log alone."_s;
    sentences << why;
    return sentences.join(u' ');
}

} // namespace lockscope::scenario
