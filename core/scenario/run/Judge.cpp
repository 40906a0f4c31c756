// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/Judge.h"

#include <algorithm>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t mostExamples = 100;

/// Goes through the logs rule by rule.
class RuleChecker {
public:
    RuleChecker(std::span<const SessionLog::Copy> logs, microseconds end, Violations& violations)
        : m_logs(logs)
        , m_end(end.count())
        , m_judgement(violations)
    {
    }

    void oneHolder()
    {
        struct Stay {
            qint64 from;
            qint64 to;
            int session;
        };
        QHash<QString, std::vector<Stay>> sections;
        for (std::size_t i = 0; i < m_logs.size(); ++i) {
            QHash<quint32, qint64> open;
            const auto close = [&](quint32 subject, qint64 at) {
                sections[m_logs[i].subjects[subject]].push_back({open.take(subject), at, int(i) + 1});
            };
            for (const Event& event : m_logs[i].events) {
                if (event.kind == EventKind::CriticalBegin)
                    open.insert(event.subject, event.us);
                else if (event.kind == EventKind::CriticalEnd && open.contains(event.subject))
                    close(event.subject, event.us);
            }
            for (const quint32 subject : open.keys())
                close(subject, lastKnown(m_logs[i]));
        }
        for (auto section = sections.begin(); section != sections.end(); ++section) {
            std::sort(section->begin(), section->end(),
                [](const Stay& a, const Stay& b) { return a.from < b.from; });
            const Stay* longest = nullptr; // of those before, the one that stays longest
            for (const Stay& stay : *section) {
                if (longest && stay.from < longest->to && stay.session != longest->session)
                    found(Rule::OneHolder, stay.from, stay.session, longest->session, section.key());
                if (!longest || stay.to > longest->to)
                    longest = &stay;
            }
        }
    }

    void processed(const Rules& rules)
    {
        struct ProcessedItem {
            qint64 at;
            int session;
            const QString* item;
        };
        std::vector<ProcessedItem> items;
        for (std::size_t i = 0; i < m_logs.size(); ++i)
            for (const Event& event : m_logs[i].events)
                if (event.kind == EventKind::Processed)
                    items.push_back({event.us, int(i) + 1, &m_logs[i].subjects.at(event.subject)});
        std::stable_sort(items.begin(), items.end(),
            [](const ProcessedItem& a, const ProcessedItem& b) { return a.at < b.at; });
        QHash<QString, int> doneBy;
        qint64 highest = std::numeric_limits<qint64>::min();
        int highestBy = 0;
        for (const ProcessedItem& item : items) {
            if (rules.processedOnce && doneBy.contains(*item.item))
                found(Rule::ProcessedOnce, item.at, item.session, doneBy[*item.item], *item.item);
            else
                doneBy.insert(*item.item, item.session);
            const qint64 number = item.item->toLongLong();
            if (rules.inOrder && number < highest)
                found(Rule::InOrder, item.at, item.session, highestBy, *item.item);
            if (number > highest) {
                highest = number;
                highestBy = item.session;
            }
        }
    }

    void longestWait(microseconds bound)
    {
        for (std::size_t i = 0; i < m_logs.size(); ++i) {
            const Event* asked = nullptr;
            const auto answered = [&](qint64 at) {
                if (asked && at - asked->us > bound.count())
                    found(Rule::LongestWait, at, int(i) + 1, 0, m_logs[i].subjects.at(asked->subject));
                asked = nullptr;
            };
            for (const Event& event : m_logs[i].events) {
                if (event.kind == EventKind::WaitBegin)
                    asked = &event;
                else if (asked)
                    answered(event.us);
            }
            answered(lastKnown(m_logs[i]));
        }
    }

    void counted(Rule rule, EventKind kind, qint64 Counts::*count)
    {
        for (std::size_t i = 0; i < m_logs.size(); ++i) {
            for (const Event& event : m_logs[i].events)
                if (event.kind == kind)
                    remember(
                        {rule, microseconds(event.us), int(i) + 1, 0, m_logs[i].subjects.at(event.subject)});
            m_judgement.violations[rule] += m_logs[i].counts.*count; // also those that found no room
        }
    }

    void finish()
    {
        std::stable_sort(m_examples.begin(), m_examples.end(),
            [](const Violation& a, const Violation& b) { return a.at < b.at; });
        m_examples.resize(std::min(m_examples.size(), mostExamples));
        m_judgement.examples = std::move(m_examples);
    }

private:
    /// When what is still open ends, as far as the log tells.
    qint64 lastKnown(const SessionLog::Copy& log) const
    {
        const bool isCut = log.dropped > 0 && !log.events.empty();
        return isCut ? log.events.back().us : m_end;
    }

    void found(Rule rule, qint64 at, int session, int other, const QString& subject)
    {
        ++m_judgement.violations[rule];
        remember({rule, microseconds(at), session, other, subject});
    }

    void remember(Violation violation) { m_examples.push_back(std::move(violation)); }

    const std::span<const SessionLog::Copy> m_logs;
    const qint64 m_end;
    Violations& m_judgement;
    std::vector<Violation> m_examples;
};

QString oneOrMany(const QString& words, qint64 count)
{
    const qsizetype bar = words.indexOf(u'|');
    if (bar < 0)
        return words;
    return count == 1 ? words.left(bar) : words.mid(bar + 1);
}

} // namespace

QString ruleKey(Rule rule)
{
    switch (rule) {
    case Rule::Invariant:
        return u"invariant"_s;
    case Rule::OneHolder:
        return u"one_holder"_s;
    case Rule::ProcessedOnce:
        return u"processed_once"_s;
    case Rule::InOrder:
        return u"in_order"_s;
    case Rule::NoDeadlock:
        return u"no_deadlock"_s;
    case Rule::NoDuplicateKey:
        return u"no_duplicate_key"_s;
    case Rule::NobodyWaits:
        return u"nobody_waits"_s;
    case Rule::LongestWait:
        break;
    }
    return u"longest_wait_ms"_s;
}

QString ruleViolation(Rule rule, qint64 count, const Scenario& scenario)
{
    switch (rule) {
    case Rule::Invariant:
        return oneOrMany(scenario.invariant.violation, count);
    case Rule::OneHolder:
        return oneOrMany(u"time that two sessions were in one critical section|times that two sessions were "
                         "in one critical section"_s,
            count);
    case Rule::ProcessedOnce:
        return oneOrMany(u"item processed twice|items processed twice"_s, count);
    case Rule::InOrder:
        return oneOrMany(u"item out of order|items out of order"_s, count);
    case Rule::NoDeadlock:
        return oneOrMany(u"deadlock victim|deadlock victims"_s, count);
    case Rule::NoDuplicateKey:
        return oneOrMany(u"duplicate-key error|duplicate-key errors"_s, count);
    case Rule::NobodyWaits:
        return oneOrMany(
            u"time that somebody waited for a lock|times that somebody waited for a lock"_s, count);
    case Rule::LongestWait:
        break;
    }
    return oneOrMany(u"wait that took too long|waits that took too long"_s, count);
}

QString violationsText(const std::map<Rule, qint64>& violations, const Scenario& scenario)
{
    const auto known = violations.find(Rule::Invariant);
    const qint64 inDatabase = known == violations.end() ? 0 : std::abs(known->second);
    QStringList counts;
    QString agreeing;
    for (const auto& [rule, count] : violations) {
        if (count == 0)
            continue;
        // The same faults, seen from the two sides.
        if ((rule == Rule::OneHolder || rule == Rule::ProcessedOnce) && std::abs(count) == inDatabase) {
            agreeing = u" (the sessions' log has as many)"_s;
            continue;
        }
        counts << u"%1 %2"_s.arg(std::abs(count)).arg(ruleViolation(rule, std::abs(count), scenario));
    }
    if (!agreeing.isEmpty())
        counts.front() += agreeing; // the database's comes first
    return counts.join(u", "_s);
}

QJsonObject toJson(const std::map<Rule, qint64>& violations)
{
    QJsonObject json;
    for (const auto& [rule, count] : violations)
        json[ruleKey(rule)] = count;
    return json;
}

bool Violations::isBroken() const
{
    return total() > 0;
}

qint64 Violations::total() const
{
    qint64 sum = 0;
    for (const auto& [rule, count] : violations)
        sum += std::abs(count);
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
    RuleChecker bench(logs, end, violations);
    if (rules.oneHolder) {
        violations.violations[Rule::OneHolder] = 0;
        bench.oneHolder();
    }
    if (rules.processedOnce)
        violations.violations[Rule::ProcessedOnce] = 0;
    if (rules.inOrder)
        violations.violations[Rule::InOrder] = 0;
    if (rules.processedOnce || rules.inOrder)
        bench.processed(rules);
    if (rules.noDeadlock)
        bench.counted(Rule::NoDeadlock, EventKind::Victim, &Counts::victims);
    if (rules.noDuplicateKey)
        bench.counted(Rule::NoDuplicateKey, EventKind::DuplicateKey, &Counts::duplicates);
    if (rules.nobodyWaits)
        bench.counted(Rule::NobodyWaits, EventKind::Waited, &Counts::waited);
    if (rules.longestWaitMs) {
        violations.violations[Rule::LongestWait] = 0;
        bench.longestWait(milliseconds(rules.longestWaitMs->in(values)));
    }
    bench.finish();
    return violations;
}

QString verdict(const Scenario& scenario, const Variant& variant, const Violations& violations,
    const QHash<QString, QString>& parameters)
{
    if (violations.tries == 0 && !violations.isBroken())
        return u"Nothing was tried: no session found anything to do before the end of the run."_s;
    const QString tries = violations.tries == 1 ? u"1 try"_s : u"%1 tries"_s.arg(violations.tries);
    const QString judged =
        scenario.invariant.sql.empty() ? u", judged by the sessions' log alone"_s : QString();
    if (!violations.isBroken()) {
        const QString sentence = u"Not observed in %1%2: "_s.arg(tries, judged);
        if (variant.isUnsafe)
            return sentence
                + u"that does not make it safe, the race was only not lost this time; try more sessions or a "
                  "longer run."_s;
        return sentence + u"nothing went wrong with \"%1\". %2"_s.arg(variant.title, variant.meaning);
    }
    QString why = variant.meaning;
    if (const QStringList changed = scenario.changed(parameters); !variant.isUnsafe && !changed.isEmpty())
        why =
            u"This variant was expected to hold, but not with every value that its parameters can have: with "
            "%1 that may be how it is. If it goes wrong without that, too, it is worth a report."_s.arg(
                changed.join(u", "_s));
    else if (!variant.isUnsafe)
        why =
            u"This variant was expected to hold: that is a fault of the variant or of the server, and worth "
            "a report."_s;
    return u"In %1 it went wrong%2: %3. %4"_s.arg(
        tries, judged, violationsText(violations.violations, scenario), why);
}

} // namespace lockscope::scenario
